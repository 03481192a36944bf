"""The open design for the compaction of staging: design/open/staging-compaction.md, and what the code has of it.

A compactor seals the open token, applies what is sealed to the head or to the last compaction, and lets the branch name
the resulting metarange in place of the tokens. Reads and deletes of the code (``CompactedBaseMetaRangeID``) look there
instead of the head. Nothing of it is stored by the code yet; here the metarange is the oldest of the sealed "tokens".
"""

from typing import Final

import attrs

from lakefs_today.branches import WRITE_TRIES, safe_branch_write, sealed, update_once
from lakefs_today.staging import drop_async, newest_change
from lakeproof.impl.committed import apply_changes
from lakeproof.impl.committed import get_entry as get_committed
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.reads import changes_of
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import BranchBusy, PathNotFound
from lakeproof.impl.staging import stage, stage_if, tombstone
from lakeproof.model import kv
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import BranchID, MetaRangeID, StagingToken
from lakeproof.model.records import Branch, Repository

MARK: Final = "compacted."


def tokens_of(branch: Branch) -> Tokens:
    """The tokens of a branch, newest first, without its compaction."""
    return tuple(token for token in branch.tokens if not token.startswith(MARK))


async def base_of(env: Env, repository: Repository, branch: Branch) -> MetaRangeID:
    """What lies under the tokens: the last compaction, or the head's metarange. 1 effect at most."""
    for token in branch.sealed_tokens:
        if token.startswith(MARK):
            return MetaRangeID(token.removeprefix(MARK))
    return (await get_commit(env, repository, branch.commit_id)).meta_range_id


async def compact(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """The text's "Compactor": 5 effects, those of `apply_changes`, a scan and a note for each sealed token.

    Raises BranchNotFound; RefChanged: the branch changed meanwhile, what was sealed stays sealed.
    """
    await update_once(env, repository, branch_id, lambda branch: sealed(env, branch))
    taken: Tokens = ()

    async def change(branch: Branch) -> Branch:
        nonlocal taken
        taken = tokens_of(branch)[1:]
        base = await base_of(env, repository, branch)
        changes = await changes_of(env, taken)
        compacted = await apply_changes(env, repository.storage_namespace, base, list(changes.values()))
        return attrs.evolve(branch, sealed_tokens=(StagingToken(MARK + compacted),))

    await update_once(env, repository, branch_id, change)
    await drop_async(env, taken)


async def get_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, rereads: bool = False
) -> Entry:
    """The text's "Branch Read Flow": staging token, sealed tokens, compaction or head. rereads: the repair.

    Raises PathNotFound, BranchNotFound; BranchBusy: with ``rereads``, the branch changed three times.
    """
    branch = await get_branch(env, repository, branch_id)
    for _ in range(WRITE_TRIES):
        found = await _find(env, repository, branch, path)
        before, branch = branch, await get_branch(env, repository, branch_id) if rereads else branch
        if before == branch:
            break
    else:
        raise BranchBusy(branch_id)
    if found is None:
        raise PathNotFound(path)
    return found


async def _find(env: Env, repository: Repository, branch: Branch, path: bytes) -> Entry | None:
    change = await newest_change(env, tokens_of(branch), path)
    if change is not None:
        return None if change.data is None else Entry(path=path, identity=change.identity, data=change.data)
    base = await base_of(env, repository, branch)
    return await get_committed(env, repository.storage_namespace, base, path)


async def delete_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, careful: bool = False
) -> None:
    """``graveler.(*Graveler).deleteUnsafe`` over a branch with a compaction. careful: the repair of
    `entries.delete_entry`. Errors of `safe_branch_write`."""

    async def remove(branch: Branch) -> bool:
        if await stage_if(env, branch.staging_token, tombstone(path), kv.EXISTS):
            return True
        base = await base_of(env, repository, branch)
        if await get_committed(env, repository.storage_namespace, base, path) is None:
            found = await newest_change(env, tokens_of(branch), path)
            if found is None or (found.data is None and not careful):
                return False
        await stage(env, branch.staging_token, tombstone(path))
        return True

    await safe_branch_write(env, repository, branch_id, remove, path, careful=careful)
