"""What a sequence of calls answers whose every answer is known beforehand: from a pure function of their arguments.

For operations without a state of their own, such as those on committed data: an immutable object is what its content
says, and so is what is made of it.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Final

import attrs

from lakeproof.model.errors import FlowError
from lakeproof.model.invariants._base import Finding, Reached, Violation
from lakeproof.model.snapshot import Outcome, Snapshot, Status

ANSWERS_AS_STATED: Final = "answers-as-stated"
ANSWERS_AS_STATED_MEANING: Final = (
    "alone, each operation on committed data and each step of an iterator answers what the pure specification of its "
    "arguments gives, by the effects that its documentation states; other calls are held to their effects alone"
)


@attrs.frozen
class Refused:
    """A definite error of this class, whose message names these."""

    error: type[FlowError]
    names: tuple[str, ...] = ()


@attrs.frozen
class Stated:
    """What a call answers."""

    call: str
    """What it is called in evidence."""
    answer: Hashable


def answers_as_stated(stated: Sequence[Stated]) -> Callable[[tuple[Outcome, ...], Snapshot], list[Finding]]:
    """The check of an aftermath of so many calls."""

    def check(outcomes: tuple[Outcome, ...], _: Snapshot) -> list[Finding]:
        for each, outcome in zip(stated, outcomes, strict=True):
            if not _is(each.answer, outcome):
                found = outcome.value if outcome.error is None else outcome.error
                evidence = f"{each.call} answered {found!r}, expected {each.answer!r}"
                return [Violation(ANSWERS_AS_STATED, evidence)]
        return [Reached(f"{len(stated)} calls answered as stated")]

    return check


def _is(expected: Hashable, outcome: Outcome) -> bool:
    if not isinstance(expected, Refused):
        return outcome.status is Status.OK and outcome.value == expected
    told = str(outcome.error)
    return (
        outcome.status is Status.FAIL
        and type(outcome.error) is expected.error
        and all(name in told for name in expected.names)
    )
