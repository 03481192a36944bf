"""The invariants that the flows of today's lakeFS need beside those of the designs.

``refused-commit-is-absent``: what a commit, merge or revert with a definite error promises. Messages tell commits
apart: in a scenario every call has its own. Source: docs/lakefs-today.md.
"""

from collections.abc import Hashable, Iterator
from typing import Final

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.contents import branches, commit_named
from lakeproof.model.invariants._base import Finding, Monitor, Reached, Violation
from lakeproof.model.records import Commit
from lakeproof.model.snapshot import Event, Invoked, Snapshot, Status

COMMITTING: Final = frozenset({calls.COMMIT, calls.MERGE, calls.REVERT})


def _advance_refused(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    """State: the messages of commits that answered with a definite error."""
    assert isinstance(state, frozenset)
    if isinstance(event, Invoked) or event.call.status is not Status.FAIL or event.call.kind not in COMMITTING:
        return state, ()
    return state | {event.call.said[Role.MESSAGE]}, ()


def reachable(snapshot: Snapshot) -> Iterator[Commit]:
    """The commits that branches lead to, over all parents, each once."""
    todo = [branch.commit_id for branch in branches(snapshot).values()]
    seen = set(todo)
    while todo:
        commit = commit_named(snapshot, todo.pop())
        if commit is None:
            continue
        yield commit
        todo += [parent for parent in commit.parents if parent not in seen]
        seen.update(commit.parents)


def _refused_at_end(state: Hashable, snapshot: Snapshot) -> Iterator[Finding]:
    assert isinstance(state, frozenset)
    for message in sorted(state):
        if any(commit.message == message for commit in reachable(snapshot)):
            evidence = f"the commit {message!r} was refused, and a branch leads to it"
            yield Violation("refused-commit-is-absent", evidence)
        else:
            yield Reached(f"the commit {message!r} was refused, and no branch leads to it")


refused_commit_is_absent: Final = Monitor(
    id="refused-commit-is-absent",
    meaning="a commit, merge or revert that was definitely refused is on no branch",
    initial=frozenset(),
    advance=_advance_refused,
    at_end=_refused_at_end,
)

ALL: Final = (refused_commit_is_absent,)
"""All invariants of this module."""
