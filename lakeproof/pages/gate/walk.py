"""A run of a real program along a path, and what is seen at its end.

Example: two clients add one to a counter. At first both wait with a read. The path ``c1,c2`` is a run from a fresh
store: the read of c1 is let go, then that of c2. Now both wait with a write: that is what is seen, and the run is given
up. The path ``c1,c2,c1`` is another run, from the beginning.

A program cannot be stepped back, and cannot be stopped: while it is held its timeouts run, and after a minute it would
ask otherwise than in a schedule. So no state waits for its reader. Each one is the end of a run of its own, and each
run is compared with all earlier ones: where a program asks otherwise after the same steps, it diverges.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs
import trio

from lakeproof.gate.aws import Asked, Store
from lakeproof.gate.classes import Choice, Diverged, Name, Pending
from lakeproof.gate.cuts import Made
from lakeproof.gate.footprints import Footprint
from lakeproof.gate.holding import NORMAL
from lakeproof.gate.names import Names
from lakeproof.gate.programs import Returned
from lakeproof.gate.running import Runner, Step
from lakeproof.gate.scenario import GateCall
from lakeproof.pages.gate.paths import PATH_MAX, Move, chosen
from lakeproof.pages.walking import NoSuchMove
from lakeproof.running.tasks import Unusable
from lakeproof.targets.answers import first_of

Results = Mapping[str, Sequence[tuple[GateCall, Returned]]]
"""The calls that have ended, by client, and how."""


Tell = Callable[["Walked"], None]


class Otherwise(Diverged):
    """A request was answered otherwise than after the same steps before."""

    def __init__(self, step: int, name: Name, before: int | str, now: int | str) -> None:
        Exception.__init__(
            self, f"step {step}, {name}: was answered by {before or 'nothing'}, and now by {now or 'nothing'}"
        )


@attrs.define
class Known:
    """What a program has asked for so far, by the steps before it; kept as long as the page is served.
    Cost: an entry for each place that was seen."""

    _places: dict[tuple[Choice, ...], tuple[frozenset[Name], int | str]] = attrs.field(factory=dict)

    def compare(self, choices: tuple[Choice, ...], waits: frozenset[Name], status: int | str) -> None:
        """Note what waits after these steps, the last of which was answered by this status.

        Raises:
            Diverged: it was otherwise before.
        """
        expected, answered = self._places.setdefault(choices, (waits, status))
        if answered != status:
            raise Otherwise(len(choices), choices[-1].name, answered, status)
        if expected != waits:
            raise Diverged(len(choices), expected, waits)


@attrs.frozen(kw_only=True)
class Request:
    """A request that waits at the end of a path. modes: how it may be let go."""

    name: Name
    modes: tuple[str, ...]
    asked: Asked


@attrs.frozen(kw_only=True)
class Walked:
    """A run along a path, as it was when the program was quiet after the last step."""

    made: tuple[Made, ...]
    steps: tuple[Step, ...]
    ended: tuple[Mapping[str, int], ...]
    """How many calls of each client had ended at each place: first at the beginning, last here."""
    results: Results
    crashed: frozenset[str]
    waits: tuple[Request, ...]
    """Empty: it is the end."""
    start: Store
    store: Store
    now: int
    """The clock of the store."""
    names: Names
    silent: str
    """A call that has ended and had sent no request; empty: none."""
    violated: Mapping[str, str] = attrs.field(factory=dict)
    """At the end: evidence against the invariants of the end."""
    seconds: float = 0.0

    @property
    def choices(self) -> tuple[Choice, ...]:
        return tuple(Choice(each.name, each.mode) for each in self.made)


class Walker:
    """Leads a program along a path, and gives the run up there. See `lakeproof.gate.running.Chooser`.

    tell: is called with what is seen where the run is given up. onward: go on to the end of the schedule, one client
    after the other.
    """

    all_run: Final = False

    def __init__(self, runner: Runner, moves: Sequence[Move], known: Known, tell: Tell, *, onward: bool) -> None:
        self.runner = runner
        self.moves = moves
        self.known = known
        self.tell = tell
        self.onward = onward
        self.begun = time.monotonic()
        self.runs = self.complete = self.diverged = 0
        self.choices: list[Choice] = []
        self.ended: list[dict[str, int]] = []
        self.given_up = False
        self.error: NoSuchMove | Diverged | None = None

    def begin(self) -> bool:
        self.runs += 1
        return self.runs == 1

    def choose(self, pending: Sequence[Pending]) -> Choice | None:
        self._arrived(frozenset(each.name for each in pending))
        step = len(self.choices)
        if step < len(self.moves):
            try:
                choice = chosen(self.moves[step], pending, step + 1)
            except NoSuchMove as error:
                self.error = error
                return None
        elif self.onward:
            choice = self._onward(pending)
        else:
            self.given_up = True
            self._explained()
            self.tell(self.seen(pending))
            return None
        self.choices.append(choice)
        return choice

    def let_go(self, footprint: Footprint) -> None:
        """Nothing is learnt from it: what comes next is the path's."""

    def end(self) -> None:
        if self.given_up or self.error is not None:
            return
        self._arrived(frozenset())
        if len(self.choices) < len(self.moves):
            move = self.moves[len(self.choices)]
            self.error = NoSuchMove(f"step {len(self.choices) + 1}, {move}: nothing waits there: it is the end")
            return
        self.complete += 1

    def fail(self) -> None:
        self.diverged += 1

    def _arrived(self, waits: frozenset[Name]) -> None:
        self.ended.append({client: len(calls) for client, calls in self.runner.results.items()})
        try:
            self.known.compare(tuple(self.choices), waits, self.runner.steps[-1].status if self.choices else 0)
        except Diverged as error:
            self.error = error
            raise

    def _onward(self, pending: Sequence[Pending]) -> Choice:
        if len(self.choices) >= PATH_MAX:
            raise Unusable(f"{self.runner.scenario.name}: no end after {PATH_MAX:,} requests")
        return Choice(min(each.name for each in pending), NORMAL)

    def _explained(self) -> None:
        """What was let through is what the scenario says. (At the end the runner looks at it.)"""
        if trouble := self.runner.front.trouble([(str(each.name), each.footprint) for each in self.runner.steps]):
            raise Unusable(f"{self.runner.scenario.name}: through: {trouble}")

    def seen(self, pending: Sequence[Pending]) -> Walked:
        """What is to be seen of the runner now."""
        gate = self.runner.gate
        return Walked(
            made=tuple(self.runner.made),
            steps=tuple(self.runner.steps),
            ended=tuple(self.ended),
            results={client: tuple(calls) for client, calls in self.runner.results.items()},
            crashed=frozenset(self.runner.crashed),
            waits=tuple(
                Request(name=each.name, modes=each.modes, asked=gate.held[each.name].asked) for each in pending
            ),
            start=self.runner.fresh,
            store=gate.state,
            now=gate.now(),
            names=gate.names(),
            silent=self.runner.silent,
            seconds=time.monotonic() - self.begun,
        )


async def walk(runner: Runner, moves: Sequence[Move], known: Known, tell: Tell, *, onward: bool = False) -> None:
    """Run the program along a path from a fresh store, and tell what is seen at its end: at once, and before the calls
    have come to their end with nothing held.

    Raises:
        NoSuchMove: the path cannot be walked.
        Diverged: the program does not ask for what it has asked for after the same steps.
        Unusable: the program died, hangs, or did what a verdict cannot rest on; or it did so later than what was told.
            Its processes must be ended.
    Cost: a run of the program up to there, and what its calls take to end.
    """
    walker = Walker(runner, moves, known, tell, onward=onward)
    walker.begin()
    runner.every_order = False
    try:
        schedule = await runner.schedule(walker)
    except BaseExceptionGroup as errors:
        await trio.lowlevel.checkpoint_if_cancelled()
        raise first_of(errors) from None
    if walker.error is not None:
        raise walker.error
    if schedule.trouble:
        raise Unusable(f"{runner.scenario.name}: {schedule.trouble}")
    if schedule.outcome is not None:
        tell(attrs.evolve(walker.seen(()), store=schedule.outcome.store, violated=schedule.violated))
