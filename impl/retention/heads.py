"""Retention by a log of heads, ours: runs that know which heads branches had before they were moved or deleted.

The text takes the dates of commits for the time at which they were heads. Who moves a branch to another commit, or
deletes it, leaves commits behind that may be old, and were its head a moment ago. Here the mover writes them down
(`lakeproof.impl.retention.left`), and a run keeps them until they have been left for as long as the rule of the branch
says. Commits have no record: the one on top tells by its date when the one below was left, if its client's clock was
right, and it took effect soon.

A run reads the branches before the records: a head that was left before is written down already. Source: ours; "We note
that 7 days ago, the branch's HEAD pointed to commit B", committed-object-retention.md, "Simple example".
"""

from typing import Final

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.branches import read_branch
from lakeproof.impl.refs.errors import BranchNotFound
from lakeproof.impl.refs.resolution import Ref
from lakeproof.impl.retention import runs
from lakeproof.impl.retention.left import date_left, note_left, scan_left
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Repository
from lakeproof.model.retention import Left, Rules


@attrs.frozen(kw_only=True)
class Reading(runs.Reading):
    """That of a run, and what can be left out, to show what it is for."""

    order: tuple[runs.Look, ...] = ("clock", "staged", "branches", "left", "commits")
    before: bool = True
    """Whether a head is written down before it is left; else afterwards, a negative control."""


AS_WRITTEN: Final = Reading()
"""As docs/designs/retention.md describes it: "writes down the head before it leaves it"."""
LEFT_FIRST: Final = Reading(order=("clock", "left", "staged", "branches", "commits"))
"""A negative control: the records are read before the branches."""
AFTERWARDS: Final = Reading(before=False)
"""A negative control: a head is written down when it has been left."""


async def update_branch(
    env: Env, repository: Repository, branch_id: BranchID, target: Ref, *, reading: Reading = AS_WRITTEN
) -> Branch:
    """As `branches.update_branch` that doubts, with a record of the head that is left. 1 effect more. Raises as that;
    then there may be a record too many, which keeps a commit for some days."""
    # A crash in between leaves a record too many, and not a head without a record.
    if reading.before:
        return await branches.update_branch(env, repository, branch_id, target, prepare=note_left, doubts=True)
    branch = await branches.get_branch(env, repository, branch_id)
    moved = await branches.update_branch(env, repository, branch_id, target, doubts=True)
    await note_left(env, repository, branch)
    return moved


async def delete_branch(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """As `branches.delete_branch_by_tombstone`, with a record of the head that is left. 1 effect more. Raises as
    `update_branch`."""
    await branches.delete_branch_by_tombstone(env, repository, branch_id, prepare=note_left)


async def create_branch(env: Env, repository: Repository, branch_id: BranchID, source: Ref) -> Branch:
    """As `branches.create_branch`, also where a branch was deleted."""
    return await branches.create_branch(env, repository, branch_id, source, tombstones=True)


async def mark(
    env: Env, repository: Repository, rules: Rules, run_id: str, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> tuple[str, ...]:
    """As `runs.mark`, after it has added the time to the records that have none and whose branch has another head: a
    scan, 1 effect for each such record, and 2 to add the time. Raises as `runs.mark`."""
    async for key, left in scan_left(env, repository, batch_size):
        # The head of a branch needs no time: it counts from when it is left.
        if left.time is None and not await _is_head(env, repository, left):
            await date_left(env, repository, key, left)  # by the clock of the run, which is the one that judges
    return await runs.mark(env, repository, rules, run_id, reading=reading, batch_size=batch_size)


async def _is_head(env: Env, repository: Repository, left: Left) -> bool:
    try:
        branch, _ = await read_branch(env, repository, left.branch_id)
    except BranchNotFound:
        return False  # deleted: no branch has the head
    return branch.commit_id == left.commit_id


FLOWS = attrs.evolve(runs.FLOWS, mark=mark, create_branch=create_branch, update_branch=update_branch)
