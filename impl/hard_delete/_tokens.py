"""What the proposals that track staging tokens share: a write that does something first, and a commit that tells which
tokens it took. They are those of `lakeproof.impl.graveler`, effect by effect; staged entries stay where they are."""

from collections.abc import Awaitable, Callable
from typing import Final

import attrs

from lakeproof.impl.catalog.errors import ObjectBusy
from lakeproof.impl.catalog.objects import entry_of
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.commits import write_commit
from lakeproof.impl.graveler.lock_free import Reading, Taken, nothing_before, take
from lakeproof.impl.graveler.tokens import TRIES, Tokens, settle
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.errors import WriteNotSettled
from lakeproof.impl.staging import get_staged, stage, stage_if
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry

COMMIT_TRIES: Final = 4

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
    env: Env, repository: Repository, branch_id: BranchID, change: StagedEntry, refer: Refer = nothing, *,
    looks: bool = False, exchanges: bool = False,
) -> Staged:  # fmt: skip
    """Stage a change as `writes.set_entry` does, each time after ``refer``.

    looks: read before what the change will replace; 1 effect more a try.
    exchanges: replace just that, by `SetIf`, and look again where it has changed.

    Raises BranchNotFound; ObjectBusy: nothing was staged; WriteNotSettled (indefinite).
    """
    staged = False

    async def write(branch: Branch) -> Staged:
        nonlocal staged
        token = branch.staging_token
        try:
            await refer(token, not staged)  # before the entry: a job that sees the entry must see the reference
        except ObjectBusy:
            # An earlier token has the entry, and a commit may have taken it: the refusal is not definite any more.
            if staged:
                raise WriteNotSettled(branch_id, change.key) from None
            raise
        before = await _put(env, token, change, looks, exchanges)
        staged = True
        return Staged(token, before)

    branch = await get_branch(env, repository, branch_id)
    return (await settle(env, repository, branch, write, change.key))[0]


async def _put(env: Env, token: StagingToken, change: StagedEntry, looks: bool, exchanges: bool) -> ObjectEntry | None:
    for _ in range(TRIES):
        found = await get_staged(env, token, change.key) if looks or exchanges else None
        if not exchanges:
            await stage(env, token, change)
        elif not await stage_if(env, token, change, None if found is None else found[1]):
            continue
        return None if found is None else entry_of(found[0])
    # Not definite: a `SetIf` that was reported as failed may have been applied.
    raise WriteNotSettled(token, change.key)


async def commit_tokens(
    env: Env, repository: Repository, branch_id: BranchID, message: str, *,
    before: Callable[[Tokens], Awaitable[None]] = nothing_before, batch_size: int = 0,
) -> Taken:  # fmt: skip
    """`lock_free.commit`, which drops nothing and tells what it took. ``before``: run on the tokens that were sealed,
    once they are. Raises BranchNotFound, BranchBusy."""

    async def combine(branch: Branch, kept: Tokens, over: Tokens) -> Commit:
        # ``over`` is empty here, as the reading does not look at restorations.
        return await write_commit(env, repository, branch.commit_id, kept, message, batch_size=batch_size)

    reading = Reading(respects_resets=False, tries=COMMIT_TRIES)
    return await take(env, repository, branch_id, combine, reading, before=before)
