"""The offline solution: objects as they are today, and a job from outside that marks and sweeps.

The job lists the objects of the namespace, what is staged, and what is committed; what was listed, is old enough and in
neither of the others is deleted. "The uncommitted listing *must* complete before the committed one begins": an entry
goes from staged to committed, never back, and is committed before it is no longer staged. Two things break this: a
shallow copy takes an object from where the job has yet to look to where it has looked; and a commit that is under way
holds what it has read, also when that has been overwritten since. What helps against them is ours.
Source: hard-delete-uncommitted-data.md, "Decision" and "Motivation", 1.; the order of the listings: that of lakeFS'
garbage collection of uncommitted objects.
"""

from collections.abc import AsyncIterator
from typing import Final, Literal

import attrs

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.catalog.errors import AddressNotAllowed, GrantExpired, ObjectBusy
from lakeproof.impl.catalog.objects import Grant, copy_data, find_object, owned, stage
from lakeproof.impl.catalog.objects import delete_branch as delete_branch
from lakeproof.impl.catalog.objects import delete_object as delete_object
from lakeproof.impl.catalog.objects import read_object as read_object
from lakeproof.impl.catalog.objects import reset_branch as reset_branch
from lakeproof.impl.catalog.objects import upload_object as upload_object
from lakeproof.impl.committed import apply_changes
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler import lock_free, writing
from lakeproof.impl.graveler.merging import merge as merge
from lakeproof.impl.graveler.reading import changes_of
from lakeproof.impl.graveler.tokens import TRIES, Tokens
from lakeproof.impl.hard_delete import _marking as marking
from lakeproof.impl.hard_delete._marking import Commits, Entries
from lakeproof.impl.refs.branches import create_branch as create_branch
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import BranchBusy, GravelerError
from lakeproof.impl.refs.tags import create_tag as create_tag
from lakeproof.impl.refs.tags import delete_tag as delete_tag
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.catalog import DATA_PREFIX, ObjectEntry, is_inside
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Commit, Repository

MIN_AGE: Final = 86_400_000_000
"""Microseconds: how old an object must be; longer than any operation between its object and its entry."""
COPIES_PREFIX: Final = b"copies/"
SPARED: Final = ("_lakefs/",)
"""What lies in the namespace and is no user's: relative prefixes."""

Part = Literal["objects", "uncommitted", "committed"]
ORDER: Final[tuple[Part, ...]] = ("objects", "uncommitted", "committed")


async def background_job(
    env: Env,
    repository: Repository,
    *,
    order: tuple[Part, ...] = ORDER,
    min_age: int = MIN_AGE,
    margin: int = 0,
    cutoff: Literal["start", "listing"] = "start",
    prefix: str = DATA_PREFIX,
    spares: tuple[str, ...] = SPARED,
    entries: Entries = "all",
    commits: Commits = "all",
    tracked: Literal["never", "first", "last"] = "never",
    batch_size: int = 0,
) -> tuple[str, ...]:
    """Delete each object that is ``min_age`` old and that no staged entry and no commit refers to.

    order: of the three listings; each is complete before the next begins.
    margin: microseconds that the job's clock may be ahead of any other.
    cutoff: when the job reads the clock: before all listings, or before that of the objects.
    prefix, spares: where it looks for objects, and what it leaves alone there; relative.
    entries, commits: see `Entries`, `Commits`.
    tracked: when it reads which objects are being copied (`copy_object`, ``tracks``): before all listings, or after.
    Cost: the listings, 1 effect for the clock and 1 for each deletion. Memory: all addresses.

    Returns the addresses of what it has deleted.

    Raises:
        MissingObject, DamagedObject: committed data cannot be read; nothing was deleted.
    """
    cut = 0 if cutoff == "listing" else await _cut(env, min_age + margin)
    copies = await _copies(env, repository, batch_size) if tracked == "first" else ()
    old: list[str] = []
    kept: set[str] = set()
    for part in order:
        if part == "uncommitted":
            kept |= await marking.uncommitted(env, repository, entries, batch_size)
        elif part == "committed":
            kept |= await marking.committed(env, repository, commits, batch_size)
        else:
            if cutoff == "listing":
                cut = await _cut(env, min_age + margin)
            old = [at async for at in _older(env, repository, prefix, spares, cut, batch_size)]
    if tracked == "last":
        copies = await _copies(env, repository, batch_size)
    kept |= {copy.address for copy in copies if copy.began > cut}
    gone = tuple(address for address in old if address not in kept)
    for address in gone:
        await env.objects.delete(address)
    for copy in copies:
        if copy.began <= cut:
            await env.store.delete(uid_partition(repository), copy.key)
    return gone


async def _cut(env: Env, before: int) -> int:
    return await env.clock.now() - before


async def _older(
    env: Env, repository: Repository, prefix: str, spares: tuple[str, ...], cut: int, batch_size: int
) -> AsyncIterator[str]:
    """The addresses of objects that were last modified at ``cut`` or before."""
    root = f"{repository.storage_namespace}/"
    async for head in env.objects.list(root + prefix, batch_size):
        if head.last_modified <= cut and not head.address.removeprefix(root).startswith(spares):
            yield head.address


@attrs.frozen(cache_hash=True)
class TrackedCopy:
    """Somebody is about to stage a second entry for an object."""

    key: bytes
    address: str  # physical
    began: int  # microseconds since 1970, by the copier's clock


async def _copies(env: Env, repository: Repository, batch_size: int) -> tuple[TrackedCopy, ...]:
    found: list[TrackedCopy] = []
    async for record in env.store.scan(uid_partition(repository), batch_size=batch_size, prefix=COPIES_PREFIX):
        began, _, address = record.value.decode().partition(" ")
        found.append(TrackedCopy(record.key, address, int(began)))
    return tuple(found)


async def _track(env: Env, repository: Repository, entry: ObjectEntry, *, per_copy: bool) -> None:
    """Write that an object is being copied. 1 effect, and 1 for the clock."""
    address = catalog.at(repository, entry)
    name = f"{address}/{env.ids.unique('copy')}" if per_copy else address
    value = f"{await env.clock.now()} {address}"
    await env.store.set(uid_partition(repository), COPIES_PREFIX + name.encode(), value.encode())


async def copy_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    source_branch_id: BranchID,
    source_path: bytes,
    *,
    full: bool = False,
    tracks: bool = False,
    verifies: bool = False,
    per_copy: bool = False,
    tries: int = TRIES,
) -> ObjectEntry:
    """Copy an object to a path: a second entry for the same object.

    full: copy the object, too.
    tracks: write first, under ``copies/<address>``, that the object is being copied.
    verifies: then look whether the source still has it: a job that has not seen the record may have come before.
    per_copy: under a key of its own for each copy: who removes an old record removes no new one.

    Raises:
        PathNotFound, BranchNotFound; DataGone; ObjectBusy: the source changed ``tries`` times, nothing was copied.
        WriteNotSettled (indefinite).
    """
    found = await find_object(env, repository, source_branch_id, source_path)
    if full:
        found = await copy_data(env, repository, found)
    elif tracks and owned(repository, found):
        for _ in range(tries):
            await _track(env, repository, found, per_copy=per_copy)
            again = await find_object(env, repository, source_branch_id, source_path) if verifies else found
            if again.address == found.address:
                break
            found = again
        else:
            raise ObjectBusy(source_path)
    await stage(env, repository, branch_id, path, found)
    return found


async def move_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    source_path: bytes,
    path: bytes,
    *,
    full: bool = False,
    tracks: bool = False,
    verifies: bool = False,
    per_copy: bool = False,
) -> ObjectEntry:
    """Copy the entry, then delete the old one. Options and errors of `copy_object`."""
    found = await copy_object(
        env,
        repository,
        branch_id,
        path,
        branch_id,
        source_path,
        full=full,
        tracks=tracks,
        verifies=verifies,
        per_copy=per_copy,
    )
    await writing.delete_entry(env, repository, branch_id, source_path)
    return found


async def stage_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    address: str,
    content: bytes,
    *,
    inside: bool = True,
) -> ObjectEntry:
    """Stage an entry for an object at a physical address. ``inside``: whether the address may lie in the namespace.

    Raises AddressNotAllowed; and as `stage`.
    """
    if not inside and is_inside(repository.storage_namespace, address):
        raise AddressNotAllowed(address)
    return await catalog.stage_object(env, repository, branch_id, path, address, content)


async def get_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, lifetime: int = 0
) -> Grant:
    """Issue an address, to be linked within ``lifetime`` microseconds (0: at any time)."""
    grant = await catalog.get_physical_address(env, repository, branch_id, path)
    return attrs.evolve(grant, expires=await env.clock.now() + lifetime) if lifetime else grant


async def link_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, grant: Grant, content: bytes
) -> ObjectEntry:
    """Stage an entry for the object at an issued address. 1 effect more than `stage_object` where the grant expires.

    Raises:
        GrantExpired, AddressNotAllowed; and as `stage`.
    """
    if grant.expires and await env.clock.now() > grant.expires:
        raise GrantExpired(grant.address)
    return await catalog.link_physical_address(env, repository, branch_id, path, grant, content)


class _Overwritten(GravelerError):
    """What a commit has read is not staged any more."""


async def commit(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    message: str,
    *,
    looks_again: bool = False,
    tries: int = TRIES,
    batch_size: int = 0,
) -> Commit:
    """`lock_free.commit`. looks_again: once the commit record is written, combine anew, and start over if that gives
    something else: what was overwritten after it was read, and before the record told of it, no job can know of.

    Raises:
        BranchNotFound; BranchBusy: nothing was committed by this call; what it sealed stays sealed.
    """
    if not looks_again:
        return await lock_free.commit(env, repository, branch_id, message, batch_size=batch_size)

    async def look(env: Env, repository: Repository, branch: Branch, made: Commit, kept: Tokens) -> None:
        changes = await changes_of(env, kept, batch_size=batch_size)
        head = await get_commit(env, repository, made.parents[0])
        again = await apply_changes(env, repository.storage_namespace, head.meta_range_id, list(changes.values()))
        if again != made.meta_range_id:
            raise _Overwritten(branch.branch_id)

    for _ in range(tries):
        try:
            reading = lock_free.Reading(tries=tries)
            return await lock_free.commit(
                env, repository, branch_id, message, reading=reading, prepare=look, batch_size=batch_size
            )
        except _Overwritten:
            continue
    raise BranchBusy(branch_id)


FLOWS = ObjectFlows(
    upload_object=upload_object,
    stage_object=stage_object,
    get_physical_address=get_physical_address,
    link_physical_address=link_physical_address,
    copy_object=copy_object,
    move_object=move_object,
    delete_object=delete_object,
    read_object=read_object,
    commit=commit,
    reset_branch=reset_branch,
    delete_branch=delete_branch,
    create_branch=create_branch,
    merge=merge,
    background_job=background_job,
)
