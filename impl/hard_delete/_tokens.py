"""What the proposals that track staging tokens share: writes, commits, resets and deletions of a branch that tell
which tokens they meant.

They are those of `lakeproof.impl.graveler` and `lakeproof.impl.refs.branches`, effect by effect, with a hand held out
where a proposal adds something of its own. Staged entries are left where they are.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import attrs

from lakeproof.impl.catalog.errors import ObjectBusy
from lakeproof.impl.catalog.objects import entry_of
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.committing import Request, seal, write_commit
from lakeproof.impl.graveler.lock_free import Tokens, still_sealed, without
from lakeproof.impl.graveler.reading import tokens
from lakeproof.impl.refs.branches import next_token, read_branch, replace_branch
from lakeproof.impl.refs.errors import BranchBusy, DefaultBranch, RefChanged, WriteNotSettled
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.staging import get_staged, scan_staged, stage, stage_if
from lakeproof.model import keys, kv
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken
from lakeproof.model.records import Commit, Repository, StagedEntry

WRITE_TRIES: Final = 3
COMMIT_TRIES: Final = 4
NO_COMMIT: Final = CommitID("")

Refer = Callable[[StagingToken, bool], Awaitable[None]]
"""What is done before an entry is staged under a token; and whether this is the first token of the call."""


async def nothing(token: StagingToken, first: bool) -> None:
    """The `Refer` of a change that refers to no object."""


@attrs.frozen(cache_hash=True)
class Staged:
    """Where a change was staged in the end, and the entry that it has replaced there, if that was looked at."""

    token: StagingToken
    before: ObjectEntry | None


async def stage_referred(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    change: StagedEntry,
    refer: Refer = nothing,
    *,
    looks: bool = False,
    exchanges: bool = False,
    tries: int = WRITE_TRIES,
) -> Staged:
    """Stage a change as `writing.set_entry` does, each time after ``refer``.

    looks: read before what the change will replace; 1 effect more a try.
    exchanges: replace just that, by `SetIf`, and look again where it has changed.

    Raises:
        BranchNotFound; ObjectBusy: nothing was staged; WriteNotSettled (indefinite).
    """
    staged = False
    branch, _ = await read_branch(env, repository, branch_id)
    for _ in range(tries):
        token = branch.staging_token
        try:
            await refer(token, not staged)
        except ObjectBusy:
            if staged:
                break
            raise
        before = await _put(env, token, change, looks=looks, exchanges=exchanges, tries=tries)
        staged = True
        again, _ = await read_branch(env, repository, branch_id)
        if again.staging_token == token:
            return Staged(token, before)
        branch = again
    raise WriteNotSettled(branch_id, change.key)


async def _put(
    env: Env, token: StagingToken, change: StagedEntry, *, looks: bool, exchanges: bool, tries: int
) -> ObjectEntry | None:
    for _ in range(tries):
        found = await get_staged(env, token, change.key) if looks or exchanges else None
        if not exchanges:
            await stage(env, token, change)
        else:
            try:
                await stage_if(env, token, change, None if found is None else found[1])
            except kv.PredicateFailed:
                continue
        return None if found is None else entry_of(found[0])
    raise WriteNotSettled(token, change.key)


@attrs.frozen(cache_hash=True)
class Taken:
    """A commit, and the tokens whose changes it took, newest first."""

    commit: Commit
    tokens: Tokens


BeforeCommit = Callable[[Tokens], Awaitable[None]]


async def leave(sealed: Tokens) -> None:
    """Nothing is to be done before a commit."""


async def commit_tokens(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    message: str,
    *,
    before: BeforeCommit = leave,
    tries: int = COMMIT_TRIES,
    batch_size: int = 0,
) -> Taken:
    """`lock_free.commit`, which drops nothing and tells what it took. ``before``: run on the tokens that were sealed,
    once they are. Raises BranchNotFound, BranchBusy."""
    request = Request(message=message, batch_size=batch_size)
    branch, predicate = await seal(env, repository, branch_id, tries)
    ours = branch.sealed_tokens
    await before(ours)
    made: Commit | None = None
    for _ in range(tries):
        kept = still_sealed(ours, branch)
        if made is None:
            made = await write_commit(env, repository, branch.commit_id, kept, request)
        finished = attrs.evolve(branch, commit_id=made.commit_id, sealed_tokens=without(branch, kept))
        try:
            await replace_branch(env, repository, finished, predicate)
        except kv.PredicateFailed:
            head = branch.commit_id
            branch, predicate = await read_branch(env, repository, branch_id)
            if branch.commit_id != head or still_sealed(ours, branch) != kept:
                made, ours = None, still_sealed(kept, branch)
            continue
        return Taken(made, kept)
    raise BranchBusy(branch_id)


async def forget_tokens(env: Env, repository: Repository, branch_id: BranchID, tries: int = WRITE_TRIES) -> Tokens:
    """`resetting.reset_branch` up to where staged entries are deleted: the tokens that the branch had. 2 effects.

    Raises BranchNotFound; BranchBusy: nothing was reset.
    """
    made: dict[StagingToken, Tokens] = {}
    for _ in range(tries + 1):
        branch, predicate = await read_branch(env, repository, branch_id)
        if branch.staging_token in made:
            return made[branch.staging_token]  # a `SetIf` that was reported as failed was applied after all
        if len(made) == tries:
            break
        token = next_token(env, branch)
        made[token] = tokens(branch)
        try:
            await replace_branch(
                env, repository, attrs.evolve(branch, staging_token=token, sealed_tokens=()), predicate
            )
        except kv.PredicateFailed:
            continue
        return made[token]
    raise BranchBusy(branch_id)


async def remove_branch(env: Env, repository: Repository, branch_id: BranchID, *, tombstone: bool = False) -> Tokens:
    """`branches.delete_branch`: the tokens that the record had when it was read. 2 effects.

    tombstone: as `branches.delete_branch_by_tombstone` instead; the tokens are those of the record that was replaced.
        A `SetIf` that was applied and reported as failed counts as failed.

    Raises BranchNotFound, DefaultBranch; RefChanged, with ``tombstone``.
    """
    if branch_id == repository.default_branch_id:
        raise DefaultBranch(branch_id)
    branch, predicate = await read_branch(env, repository, branch_id)
    if tombstone:
        gone = attrs.evolve(branch, commit_id=NO_COMMIT, sealed_tokens=())
        try:
            await replace_branch(env, repository, gone, predicate)
        except kv.PredicateFailed:
            raise RefChanged(branch_id) from None
    else:
        await env.store.delete(uid_partition(repository), keys.branch_key(branch_id))
    return tokens(branch)


async def changes_under(env: Env, token: StagingToken, batch_size: int = 0) -> tuple[StagedEntry, ...]:
    """All changes under a token, by path. One effect per batch."""
    return tuple([change async for change in scan_staged(env, token, batch_size=batch_size)])
