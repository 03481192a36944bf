"""The garbage collector: PrepareGCUncommitted and PrepareExpiredCommits of ``catalog.(*Catalog)``, the package
``graveler/retention``, and the Spark job, which lists the objects first, then gets what is staged, and then what is
committed, and deletes the rest.

Branches are listed, and each is read again for what is staged on it; of a path with several changes only the newest
counts. Then branches and commits are listed, and each line is walked down to the days of retention.
"""

from typing import Final

from lakefs_today.entries import set_entry
from lakefs_today.errors import CommitMissing
from lakefs_today.staging import find_differences
from lakeproof.impl.catalog.objects import at, change, entry_of, new_address, object_entry
from lakeproof.impl.committed.reader import Reader
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import BranchNotFound, CommitNotFound
from lakeproof.impl.refs.iterators import branch_iterator, commit_ordered_iterator
from lakeproof.impl.staging import scan_staged
from lakeproof.model.catalog import DATA_PREFIX, decode_object_entry
from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.objects import etag
from lakeproof.model.records import Commit, Repository, StagedEntry

DAY: Final = 86_400_000_000
"""Microseconds."""
RETENTION_DAYS: Final = 7


async def upload_object(env: Env, repository: Repository, branch_id: BranchID, path: bytes, content: bytes) -> None:
    """``api.(*Controller).UploadObject``. As ``EntryToValue`` has it, the identity is that of the content; the code's
    has the metadata, too, but not the address. 1 effect more than `set_entry`; errors as there."""
    address = new_address(env)
    await env.objects.put(f"{repository.storage_namespace}/{address}", content)
    staged = change(path, await object_entry(env, address, content))
    await set_entry(env, repository, branch_id, path, etag(content).encode(), staged.data or b"")


async def prepare_uncommitted(
    env: Env, repository: Repository, *, all_entries: bool = False, batch_size: int = 0
) -> frozenset[str]:
    """``gcWriteUncommitted`` and ``processBranch``: the physical addresses of what is staged.

    The code counts what it has written, and uploads nothing where it counts none. A branch that was deleted since it
    was listed sets the count to 0; if it is the last one, the run ends with its error.
    all_entries: the repairs: every change under every token, whether a newer one hides it or not, for a commit may be
        reading the older one; and whether the head has its identity or not. A scan that fails is an error, and a
        deleted branch has nothing. Cost: a page of branches at a time, 1 effect for each, a scan for each token.

    Raises BranchNotFound.
    """
    found: set[str] = set()
    count = 0
    gone: BranchNotFound | None = None
    async for listed in branch_iterator(env, repository, batch_size=batch_size):
        try:
            branch = await get_branch(env, repository, listed.branch_id)
        except BranchNotFound as error:
            gone, count = error, 0
            continue
        gone = None
        changes: list[StagedEntry] = []
        if all_entries:
            for token in branch.tokens:
                changes += [change async for change in scan_staged(env, token, batch_size=batch_size)]
        else:
            changes += await find_differences(env, repository, branch, branch.tokens, batch_size=batch_size)
        addresses = [at(repository, entry) for change in changes if (entry := entry_of(change)) is not None]
        count += len(addresses)
        found.update(addresses)
    if gone is not None and not all_entries:
        raise gone
    return frozenset(found) if count or all_entries else frozenset()


async def prepare_commits(
    env: Env, repository: Repository, *, reports: bool = False, batch_size: int = 0
) -> tuple[Commit, ...]:
    """``retention.GetGarbageCollectionCommits``: the active commits. 1 scan of branches, 3 of commits, and 1 effect for
    each commit that came too late for them.

    reports: the repair: where a commit cannot be read, raise CommitMissing. The code returns the error of another
        variable, which is nil, with an iterator that is nil: the server ends with a panic as soon as it is used.

    Raises:
        RuntimeError: the panic.
    """
    branches = [branch async for branch in branch_iterator(env, repository, batch_size=batch_size)]
    listed = commit_ordered_iterator(env, repository, batch_size=batch_size)
    ends = [await listed.next() and listed.value]  # its first page is read before the other scans, the rest after them
    again = commit_ordered_iterator(env, repository, batch_size=batch_size)
    parents = {commit.parents[0] async for commit in again if commit.parents}
    again = commit_ordered_iterator(env, repository, batch_size=batch_size)
    known = {commit.commit_id: commit async for commit in again}
    ends += [commit async for commit in listed]
    leaves = [commit.commit_id for commit in ends if commit and commit.commit_id not in parents]
    threshold = await env.clock.now() - RETENTION_DAYS * DAY
    active: set[CommitID] = {branch.commit_id for branch in branches}

    async def read(commit_id: CommitID) -> Commit:
        if commit_id not in known:
            try:
                known[commit_id] = await get_commit(env, repository, commit_id)
            except CommitNotFound:
                if reports:
                    raise CommitMissing(commit_id) from None
                raise RuntimeError(f"range over a nil iterator; commit {commit_id[:8]} is missing") from None
        return known[commit_id]

    for commit_id in (*(branch.commit_id for branch in branches), *leaves):
        child = await read(commit_id)
        if commit_id not in active and child.creation_date > threshold:
            active.add(commit_id)
        while child.parents:
            if child.creation_date > threshold:
                active.add(child.parents[0])
            child = await read(child.parents[0])
    return tuple([await read(commit_id) for commit_id in sorted(active)])


async def collect(
    env: Env,
    repository: Repository,
    *,
    min_age: int = DAY,
    all_entries: bool = False,
    reports: bool = False,
    batch_size: int = 0,
) -> tuple[str, ...]:
    """``GarbageCollection.run``: the addresses of what it has deleted. min_age: microseconds. Options as above."""
    cut = await env.clock.now() - min_age
    root = f"{repository.storage_namespace}/{DATA_PREFIX}"
    old = [head.address async for head in env.objects.list(root, batch_size) if head.last_modified <= cut]
    kept = set(await prepare_uncommitted(env, repository, all_entries=all_entries, batch_size=batch_size))
    reader = Reader(env, repository.storage_namespace)
    for commit in await prepare_commits(env, repository, reports=reports, batch_size=batch_size):
        async for entry in reader.entries(await reader.meta_range(commit.meta_range_id)):
            kept.add(at(repository, decode_object_entry(entry.data)))
    gone = tuple(address for address in old if address not in kept)
    for address in gone:
        await env.objects.delete(address)
    return gone
