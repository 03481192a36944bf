"""What an answer means for the records: an acknowledged call has taken effect, one with a definite error has not.

An indefinite error, a crash and a call under way leave both open, at any later time too: they are not judged, and
they excuse what they may have done. Source: docs/reference/invariants.md, "What each operation promises".
"""

from collections.abc import Iterator
from typing import Final

from lakeproof.model import calls
from lakeproof.model.contents import branch_named
from lakeproof.model.invariants._base import STORE_AND_CLIENTS, Finding, Reached, Violation, eventually
from lakeproof.model.invariants._marks import MARKS, SHARED, TAKEN_AWAY, Mark, birth, line_of, marks, present
from lakeproof.model.invariants.changes import BRANCH_DELETES
from lakeproof.model.invariants.refs import COMMITTING
from lakeproof.model.records import Branch, Commit
from lakeproof.model.snapshot import CallView, Snapshot, Status

MOVING: Final = BRANCH_DELETES | {calls.CREATE_BRANCH, calls.UPDATE_BRANCH}
"""Calls after which a branch may not lead to its commits any more."""


@eventually(
    "at quiescence, nothing of a call that answered with a definite error has happened",
    reads=STORE_AND_CLIENTS,
    observers=(MARKS,),
)
def failed_call_changed_nothing(snapshot: Snapshot) -> Iterator[Finding]:
    made = snapshot.calls()
    there = present(snapshot)
    for number, call in enumerate(made):
        if call.status is not Status.FAIL:
            continue
        # By number: two calls may be equal as values.
        others = frozenset(mark for at, other in enumerate(made) if at != number for mark in marks(other))
        done = [
            mark
            for mark in sorted(marks(call), key=lambda each: (each[0].value, each[1]))
            # Of what was brought the record must not be there; of what was taken away it must be.
            if (mark in there) != (mark[0] in TAKEN_AWAY) and not (mark[0] in SHARED and mark in others)
        ]
        if done:
            what, whose = done[0]
            evidence = f"{call.name} failed with {call.error!r}, which is definite, and it has {what.value} {whose}"
            yield Violation("failed-call-changed-nothing", evidence)
        else:
            yield Reached(f"{call.name} failed with {call.error!r}, and has changed nothing")


@eventually(
    "at quiescence, a branch leads to each commit that a commit, merge or revert on it has returned, unless it "
    "was deleted, created anew or moved",
    reads=STORE_AND_CLIENTS,
)
def commit_is_effective(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls(*COMMITTING):
        if call.status is not Status.OK or not isinstance(call.value, Commit):
            continue
        branch_id = call.arguments.branch_id
        shown = f"{call.name} returned commit {call.value.commit_id[:8]}"
        branch = branch_named(snapshot, branch_id)
        if branch is not None and call.value.commit_id in line_of(snapshot, branch.commit_id):
            yield Reached(f"{shown}, and {branch_id} leads to it")
        # A call in doubt or crashed may have moved the branch: it excuses.
        elif not any(_may_move(other, branch_id) for other in snapshot.calls(*MOVING)):
            what = "is gone" if branch is None else "does not lead to it"
            yield Violation("commit-is-effective", f"{shown}, and {branch_id} {what}")


def _may_move(call: CallView, branch_id: str) -> bool:
    return call.status is not Status.FAIL and call.arguments.branch_id == branch_id


@eventually(
    "at quiescence, a branch whose creation was acknowledged is there, unless a delete has found it",
    reads=STORE_AND_CLIENTS,
    observers=(MARKS,),
)
def branch_create_is_effective(snapshot: Snapshot) -> Iterator[Finding]:
    there = present(snapshot)
    removed = frozenset(mark for call in snapshot.calls(*BRANCH_DELETES) for mark in marks(call))
    for call in snapshot.calls(calls.CREATE_BRANCH):
        if call.status is not Status.OK or not isinstance(call.value, Branch):
            continue
        born = birth(call.value.staging_token)
        # By birth, and not by name: a later branch of the name does not stand for this one.
        if (Mark.BORN, born) in there or (Mark.REMOVED, born) in removed:
            yield Reached(f"create_branch made {born}, and it is there or was deleted")
        else:
            evidence = f"create_branch made {born}, no delete has found it, and it is not there"
            yield Violation("branch-create-is-effective", evidence)


@eventually(
    "at quiescence, the branch that an acknowledged delete has found is not there",
    reads=STORE_AND_CLIENTS,
    observers=(MARKS,),
)
def branch_delete_is_effective(snapshot: Snapshot) -> Iterator[Finding]:
    there = present(snapshot)
    for call in snapshot.calls(*BRANCH_DELETES):
        removed = sorted(whose for what, whose in marks(call) if what is Mark.REMOVED)
        if call.status is not Status.OK:
            continue
        # It answered that it has deleted, and no effect of it can have removed any record.
        if not removed:
            yield Violation("branch-delete-is-effective", f"{call.name} succeeded, and it has removed no branch")
        for whose in removed:
            if (Mark.REMOVED, whose) in there:
                yield Violation("branch-delete-is-effective", f"{call.name} of {whose} succeeded, and it is there")
            else:
                yield Reached(f"{call.name} of {whose} succeeded, and it is gone")


@eventually(
    "at quiescence, a branch leads to the commit to which an acknowledged update has moved it, unless it was "
    "deleted, created anew or moved again",
    reads=STORE_AND_CLIENTS,
)
def branch_update_is_effective(snapshot: Snapshot) -> Iterator[Finding]:
    updates = snapshot.calls(calls.UPDATE_BRANCH)
    for call in updates:
        if call.status is not Status.OK or not isinstance(call.value, Branch):
            continue
        branch_id = call.arguments.branch_id
        branch = branch_named(snapshot, branch_id)
        shown = f"update_branch moved {branch_id} to {call.value.commit_id[:8]}"
        if branch is not None and call.value.commit_id in line_of(snapshot, branch.commit_id):
            yield Reached(f"{shown}, and it leads there")
        elif not any(_may_move(other, branch_id) for other in snapshot.calls(*MOVING) if other != call):
            what = "is gone" if branch is None else "does not lead there"
            yield Violation("branch-update-is-effective", f"{shown}, and it {what}")
