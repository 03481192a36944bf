"""Ways to choose schedules: sampled at random, by PCT, or one that is given. All of them: `lakeproof.gate.classes`.

Source of PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte, *A Randomized Scheduler with Probabilistic Guarantees of
Finding Bugs*, ASPLOS 2010.
"""

import random
from collections.abc import Sequence
from typing import Final

import attrs

from lakeproof.gate.classes import Choice, Diverged, Pending
from lakeproof.gate.walks import FewSchedules

FAULT_SHARE: Final = 0.15
"""How often a request that may go wrong does, in a sampled schedule."""


@attrs.define
class Sampled(FewSchedules):
    """So many schedules at random. The same seed gives the same schedules, as long as the program repeats itself.

    changes: None for a walk, where each step takes any request; else PCT: the client of the highest priority goes on,
    and so often it is put behind all others.
    """

    schedules: int
    seed: int
    changes: int | None = None
    _random: random.Random = attrs.field(factory=random.Random)
    _priority: dict[str, float] = attrs.field(factory=dict)
    _change_at: set[int] = attrs.field(factory=set)
    _longest: int = 1

    def begin(self) -> bool:
        if self.runs >= self.schedules:
            return False
        self.runs += 1
        # Anew for each schedule: a run that was longer, or has failed, does not shift the numbers of the next.
        self._random = random.Random(f"{self.seed} {self.runs}")  # a schedule, no secret
        self._priority = {}
        self._step = 0
        # PCT needs a length, and has that of the longest run so far: in the first run all changes are at step 0.
        self._change_at = {self._random.randrange(self._longest) for _ in range(self.changes or 0)}
        return True

    def choose(self, pending: Sequence[Pending]) -> Choice:
        # A schedule in which a request waits in the store for what still comes is not judged.
        pending = [each for each in pending if not each.waits] or pending
        chosen = self._random.choice(pending) if self.changes is None else self._first(pending)
        faults = chosen.modes[1:]  # the first mode is the one without a fault
        faulty = bool(faults) and self._random.random() < FAULT_SHARE
        return Choice(chosen.name, self._random.choice(faults) if faulty else chosen.modes[0])

    def _first(self, pending: Sequence[Pending]) -> Pending:
        for each in pending:
            self._priority.setdefault(each.name.client, self._random.random())
        first = max(pending, key=lambda each: self._priority[each.name.client])
        # The client that would have gone on is put behind all others.
        if self._step in self._change_at:
            self._priority[first.name.client] = min(self._priority.values()) - 1
            first = max(pending, key=lambda each: self._priority[each.name.client])
        return first

    def end(self) -> None:
        super().end()
        self._longest = max(self._longest, self._step)


@attrs.define
class Replayed(FewSchedules):
    """One schedule, as it was written down."""

    choices: Sequence[Choice]

    def begin(self) -> bool:
        self.runs += 1
        self._step = 0
        return self.runs == 1  # a second run of the same choices would show nothing

    def choose(self, pending: Sequence[Pending]) -> Choice:
        """Raises:
        Diverged: the program does not make the requests of the trace, or it makes more.
        """
        here = frozenset(each.name for each in pending)
        if self._step >= len(self.choices):
            raise Diverged(self._step, frozenset(), here)
        choice = self.choices[self._step]
        if choice.name not in here:
            raise Diverged(self._step, frozenset({choice.name}), here)
        # Its mode is not compared with the budgets, from which the trace has spent it when it was made.
        return choice

    def end(self) -> None:
        if self._step < len(self.choices):
            raise Diverged(self._step, frozenset({self.choices[self._step].name}), frozenset())
        super().end()
