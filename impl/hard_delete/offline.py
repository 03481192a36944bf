"""The offline solution: objects as they are today, and a job from outside that marks and sweeps.

The job lists the objects of the namespace, what is staged, and what is committed; what was listed, is old enough and in
neither of the others is deleted. "The uncommitted listing *must* complete before the committed one begins": an entry
goes from staged to committed, never back, and is committed before it is no longer staged. Two things break this: a
shallow copy takes an object from where the job has yet to look to where it has looked; and a commit that is under way
holds what it has read, also when that has been overwritten since. No listing is
a snapshot: each goes on while others work. What helps against them is ours.

Example: x is staged on b as the object s, which is old enough. A shallow copy of x to y, a delete of x, and the job::

    copy      read x: s
    delete    stage a tombstone at x
    job       list objects: s; list what is staged: no entry; list what is committed: no entry; delete s
    copy      stage y: s                                 its object is gone

A *verified* copy writes ``copies/<s>`` after its first step, for the job to read, and looks at x once more: here it
raises PathNotFound.

Source: hard-delete-uncommitted-data.md, "Decision" and "Motivation", 1.; the order of the listings: that of lakeFS'
garbage collection of uncommitted objects.
"""

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from functools import partial
from typing import Final, Literal

import attrs

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.catalog.errors import AddressNotAllowed, GrantExpired, ObjectBusy
from lakeproof.impl.catalog.objects import Grant, at, copy_data, entry_of, find_object, is_owned, stage
from lakeproof.impl.committed import apply_changes
from lakeproof.impl.committed.reader import Reader
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import lock_free, writes
from lakeproof.impl.graveler.layers import Source, changes, start_source
from lakeproof.impl.graveler.merges import merge
from lakeproof.impl.graveler.tokens import TRIES, Tokens
from lakeproof.impl.refs.branches import create_branch
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import BranchBusy, GravelerError
from lakeproof.impl.refs.iterators import branch_iterator, commit_ordered_iterator, staging_iterator, tag_iterator
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.catalog import DATA_PREFIX, ObjectEntry, decode_object_entry, is_inside
from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry

COPIES_PREFIX: Final = b"copies/"

Copies = Literal["shallow", "full", "tracked", "verified", "verified apart"]
Part = Literal["objects", "uncommitted", "committed"]
ORDER: Final[tuple[Part, ...]] = ("objects", "uncommitted", "committed")


@attrs.frozen(kw_only=True)
class Reading:
    """What the text leaves open, and how it is read. It is silent where no sentence is quoted."""

    order: tuple[Part, ...] = ORDER
    """Of the three listings: "the uncommitted listing *must* complete before the committed one begins"."""
    min_age: int = 86_400_000_000
    """Microseconds: how old an object must be; longer than any operation between its object and its entry."""
    margin: int = 0
    """Microseconds that the job's clock may be ahead of any other."""
    cutoff: Literal["start", "listing"] = "start"
    """When the job reads the clock: before all listings, or before that of the objects."""
    prefix: str = DATA_PREFIX
    """Where the job looks for objects; relative."""
    spares: tuple[str, ...] = ("_lakefs/",)
    """What lies there and is no user's: relative prefixes."""
    entries: Literal["all", "shown"] = "all"
    """The "uncommitted" ones: all under the tokens of a branch, or the newest of each path."""
    commits: Literal["all", "reachable"] = "all"
    """The "committed" data: of all records, or of those that branches, and then tags, lead to."""
    copies: Copies = "shallow"
    """Today's are shallow; "Copy operation requires to be changed and implemented is full copy". The others are ours.
    Tracked: it is written first, under ``copies/<address>``, that the object is being copied. Verified: then the copier
    looks whether the source still has it, for a job that has not seen the record may have come before. Apart: under a
    key of its own for each copy, so that the removal of an old record removes no new one."""
    records: Literal["never", "first", "last"] = "never"
    """When the job reads the records of copies: before all listings, or after."""
    looks_again: bool = False
    """Ours: once the commit record is written, a commit combines anew, and starts over if that gives something else:
    what was overwritten after it was read, and before the record names it, is unknown to every job."""
    commit_tries: int = TRIES
    """How often a commit that looks again starts."""
    inside: bool = True
    """Whether an address in the namespace may be staged. Proposal 4: "only on addresses outside the repository
    namespace"."""
    lifetime: int = 0
    """Microseconds in which an issued address can be linked; 0: at any time."""


AS_WRITTEN: Final = Reading()
"""Where the text is silent, all is as today: shallow copies, addresses that never expire."""
MENDED: Final = Reading(
    copies="verified apart", records="last", looks_again=True, inside=False, lifetime=AS_WRITTEN.min_age // 2
)
"""Ours: all repairs at once."""


async def background_job(
    env: Env, repository: Repository, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> tuple[str, ...]:
    """Delete each object that is old enough and that no staged entry and no commit refers to.

    Cost: the listings, 1 effect for the clock and 1 for each deletion. Memory: all addresses.

    Returns the addresses of what it has deleted.

    Raises:
        MissingObject, DamagedObject: committed data cannot be read; nothing was deleted.
    """
    age = reading.min_age + reading.margin
    # Before all listings: what is younger than this may have an entry that a listing has passed.
    cut = 0 if reading.cutoff == "listing" else await env.clock.now() - age
    copies = await _copies(env, repository, batch_size) if reading.records == "first" else []
    old: list[str] = []
    kept: set[str] = set()
    for part in reading.order:
        if part == "uncommitted":
            kept |= await _uncommitted_addresses(env, repository, reading, batch_size)
        elif part == "committed":
            kept |= await _committed_addresses(env, repository, reading, batch_size)
        else:
            if reading.cutoff == "listing":
                cut = await env.clock.now() - age
            old = [at async for at in _older(env, repository, reading, cut, batch_size)]
    if reading.records == "last":
        copies = await _copies(env, repository, batch_size)
    # A young record: its copy may be staged where the job has looked already.
    kept |= {address for _, address, began in copies if began > cut}
    gone = tuple(address for address in old if address not in kept)
    for address in gone:
        await env.objects.delete(address)
    for key, _, began in copies:
        if began <= cut:  # no operation lasts as long: the copy is staged, or will not be
            await env.store.delete(uid_partition(repository), key)
    return gone


async def _older(env: Env, repository: Repository, reading: Reading, cut: int, batch_size: int) -> AsyncIterator[str]:
    """The addresses of objects that were last modified at ``cut`` or before."""
    root = f"{repository.storage_namespace}/"
    async for head in env.objects.list(root + reading.prefix, batch_size):
        if head.last_modified <= cut and not head.address.removeprefix(root).startswith(reading.spares):
            yield head.address


async def _uncommitted_addresses(env: Env, repository: Repository, reading: Reading, batch_size: int) -> set[str]:
    """The physical addresses of what is staged on any branch. Its tokens: the open one, then the sealed ones, newest
    first. 1 effect per page of branches, and 1 per page of each token."""
    found: set[str] = set()
    async for branch in branch_iterator(env, repository, batch_size=batch_size):
        # A generator: each scan begins when the one before has ended.
        scans: Iterable[Source] = (staging_iterator(env, token, batch_size=batch_size) for token in branch.tokens)
        if reading.entries == "shown":
            scans = (changes(env, branch.tokens, batch_size=batch_size),)
        for scan in scans:
            async for change in scan:
                entry = entry_of(change)
                found |= set() if entry is None else {at(repository, entry)}
    return found


async def _committed_addresses(env: Env, repository: Repository, reading: Reading, batch_size: int) -> set[str]:
    """The physical addresses of what commits hold. 1 effect per page of commits (``"reachable"``: per page of branches
    and of tags, and per commit), 1 per metarange, 1 per range. Raises MissingObject, DamagedObject, CommitNotFound."""
    reader = Reader(env, repository.storage_namespace)
    found: set[str] = set()
    read: set[str] = set()
    commits: AsyncIterator[Commit] = commit_ordered_iterator(env, repository, batch_size=batch_size)
    async for commit in commits if reading.commits == "all" else _walk_commits(env, repository, batch_size):
        if commit.meta_range_id not in read:  # commits share a metarange where nothing was changed
            read.add(commit.meta_range_id)
            async for entry in reader.entries(await reader.meta_range(commit.meta_range_id)):
                found.add(at(repository, decode_object_entry(entry.data)))
    return found


async def _walk_commits(env: Env, repository: Repository, batch_size: int) -> AsyncIterator[Commit]:
    todo = [branch.commit_id async for branch in branch_iterator(env, repository, batch_size=batch_size)]
    # After the branches: a commit may get a tag before its branch goes, and is then seen in one of the two.
    todo += [tag.commit_id async for tag in tag_iterator(env, repository, batch_size=batch_size)]
    seen: set[CommitID] = set()
    while todo:
        commit_id = todo.pop()  # in no order: only whether it was seen matters
        if commit_id not in seen:
            seen.add(commit_id)
            commit = await get_commit(env, repository, commit_id)
            todo.extend(commit.parents)
            yield commit


async def _copies(env: Env, repository: Repository, batch_size: int) -> list[tuple[bytes, str, int]]:
    """Of each tracked copy: key, physical address, and when it began, in microseconds by the copier's clock."""
    found = []
    async for record in env.store.scan(uid_partition(repository), batch_size=batch_size, prefix=COPIES_PREFIX):
        began, _, address = record.value.decode().partition(" ")
        found.append((record.key, address, int(began)))
    return found


async def _track(env: Env, repository: Repository, entry: ObjectEntry, reading: Reading) -> None:
    """Write that an object is being copied. 1 effect, and 1 for the clock."""
    address = at(repository, entry)
    name = f"{address}/{env.ids.unique('copy')}" if reading.copies == "verified apart" else address
    value = f"{await env.clock.now()} {address}"
    await env.store.set(uid_partition(repository), COPIES_PREFIX + name.encode(), value.encode())


async def copy_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source_branch_id: BranchID, source_path: bytes,
    *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Copy an object to a path: a second entry for the same object.

    Raises:
        PathNotFound, BranchNotFound; DataGone; ObjectBusy: the source changed too often, nothing was copied.
        WriteNotSettled (indefinite).
    """
    found = await find_object(env, repository, source_branch_id, source_path)
    if reading.copies == "full":
        found = await copy_data(env, repository, found)
    elif reading.copies != "shallow" and is_owned(repository, found):
        for _ in range(TRIES):
            await _track(env, repository, found, reading)
            verifies = reading.copies != "tracked"
            # The job may have listed everything before the record was there. If the source still has the object now,
            # that job found it there.
            again = await find_object(env, repository, source_branch_id, source_path) if verifies else found
            if again.address == found.address:
                break
            found = again
        else:  # no ``break``: the source changed each time
            raise ObjectBusy(source_path)
    await stage(env, repository, branch_id, path, found)
    return found


async def move_object(
    env: Env, repository: Repository, branch_id: BranchID, source_path: bytes, path: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Copy the entry, then delete the old one. Errors of `copy_object`."""
    found = await copy_object(env, repository, branch_id, path, branch_id, source_path, reading=reading)
    await writes.delete_entry(env, repository, branch_id, source_path)
    return found


async def stage_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, address: str, content: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Stage an entry for an object at a physical address. Raises AddressNotAllowed; and as `stage`."""
    if not reading.inside and is_inside(repository.storage_namespace, address):
        raise AddressNotAllowed(address)
    return await catalog.stage_object(env, repository, branch_id, path, address, content)


async def get_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> Grant:
    """Issue an address, to be linked within its lifetime. 1 effect for the clock, if it has one."""
    grant = await catalog.get_physical_address(env, repository, branch_id, path)
    return attrs.evolve(grant, expires=await env.clock.now() + reading.lifetime) if reading.lifetime else grant


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


async def refuse_overwritten(
    env: Env, repository: Repository, made: Commit, staged: Iterable[StagedEntry] | AsyncIterable[StagedEntry]
) -> None:
    """Make `start_over` try again if these changes would make another commit. As `apply_changes`, and 1 effect."""
    head = await get_commit(env, repository, made.parents[0])  # the head that the commit was combined over
    # A late write has replaced an entry under a sealed token: no listing shows what the commit holds. Also where a
    # reset has restored paths: then the commit starts over, too.
    if await apply_changes(env, repository.storage_namespace, head.meta_range_id, staged) != made.meta_range_id:
        raise _Overwritten(made.commit_id)


async def start_over(branch_id: BranchID, tries: int, attempt: Callable[[], Awaitable[Commit]]) -> Commit:
    """The commit of the first attempt whose changes were not overwritten meanwhile. Raises BranchBusy."""
    for _ in range(tries):
        try:
            return await attempt()
        except _Overwritten:
            continue
    raise BranchBusy(branch_id)


async def commit(
    env: Env, repository: Repository, branch_id: BranchID, message: str, *, reading: Reading = AS_WRITTEN,
    batch_size: int = 0
) -> Commit:
    """`lock_free.commit`; one that looks again scans each token once more.

    Raises:
        BranchNotFound; BranchBusy: nothing was committed by this call; what it sealed stays sealed.
    """
    if not reading.looks_again:
        return await lock_free.commit(env, repository, branch_id, message, batch_size=batch_size)

    # In the place of `prepare`: the record of the commit is written, and the branch does not name it yet.
    async def look(env: Env, repository: Repository, branch: Branch, made: Commit, kept: Tokens) -> None:
        found = await start_source(changes(env, kept, batch_size=batch_size))
        await refuse_overwritten(env, repository, made, found)

    # A new commit seals again, and combines anew from what is staged now.
    how = lock_free.Reading(tries=reading.commit_tries)
    attempt = partial(
        lock_free.commit, env, repository, branch_id, message, reading=how, prepare=look, batch_size=batch_size
    )
    return await start_over(branch_id, reading.commit_tries, attempt)


FLOWS = attrs.evolve(
    catalog.FLOWS, stage_object=stage_object, get_physical_address=get_physical_address,
    link_physical_address=link_physical_address, copy_object=copy_object, move_object=move_object, commit=commit,
    create_branch=create_branch, merge=merge, background_job=background_job,
)
