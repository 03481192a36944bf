"""A program that is led through the schedule of a trace: the trace's order, as far as the program follows.

A step of the trace belongs to a client. If this client waits with the request that the step is, the request is let go.
If it waits with others that the trace does not have, those are let go first: a program reads more than a model. If all
that it waits with comes later in the trace, or it does not wait at all, the program does otherwise, and that is noted.
When the trace is over, one client after the other goes on to its end.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

import attrs

from lakeproof.gate import server
from lakeproof.gate.classes import Choice, Pending
from lakeproof.gate.profile import Profile
from lakeproof.gate.walks import FewSchedules
from lakeproof.search.execution import LABELS
from lakeproof.search.faults import Mode
from lakeproof.search.trace import Trace
from lakeproof.words import Unusable

MODES: Final = {
    Mode.NORMAL: server.NORMAL,
    Mode.REFUSED: server.REFUSED,
    Mode.LOST_APPLIED: server.LOST_APPLIED,
    Mode.LOST_DROPPED: server.LOST_DROPPED,
}
"""How the gate does what a trace does. It has no late writes, no clock and no false answers."""


@attrs.frozen
class ExpectedRequest:
    """A step of the trace that is a request."""

    number: int
    client: str
    pattern: str
    mode: str
    sentence: str
    """In the words of the trace."""


@attrs.frozen
class Line:
    """A request that was let go. step: that of the trace; None: it is the program's own."""

    choice: Choice
    step: ExpectedRequest | None


def expected_requests(trace: Trace, profile: Profile) -> list[ExpectedRequest]:
    """The steps of a trace that are requests.

    Raises Unusable: the gate or the profile does not know a step.
    """
    found = []
    for number, step in enumerate(trace.schedule, start=1):
        if step.mode not in MODES:
            raise Unusable(f"step {number}: {step.mode.value!r}: the gate has {', '.join(m.value for m in MODES)} only")
        if pattern := profile.request(step):
            client = f"c{LABELS.index(step.client) + 1}"  # a, b, c in traces are c1, c2, c3 at the gate
            words = " ".join(filter(None, (step.client, step.effect, step.key)))
            found.append(ExpectedRequest(number, client, pattern, MODES[step.mode], words))
    return found


@attrs.define
class GuidedResult(FewSchedules):
    """One schedule, as a trace leads it. See `lakeproof.gate.run.Chooser`."""

    steps: list[ExpectedRequest]
    lines: list[Line] = attrs.field(factory=list)
    notes: dict[int, str] = attrs.field(factory=dict)
    """By step: where the program does not do what the trace does."""
    _left: list[ExpectedRequest] = attrs.field(factory=list)

    @property
    def otherwise(self) -> list[str]:
        """Where the program does not do what the trace does, in the order of the trace."""
        return [self.notes[number] for number in sorted(self.notes)]

    def begin(self) -> bool:
        self.runs += 1
        self._left = list(self.steps)
        return self.runs == 1

    def choose(self, pending: Sequence[Pending]) -> Choice:
        while self._left:
            step = self._left[0]
            mine = [each for each in pending if each.name.client == step.client]
            # The program is quiet: a client that waits with nothing has returned from its last call.
            if not mine:
                self._never(self._left.pop(0))
                continue
            return self._led(step, mine)
        # The least name has the least client, so that one client after the other comes to its end.
        return self._chosen(min(pending, key=lambda each: each.name), None)

    def _led(self, step: ExpectedRequest, mine: Sequence[Pending]) -> Choice:
        # Requests come sorted by name: of several that the step may be, the first one is taken.
        for each in mine:
            if fnmatchcase(each.name.label, step.pattern):
                self._left.pop(0)
                return self._chosen(each, step)
        later = {each.name: meant for each in mine if (meant := self._meant(each)) is not None}
        own = [each for each in mine if each.name not in later]
        # Requests that no later step of the trace means do not change its order.
        if own:
            return self._chosen(own[0], None)
        first = mine[0]
        early = later[first.name]
        note = f"step {step.number}, {step.sentence}: {step.client} asks for {first.name.label} first, step"
        # The step stays expected, and several later ones may come before it: the first of them is noted.
        self.notes.setdefault(step.number, f"{note} {early.number}")
        self._left.remove(early)
        return self._chosen(first, early)

    def _meant(self, request: Pending) -> ExpectedRequest | None:
        """The step of the trace that a request is."""
        mine = (each for each in self._left if each.client == request.name.client)
        return next((each for each in mine if fnmatchcase(request.name.label, each.pattern)), None)

    def _never(self, step: ExpectedRequest) -> None:
        self.notes[step.number] = f"step {step.number}, {step.sentence}: {step.client} never asks for {step.pattern}"

    def _chosen(self, request: Pending, step: ExpectedRequest | None) -> Choice:
        # The scenario of a profile has no budgets: which faults there are, the trace says.
        choice = Choice(request.name, server.NORMAL if step is None else step.mode)
        self.lines.append(Line(choice, step))
        return choice

    def end(self) -> None:
        for step in self._left:
            self._never(step)
        self._left.clear()
        super().end()
