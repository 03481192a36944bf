"""Reset: forget uncommitted changes of a branch, of the paths with a prefix, or of one path.

Each takes place by one `SetIf` on the branch. That of a whole branch names a fresh token and no sealed ones. That of
paths names a restoration over all tokens (`lakeproof.impl.graveler.restorations`), because a path cannot be taken out
of a token that a committer may have scanned. Source: the operations of lakeFS' ``pkg/graveler`` ("Reset", "ResetKey",
"ResetPrefix"), over the records of graveler-on-kv.md.
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import Final

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.commits import drop_all
from lakeproof.impl.graveler.layers import changes
from lakeproof.impl.graveler.reads import tokens
from lakeproof.impl.graveler.restorations import as_in_head, cover_branch, restoration_token
from lakeproof.impl.graveler.tokens import TRIES, Tokens, same_record, settle, swap
from lakeproof.impl.refs.branches import get_branch, next_token
from lakeproof.impl.staging import get_staged, stage, unstage
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Repository, StagedEntry

RESTORED: Final = "restored"
IN_PLACE: Final = "in-place"
OPEN_ONLY: Final = "open-only"
WAYS: Final = (RESTORED, IN_PLACE, OPEN_ONLY)
"""How the changes of paths are forgotten, see `reset_entry`."""

Changed = Callable[[Branch], Coroutine[object, object, Sequence[bytes]]]
"""The paths that are to be reset and have changes under the tokens of a branch."""
Brought = Callable[[StagedEntry], Coroutine[object, object, StagedEntry]]
"""The change that is staged for one that brings back what the head has."""


async def keep_entry(entry: StagedEntry) -> StagedEntry:
    """Just this."""
    return entry


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
        value that it has had, and a predicate by value cannot see that.

    Raises:
        BranchNotFound; BranchBusy: the branch changed ``tries`` times, nothing was reset.
    """

    async def change(branch: Branch) -> Branch:
        # Tokens are never used twice, so a committer that has read the old record fails by its predicate.
        token = next_token(env, branch) if fresh_token else branch.staging_token
        return attrs.evolve(branch, staging_token=token, sealed_tokens=())

    async def beaten(before: Branch, tried: Branch, now: Branch) -> bool:
        # Without a fresh token the record after an applied reset may equal the one before.
        return fresh_token and _is_done(before, tried.staging_token, now)

    swapped = await swap(env, repository, branch_id, change, beaten=beaten, tries=tries)
    assert swapped is not None
    # Only those that this call has taken off the branch; of others a committer may still read.
    if swapped.applied:
        await drop_all(env, swapped.before.tokens, batch_size)


async def forget_tokens(env: Env, repository: Repository, branch_id: BranchID, tries: int = TRIES) -> Tokens:
    """`reset_branch` up to where staged entries are deleted: the tokens that the branch had. 2 effects.

    Raises BranchNotFound; BranchBusy: nothing was reset.
    """
    had: dict[StagingToken, Tokens] = {}

    async def change(branch: Branch) -> Branch:
        token = next_token(env, branch)
        had[token] = branch.tokens  # one for each try: the `SetIf` of an earlier try may have been applied
        return attrs.evolve(branch, staging_token=token, sealed_tokens=())

    async def beaten(before: Branch, tried: Branch, now: Branch) -> bool:
        return now.staging_token in had  # a `SetIf` that was reported as failed was applied after all

    swapped = await swap(env, repository, branch_id, change, beaten=beaten, tries=tries)
    assert swapped is not None
    return had[swapped.now.staging_token]


async def reset_entry(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    *,
    forgets: str = RESTORED,
    tries: int = TRIES,
    brought: Brought = keep_entry,
) -> None:
    """Forget the uncommitted change of one path. 1 effect, and 1 per token until a change is found; then 3 to read the
    head, 1 to stage the restoration, 1 for the branch.

    forgets: ``"restored"``: put a restoration over all tokens. ``"in-place"``: delete the change under the open token,
        or where a sealed token has one, stage the path anew as it is in the head; start over if the branch has changed.
        What was deleted under a token that was sealed and scanned meanwhile comes back. ``"open-only"``: the same
        without a look at sealed tokens.
    brought: what to stage, ``"in-place"``, for a path that a sealed token has.

    Raises:
        BranchNotFound; BranchBusy: the branch changed ``tries`` times, nothing was reset. Not ``"restored"``:
        WriteNotSettled (indefinite) instead.
    """
    _check_way(forgets)
    if forgets != RESTORED:
        sealed_too = forgets == IN_PLACE
        await _reset_in_place(env, repository, branch_id, [path], sealed_too=sealed_too, tries=tries, brought=brought)
        return

    async def changed(branch: Branch) -> Sequence[bytes]:
        for token in tokens(branch):  # the tombstones, too: they are changes
            if await get_staged(env, token, path) is not None:
                return [path]
        return []

    await _restore(env, repository, branch_id, changed, tries)


async def reset_prefix(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    prefix: bytes,
    *,
    forgets: str = RESTORED,
    tries: int = TRIES,
    batch_size: int = 0,
) -> None:
    """Forget the uncommitted changes of all paths that begin with ``prefix``: each path that has one when its token is
    scanned. One scan per token, 1 effect to read the head, 3 per path, 1 for the branch. Raises as `reset_entry`.
    """
    _check_way(forgets)

    async def changed(branch: Branch) -> Sequence[bytes]:
        return [change.key async for change in changes(env, tokens(branch), prefix, batch_size)]

    if forgets == RESTORED:
        await _restore(env, repository, branch_id, changed, tries)
        return
    branch = await get_branch(env, repository, branch_id)
    # Gathered before anything is staged, or the scan would meet what this reset stages.
    paths = await changed(branch)
    await _reset_in_place(env, repository, branch_id, paths, sealed_too=forgets == IN_PLACE, tries=tries)


def _check_way(forgets: str) -> None:
    if forgets not in WAYS:
        raise ValueError(f"forgets={forgets!r}: expected one of {WAYS}")


async def _restore(env: Env, repository: Repository, branch_id: BranchID, changed: Changed, tries: int) -> None:
    paths: Sequence[bytes] = ()

    async def change(branch: Branch) -> Branch | None:
        nonlocal paths
        paths = await changed(branch)
        if not paths:
            # Entries leave a token only after it has left the branch. What was there is committed, or was reset.
            return None
        restoration = restoration_token(env, branch)
        # Under a token that no branch names yet, so no reader sees a part of it. The `SetIf` shows all at once.
        for entry in await as_in_head(env, repository, branch, list(paths)):
            await stage(env, restoration, entry)
        return cover_branch(branch, restoration, next_token(env, branch))

    async def beaten(before: Branch, tried: Branch, now: Branch) -> bool:
        restoration = tried.sealed_tokens[0]  # as `cover_branch` puts it
        if _is_done(before, restoration, now):
            return True
        # Safe: the token never was on a branch, and the next try makes another one.
        for path in paths:
            await unstage(env, restoration, path)
        return False

    await swap(env, repository, branch_id, change, beaten=beaten, tries=tries)


def _is_done(before: Branch, made: StagingToken, now: Branch) -> bool:
    """Whether a reset is done although its `SetIf`, which brings the token ``made``, was reported as failed.

    Tokens leave a branch oldest first. If ``made`` is there, the `SetIf` was applied. If the staging token of before is
    gone, all older ones are, too: what was staged under them has been committed since, or reset. If it is there without
    ``made``, which lies over it, the `SetIf` was not applied.
    """
    return made in now.tokens or before.staging_token not in now.tokens


async def _reset_in_place(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    paths: Sequence[bytes],
    *,
    sealed_too: bool,
    tries: int,
    brought: Brought = keep_entry,
) -> None:
    async def write(branch: Branch) -> None:
        for path in paths:
            await _reset_path(env, repository, branch, path, sealed_too=sealed_too, brought=brought)

    branch = await get_branch(env, repository, branch_id)
    # The head, too, must be the same: a path may have been staged as in an older one.
    await settle(env, repository, branch, write, *paths, settled=same_record, tries=tries)


async def _reset_path(
    env: Env, repository: Repository, branch: Branch, path: bytes, *, sealed_too: bool, brought: Brought
) -> None:
    sealed = False
    for token in branch.sealed_tokens if sealed_too else ():
        sealed = sealed or await get_staged(env, token, path) is not None
    if not sealed:
        # Without a sealed change the head shows through once that of the open token is gone.
        await unstage(env, branch.staging_token, path)
        return
    # A delete would let the change under the sealed token show through; what the head has is staged over it.
    for entry in await as_in_head(env, repository, branch, [path]):
        await stage(env, branch.staging_token, await brought(entry))
