"""Merge and revert: a commit that comes from other commits, on a branch without uncommitted changes.

Source: the operations of lakeFS' ``pkg/graveler`` ("Merge", "Revert"), over the records of graveler-on-kv.md; the
    branch changes by `SetIf`, so that no commit is overridden.
"""

import attrs

from lakeproof.impl.committed import merge as merge_committed
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.commits import COMMITTER
from lakeproof.impl.graveler.layers import changes
from lakeproof.impl.graveler.lock_free import Prepare
from lakeproof.impl.refs.branches import read_branch, replace_branch
from lakeproof.impl.refs.commits import add_commit, get_commit, new_commit
from lakeproof.impl.refs.errors import DirtyBranch, NoCommonAncestor, NoParent, RefChanged
from lakeproof.impl.refs.resolution import Ref, resolve
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID, CommitID, MetaRangeID
from lakeproof.model.records import Branch, Commit, Repository


async def merge(
    env: Env,
    repository: Repository,
    destination: BranchID,
    source: Ref,
    message: str,
    *,
    strategy: str | None = None,
    prepare: Prepare | None = None,
) -> Commit:
    """Merge what a ref leads to into a branch: a commit with two parents, the branch's head first.

    strategy: None, ``"source-wins"`` or ``"destination-wins"``: what becomes of conflicts. prepare: as that of
        `lock_free.commit`.

    Raises:
        BranchNotFound, RefNotFound; DirtyBranch; Conflicts (the paths); RefChanged: nothing was merged.
    """
    branch, predicate = await _clean_branch(env, repository, destination)
    # The head is read by its id from the record above, so it is the one that the predicate vouches for.
    ours = await get_commit(env, repository, branch.commit_id)
    theirs = await get_commit(env, repository, await resolve(env, repository, source))
    base = await merge_base(env, repository, ours, theirs)
    meta_range_id = await combine(env, repository, base, theirs, ours, strategy)
    now = await env.clock.now()
    made = new_commit([ours, theirs], meta_range_id, committer=COMMITTER, message=message, creation_date=now)
    await _finish(env, repository, branch, made, predicate, prepare)
    return made


async def revert(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    ref: Ref,
    message: str,
    *,
    prepare: Prepare | None = None,
) -> Commit:
    """Undo on a branch what a commit changed against its first parent. Raises as `merge`; NoParent."""
    branch, predicate = await _clean_branch(env, repository, branch_id)
    head = await get_commit(env, repository, branch.commit_id)
    undone = await get_commit(env, repository, await resolve(env, repository, ref))
    if not undone.parents:
        raise NoParent(undone.commit_id)
    parent = await get_commit(env, repository, undone.parents[0])  # of a merge: the branch that was merged into
    # A revert is a three-way merge: the commit is the base, and its parent the source, which brings back what was
    # there.
    meta_range_id = await combine(env, repository, undone, parent, head)
    made = new_commit([head], meta_range_id, committer=COMMITTER, message=message, creation_date=await env.clock.now())
    await _finish(env, repository, branch, made, predicate, prepare)
    return made


async def combine(
    env: Env, repository: Repository, base: Commit, source: Commit, destination: Commit, strategy: str | None = None
) -> MetaRangeID:
    """The three-way merge of the contents of three commits. Raises Conflicts."""
    return await merge_committed(
        env,
        repository.storage_namespace,
        base=base.meta_range_id,
        source=source.meta_range_id,
        destination=destination.meta_range_id,
        strategy=strategy,
    )


async def _clean_branch(env: Env, repository: Repository, branch_id: BranchID) -> tuple[Branch, bytes]:
    """A branch without uncommitted changes, with its predicate. What is staged after it was looked at stays staged."""
    branch, predicate = await read_branch(env, repository, branch_id)
    async for _ in changes(env, branch.tokens):
        raise DirtyBranch(branch_id)  # one change is enough
    return branch, predicate


async def _finish(
    env: Env, repository: Repository, branch: Branch, made: Commit, predicate: bytes, prepare: Prepare | None
) -> None:
    await add_commit(env, repository, made)
    if prepare is not None:
        await prepare(env, repository, branch, made, ())  # no tokens: the branch is clean, and keeps those that it has
    try:
        # The tokens stay on the branch, so what was staged since the look is not lost.
        await replace_branch(env, repository, attrs.evolve(branch, commit_id=made.commit_id), predicate)
    except kv.PredicateFailed:
        raise RefChanged(branch.branch_id) from None


async def merge_base(env: Env, repository: Repository, one: Commit, other: Commit) -> Commit:
    """A common ancestor that is as near as any: the one of the highest generation, found by walking down from both
    sides, highest generation first. 1 effect per commit walked over. Where there are several, the one with the lowest
    id. Commits of an older lakeFS have no generation (0): of those it is one that no other common ancestor descends
    from, and a commit may be walked over 3 times.

    Raises:
        NoCommonAncestor.
    """
    sides: dict[CommitID, int] = {}
    todo: dict[CommitID, Commit] = {}
    common: dict[CommitID, Commit] = {}
    for side, start in ((1, one), (2, other)):
        sides[start.commit_id] = sides.get(start.commit_id, 0) | side
        todo[start.commit_id] = start
    # Where only its ancestors are left, nothing nearer comes.
    while todo and (len(common) != 1 or any(sides[each] < 4 for each in todo)):
        # Those without a generation come last: so are all of their ancestors.
        at = min(todo.values(), key=lambda commit: (-commit.generation, commit.commit_id))
        del todo[at.commit_id]
        common.pop(at.commit_id, None)
        reached = sides[at.commit_id]
        if reached == 3:
            # No commit that is still to come has a higher generation, so all sides that reach this one have done so.
            if at.generation > 0:
                return at
            common[at.commit_id] = at
            reached = 7
        for parent_id in at.parents:
            # A bit for each side that reaches it, 1 and 2; 4: a common ancestor descends from it.
            before, sides[parent_id] = sides.get(parent_id, 0), sides.get(parent_id, 0) | reached
            # Once in the list is enough. Its sides grow until it is the highest one left.
            if parent_id not in todo and sides[parent_id] != before:
                todo[parent_id] = await get_commit(env, repository, parent_id)
    if not common:
        raise NoCommonAncestor(one.commit_id, other.commit_id)
    return common[min(common)]
