"""One run of a search over schedules: it follows a beginning, and goes on from there on its own.

A walk needs nothing of the search but its beginning, so walks can be made side by side, in several processes.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import attrs

from lakeproof.gate.fronts.footprints import Footprint, dependent


class Name(NamedTuple):
    """Tells a request from all others of its run, and is the same in each run in which it is the same request."""

    client: str
    label: str
    """In one line what it asks for."""
    number: int = 1
    """Where a client asks several times with one label: the how manieth it is."""

    def __str__(self) -> str:
        return f"{self.client} {self.label}" + (f" ({self.number})" if self.number > 1 else "")


class Diverged(Exception):
    """The program did not repeat itself: the requests that wait are not those of the earlier run after the same steps.

    What lies behind is not covered, and the search may not say *all*.
    """

    def __init__(self, step: int, expected: frozenset[Name], found: frozenset[Name]) -> None:
        gone = sorted(map(str, expected - found))
        new = sorted(map(str, found - expected))
        changes = [*(f"no longer asks for {each}" for each in gone), *(f"now asks for {each}" for each in new)]
        super().__init__(f"after {step} steps the program {'; '.join(changes)}")


class AnsweredOtherwise(Diverged):
    """A request has touched something else than it did after the same steps."""

    def __init__(self, step: int, name: Name) -> None:
        super().__init__(step, frozenset(), frozenset())
        # The message of `Diverged` is of requests that wait.
        self.args = (f"after {step} steps {name} touches other keys than after the same steps before",)


@attrs.frozen
class Pending:
    """A request that waits."""

    name: Name
    modes: tuple[str, ...] = ("normal",)
    """The ways in which it can be let go here, by names of the caller's own; each is run."""
    faults: tuple[str, ...] = ()
    """The further ways in which it can, as long as there is a fault to spend."""
    waits: bool = False
    """Whether it would wait in the store: see `lakeproof.gate.server`."""


@attrs.frozen
class Choice:
    """Let this request go, in this mode."""

    name: Name
    mode: str


@attrs.frozen
class Taken:
    """A step: what waited, what was let go of it, and what that has touched."""

    pending: tuple[Pending, ...]
    choice: Choice
    footprint: Footprint


Asleep = Mapping[Choice, Footprint]
"""What needs no run from a place, and what it touches: each schedule with one of them first is run elsewhere."""


def still_asleep(asleep: Asleep, step: tuple[Choice, Footprint], threads: bool) -> dict[Choice, Footprint]:
    """What still needs no run after a step."""
    # A step that it depends on wakes it: behind that step it belongs to classes that are run nowhere else. Without
    # threads a client may see in which order its answers come.
    taken, changed = step
    return {
        choice: touched
        for choice, touched in asleep.items()
        if (threads or choice.name.client != taken.name.client) and not dependent(touched, changed)
    }


@attrs.frozen(kw_only=True)
class Beginning:
    """What a walk is to follow before it goes on by itself."""

    number: int
    steps: tuple[tuple[frozenset[Name], Choice], ...] = ()
    """What is expected to wait at each step, and what to let go."""
    asleep: Asleep = attrs.field(factory=dict)
    """At the place of the last step."""
    more: Asleep = attrs.field(factory=dict)
    """What a step may touch beside what it does: see `lakeproof.gate.extents`."""
    whole: bool = False
    """Nothing may follow: a schedule once more."""


def find_overtaken(waiting: Sequence[Name], steps: Sequence[Name]) -> str:
    """Which of the steps that wait in the store comes before others of its client. If a client's requests have one
    order, it does in each schedule, and what follows once a store has answered it is in none."""
    found = (name for name in waiting if name.client in {each.client for each in steps[steps.index(name) + 1 :]})
    why = "waits in the store before other requests of its client; parallel=True runs all orders"
    return next((f"{name} {why}" for name in found), "")


COMPLETE: Final = "complete"
REDUNDANT: Final = "redundant"
DIVERGED: Final = "diverged"


@attrs.frozen(kw_only=True)
class Walked:
    """What came of a walk."""

    number: int
    """Of its beginning."""
    outcome: str
    """`COMPLETE`; `REDUNDANT`: what is left is run in another order; `DIVERGED`: it did not repeat its beginning, or it
    is not known what it would have shown."""
    steps: tuple[Taken, ...]
    left: tuple[Pending, ...] = ()
    """What waits where a redundant one was given up."""


class OneRun(Protocol):
    """What chooses within a schedule. `RandomRun` says what the methods mean."""

    complete: int

    def choose(self, pending: Sequence[Pending], /) -> Choice | None: ...

    def let_go(self, footprint: Footprint, /) -> None: ...

    def end(self) -> None: ...

    def fail(self) -> None: ...


@attrs.define(kw_only=True)
class FewSchedules:
    """What a search counts that runs some schedules only."""

    all_run = False
    """Some schedules are not all."""
    runs: int = 0
    complete: int = 0
    _step: int = 0
    """So many requests were let go in this run."""

    def let_go(self, footprint: Footprint) -> None:
        """Nothing is learnt from what a request touches."""
        self._step += 1

    def end(self) -> None:
        self.complete += 1

    def fail(self) -> None:
        """It is not complete, and nothing else is counted."""


@attrs.define
class RandomRun:
    """What follows a beginning."""

    beginning: Beginning
    threads: bool = False
    complete: int = 0
    """1 when it has come to its end, and that was new."""
    _steps: list[Taken] = attrs.field(factory=list)
    _outcome: str = COMPLETE
    _here: tuple[Pending, ...] = ()
    _choice: Choice | None = None
    _asleep: Asleep = attrs.field(default=attrs.Factory(lambda run: run.beginning.asleep, takes_self=True))

    def choose(self, pending: Sequence[Pending]) -> Choice | None:
        """What to let go next; None: give this run up. pending: what waits; not empty.

        Raises:
            Diverged: it is not what waited here in the run before.
        """
        names = frozenset(each.name for each in pending)
        # A choice is by name: of two requests with one name, chance would say which is let go.
        if len(names) != len(pending):
            raise ValueError(f"two requests have one name: {sorted(str(each.name) for each in pending)}")
        self._here, at = tuple(pending), len(self._steps)
        if at < len(self.beginning.steps) or self.beginning.whole:
            # Behind the last step of a whole schedule nothing may wait: whatever does is a divergence.
            expected, self._choice = self.beginning.steps[at] if at < len(self.beginning.steps) else (frozenset(), None)
            if expected != names:
                self._outcome = DIVERGED
                raise Diverged(at, expected, names)
        else:
            self._choice = self._first_awake(pending)
            if self._choice is None:
                self._outcome = REDUNDANT  # all that waits is asleep, in every mode
        return self._choice

    def _first_awake(self, pending: Iterable[Pending]) -> Choice | None:
        choices = (Choice(each.name, mode) for each in pending for mode in each.modes)
        # The modes are in order: a fault is chosen only if the request is asleep in the modes before it.
        return next((each for each in choices if each not in self._asleep), None)

    def let_go(self, footprint: Footprint) -> None:
        """What was chosen last has been done, and this is what it touched."""
        assert self._choice is not None
        self._steps.append(Taken(self._here, self._choice, footprint))
        # ``asleep`` belongs to the place of the beginning's last step, so that the steps before it wake nothing.
        if len(self._steps) >= len(self.beginning.steps):
            extent = (*footprint, *self.beginning.more.get(self._choice, ()))
            self._asleep = still_asleep(self._asleep, (self._choice, extent), self.threads)

    def end(self) -> None:
        """The run is over: nothing waits, or `choose` has given up or raised.

        Raises:
            Diverged: the run has ended earlier than the one before, after the same steps.
        """
        at = len(self._steps)
        if self._outcome == COMPLETE and at < len(self.beginning.steps):
            self._outcome = DIVERGED
            raise Diverged(at, self.beginning.steps[at][0], frozenset())
        # The first schedule once more is no new class.
        self.complete = int(self._outcome == COMPLETE and not self.beginning.whole)

    def fail(self) -> None:
        """The run is over, and it is not known what it would have shown."""
        self._outcome = DIVERGED

    @property
    def walked(self) -> Walked:
        """What came of it; complete when it is over."""
        return Walked(
            number=self.beginning.number,
            outcome=self._outcome,
            steps=tuple(self._steps),
            # Behind a complete run nothing waits; then ``_here`` is what waited before its last step.
            left=self._here if self._outcome == REDUNDANT else (),
        )
