"""Branches as the code has them: ``pkg/graveler/ref.(*Manager)`` and ``pkg/graveler.(*Graveler)``.

``BranchUpdate`` reads the branch, computes another, and replaces the record by `SetIf`. Some callers try once, some ten
times (``retryBranchUpdate``). Writers of entries compare only the open token before and after (``safeBranchWrite``).
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import attrs

from lakefs_today.staging import drop_async
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.branches import birth_token, get_branch, next_token, read_branch, replace_branch
from lakeproof.impl.refs.errors import (
    BranchBusy,
    BranchExists,
    BranchNotFound,
    DefaultBranch,
    RefChanged,
    WriteNotSettled,
)
from lakeproof.impl.refs.resolution import Ref, resolve
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Repository

UPDATE_TRIES: Final = 10
"""``BranchUpdateMaxTries``"""
WRITE_TRIES: Final = 3
"""``BranchWriteMaxTries``"""

Change = Callable[[Branch], Awaitable[Branch | None]]
"""The record to put in the place of one; None: nothing has to be changed."""


async def branch_update(env: Env, repository: Repository, branch_id: BranchID, change: Change) -> None:
    """``ref.(*Manager).BranchUpdate``. 2 effects and those of ``change``.

    Raises:
        BranchNotFound, and what ``change`` raises; PredicateFailed: the branch has changed meanwhile.
    """
    branch, predicate = await read_branch(env, repository, branch_id)
    after = await change(branch)
    if after is not None:
        await replace_branch(env, repository, after, predicate)


async def update_once(env: Env, repository: Repository, branch_id: BranchID, change: Change) -> None:
    """`branch_update`, as callers that try once answer it. Raises RefChanged in place of PredicateFailed."""
    try:
        await branch_update(env, repository, branch_id, change)
    except kv.PredicateFailed:
        raise RefChanged(branch_id) from None


async def retry_update(env: Env, repository: Repository, branch_id: BranchID, change: Change) -> None:
    """``graveler.(*Graveler).retryBranchUpdate``. Raises BranchBusy after ten tries, and as `branch_update`."""
    for _ in range(UPDATE_TRIES):
        with suppress(kv.PredicateFailed):
            return await branch_update(env, repository, branch_id, change)
    raise BranchBusy(branch_id)


async def sealed(env: Env, branch: Branch) -> Branch:
    """The branch with its open token sealed, and another open token."""
    return attrs.evolve(branch, staging_token=next_token(env, branch), sealed_tokens=branch.tokens)


Operation = Callable[[Branch], Awaitable[bool]]
"""Writes under the open token of a branch; whether it has written."""


async def safe_branch_write(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    operation: Operation,
    *paths: bytes,
    careful: bool = False,
) -> None:
    """``graveler.(*Graveler).safeBranchWrite``: start over if the open token has changed. 2 effects a try, and those of
    the operation.

    careful: start over also where nothing was written and anything of the branch has changed (ours): the decision that
        there is nothing to write rests on sealed tokens and the head, too.

    Raises:
        BranchNotFound, and what ``operation`` raises; WriteNotSettled (indefinite) after three tries.
    """
    for _ in range(WRITE_TRIES):
        before = await get_branch(env, repository, branch_id)
        wrote = await operation(before)
        after = await get_branch(env, repository, branch_id)
        if before == after or (before.staging_token == after.staging_token and (wrote or not careful)):
            return
    raise WriteNotSettled(branch_id, *paths)


async def create_branch(env: Env, repository: Repository, branch_id: BranchID, source: Ref) -> Branch:
    """``graveler.(*Graveler).CreateBranch``: 3 to 5 effects. Raises BranchExists, RefNotFound."""
    commit_id = await resolve(env, repository, source)
    with suppress(BranchNotFound):
        await get_branch(env, repository, branch_id)
        raise BranchExists(branch_id)
    branch = Branch(branch_id=branch_id, commit_id=commit_id, staging_token=birth_token(env, repository, branch_id))
    try:
        await replace_branch(env, repository, branch, None)
    except kv.PredicateFailed:
        raise BranchExists(branch_id) from None
    return branch


async def delete_branch(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """``graveler.(*Graveler).DeleteBranch``: look twice, delete by key, note the tokens of the first look.

    3 effects and 1 for each token. Raises BranchNotFound, DefaultBranch.
    """
    if branch_id == repository.default_branch_id:
        raise DefaultBranch(branch_id)
    branch = await get_branch(env, repository, branch_id)
    await get_branch(env, repository, branch_id)
    await env.store.delete(uid_partition(repository), keys.branch_key(branch_id))
    await drop_async(env, (*branch.sealed_tokens, branch.staging_token))
