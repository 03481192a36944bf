"""Variant ``lock_free``: sealed tokens, so that writers never wait and some committer always gets on.

A committer seals the staging token, and from then on owns nothing: the first one to finish takes all that was sealed
before it. Who is beaten finds out from the sealed tokens what is left to do. Newest first, the tokens that are still
sealed are the *first* ones of those that it set out to commit, and the *last* ones of those that the branch has now.
Source: lakeFS metadata_kv/index.md, "Committer flow", which graveler-on-kv.md takes over.
"""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Final, Literal

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.commits import TRIES, drop_all, seal, write_commit
from lakeproof.impl.graveler.restorations import restorations_over
from lakeproof.impl.graveler.tokens import Tokens, swap
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import BranchBusy
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Commit, Repository

Prepare = Callable[[Env, Repository, Branch, Commit, Tokens], Coroutine[object, object, None]]
Combine = Callable[[Branch, Tokens, Tokens], Awaitable[Commit]]
"""Writes the commit of the changes under tokens over a branch's head, without the paths under some restorations."""


async def nothing_before(sealed: Tokens) -> None:
    """Nothing is to be done with tokens that were sealed."""


@attrs.frozen(kw_only=True)
class Reading:
    """What the text leaves open of a commit, and how it is read."""

    taken: Literal["empty", "head"] = "empty"
    """When a later commit took all of our tokens: make an empty commit on top of it, or return the head."""
    knows_its_own: bool = False
    """Look whether the head is the commit of this call before starting over: then the `SetIf` that was reported as
    failed was applied. The text does not say so."""
    respects_resets: bool = True
    """Combine anew, without the paths that it has restored, when a reset came first. Without it a commit that began
    before a reset may hold what was reset: hidden by the restoration, until that is reset, too."""
    drops: bool = True
    """Delete the staged entries once they are committed. The text drops none."""
    tries: int | None = TRIES
    """How often to seal, and how often to finish; None: without a bound, as in the text."""


AS_WRITTEN: Final = Reading()
RETURNS_HEAD: Final = Reading(taken="head")
"""A committer whose tokens were all taken returns the head that took them."""
KNOWS_ITS_OWN: Final = Reading(knows_its_own=True)
"""Ours: a committer that recognises its own commit."""
FORGETS_RESETS: Final = Reading(respects_resets=False)
"""A negative control: a committer that was beaten by a reset does not look at what it restored."""
KEEPS_STAGED: Final = Reading(drops=False, tries=4)
"""As written to the letter: no staged entry is dropped."""


@attrs.frozen(cache_hash=True)
class Taken:
    """A commit, and the tokens whose changes this call took, newest first; none where another call has put it there."""

    commit: Commit
    tokens: Tokens = ()


async def take(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    combine: Combine,
    reading: Reading = AS_WRITTEN,
    prepare: Prepare | None = None,
    before: Callable[[Tokens], Awaitable[None]] = nothing_before,
) -> Taken:
    """Seal the open token, commit what is sealed, and take those tokens from the branch.

    prepare: as in `commit`. before: run on the sealed tokens, once they are. Raises as `commit`.
    """
    start = await seal(env, repository, branch_id, reading.tries)
    ours = start[0].sealed_tokens  # newest first; what others had sealed before is among them
    await before(ours)
    kept: Tokens = ()
    over: Tokens = ()
    made: Commit | None = None

    async def change(branch: Branch) -> Branch | None:
        nonlocal kept, over, made
        # At each try: a commit that came first may have taken some or all of them.
        kept = still_sealed(ours, branch)
        # Nothing is left to commit: a later commit has taken all of ours.
        if made is None and not kept and reading.taken == "head":
            made = await get_commit(env, repository, branch.commit_id)
            return None
        # Kept from an earlier try where the branch was only sealed again: head and tokens are the same, so the
        # metarange is right.
        if made is None:
            over = restorations_over(branch, kept) if reading.respects_resets else ()
            made = await combine(branch, kept, over)
        # Each time, also for an old commit: the record that is about to be replaced is another one.
        if prepare is not None:
            await prepare(env, repository, branch, made, kept)
        return attrs.evolve(branch, commit_id=made.commit_id, sealed_tokens=without(branch, kept))

    async def beaten(before: Branch, tried: Branch, now: Branch) -> bool:
        nonlocal ours, made
        # A store may apply a `SetIf` and report a failed predicate. The id is a hash of the content, so the head is
        # this commit.
        if reading.knows_its_own and now.commit_id == tried.commit_id:
            return True
        if now.commit_id != before.commit_id or still_sealed(ours, now) != kept:
            # The head or the tokens are others: the metarange was made over an old head.
            made, ours = None, still_sealed(kept, now)
        # A reset has put a restoration over our tokens since: the commit must leave out its paths.
        elif reading.respects_resets and restorations_over(now, kept) != over:
            made = None
        return False

    try:
        swapped = await swap(env, repository, branch_id, change, beaten=beaten, start=start, tries=reading.tries)
    except BranchBusy:
        if not reading.knows_its_own:
            raise
        # An earlier `SetIf` may have been applied, and others have committed on top of it since.
        raise kv.OutcomeUnknown from None
    assert made is not None
    # Without an applied swap it is not sure that this call took the tokens, so its caller must drop none.
    return Taken(made, kept if swapped is not None and swapped.applied else ())


async def commit(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    message: str,
    *,
    reading: Reading = AS_WRITTEN,
    prepare: Prepare | None = None,
    batch_size: int = 0,
) -> Commit:
    """Commit what is staged on a branch.

    prepare: what to do each time before the branch is changed: it is given the branch as it was read, the commit, and
        the tokens whose changes it holds.
    Cost: 2 effects to seal, those of `write_commit`, 1 to finish. Beaten: 1 to read, 1 to finish, and those of
    `write_commit` again if the head has moved, or a reset has restored paths.

    Raises:
        BranchNotFound; BranchBusy: nothing was committed by this call; what it sealed stays sealed. OutcomeUnknown: a
            `SetIf` failed, and the branch is gone; or, where it knows its own, instead of BranchBusy.
    """

    async def combine(branch: Branch, kept: Tokens, over: Tokens) -> Commit:
        return await write_commit(env, repository, branch.commit_id, kept, message, over, batch_size=batch_size)

    took = await take(env, repository, branch_id, combine, reading, prepare)
    if reading.drops:
        await drop_all(env, took.tokens, batch_size)
    return took.commit


def still_sealed(ours: Tokens, branch: Branch) -> Tokens:
    """Those of our tokens that no commit has taken: the longest run of our first ones that the branch's end with."""
    # Tokens are never used twice, so at most one length fits.
    for length in range(len(ours), 0, -1):
        if branch.sealed_tokens[-length:] == ours[:length]:
            return ours[:length]
    return ()


def without(branch: Branch, tokens: Tokens) -> Tokens:
    """The branch's sealed tokens but for these, which are its last."""
    # Not ``[:-len(tokens)]``, which would drop all of them where there is nothing to take away.
    return branch.sealed_tokens[: len(branch.sealed_tokens) - len(tokens)]
