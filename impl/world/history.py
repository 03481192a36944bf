"""What changes a branch's record, where online hard delete, the offline job and retention watch at once.

A commit, a merge, a revert and a move of a branch leave a head: they note it before, for online hard delete. What they
bring from another commit is pinned, for retention. A commit combines once more when its record is written, for the
offline job. Each is the flow of its own part, with what the other parts need.
"""

from functools import partial
from typing import Final

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import lock_free
from lakeproof.impl.graveler.lock_free import Prepare
from lakeproof.impl.graveler.reads import changes_of
from lakeproof.impl.graveler.tokens import Tokens, swap
from lakeproof.impl.hard_delete import journal, offline, online
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.resolution import Ref
from lakeproof.impl.retention import pins
from lakeproof.impl.world.reading import COMPOSED, Reading
from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.records import Branch, Commit, Repository

TRIES: Final = 2
"""How often a commit that finds its changes overwritten starts over."""


def _prepare(reading: Reading) -> Prepare | None:
    return online.write_ahead if reading.heads == "noted" else None


async def commit(
    env: Env, repository: Repository, branch_id: BranchID, message: str, *, reading: Reading = COMPOSED,
    batch_size: int = 0
) -> Commit:
    """`online.commit`, which combines once more before it finishes: costs of a combination more.

    Raises:
        BranchNotFound; BranchBusy: nothing was committed by this call; what it sealed stays sealed.
    """
    if reading.commits == "once":
        return await online.commit(env, repository, branch_id, message, batch_size=batch_size)

    async def prepare(env: Env, repository: Repository, branch: Branch, made: Commit, taken: Tokens) -> None:
        # First the look, then the notes: a commit that starts over has promised nothing under its old id.
        # Gathered: all tokens are read to their ends before the head.
        changes = await changes_of(env, taken, batch_size=batch_size)
        await offline.refuse_overwritten(env, repository, made, list(changes.values()))
        await online.write_ahead(env, repository, branch, made, taken)

    attempt = partial(lock_free.commit, env, repository, branch_id, message, prepare=prepare, batch_size=batch_size)
    return await offline.start_over(branch_id, TRIES, attempt)


async def merge(
    env: Env, repository: Repository, destination: BranchID, source: Ref, message: str, *, reading: Reading = COMPOSED
) -> Commit:
    """As `pins.merge`, and 1 effect for the head. Raises as `pins.merge`."""
    return await pins.merge(env, repository, destination, source, message, prepare=_prepare(reading))


async def revert(
    env: Env, repository: Repository, branch_id: BranchID, ref: Ref, message: str, *, reading: Reading = COMPOSED
) -> Commit:
    """As `pins.revert`, and 1 effect for the head. Raises as `pins.revert`."""
    return await pins.revert(env, repository, branch_id, ref, message, prepare=_prepare(reading))


async def update_branch(
    env: Env, repository: Repository, branch_id: BranchID, target: Ref, *, reading: Reading = COMPOSED
) -> Branch:
    """Move a branch to another commit: as `pins.update_branch`, and 1 effect for the head that it leaves.

    Raises:
        BranchNotFound, RefNotFound, CommitExpired; BranchBusy: the branch changed too often, nothing was moved.
    """
    if reading.heads != "noted":
        return await pins.update_branch(env, repository, branch_id, target)

    async def work(commit_id: CommitID) -> Branch:
        async def change(branch: Branch) -> Branch:
            # At each try: the head that is left may be another one each time.
            await journal.mark_head(env, repository, branch.commit_id)
            return attrs.evolve(branch, commit_id=commit_id)

        swapped = await swap(env, repository, branch_id, change)
        assert swapped is not None
        return swapped.now

    return await pins.using(env, repository, target, work)


async def create_branch(
    env: Env, repository: Repository, branch_id: BranchID, source: Ref, *, reading: Reading = COMPOSED
) -> Branch:
    """As `pins.create_branch`, also where a deleted branch has left its record. Raises as `pins.create_branch`."""
    again = reading.names == "used again"
    # Tombstones of `online.delete_branch` stay under the name, and a create must replace them.
    work = partial(branches.create_branch, env, repository, branch_id, tombstones=again)
    return await pins.using(env, repository, source, work)
