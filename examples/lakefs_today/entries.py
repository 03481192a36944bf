"""Entries as the code has them: ``pkg/graveler.(*Graveler)`` Set, Update, Delete, DeleteBatch, Get and List.

A write goes under the open token, and is repeated if that token has changed. Three things rest on more than the open
token, and are not looked at again: that a delete has nothing to do, what a read has found, and whether the entry that a
conditional write meets is its own. The options that are off here are their repairs.
"""

from collections.abc import Callable, Sequence
from functools import partial

import attrs

from lakefs_today.branches import safe_branch_write
from lakefs_today.errors import EntryInDoubt
from lakefs_today.repositories import get_repository
from lakefs_today.staging import changes_under, newest_change
from lakeproof.impl.committed import get_entry as get_committed
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import reads
from lakeproof.impl.graveler.layers import committed_source, merge_layers
from lakeproof.impl.graveler.reads import find_entry, find_sealed
from lakeproof.impl.graveler.tokens import stable
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import EntryChanged, GravelerError, PathExists, PathNotFound
from lakeproof.impl.repositories.errors import RepositoryError
from lakeproof.impl.staging import get_staged, stage, stage_if, tombstone, unstage
from lakeproof.model import kv
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Repository, StagedEntry


async def set_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, identity: bytes, data: bytes = b""
) -> None:
    """``graveler.(*Graveler).Set`` without a condition. 3 effects a try. Errors of `safe_branch_write`."""

    async def write(branch: Branch) -> bool:
        await stage(env, branch.staging_token, StagedEntry(key=path, identity=identity, data=data))
        return True

    await safe_branch_write(env, repository, branch_id, write, path)


async def set_entries(
    env: Env, repository: Repository, branch_id: BranchID, entries: Sequence[tuple[bytes, bytes]]
) -> None:
    """Several (path, identity), one request after the other. Raises as `set_entry`."""
    for path, identity in entries:
        await set_entry(env, repository, branch_id, path, identity)


async def delete_entry(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    *,
    no_tombstone: bool = False,
    careful: bool = False,
) -> None:
    """``graveler.(*Graveler).Delete``: a tombstone where it is needed; an absent entry is no error.

    no_tombstone: ``WithNoTombstone``: remove the change under the open token where the code finds no other.
    careful: the repair: a tombstone under a sealed token does not count, for a commit may have read the token before;
        that there is nothing to do counts only while the whole record stays; and no change is removed twice.
    Cost: 3 effects a try, up to 3 to look at the head, and 1 for each token. Errors of `safe_branch_write`.
    """
    await delete_entries(env, repository, branch_id, (path,), no_tombstone=no_tombstone, careful=careful)


async def delete_entries(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    paths: tuple[bytes, ...],
    *,
    no_tombstone: bool = False,
    careful: bool = False,
) -> None:
    """``graveler.(*Graveler).DeleteBatch``: all paths under one look at the branch; the code deletes them at once, here
    one after the other. Costs and errors of `delete_entry`."""
    tries = 0

    async def remove(branch: Branch) -> bool:
        nonlocal tries
        tries += 1
        wrote = [await one(branch, path) for path in paths]
        return all(wrote)

    async def one(branch: Branch, path: bytes) -> bool:
        if no_tombstone and not (careful and tries > 1):
            return await _unstage_or_bury(env, repository, branch, path)
        if no_tombstone:
            await stage(env, branch.staging_token, tombstone(path))
            return True
        return await _bury(env, repository, branch, path, careful=careful)

    await safe_branch_write(env, repository, branch_id, remove, *paths, careful=careful)


async def _is_committed(env: Env, repository: Repository, branch: Branch, path: bytes) -> bool:
    head = await get_commit(env, repository, branch.commit_id)
    return await get_committed(env, repository.storage_namespace, head.meta_range_id, path) is not None


async def _bury(env: Env, repository: Repository, branch: Branch, path: bytes, *, careful: bool) -> bool:
    """``graveler.(*Graveler).deleteUnsafe``: whether it has written a tombstone."""
    if await stage_if(env, branch.staging_token, tombstone(path), kv.EXISTS):
        return True
    if not await _is_committed(env, repository, branch, path):
        found = await newest_change(env, branch.tokens, path)
        if found is None or (found.data is None and not careful):
            return False
    await stage(env, branch.staging_token, tombstone(path))
    return True


async def _unstage_or_bury(env: Env, repository: Repository, branch: Branch, path: bytes) -> bool:
    """``graveler.(*Graveler).deleteNoTombstoneUnsafe``: whether it has written a tombstone."""
    if not await _is_committed(env, repository, branch, path):
        found = await newest_change(env, branch.sealed_tokens, path)
        if found is None:
            await unstage(env, branch.staging_token, path)
        if found is None or found.data is None:
            return False
    await stage(env, branch.staging_token, tombstone(path))
    return True


async def get_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, rereads: bool = False
) -> Entry:
    """``graveler.(*Graveler).Get``: the open token, the sealed ones newest first, the head. rereads: the repair.

    Raises:
        PathNotFound, BranchNotFound; BranchBusy: with ``rereads``, the branch changed three times.
    """
    return await reads.get_entry(env, repository, branch_id, path, rereads=rereads)


async def list_entries(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    prefix: bytes = b"",
    *,
    rereads: bool = False,
    batch_size: int = 0,
) -> tuple[Entry, ...]:
    """``graveler.(*Graveler).List``. rereads: the repair. Raises BranchNotFound; BranchBusy, as `get_entry`."""

    async def look(branch: Branch) -> tuple[Entry, ...]:
        staged = changes_under(env, branch.tokens, prefix, batch_size)
        shown = merge_layers([staged, committed_source(env, repository, branch, prefix)])
        return tuple([Entry(path=e.key, identity=e.identity, data=e.data) async for e in shown if e.data is not None])

    return await stable(env, repository, branch_id, look, rereads=rereads)


@attrs.frozen
class Condition:
    """What a conditional write demands: the identity that is to be there (None: nothing), and the error otherwise."""

    expected: bytes | None
    refusal: GravelerError


async def create_entry(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    identity: bytes,
    *,
    knows_its_own: bool = False,
) -> None:
    """``graveler.(*Graveler).Set`` with ``If-None-Match: *``. 8 effects or more.

    knows_its_own: the repair: an entry with this identity, found after a first try, is the one that this call has
        staged, and is staged again; where another entry is found then, the answer is indefinite. And see `_latest`.

    Raises:
        PathExists; EntryInDoubt (indefinite), with ``knows_its_own``; and as `safe_branch_write`.
    """
    change = StagedEntry(key=path, identity=identity, data=b"")
    await _exchange(env, repository, branch_id, change, Condition(None, PathExists(path)), knows_its_own)


async def replace_entry(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    identity: bytes,
    expected: bytes,
    *,
    knows_its_own: bool = False,
) -> None:
    """``graveler.(*Graveler).Set`` with ``If-Match``. Raises EntryChanged, and as `create_entry`."""
    change = StagedEntry(key=path, identity=identity, data=b"")
    await _exchange(env, repository, branch_id, change, Condition(expected, EntryChanged(path)), knows_its_own)


async def _exchange(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    change: StagedEntry,
    condition: Condition,
    knows_its_own: bool,
) -> None:
    """``graveler.(*Graveler).handleUpdate`` and ``staging.(*Manager).Update`` in `safe_branch_write`."""
    staged = tried = False

    async def write(branch: Branch) -> bool:
        nonlocal staged, tried
        looked = await _latest(env, repository, branch, change.key, one_look=knows_its_own)
        if looked is None:
            return False
        entry, predicate = looked
        latest = None if entry is None else entry.identity
        if latest != condition.expected and not (tried and knows_its_own and latest == change.identity):
            raise EntryInDoubt(change.key) if staged and knows_its_own else condition.refusal
        tried = True
        if await stage_if(env, branch.staging_token, change, predicate):
            staged = True
        elif knows_its_own:
            return await write(branch)
        else:
            raise condition.refusal
        return True

    await safe_branch_write(env, repository, branch_id, write, change.key, careful=knows_its_own)


async def _latest(
    env: Env, repository: Repository, branch: Branch, path: bytes, *, one_look: bool, rereads: bool = False
) -> tuple[StagedEntry | None, bytes | None] | None:
    """The entry that a conditional write is about, and the predicate under the open token.

    The code looks through the branch, which it reads again, and then under the open token: where that has nothing by
    then, what the first look found counts, even if it was found there, and even if a commit has ended meanwhile.
    one_look: the repair: look under the open token first, and below it only where it has nothing; then read the branch
    again. rereads: another one: read the branch again after the look through it.

    Returns None, with a repair: the branch has changed meanwhile, and the look counts for nothing.
    """
    if one_look:
        found = await get_staged(env, branch.staging_token, path)
        below = None if found is not None else await find_sealed(env, repository, branch, path)
        if found is None and await get_branch(env, repository, branch.branch_id) != branch:
            return None
    else:
        now = await get_branch(env, repository, branch.branch_id)
        below = await find_entry(env, repository, now, path)
        if rereads and await get_branch(env, repository, branch.branch_id) != now:
            return None
        found = await get_staged(env, branch.staging_token, path)
    if found is None:
        return below, None
    return (None if found[0].data is None else found[0]), found[1]


async def update_metadata(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, identity: bytes, *, knows_its_own: bool = False
) -> None:
    """``catalog.(*Catalog).UpdateEntryUserMetadata`` and ``graveler.(*Graveler).Update``: another identity for an entry
    that is there. 8 effects or more. Raises PathNotFound, EntryChanged, and as `safe_branch_write`."""
    change = partial(attrs.evolve, identity=identity)
    await _update(env, repository, branch_id, path, change, one_look=knows_its_own)


async def update_user_metadata(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    metadata: bytes,
    *,
    knows_its_own: bool = False,
    rereads: bool = False,
) -> None:
    """`update_metadata`, as it is told from a write: the entry keeps its identity, which here stands for its content;
    the code computes it from content and metadata. The metadata take the place of the data. Costs and errors as there.

    knows_its_own, rereads: two repairs, see `_latest`; with either an update beside commits may answer WriteNotSettled.
    """
    change = partial(attrs.evolve, data=metadata)
    await _update(env, repository, branch_id, path, change, one_look=knows_its_own, rereads=rereads)


async def _update(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    change: Callable[[StagedEntry], StagedEntry],
    *,
    one_look: bool,
    rereads: bool = False,
) -> None:
    async def write(branch: Branch) -> bool:
        looked = await _latest(env, repository, branch, path, one_look=one_look, rereads=rereads)
        if looked is None:
            return False
        latest, predicate = looked
        if latest is None:
            raise PathNotFound(path)
        if not await stage_if(env, branch.staging_token, change(latest), predicate):
            raise EntryChanged(path)
        return True

    await safe_branch_write(env, repository, branch_id, write, path, careful=one_look or rereads)


async def update_metadata_in_two(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, identity: bytes
) -> None:
    """`update_metadata` as it was before #8264: a read, and a write without a condition. Raises as both."""
    found = await get_entry(env, repository, branch_id, path)
    await set_entry(env, repository, branch_id, path, identity, found.data)


async def update_metadata_by_id(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, identity: bytes, *, reports: bool = False
) -> None:
    """``catalog.(*Catalog).UpdateEntryUserMetadata`` from its beginning: where the repository cannot be read it answers
    that all is well. reports: the repair. 1 effect more than `update_metadata`, and its errors."""
    try:
        await get_repository(env, repository.repository_id)
    except (RepositoryError, kv.KVError):
        if reports:
            raise
        return
    await update_metadata(env, repository, branch_id, path, identity)
