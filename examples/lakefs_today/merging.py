"""Merge and revert as the code has them: ``pkg/graveler.(*Graveler)`` Merge, Revert and ``prepareForCommitIDUpdate``.

Both look whether the branch is clean and seal its open token, look again whether what is sealed is clean, and move the
branch by `SetIf`. A write that comes between the looks is repeated by its writer under the next token.
"""

import attrs

from lakefs_today.branches import retry_update, sealed, update_once
from lakefs_today.commits import add_commit
from lakefs_today.errors import NoChanges
from lakefs_today.staging import drop_async, find_differences
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.commits import COMMITTER
from lakeproof.impl.graveler.merges import combine, merge_base
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.refs.commits import get_commit, new_commit
from lakeproof.impl.refs.errors import DirtyBranch, NoParent
from lakeproof.impl.refs.resolution import Ref, resolve
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Commit, Repository


async def demand_clean(
    env: Env, repository: Repository, branch: Branch, tokens: Tokens, batch_size: int = 0, *, reports: bool = False
) -> None:
    """``isUncommittedEmpty`` and ``isSealedEmpty``: the effects of `find_differences`, and its repair.

    Raises DirtyBranch: a change under these tokens differs from the head.
    """
    if tokens and await find_differences(env, repository, branch, tokens, batch_size=batch_size, reports=reports):
        raise DirtyBranch(branch.branch_id)


async def prepare(
    env: Env, repository: Repository, branch_id: BranchID, batch_size: int = 0, *, reports: bool = False
) -> None:
    """``prepareForCommitIDUpdate``: seal the open token of a clean branch. Raises DirtyBranch; see `retry_update`."""

    async def change(branch: Branch) -> Branch:
        await demand_clean(env, repository, branch, branch.tokens, batch_size, reports=reports)
        return await sealed(env, branch)

    await retry_update(env, repository, branch_id, change)


async def merge(
    env: Env,
    repository: Repository,
    destination: BranchID,
    source: Ref,
    message: str,
    *,
    knows_its_own: bool = False,
    batch_size: int = 0,
) -> Commit:
    """``graveler.(*Graveler).Merge``: a commit with two parents. knows_its_own: the repairs: as that of `commit`, and
    no failed scan is taken for a clean branch.

    Raises:
        BranchNotFound, RefNotFound; DirtyBranch; Conflicts; NoChanges: the branch has all of the source; BranchBusy.
    """
    await prepare(env, repository, destination, batch_size, reports=knows_its_own)
    made: Commit | None = None
    taken: Tokens = ()

    async def change(branch: Branch) -> Branch | None:
        nonlocal made, taken
        if knows_its_own and made is not None and branch.commit_id == made.commit_id:
            return None
        await demand_clean(env, repository, branch, branch.sealed_tokens, batch_size, reports=knows_its_own)
        theirs = await get_commit(env, repository, await resolve(env, repository, source))
        ours = await get_commit(env, repository, await resolve(env, repository, destination))
        base = await merge_base(env, repository, ours, theirs)
        if theirs.meta_range_id == base.meta_range_id:
            raise NoChanges(destination)
        meta_range_id = await combine(env, repository, base, theirs, ours)
        now = await env.clock.now()
        made = new_commit([ours, theirs], meta_range_id, committer=COMMITTER, message=message, creation_date=now)
        await add_commit(env, repository, made)
        taken = branch.sealed_tokens
        return attrs.evolve(branch, commit_id=made.commit_id, sealed_tokens=())

    await retry_update(env, repository, destination, change)
    assert made is not None
    await drop_async(env, taken)
    return made


async def revert(
    env: Env, repository: Repository, branch_id: BranchID, ref: Ref, message: str, *, batch_size: int = 0
) -> Commit:
    """``graveler.(*Graveler).Revert``: undo what a commit with one parent changed. Raises as `merge`; RefChanged;
    NoParent: the code undoes the first commit, too."""
    undone = await get_commit(env, repository, await resolve(env, repository, ref))
    if not undone.parents:
        raise NoParent(undone.commit_id)
    await prepare(env, repository, branch_id, batch_size)
    made: Commit | None = None
    taken: Tokens = ()

    async def change(branch: Branch) -> Branch:
        nonlocal made, taken
        await demand_clean(env, repository, branch, branch.sealed_tokens, batch_size)
        parent = await get_commit(env, repository, undone.parents[0])
        head = await get_commit(env, repository, branch.commit_id)
        meta_range_id = await combine(env, repository, undone, parent, head)
        if meta_range_id == head.meta_range_id:
            raise NoChanges(branch_id)
        now = await env.clock.now()
        made = new_commit([head], meta_range_id, committer=COMMITTER, message=message, creation_date=now)
        await add_commit(env, repository, made)
        taken = branch.sealed_tokens
        return attrs.evolve(branch, commit_id=made.commit_id, sealed_tokens=())

    await update_once(env, repository, branch_id, change)
    assert made is not None
    await drop_async(env, taken)
    return made
