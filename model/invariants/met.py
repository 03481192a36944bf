"""A call that others interrupt, one after the other, answers as if nothing had overlapped.

One call is interrupted at one or more of its effects; at each, other calls run from their beginning to their end. The
right answers are those of some order in which the call is alone: before all of them, between two, or after the last.
Example: a commit that has sealed and scanned meets a reset of x. Either the commit comes first, and holds x, and the
reset finds nothing to forget; or the reset comes first, and the commit does not hold x.

In the end the store holds just what one of the orders says, as in `lakeproof.model.invariants.branches_alone`.

Source: M. Herlihy, J. Wing, Linearizability, 1990; graveler-on-kv.md, "Update Commits, staging and lock-free".
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs

from lakeproof.model import calls
from lakeproof.model.contents import content_of_commit
from lakeproof.model.errors import BranchBusy, FlowError, RefChanged
from lakeproof.model.identifiers import CommitID
from lakeproof.model.invariants._base import Afterwards, Finding, Reached, Violation
from lakeproof.model.invariants.branches_alone import found_wrong
from lakeproof.model.sequential import SPECIFIED, Refs, after
from lakeproof.model.snapshot import CallView, Outcome, Snapshot, Status
from lakeproof.model.solo import Misanswered

MET_AS_SPECIFIED: Final = Afterwards(
    "met-as-specified",
    "a call that others interrupt, one after the other, answers as if it were alone before, between or after them, "
    "and gives up only if it tries but once; in the end the store holds what that says, and nothing else",
)

Made = tuple[str, calls.Args]
"""A call: its name and arguments."""


Known = dict[str, dict[bytes, bytes] | None]
"""The contents of commits, by id."""


@attrs.frozen
class CallResult:
    """How a call ended. error: the class and the arguments of what it has raised."""

    value: object = None
    error: tuple[type[FlowError], tuple[object, ...]] | None = None

    def view(self, made: Made) -> CallView:
        """The call with this answer."""
        if self.error is None:
            return CallView(*made, Status.OK, self.value)
        kind, args = self.error
        found = kind(*args)
        # The class of the error decides, and not the harness: an indefinite one allows both.
        return CallView(*made, Status.FAIL if found.definite else Status.INFO, None, found)


@attrs.frozen
class Met:
    """What a call and those that it has met have answered."""

    answer: CallResult
    others: tuple[CallResult, ...]


@attrs.frozen
class Meeting:
    """A call and those that interrupt it, in their order.

    once: it tries only once, and may say that others came first. doubts: it may say that it does not know; and what it
        has staged it may stage again, after others have committed it.
    """

    call: Made
    others: tuple[Made, ...]
    once: bool = False
    doubts: bool = False
    crossing: bool = False
    """The first one of the others is interrupted, too: a restoration may be left over changes that are committed."""
    takes: bool = False
    """It answers what one of the others has answered, which has done its work."""


def met_as_specified(
    steps: Sequence[Made | Meeting], initial: Refs, seals: Callable[[str, calls.Args], str | None], *, drops: bool
) -> Callable[[tuple[Outcome, ...], Snapshot], list[Finding]]:
    """The check of an aftermath of these calls and meetings.

    initial: what there is at first. seals: the branch whose tokens a call seals, as a committer does before it stops;
        None: it is judged. drops: whether nothing is left of what no branch names any more.
    """

    def check(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
        states = [initial]  # several orders may explain an answer: all are followed
        right: Known = {commit_id: dict(node.contents) for commit_id, node in initial.commits.items()}
        for step, outcome in zip(steps, outcomes, strict=True):
            following: list[Refs] = []
            wrong = ""
            for state in states:
                for order in _orders(step, outcome):
                    try:
                        found = _after(state, order, seals)
                        if isinstance(step, Meeting) and (step.doubts or step.crossing):
                            # It may stage again what others have committed: then sealed tokens may be left.
                            found = found.unsettled(str(step.call[1][1]))
                    except Misanswered as error:
                        wrong = wrong or str(error)  # the first order that fails is as good as any to show
                    else:
                        odd = _other_contents(found, right, snapshot)
                        wrong = wrong or odd
                        following += [found] if not odd and found not in following else []
            if not following:
                answer = outcome.value if outcome.error is None else outcome.error
                return [Violation(MET_AS_SPECIFIED.id, f"{step!r} answered {answer!r}, in no order right: {wrong}")]
            states = following
        ends = [next(iter(found_wrong(state, snapshot, drops=drops)), "") for state in states]
        # One state that fits is enough: which order it was is not known.
        if all(ends):
            return [Violation(MET_AS_SPECIFIED.id, f"in the end {ends[0]}")]
        return [Reached(f"{len(steps)} calls answered as specified")]

    return check


def _other_contents(state: Refs, right: Known, snapshot: Snapshot) -> str:
    """In which commit there is something else than the state says; commits never change. right: what is known."""
    for commit_id, node in state.commits.items():
        if commit_id not in right:
            # Read once from the final store: commits never change, and states share most of them.
            right[commit_id] = content_of_commit(snapshot, CommitID(commit_id))
        if right[commit_id] != dict(node.contents):
            return f"commit {commit_id[:8]} has {right[commit_id]!r}, expected {dict(node.contents)!r}"
    return ""


def _orders(step: Made | Meeting, outcome: Outcome) -> Iterator[tuple[CallView, ...]]:
    """The calls of a step in each order that is allowed."""
    if not isinstance(step, Meeting):
        yield (CallView(*step, outcome.status, outcome.value, outcome.error),)
        return
    if not isinstance(outcome.value, Met):
        return
    met = outcome.value
    others = tuple(answer.view(made) for answer, made in zip(met.others, step.others, strict=True))
    call = met.answer.view(step.call)
    if step.takes:
        if call.value not in [other.value for other in others]:
            return
        yield others
        return
    if step.once and others and isinstance(call.error, BranchBusy | RefChanged):
        yield others  # others came first, and the call has done nothing
    if step.doubts and others and call.status is Status.INFO:
        yield others
        # In doubt: not at all, or as if it had succeeded, at any place among the others.
        call = CallView(*step.call, Status.OK)
    if step.crossing:
        yield from _overlapping_orders(call, others)
        return
    for at in range(len(others) + 1):
        yield (*others[:at], call, *others[at:])


def _overlapping_orders(call: CallView, others: tuple[CallView, ...]) -> Iterator[tuple[CallView, ...]]:
    """The first of the others overlaps the second one and the call; the call, all but the second one."""
    first, between, *later = others
    for at in range(len(later) + 1):
        rest = (between, *later[:at], call, *later[at:])
        # The first one has returned before any of the later ones begins.
        until = rest.index(later[0]) if later else len(rest)
        for place in range(until + 1):
            yield (*rest[:place], first, *rest[place:])


def _after(state: Refs, order: Sequence[CallView], seals: Callable[[str, calls.Args], str | None]) -> Refs:
    for call in order:
        branch = seals(call.name, call.args)
        if branch is None:
            assert call.name in SPECIFIED, f"{call.name}: expected a call that is specified"
            state = after(state, call, {})
        elif call.status is Status.OK:
            state = state.unsettled(branch)
        else:
            raise Misanswered(f"{call.name} answered {call.error!r}, expected no error")
    return state
