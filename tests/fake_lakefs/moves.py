"""What the fake does with reverts, cherry-picks, hard resets, resets of paths, and tags."""

import attrs

from lakeproof.impl.committed import merge as merge_committed
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import merges, resets
from lakeproof.impl.graveler.layers import changes
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.branches import read_branch, replace_branch
from lakeproof.impl.refs.commits import add_commit, get_commit, new_commit
from lakeproof.impl.refs.errors import DirtyBranch, NoParent, RefChanged
from lakeproof.impl.refs.resolution import resolve
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID, MetaRangeID, TagID
from lakeproof.model.records import Branch, Commit, Repository, Tag
from tests.fake_lakefs.lake import TRIES, Lake


async def reset_paths(lake: Lake, name: str, branch: str, path: str, *, exact: bool) -> None:
    """Forget what is staged at a path, or at all paths with a prefix."""
    reset = resets.reset_entry if exact else resets.reset_prefix
    await lake.at(name, lambda env, at: reset(env, at, BranchID(branch), path.encode(), tries=TRIES))


async def revert(lake: Lake, name: str, branch: str, ref: str, message: str) -> Commit:
    return await lake.at(name, lambda env, at: merges.revert(env, at, BranchID(branch), ref, message))


async def cherry_pick(lake: Lake, name: str, branch: str, ref: str, message: str) -> Commit:
    return await lake.at(name, lambda env, at: _picked(env, at, BranchID(branch), ref, message))


async def _picked(env: Env, repository: Repository, branch_id: BranchID, ref: str, message: str) -> Commit:
    """A commit on a branch of what another one changed against its first parent."""
    branch, predicate = await read_branch(env, repository, branch_id)
    async for _ in changes(env, branch.tokens):
        raise DirtyBranch(branch_id)
    head = await get_commit(env, repository, branch.commit_id)
    picked = await get_commit(env, repository, await resolve(env, repository, ref))
    if not picked.parents:
        raise NoParent(picked.commit_id)
    parent = await get_commit(env, repository, picked.parents[0])
    meta_range_id = await merge_committed(
        env,
        repository.storage_namespace,
        base=parent.meta_range_id,
        source=picked.meta_range_id,
        destination=head.meta_range_id,
    )
    return await committed(env, repository, (branch, predicate), head, meta_range_id, message)


async def committed(
    env: Env,
    repository: Repository,
    read: tuple[Branch, kv.Predicate],
    head: Commit,
    meta_range_id: MetaRangeID,
    message: str,
) -> Commit:
    """A commit on a branch, unless the branch is another than was read."""
    branch, predicate = read
    date = await env.clock.now()
    made = new_commit([head], meta_range_id, committer="fake", message=message, creation_date=date)
    await add_commit(env, repository, made)
    try:
        await replace_branch(env, repository, attrs.evolve(branch, commit_id=made.commit_id), predicate)
    except kv.PredicateFailed:
        raise RefChanged(branch.branch_id) from None
    return made


async def hard_reset(lake: Lake, name: str, branch: str, ref: str) -> None:
    """Let a branch that has no uncommitted changes name another commit."""
    which = BranchID(branch)

    async def flow(env: Env, repository: Repository) -> None:
        async for _ in changes(env, (await branches.get_branch(env, repository, which)).tokens):
            raise DirtyBranch(which)
        await branches.update_branch(env, repository, which, ref)

    await lake.at(name, flow)


async def create_tag(lake: Lake, name: str, tag: str, ref: str) -> Tag:
    return await lake.at(name, lambda env, at: tags.create_tag(env, at, TagID(tag), ref, doubts=True))


async def get_tag(lake: Lake, name: str, tag: str) -> Tag:
    return await lake.at(name, lambda env, at: tags.get_tag(env, at, TagID(tag)))


async def delete_tag(lake: Lake, name: str, tag: str) -> None:
    await lake.at(name, lambda env, at: tags.delete_tag(env, at, TagID(tag)))
