"""The loops over staging tokens. Each flow of a branch is one of three, or two of them, one after the other:

    swap      read the branch, replace its record by `SetIf`; beaten: read it again and start over
    settle    write under the open token, read the branch again; another token: start over under that one
    stable    look through the tokens, read the branch again; another record: start over

What a flow does in between is a function that it passes. Example, one writer and one committer of a branch whose open
token is t1: the writer stages x under t1; the committer seals t1, opens t2 and scans t1 without x; the writer reads the
branch again, finds t2 and stages x once more, under t2. Without the second read x would be lost.

Source: graveler-on-kv.md, "Update Commits, staging and lock-free"; lakeFS metadata_kv/index.md, "Branches and staged
writes", "Reading", "Committer flow".
"""

from collections.abc import Awaitable, Callable, Iterator
from typing import Final, TypeVar

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.refs.branches import get_branch, read_branch, replace_branch
from lakeproof.impl.refs.errors import BranchBusy, BranchNotFound, WriteNotSettled
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Repository

T = TypeVar("T")

Tokens = tuple[StagingToken, ...]
TRIES: Final = 3


def countdown(tries: int | None) -> Iterator[int]:
    """How many tries are left after each; None: there is no bound, and always one left."""
    # Never left where there is no bound.
    while tries is None:
        yield 1
    yield from reversed(range(tries))


@attrs.frozen
class Swapped:
    """How a swap ended: the record that was read last, the one that took its place, and whether this swap put it there.

    If not, the swap was reported as failed, and `Beaten` found that it is done all the same.
    """

    before: Branch
    now: Branch
    applied: bool = True


Change = Callable[[Branch], Awaitable[Branch | None]]
"""The record to put in the place of one; None: nothing has to be changed."""
Beaten = Callable[[Branch, Branch, Branch], Awaitable[bool]]
"""Called after a failed predicate, with the old record, the intended one and the one that is there: whether the goal is
reached all the same."""


async def swap(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    change: Change,
    *,
    beaten: Beaten | None = None,
    start: tuple[Branch, bytes] | None = None,
    tries: int | None = TRIES,
) -> Swapped | None:
    """Replace the record of a branch by `SetIf`. 2 effects and those of ``change``, and as many for each failure.

    start: the record and its predicate, where they are known already. beaten: without it nothing is read after the last
        failure. Returns None where there was nothing to change.

    Raises:
        BranchNotFound; BranchBusy: others came first ``tries`` times. OutcomeUnknown: beaten, and the branch is gone.
    """
    branch, predicate = await read_branch(env, repository, branch_id) if start is None else start
    for left in countdown(tries):
        # At each try, from the record that the predicate belongs to.
        after = await change(branch)
        if after is None:
            return None
        try:
            await replace_branch(env, repository, after, predicate)
        except kv.PredicateFailed:
            # The last failure, and nothing could make it a success: a read would be wasted.
            if beaten is None and not left:
                break
            before = branch
            try:
                # Also after the last failure: the answer decides between a success and BranchBusy.
                branch, predicate = await read_branch(env, repository, branch_id)
            except BranchNotFound:
                if beaten is None:
                    raise
                # Deleted since the `SetIf`, which may have been applied, and seen.
                raise kv.OutcomeUnknown from None
            if beaten is not None and await beaten(before, after, branch):
                return Swapped(before, branch, applied=False)
            continue
        return Swapped(branch, after)
    raise BranchBusy(branch_id)


@attrs.frozen
class Missed:
    """Nothing was written, because others came between: start over from this record."""

    branch: Branch


Settled = Callable[[Branch, Branch], Awaitable[bool]]
"""Given the branch as it was when something was written, and as it is now: whether the write cannot be missed."""


async def same_token(before: Branch, now: Branch) -> bool:
    """A write under the open token cannot have been missed while that token is open."""
    return before.staging_token == now.staging_token


async def same_record(before: Branch, now: Branch) -> bool:
    """Nothing of the branch has changed, its head included."""
    return before == now


async def settle(
    env: Env,
    repository: Repository,
    branch: Branch,
    write: Callable[[Branch], Awaitable[T | Missed]],
    *paths: bytes,
    settled: Settled | None = same_token,
    tries: int | None = TRIES,
) -> tuple[T, Branch]:
    """Write something, until it is settled. 1 effect and those of ``write``, and as many for each other token.

    branch: as it was read. paths: what is written, for the error. settled: None: do not read the branch again.
    Returns what ``write`` has returned last, and the branch as it was read last.

    Raises:
        BranchNotFound, and what ``write`` raises; WriteNotSettled (indefinite) after ``tries`` tries; OutcomeUnknown:
            the branch was deleted after the first one.
    """
    tried = False
    try:
        for _ in countdown(tries):
            done = await write(branch)
            tried = True
            if isinstance(done, Missed):
                branch = done.branch
                continue
            if settled is None:
                return done, branch
            # After the write: a committer seals before it scans. If the token is open now, no scan has begun before the
            # write.
            before, branch = branch, await get_branch(env, repository, branch.branch_id)
            if await settled(before, branch):
                return done, branch
    except BranchNotFound:
        if not tried:
            raise
        # What an earlier try has written may have been committed before the branch was deleted, and be in a copy of it.
        raise kv.OutcomeUnknown from None
    # Indefinite: an earlier try may have been committed, or be under a token that is still read.
    raise WriteNotSettled(branch.branch_id, *paths)


async def stable(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    look: Callable[[Branch], Awaitable[T]],
    *,
    rereads: bool = True,
    tries: int | None = TRIES,
) -> T:
    """What a look through a branch finds, if the branch is the same before and after. 2 effects and those of ``look``,
    and as many for each change. rereads: without it the first look counts.

    Raises:
        BranchNotFound; BranchBusy: the branch changed ``tries`` times.
    """
    branch = await get_branch(env, repository, branch_id)
    for _ in countdown(tries):
        found = await look(branch)
        # Without the second read the record is compared with itself.
        before, branch = branch, await get_branch(env, repository, branch_id) if rereads else branch
        if before == branch:
            return found
    raise BranchBusy(branch_id)
