"""Proposal `online`, ours: hard delete of uncommitted data with five KV operations and a plain object store.

An address is issued under one staging token, its *home*, which its name contains, and is staged under no other. One
compare-and-set on the branch decides the token: a commit takes it, or it is dropped. Then the objects of the commit's
entries are committed, and all others of the token are garbage. A committer notes beforehand which tokens it would take,
and a client that replaces a head notes that it was one: so later clients know, whatever crashed. A writer that finds
the token changed starts over under the new one, with a new address.

Example: y is staged on b under the token t0, as data/t0/s. An upload to x, with a commit in its middle, and the job::

    upload    read b: t0; note addresses/t0/a1; put data/t0/a1
    commit    seal t0: b has t1; list t0: y; write the commit; note fates/t0/<commit> and the head; b names the commit
    upload    stage x: a1 under t0; read b: t1; note addresses/t1/a2; put data/t1/a2; stage x: a2 under t1; read b: t1
    job       t0: b has not got it, and the commit that took it names s and not a1; delete data/t0/a1; forget t0
              t1: b has it; leave a2 alone

Source: docs/designs/hard-delete.md, where the proof's steps are.
"""

from typing import Final, Literal

import attrs

from lakeproof.impl.catalog import objects as today
from lakeproof.impl.catalog.errors import AddressDeleted, AddressNotAllowed, DataGone, GrantInvalid
from lakeproof.impl.catalog.objects import Grant, at, change, entry_at, entry_of, find_object, is_owned
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import lock_free, merges
from lakeproof.impl.graveler.commits import drop_all
from lakeproof.impl.graveler.reads import look_through
from lakeproof.impl.graveler.tokens import Tokens, settle, stable
from lakeproof.impl.hard_delete import journal
from lakeproof.impl.hard_delete.journal import Issued, State
from lakeproof.impl.hard_delete.reaper import CAUTIONS, Caution, Reaper
from lakeproof.impl.refs.branches import create_branch, get_branch, remove_branch
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.impl.refs.resolution import Ref
from lakeproof.impl.staging import get_staged, stage_if, tombstone
from lakeproof.model import objects
from lakeproof.model.catalog import ObjectEntry, decode_object_entry, is_inside
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.objects import etag
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry


@attrs.frozen(kw_only=True)
class Reading:
    """What an installation chooses, and what can be left out, to show what it is for."""

    lifetime: int = 3_600_000_000
    """Microseconds after which the object store refuses a put at an issued address; 0: never."""
    skew: int = 0
    """Microseconds that the job's clock may be ahead of the object store's."""
    commit_tries: int = 10
    """How often a commit tries to replace the branch's record."""
    cautions: tuple[Caution, ...] = CAUTIONS
    """What the job takes care of."""
    copies: Literal["by entry", "in full"] = "by entry"
    """How a committed object is copied: a second entry, or a second object, which is uncommitted data of its own. Where
    `lakeproof.impl.retention` deletes committed objects, an entry is not enough."""
    insists: bool = False
    """After a predicate failure, stage the same address once more: a negative control, the first try may have been
    seen."""


AS_WRITTEN: Final = Reading()
"""As docs/designs/hard-delete.md describes it: "by a request that the store refuses after the address's time"."""
UNTIMED: Final = Reading(lifetime=0)
"""Without any clock: "Safety does not depend on this"."""


async def upload_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, content: bytes, *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Put an object and stage an entry for it. 5 KV operations and 1 put; 1 more where it replaces a staged entry, and
    all of them again for each change of the token that it meets.

    Raises:
        BranchNotFound; WriteNotSettled (indefinite). Expired: too slow; nothing was staged.
    """
    made = ObjectEntry(address="", e_tag=etag(content), size_bytes=len(content), last_modified=await env.clock.now())
    return await _stage_new(env, repository, branch_id, path, made, content, reading)


async def _stage_new(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, made: ObjectEntry, data: bytes | str,
    reading: Reading
) -> ObjectEntry:
    """Stage an entry for an object under a fresh address of the branch's token. data: its content, or the physical
    address that it is copied from. Raises DataGone, too: nothing is there."""

    async def write(branch: Branch) -> ObjectEntry:
        # The note before the object: an object without a note would never be found, as no job lists the bucket.
        token, name, not_after = await _issue(env, repository, branch, path, reading)
        entry = attrs.evolve(made, address=journal.address_under(token, name))
        if isinstance(data, bytes):
            # A put that arrives later is refused, so the job need not wait for ever.
            await env.objects.put(at(repository, entry), data, not_after=not_after)
        else:
            await _copy_data(env, data, at(repository, entry), not_after)
        done = await _put_in(env, repository, token, change(path, entry))
        if reading.insists and not done:
            done = await _put_in(env, repository, token, change(path, entry))
        # Overwritten at once, and never staged again: the `SetIf` may have been applied, and seen.
        if not done:
            await journal.settle(env, repository, token, name, path)
        return entry

    branch = await get_branch(env, repository, branch_id)
    return (await settle(env, repository, branch, write, path))[0]


async def _put_in(env: Env, repository: Repository, token: StagingToken, new: StagedEntry) -> bool:
    """Stage a change over what is staged at its path; False: another client came between, and so it was overwritten at
    once. A change is tried once: one that was reported as failed may have been seen, and must not come back.

    Before a staged entry is replaced, it is written down that its address will not be staged again.
    """
    found = await get_staged(env, token, new.key)
    old = None if found is None else entry_of(found[0])
    issued = None if old is None else journal.home(old.address)
    # An entry of another home is a committed object, staged by a copy: its address is not issued any more.
    if issued is not None and issued[0] == token:
        # Before it is replaced: after a crash in between the entry is still staged, and the job sees that.
        await journal.settle(env, repository, token, issued[1], new.key)
    return await stage_if(env, token, new, None if found is None else found[1])


async def stage_known(env: Env, repository: Repository, branch_id: BranchID, new: StagedEntry) -> None:
    """Stage a change that brings no object of its own: a tombstone, or an entry for a committed object."""

    async def write(branch: Branch) -> None:
        await _put_in(env, repository, branch.staging_token, new)

    await settle(env, repository, await get_branch(env, repository, branch_id), write, new.key)


async def delete_object(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> None:
    """Delete the entry at a path. Raises PathNotFound, BranchNotFound; WriteNotSettled (indefinite)."""
    await find_object(env, repository, branch_id, path)
    await stage_known(env, repository, branch_id, tombstone(path))


async def copy_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source_branch_id: BranchID, source_path: bytes,
    *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Copy an object to a path. A committed object gets a second entry; a staged one is copied, for its fate is not
    decided yet.

    Raises:
        PathNotFound, BranchNotFound; DataGone: the staged object was hard-deleted meanwhile, nothing was copied.
        BranchBusy; WriteNotSettled (indefinite).
    """
    found, committed = await _find(env, repository, source_branch_id, source_path)
    # A committed object is never hard-deleted, and of one outside the namespace nothing is deleted at all.
    if (committed and reading.copies == "by entry") or not is_owned(repository, found):
        await stage_known(env, repository, branch_id, change(path, found))
        return found
    return await _stage_new(env, repository, branch_id, path, found, at(repository, found), reading)


async def _copy_data(env: Env, source: str, address: str, not_after: int | None) -> None:
    try:
        await env.objects.copy(source, address, not_after=not_after)
    except objects.ObjectNotFound:
        raise DataGone(source) from None


async def _find(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> tuple[ObjectEntry, bool]:
    """The object entry at a path, and whether it is committed. Reads as `reads.get_entry`."""

    async def look(branch: Branch) -> tuple[StagedEntry | None, bool]:
        return await look_through(env, repository, branch, branch.tokens, path)

    found, committed = await stable(env, repository, branch_id, look)
    if found is None or found.data is None:
        raise PathNotFound(path)
    return decode_object_entry(found.data), committed


async def move_object(
    env: Env, repository: Repository, branch_id: BranchID, source_path: bytes, path: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Copy, then delete the old entry. Errors of `copy_object`."""
    found = await copy_object(env, repository, branch_id, path, branch_id, source_path, reading=reading)
    await stage_known(env, repository, branch_id, tombstone(source_path))
    return found


async def stage_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, address: str, content: bytes
) -> ObjectEntry:
    """Stage an entry for an object that lies outside the namespace. Raises AddressNotAllowed: it lies inside, where an
    address has one home; copy the object, or ask for an address."""
    if is_inside(repository.storage_namespace, address):
        raise AddressNotAllowed(address)
    return await today.stage_object(env, repository, branch_id, path, address, content)


async def get_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> Grant:
    """Issue an address for an object that the user will put there himself. 2 effects, and 1 for the clock."""
    branch = await get_branch(env, repository, branch_id)
    token, name, not_after = await _issue(env, repository, branch, path, reading, "open")
    address = journal.address_under(token, name)
    return Grant(f"{repository.storage_namespace}/{address}", name, not_after or 0)


async def _issue(
    env: Env, repository: Repository, branch: Branch, path: bytes, reading: Reading, state: State = "used"
) -> tuple[StagingToken, str, int | None]:
    """Issue an address under the branch's token: token, name, and the time up to which it can be put. 1 effect, and 1
    for the clock."""
    name = env.ids.unique("address")
    not_after = await env.clock.now() + reading.lifetime if reading.lifetime else None
    await journal.issue(env, repository, branch.staging_token, name, Issued(path, not_after, state))
    return branch.staging_token, name, not_after


async def link_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, grant: Grant, content: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Stage an entry for the object that was put at an issued address, once. If the token has changed since it was
    issued, the object is copied to a new address.

    Raises:
        AddressNotAllowed: not issued for a path of this branch. GrantInvalid: used up, or dealt with.
        AddressDeleted: nothing is there. BranchNotFound; WriteNotSettled (indefinite).
    """
    entry = entry_at(repository, grant.address, content)
    issued = journal.home(entry.address)
    # The token names the branch. The path is compared with the record, in `use_up`.
    if issued is None or journal.branch_of(repository, issued[0]) != branch_id:
        raise AddressNotAllowed(grant.address)
    token, name = issued
    # Before anything is staged: a second link of the address must fail, whatever becomes of this one.
    if not await journal.use_up(env, repository, token, name, path):
        raise GrantInvalid(grant.address)
    try:
        await env.objects.head(grant.address)
    except objects.ObjectNotFound:
        raise AddressDeleted(grant.address) from None
    branch = await get_branch(env, repository, branch_id)
    if branch.staging_token == token:
        if not await _put_in(env, repository, token, change(path, entry)):
            await journal.settle(env, repository, token, name, path)
        branch = await get_branch(env, repository, branch_id)  # after the entry, as `settle` does
        if branch.staging_token == token:  # still open: a commit that takes it finds the entry
            return entry
    # The token was sealed before or after the entry was staged. Its object may be committed, so it is left, and copied.
    try:
        return await _stage_new(env, repository, branch_id, path, entry, grant.address, reading)
    except DataGone:
        raise AddressDeleted(grant.address) from None


async def commit(
    env: Env, repository: Repository, branch_id: BranchID, message: str, *, reading: Reading = AS_WRITTEN,
    batch_size: int = 0
) -> Commit:
    """`lock_free.commit`, and 1 effect more for each token, and 1 for the head that it replaces, written beforehand."""
    how = lock_free.Reading(tries=reading.commit_tries)
    return await lock_free.commit(
        env, repository, branch_id, message, reading=how, prepare=write_ahead, batch_size=batch_size
    )


async def merge(env: Env, repository: Repository, destination: BranchID, source: Ref, message: str) -> Commit:
    """`merges.merge`, and 1 effect more."""
    return await merges.merge(env, repository, destination, source, message, prepare=write_ahead)


async def write_ahead(env: Env, repository: Repository, branch: Branch, made: Commit, taken: Tokens) -> None:
    """Write down which tokens a commit would take, and that the head that it would replace was one. 1 effect for each
    token, and 1."""
    for token in taken:
        await journal.promise(env, repository, token, made.commit_id)
    await journal.mark_head(env, repository, branch.commit_id)


async def delete_branch(env: Env, repository: Repository, branch_id: BranchID, *, batch_size: int = 0) -> None:
    """`remove_branch` by a tombstone, after it was written down that its head was one; then its staged entries go.

    Raises:
        BranchNotFound, DefaultBranch; RefChanged: nothing was deleted.
    """

    async def prepare(env: Env, repository: Repository, branch: Branch) -> None:
        await journal.mark_head(env, repository, branch.commit_id)

    dropped = await remove_branch(env, repository, branch_id, tombstone=True, prepare=prepare)
    await drop_all(env, dropped, batch_size)


async def background_job(
    env: Env, repository: Repository, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> tuple[str, ...]:
    """Delete what was issued and will never be committed or staged; returns the relative addresses.

    A scan of the issued addresses; for each token 1 read of its branch, 1 scan of its promises, and 1 effect for each
    of them; for each address at most 3 to read it in the commit, and 3 to delete it. No listing of the bucket.
    """
    return await Reaper(env, repository, batch_size, reading.skew, reading.cautions).run()


FLOWS = attrs.evolve(
    today.FLOWS, upload_object=upload_object, stage_object=stage_object, get_physical_address=get_physical_address,
    link_physical_address=link_physical_address, copy_object=copy_object, move_object=move_object,
    delete_object=delete_object, commit=commit, delete_branch=delete_branch, create_branch=create_branch, merge=merge,
    background_job=background_job,
)
