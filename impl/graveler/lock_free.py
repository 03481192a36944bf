"""Variant ``lock_free``: sealed tokens, so that writers never wait and some committer always gets on.

A committer seals the staging token, and from then on owns nothing: whoever finishes first takes all that was sealed
before it. Who is beaten finds out from the sealed tokens what is left to do. Newest first, the tokens that are still
sealed are the *first* ones of those that it set out to commit, and the *last* ones of those that the branch has now.
Source: lakeFS metadata_kv/index.md, "Committer flow", which graveler-on-kv.md takes over.
"""

from collections.abc import Callable, Coroutine

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.committing import TRIES, Request, drop_all, seal, write_commit
from lakeproof.impl.graveler.restoring import restorations_over
from lakeproof.impl.refs.branches import read_branch, replace_branch
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import BranchBusy
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Commit, Repository

Tokens = tuple[StagingToken, ...]
Prepare = Callable[[Env, Repository, Branch, Commit, Tokens], Coroutine[object, object, None]]


async def commit(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    message: str,
    *,
    taken: str = "empty",
    knows_its_own: bool = False,
    respects_resets: bool = True,
    drops: bool = True,
    prepare: Prepare | None = None,
    tries: int = TRIES,
    batch_size: int = 0,
) -> Commit:
    """Commit what is staged on a branch.

    taken: when a later commit took all of ours: make an ``"empty"`` commit on top of it, or return the ``"head"``.
    knows_its_own: look whether the head is the commit of this call before starting over: then the `SetIf` that was
        reported as failed was applied. The text does not say so.
    respects_resets: combine anew, without the paths that it has restored, when a reset came first. Without it a commit
        that began before a reset may hold what was reset: hidden by the restoration, until that is reset, too.
    drops: whether to delete the staged entries once they are committed.
    prepare: what to do each time before the branch is changed: it is given the branch as it was read, the commit, and
        the tokens whose changes it holds.
    Cost: 2 effects to seal, those of `write_commit`, 1 to finish. Beaten: 1 to read, 1 to finish, and those of
    `write_commit` again if the head has moved, or a reset has restored paths.

    Raises:
        BranchNotFound; BranchBusy: nothing was committed by this call; what it sealed stays sealed.
    """
    request = Request(message=message, batch_size=batch_size)
    branch, predicate = await seal(env, repository, branch_id, tries)
    ours = branch.sealed_tokens
    over: Tokens = ()
    made: Commit | None = None
    for _ in range(tries):
        kept = still_sealed(ours, branch)
        if made is None and not kept and taken == "head":
            return await get_commit(env, repository, branch.commit_id)
        if made is None:
            over = restorations_over(branch, kept) if respects_resets else ()
            made = await write_commit(env, repository, branch.commit_id, kept, request, over)
        if prepare is not None:
            await prepare(env, repository, branch, made, kept)
        finished = attrs.evolve(branch, commit_id=made.commit_id, sealed_tokens=without(branch, kept))
        try:
            await replace_branch(env, repository, finished, predicate)
        except kv.PredicateFailed:
            head = branch.commit_id
            branch, predicate = await read_branch(env, repository, branch_id)
            if knows_its_own and branch.commit_id == made.commit_id:
                return made
            if branch.commit_id != head or still_sealed(ours, branch) != kept:
                made, ours = None, still_sealed(kept, branch)
            elif respects_resets and restorations_over(branch, kept) != over:
                made = None
            continue
        if drops:
            await drop_all(env, kept, batch_size)
        return made
    raise BranchBusy(branch_id)


def still_sealed(ours: Tokens, branch: Branch) -> Tokens:
    """Those of our tokens that nobody has committed: the longest run of our first ones that the branch's end with."""
    for length in range(len(ours), 0, -1):
        if branch.sealed_tokens[-length:] == ours[:length]:
            return ours[:length]
    return ()


def without(branch: Branch, tokens: Tokens) -> Tokens:
    """The branch's sealed tokens but for these, which are its last."""
    return branch.sealed_tokens[: len(branch.sealed_tokens) - len(tokens)]
