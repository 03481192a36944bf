"""Branches: movable names for commits, each with its staging tokens.

A repository is passed as the record of its entry: what each flow "essentially implies" (a fetch of the entry) is
added by `lakeproof.impl.refs.by_id.by_id`. Source: graveler-on-kv.md, "Branch".
"""

from collections.abc import Callable, Coroutine

import attrs

from lakeproof.impl.codec import decode_branch, encode
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.errors import BranchExists, BranchNotFound, DefaultBranch, RefChanged
from lakeproof.impl.refs.resolution import Ref, resolve
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken
from lakeproof.model.records import Branch, Repository


def birth_token(env: Env, repository: Repository, branch_id: BranchID, *, fresh: bool = True) -> StagingToken:
    """The first staging token of a new branch: ``<repository>-<branch>:<instance>.<birth>.<unique>``."""
    birth = env.ids.unique("branch") if fresh else "0"
    # The instance: a repository of the same name, created later, must not find these entries.
    return StagingToken(f"{repository.repository_id}-{branch_id}:{repository.instance_uid}.{birth}.0")


def next_token(env: Env, branch: Branch) -> StagingToken:
    """A fresh token of the same branch: it keeps the birth, which tells branches of one name apart."""
    return StagingToken(f"{_lineage(branch)}.{env.ids.unique('staging token')}")


def _lineage(branch: Branch) -> str:
    """What all tokens of a branch begin with; another branch of the name has another one."""
    return branch.staging_token.rpartition(".")[0]


async def read_branch(env: Env, repository: Repository, branch_id: BranchID) -> tuple[Branch, bytes]:
    """The branch and the predicate that replaces just this value. 1 effect. Raises BranchNotFound."""
    try:
        found = await env.store.get(uid_partition(repository), keys.branch_key(branch_id))
    except kv.NotFound:
        raise BranchNotFound(branch_id) from None
    branch = decode_branch(found.value)
    # To all readers a tombstone is an absent branch. Only a create looks at it, to replace it.
    if is_tombstone(branch):
        raise BranchNotFound(branch_id)
    return branch, found.predicate


async def replace_branch(env: Env, repository: Repository, branch: Branch, predicate: kv.Predicate) -> None:
    """Write the record if the predicate holds. 1 effect. Raises PredicateFailed."""
    await env.store.set_if(uid_partition(repository), keys.branch_key(branch.branch_id), encode(branch), predicate)


def is_tombstone(branch: Branch) -> bool:
    """Whether the record says that the branch was deleted (`delete_branch_by_tombstone`)."""
    return not branch.commit_id


async def get_branch(env: Env, repository: Repository, branch_id: BranchID) -> Branch:
    """Read a branch. 1 effect. Raises BranchNotFound."""
    branch, _ = await read_branch(env, repository, branch_id)
    return branch


async def create_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    source: Ref,
    *,
    tombstones: bool = False,
    fresh_token: bool = True,
    doubts: bool = False,
) -> Branch:
    """Create a branch at the commit that a branch, tag or commit id leads to. 2 to 4 effects.

    tombstones: take the place of a deleted branch's record, too; 2 effects more where there is one.
    doubts: look what is there before the write, and why its predicate has failed; 1 effect each. A record of the new
        birth is of this call, wherever it has moved since; any other one may have come in its place.
    fresh_token: without it a branch has the token, and so maybe the record, that one of its name had before: a
        predicate by value cannot tell them apart.

    Raises:
        BranchExists, RefNotFound; with ``doubts``, OutcomeUnknown.
    """
    # Before the token is made and anything is written: a source that is not there leaves nothing behind.
    commit_id = await resolve(env, repository, source)
    token = birth_token(env, repository, branch_id, fresh=fresh_token)
    branch = Branch(branch_id=branch_id, commit_id=commit_id, staging_token=token)
    there = await env.store.find(uid_partition(repository), keys.branch_key(branch_id)) if doubts else None
    if there is not None and not (tombstones and is_tombstone(decode_branch(there.value))):
        raise BranchExists(branch_id)
    try:
        await replace_branch(env, repository, branch, None if there is None else there.predicate)
    except kv.PredicateFailed:
        if doubts:
            found = await _look(env, repository, branch_id)
            # This one may have been there, and deleted, before another took the name.
            if found is None or _lineage(found) != _lineage(branch):
                raise kv.OutcomeUnknown from None
        # Without tombstones any record means that the name is taken.
        elif not tombstones or not await _replace_tombstone(env, repository, branch):
            raise BranchExists(branch_id) from None
    return branch


async def _replace_tombstone(env: Env, repository: Repository, branch: Branch) -> bool:
    try:
        found = await env.store.get(uid_partition(repository), keys.branch_key(branch.branch_id))
        if not is_tombstone(decode_branch(found.value)):
            return False
        # By its predicate: of two creates over one tombstone one wins.
        await replace_branch(env, repository, branch, found.predicate)
    except (kv.NotFound, kv.PredicateFailed):
        return False
    return True


BeforeMove = Callable[[Env, Repository, Branch], Coroutine[object, object, None]]
"""What to do before a branch is moved or deleted, given the branch as it was read."""


async def update_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    target: Ref,
    *,
    prepare: BeforeMove | None = None,
    doubts: bool = False,
) -> Branch:
    """Move a branch to another commit; uncommitted changes stay on top of it. 3 to 5 effects.

    doubts: look why the predicate has failed, 1 effect: a branch that is as this call would have it is moved, by this
        call or by another one with the same target. Any other one may have been moved by this call, and changed since.

    Raises:
        BranchNotFound, RefNotFound; RefChanged: nothing was moved; with ``doubts``, OutcomeUnknown instead.
    """
    branch, predicate = await read_branch(env, repository, branch_id)
    # With the staged changes: only the head is another one.
    moved = attrs.evolve(branch, commit_id=await resolve(env, repository, target))
    if prepare is not None:
        await prepare(env, repository, branch)
    try:
        await replace_branch(env, repository, moved, predicate)
    except kv.PredicateFailed:
        if not doubts:
            raise RefChanged(branch_id) from None
        if await _look(env, repository, branch_id) != moved:
            raise kv.OutcomeUnknown from None
    return moved


async def delete_branch(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """Delete a branch: look that it is there, then delete its record, whichever branch it is by then. 2 effects.

    Its staged entries are left behind under tokens that no branch names. Raises BranchNotFound, DefaultBranch.
    """
    await remove_branch(env, repository, branch_id)


async def remove_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    *,
    tombstone: bool = False,
    prepare: BeforeMove | None = None,
) -> tuple[StagingToken, ...]:
    """`delete_branch`: the tokens that the record had when it was read. 2 effects.

    tombstone: ours. Replace the record by one that names no commit, if it is still the record that was read; 1 effect
        more after a failed predicate. It keeps its staging token, so that no value ever returns.

    Raises BranchNotFound, DefaultBranch; RefChanged, with ``tombstone``: the branch is there.
    """
    if branch_id == repository.default_branch_id:
        raise DefaultBranch(branch_id)
    branch, predicate = await read_branch(env, repository, branch_id)
    if prepare is not None:
        await prepare(env, repository, branch)
    if not tombstone:
        # The store has no conditional delete. A branch that was created since the read is deleted instead.
        await env.store.delete(uid_partition(repository), keys.branch_key(branch_id))
        return branch.tokens
    # With the old token: two tombstones of a name differ, and so does a branch that is created later.
    gone = Branch(branch_id=branch_id, commit_id=_NO_COMMIT, staging_token=branch.staging_token)
    try:
        await replace_branch(env, repository, gone, predicate)
    except kv.PredicateFailed:
        found = await _look(env, repository, branch_id)
        # It is gone all the same if its tombstone is there, or nothing, or a branch of another birth that took its
        # place: by this call or another one.
        if found is not None and found != gone and _lineage(found) == _lineage(branch):
            raise RefChanged(branch_id) from None
    return branch.tokens


async def delete_branch_by_tombstone(
    env: Env, repository: Repository, branch_id: BranchID, *, prepare: BeforeMove | None = None
) -> None:
    """`remove_branch` by a tombstone. Raises BranchNotFound, DefaultBranch; RefChanged: the branch is there."""
    await remove_branch(env, repository, branch_id, tombstone=True, prepare=prepare)


async def _look(env: Env, repository: Repository, branch_id: BranchID) -> Branch | None:
    """The record, tombstones too, after a predicate that failed. The write may have taken place: errors are
    indefinite."""
    try:
        found = await env.store.find(uid_partition(repository), keys.branch_key(branch_id))
    except kv.KVError as error:
        # A definite error would deny a write that may have taken place.
        raise kv.OutcomeUnknown from error
    return None if found is None else decode_branch(found.value)


_NO_COMMIT = CommitID("")
