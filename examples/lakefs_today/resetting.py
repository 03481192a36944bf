"""Reset as the code has it: ``pkg/graveler.(*Graveler)`` Reset, ResetKey and ResetPrefix.

A reset of a branch opens a fresh token and names no sealed ones. A reset of paths writes what the head has: over the
open token (ResetKey), or under a new token above it (ResetPrefix), but for paths that the head does not have: their
tombstones go under the old token, before the record of the branch has changed.
"""

import attrs

from lakefs_today.branches import update_once
from lakefs_today.errors import CommitInProgress
from lakefs_today.staging import drop_async, find_differences, newest_change
from lakeproof.impl.committed import get_entry as get_committed
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.refs.branches import get_branch, next_token
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import GravelerError
from lakeproof.impl.staging import stage, tombstone
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Repository, StagedEntry


async def reset_branch(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """``graveler.(*Graveler).Reset``: 2 effects, and 1 for each token. Raises BranchNotFound; RefChanged."""
    dropped: Tokens = ()

    async def change(branch: Branch) -> Branch:
        nonlocal dropped
        dropped = branch.tokens
        return attrs.evolve(branch, staging_token=next_token(env, branch), sealed_tokens=())

    await update_once(env, repository, branch_id, change)
    await drop_async(env, dropped)


async def _as_in_head(env: Env, repository: Repository, branch: Branch, change: StagedEntry) -> StagedEntry | None:
    """``resetKey``: what makes a changed path what it is in the head; None if the change does so already."""
    head = await get_commit(env, repository, branch.commit_id)
    found = await get_committed(env, repository.storage_namespace, head.meta_range_id, change.key)
    if found is None:
        return None if change.data is None else tombstone(change.key)
    if change.data is not None and change.identity == found.identity:
        return None
    return StagedEntry(key=change.key, identity=found.identity, data=found.data)


async def reset_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, waits: bool = False
) -> None:
    """``graveler.(*Graveler).ResetKey``: 1 effect, 1 for each token until a change is found, up to 4 more.

    waits: the repair: what `reset_prefix` does with it, for one path.

    Raises BranchNotFound. With ``waits``: CommitInProgress, RefChanged.
    """
    if waits:
        await _reset_above(env, repository, branch_id, path, exact=True)
        return
    branch = await get_branch(env, repository, branch_id)
    change = await newest_change(env, branch.tokens, path)
    entry = None if change is None else await _as_in_head(env, repository, branch, change)
    if entry is not None:
        await stage(env, branch.staging_token, entry)


async def reset_prefix(
    env: Env, repository: Repository, branch_id: BranchID, prefix: bytes, *, waits: bool = False, batch_size: int = 0
) -> None:
    """``graveler.(*Graveler).ResetPrefix``: 3 effects, a scan for each token, and up to 4 effects for each path.

    waits: the repair: refuse while there are sealed tokens, which a commit may have read; write every entry under the
        new token, where nothing is seen before the branch names it; and note that token as dropped only if the branch
        does not name it.

    Raises:
        BranchNotFound; RefChanged: the branch changed meanwhile. With ``waits``: CommitInProgress, and where a scan
            fails, ScanInterrupted; without, the rest is not reset.
    """
    await _reset_above(env, repository, branch_id, prefix, waits=waits, batch_size=batch_size)


async def _reset_above(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    prefix: bytes,
    *,
    waits: bool = True,
    exact: bool = False,
    batch_size: int = 0,
) -> None:
    """Put a new token over the others, under which paths are what they are in the head. exact: one path alone."""
    opened = StagingToken("")

    async def change(branch: Branch) -> Branch:
        nonlocal opened
        if waits and branch.sealed_tokens:
            raise CommitInProgress(branch_id)
        opened = next_token(env, branch)
        now = branch if waits else await get_branch(env, repository, branch_id)
        changed = await find_differences(env, repository, now, now.tokens, prefix, batch_size, reports=waits)
        for each in changed:
            entry = None if exact and each.key != prefix else await _as_in_head(env, repository, branch, each)
            if entry is not None:
                old = entry.data is None and not waits
                await stage(env, branch.staging_token if old else opened, entry)
        return attrs.evolve(branch, staging_token=opened, sealed_tokens=branch.tokens)

    try:
        await update_once(env, repository, branch_id, change)
    except (GravelerError, kv.KVError) as error:
        if not opened:
            raise
        if waits and opened in (await get_branch(env, repository, branch_id)).tokens:
            return  # the `SetIf` was applied, whatever its answer
        if not (waits and isinstance(error, kv.OutcomeUnknown)):  # that one may be applied yet
            await drop_async(env, (opened,))
        raise
