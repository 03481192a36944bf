"""A call goes as the text of its design states: its answer, its effects in their order, and what it leaves behind.

For what a design decides by the step: which of two writes comes first, what a call that is beaten answers, which record
it removes. Invariants of states do not tell such steps apart where no race that is searched needs the difference.
Source: the steps of each flow, as the designs list them; docs/mutation.md.
"""

from collections.abc import Callable, Sequence
from typing import Final

import attrs

from lakeproof.model.invariants._base import Finding, Reached, Violation
from lakeproof.model.snapshot import Outcome, Snapshot, Status

GOES_AS_STATED: Final = "goes-as-stated"
GOES_AS_STATED_MEANING: Final = (
    "a call that is alone, that meets others at a stated effect, or of which one effect fails, answers what is stated, "
    "by the effects that are stated, in their order, and changes of the store just what is stated"
)


@attrs.frozen
class Gone:
    """How a call went: what it and those that it met answered, its effects in their order, what they have changed."""

    answer: str
    effects: str
    leaves: str


def goes_as_stated(
    stated: Sequence[tuple[str, Gone]],
) -> Callable[[tuple[Outcome, ...], Snapshot], list[Finding]]:
    """The check of an aftermath of so many calls, each by its name in evidence. Each answers a `Gone`."""

    def check(outcomes: tuple[Outcome, ...], _: Snapshot) -> list[Finding]:
        for (name, expected), outcome in zip(stated, outcomes, strict=True):
            found = outcome.value
            if outcome.status is not Status.OK or not isinstance(found, Gone):
                evidence = f"{name}: ended with {outcome.error or found!r}, expected an answer"
                return [Violation(GOES_AS_STATED, evidence)]
            for part in ("answer", "effects", "leaves"):
                is_, should = getattr(found, part), getattr(expected, part)
                if is_ != should:
                    return [Violation(GOES_AS_STATED, f"{name}: {part}: {is_!r}, expected {should!r}")]
        return [Reached(f"{len(stated)} calls went as stated")]

    return check
