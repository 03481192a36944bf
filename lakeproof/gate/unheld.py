"""Requests that are let through at once: reads of what no client of the scenario changes, such as a user's credentials.

They are no steps of a schedule. So the gate looks whether that was right: a request that is let through must only read,
and no step of the schedule may change what it has read.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase

import attrs

from lakeproof.gate.fronts.aws import AWSFront, Store, StoreRequest
from lakeproof.gate.fronts.footprints import Footprint, dependent
from lakeproof.gate.fronts.interface import Answer
from lakeproof.gate.server import PASSED


@attrs.frozen
class Passed:
    """A request that was let through: its label, and what it has read."""

    label: str
    footprint: Footprint
    writes: bool


class PassingFront(AWSFront):
    """Lets requests through whose label matches one of some patterns, as those of the shell over the whole label.

    reader: the client whose requests never wait, and are not noted here.
    """

    def __init__(self, patterns: Sequence[str], reader: str) -> None:
        super().__init__()
        self.patterns = tuple(patterns)
        self.reader = reader
        self.passed: list[Passed] = []

    def client_of(self, request: StoreRequest) -> str:
        client = super().client_of(request)
        # The reader's requests are answered at once in any case, and its reads are no part of the schedule.
        return PASSED if client != self.reader and self._passes(request) else client

    def perform(self, state: Store, request: StoreRequest, now: int) -> tuple[Store, Answer, Footprint]:
        after, response, footprint = super().perform(state, request, now)
        # By the credential: `client_of` of this class names none of these for what passes.
        if self.patterns and super().client_of(request) != self.reader and self._passes(request):
            self.passed.append(Passed(self.label_of(request), footprint, self.writes(request)))
        return after, response, footprint

    def _passes(self, request: StoreRequest) -> bool:
        return bool(self.patterns) and any(fnmatchcase(self.label_of(request), each) for each in self.patterns)

    def trouble(self, steps: Sequence[tuple[str, Footprint]]) -> str:
        """Why a schedule with these steps (labels, and what they touched) says nothing; empty: it does. Forgets what
        was let through."""
        passed, self.passed = self.passed, []
        for each in passed:
            # By the request alone: a write that has changed nothing here may change something in another schedule.
            if each.writes:
                return f"{each.label} was let through, and writes; take its pattern out of through"
            for label, footprint in steps:
                # Its place in the schedule would matter, and was chance.
                if dependent(each.footprint, footprint):
                    return f"{each.label} was let through, and {label} changes what it reads; take its pattern out"
        return ""
