"""Reset: forget uncommitted changes of a branch, of the paths with a prefix, or of one path.

A whole branch is reset by one `SetIf` that names a fresh token and no sealed ones. A path cannot be taken out of a
sealed token, which somebody may be committing; it is staged again as it is in the head. Source: the operations of
lakeFS' ``pkg/graveler`` ("Reset", "ResetKey", "ResetPrefix"), over the records of graveler-on-kv.md.
"""

from collections.abc import Sequence
from typing import Final

import attrs

from impl.committed import get_entry as get_committed
from impl.effects import Env
from impl.graveler.committing import drop_all
from impl.graveler.reading import changes_of, tokens
from impl.refs.branches import next_token, read_branch, replace_branch
from impl.refs.commits import get_commit
from impl.refs.errors import BranchBusy, WriteNotSettled
from impl.staging import get_staged, stage, tombstone, unstage
from model import kv
from model.identifiers import BranchID, StagingToken
from model.records import Branch, Repository, StagedEntry

TRIES: Final = 3


async def reset_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    *,
    fresh_token: bool = True,
    tries: int = TRIES,
    batch_size: int = 0,
) -> None:
    """Forget all uncommitted changes of a branch, sealed ones too. 2 effects, then the staged entries are deleted.

    fresh_token: without it the branch keeps its token, and only what is staged is deleted: its record returns to a
        value
        that it has had, and a predicate by value cannot see that.

    Raises:
        BranchNotFound; BranchBusy: the branch changed ``tries`` times, nothing was reset.
    """
    made: set[StagingToken] = set()
    for _ in range(tries):
        branch, predicate = await read_branch(env, repository, branch_id)
        if branch.staging_token in made:
            return  # a `SetIf` that was reported as failed was applied after all
        token = next_token(env, branch) if fresh_token else branch.staging_token
        if fresh_token:
            made.add(token)
        clean = attrs.evolve(branch, staging_token=token, sealed_tokens=())
        try:
            await replace_branch(env, repository, clean, predicate)
        except kv.PredicateFailed:
            continue
        await drop_all(env, tokens(branch), batch_size)
        return
    branch, _ = await read_branch(env, repository, branch_id)
    if branch.staging_token not in made:
        raise BranchBusy(branch_id)


async def reset_entry(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    *,
    sealed_too: bool = True,
    tries: int = TRIES,
) -> None:
    """Forget the uncommitted change of one path.

    sealed_too: stage the path anew, as it is in the head, where a sealed token changes it. Without it, what is being
        committed comes back.

    Raises:
        BranchNotFound; WriteNotSettled (indefinite).
    """
    await _reset_paths(env, repository, branch_id, [path], sealed_too=sealed_too, tries=tries)


async def reset_prefix(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    prefix: bytes,
    *,
    sealed_too: bool = True,
    tries: int = TRIES,
    batch_size: int = 0,
) -> None:
    """Forget the uncommitted changes of all paths that begin with ``prefix``. Raises as `reset_entry`."""
    branch, _ = await read_branch(env, repository, branch_id)
    changes = await changes_of(env, tokens(branch), prefix, batch_size)
    await _reset_paths(env, repository, branch_id, list(changes), sealed_too=sealed_too, tries=tries)


async def _reset_paths(
    env: Env, repository: Repository, branch_id: BranchID, paths: Sequence[bytes], *, sealed_too: bool, tries: int
) -> None:
    branch, _ = await read_branch(env, repository, branch_id)
    for _ in range(tries):
        for path in paths:
            await _reset_path(env, repository, branch, path, sealed_too=sealed_too)
        again, _ = await read_branch(env, repository, branch_id)
        if again == branch:  # the head, too: a path may have been staged as in an older one
            return
        branch = again
    raise WriteNotSettled(branch_id, *paths)


async def _reset_path(env: Env, repository: Repository, branch: Branch, path: bytes, *, sealed_too: bool) -> None:
    sealed = False
    for token in branch.sealed_tokens if sealed_too else ():
        sealed = sealed or await get_staged(env, token, path) is not None
    if not sealed:
        await unstage(env, branch.staging_token, path)
        return
    head = await get_commit(env, repository, branch.commit_id)
    found = await get_committed(env, repository.storage_namespace, head.meta_range_id, path)
    as_before = tombstone(path) if found is None else StagedEntry(key=path, identity=found.identity, data=found.data)
    await stage(env, branch.staging_token, as_before)
