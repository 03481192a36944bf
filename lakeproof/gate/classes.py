"""All schedules up to equivalence: a stateless search with source sets and sleep sets.

Two schedules are equivalent if one becomes the other by exchanging neighbours that are independent
(`lakeproof.gate.footprints`) and belong to different clients: then every client receives the same replies, and the
store ends the same. The search runs one schedule of each class. It keeps nothing but the path to where it is; each
schedule is run from the beginning, by whoever owns the program.

    search = Classes()
    while search.begin():
        while pending:
            choice = search.choose(pending)
            if choice is None: break               # what is left was run before, in another order
            search.let_go(what it has touched)     # after the program is quiet again
        search.end()

Source: Abdulla, Aronis, Jonsson, Sagonas, *Optimal Dynamic Partial Order Reduction*, POPL 2014, algorithm 1. Each
request is an event of its own. The requests of one client are dependent on each other: a client may see in which order
its answers come. The ways in which a request can be let go (plainly, or with a fault) are alternatives of one event.

With ``threads``, requests of one client that wait at the same time are threads of their own: as those of different
clients, they are dependent only if one touches what the other changes. A request is known to need the last answer
before it appeared, and what that one needed. That may be too little, which costs runs and loses none:

    c1 waits for a and b, and for c when both are answered. a, then b: c is known to need b. b, then a: to need a.

This is right for a program that asks for the same when it has the same answers, in whichever order they came. If an
answer takes back another request of its client, it is not such a program, and the search never says *all*.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import attrs

from lakeproof.gate.footprints import Footprint, dependent


class Name(NamedTuple):
    """Tells a request from all others of its run, and is the same in each run in which it is the same request."""

    client: str
    label: str
    """In one line what it asks for."""
    number: int = 1
    """Where a client asks several times with one label: the how manieth it is."""

    def __str__(self) -> str:
        return f"{self.client} {self.label}" + (f" ({self.number})" if self.number > 1 else "")


TRIES_MAX: Final = 3
"""How often a schedule is run again that did not repeat its beginning."""


class Diverged(Exception):
    """The program did not repeat itself: the requests that wait are not those of the earlier run after the same steps.

    What lies behind is not covered, and the search may not say *all*.
    """

    def __init__(self, step: int, expected: frozenset[Name], found: frozenset[Name]) -> None:
        gone = sorted(map(str, expected - found))
        new = sorted(map(str, found - expected))
        told = [*(f"no longer asks for {each}" for each in gone), *(f"now asks for {each}" for each in new)]
        super().__init__(f"after {step} steps the program {'; '.join(told)}")
        self.step = step
        self.expected = expected
        self.found = found


@attrs.frozen
class Pending:
    """A request that waits."""

    name: Name
    modes: tuple[str, ...] = ("normal",)
    """The ways in which it can be let go here, by names of the caller's own; each is run."""
    writes: bool = False
    """Whether it can go wrong as long as there is a fault to spend."""


@attrs.frozen
class Choice:
    """Let this request go, in this mode."""

    name: Name
    mode: str


@attrs.define
class _Event:
    """A request that was let go."""

    choice: Choice
    footprint: Footprint
    born: int
    """The step after which it appeared; -1: it was there at the beginning."""
    before: int = 0
    """The events that happened before it, as bits."""

    @property
    def client(self) -> str:
        return self.choice.name.client


@attrs.define
class _Node:
    """A place on the current path: what waits there, and what has been and is to be tried."""

    pending: dict[Name, Pending]
    born: dict[Name, int]
    sleep: dict[Choice, _Event]
    """What needs no run from here: each schedule with one of them first was run from an earlier sibling."""
    wanted: list[Name] = attrs.field(factory=list)
    """The source set: what must be let go here at some time."""
    done: dict[Choice, _Event] = attrs.field(factory=dict)
    """What was let go here, and all that follows it was run."""
    current: Name | None = None
    modes: list[str] = attrs.field(factory=list)
    """The modes in which the current one is still to be let go; the first one is on the path."""
    event: _Event | None = None

    def awake(self, name: Name) -> list[str]:
        """The modes of a request that are still to be tried here."""
        choices = (Choice(name, mode) for mode in self.pending[name].modes)
        return [each.mode for each in choices if each not in self.sleep and each not in self.done]


@attrs.define
class Classes:
    """The search. See the module for how it is driven, and for what ``threads`` are.

    Cost: the memory is that of one path; the time of the search itself is quadratic in the length of a run, which is
    nothing beside that of the run.
    """

    threads: bool = False
    runs: int = 0
    """The runs that were begun."""
    complete: int = 0
    """The classes that were run to their end: each one once."""
    redundant: int = 0
    """Runs that were given up: what was left of them had been run in another order."""
    diverged: int = 0
    """Schedules that did not repeat their beginning, however often they were tried. What lies behind is dropped."""
    repeated: int = 0
    """Runs that did not repeat their beginning."""
    over: bool = False
    """There is nothing left to run."""
    confirmed: bool = False
    """The first schedule was run once more at the end, and the program did the same. A search of a single class would
    otherwise never see that a program does not repeat itself."""
    taken_back: str = ""
    """With threads: a request that was taken back when another one of its client was answered. Nothing is proved."""
    _path: list[_Node] = attrs.field(factory=list)
    _depth: int = 0
    _outcome: str = "complete"
    _first: list[tuple[frozenset[Name], Choice]] = attrs.field(factory=list)
    """The first complete run: what waited at each step, and what was let go."""
    _tried: int = 0

    @property
    def all_run(self) -> bool:
        """Every class was run, and nothing was dropped."""
        return self.over and self.confirmed and not self.diverged and not self.taken_back

    def begin(self) -> bool:
        """Begin another run, if one is left."""
        if self.over and (self.confirmed or self.diverged):
            return False
        self.runs += 1
        self._depth = 0
        self._outcome = "complete"
        return True

    def choose(self, pending: Sequence[Pending]) -> Choice | None:
        """What to let go next; None: give this run up. pending: what waits; not empty.

        Raises:
            Diverged: it is not what waited here in the run before. `end` then goes on elsewhere.
        """
        here = {each.name: each for each in pending}
        if len(here) != len(pending):
            raise ValueError(f"two requests have one name: {sorted(str(each.name) for each in pending)}")
        if self.over:
            return self._repeated(frozenset(here))
        if self._depth < len(self._path):
            node = self._path[self._depth]
            if node.pending.keys() != here.keys():
                self._diverge(node, here)
        else:
            node = self._enter(here)
        if node.current is None:
            self._outcome = "redundant"
            return None
        return Choice(node.current, node.modes[0])

    def let_go(self, footprint: Footprint) -> None:
        """What was chosen last has been done, and this is what it touched."""
        if self.over:
            self._depth += 1
            return
        node = self._path[self._depth]
        if node.event is None:
            assert node.current is not None
            chosen = node.pending[node.current]
            node.event = _Event(Choice(chosen.name, node.modes[0]), footprint, node.born[chosen.name])
            self._order(self._depth, node.event)
            self._reverse_races(self._depth, node.event)
        self._depth += 1

    def end(self) -> None:
        """The run is over: nothing waits, or `choose` has given up or raised. Goes on to the next one.

        Raises:
            Diverged: the run has ended earlier than the one before, after the same steps.
        """
        if self.over:
            self._confirm()
            return
        early = self._outcome == "complete" and self._depth < len(self._path)
        if early:
            self._outcome = "diverged"
        missing = frozenset(self._path[self._depth].pending) if early else frozenset[Name]()
        at = self._depth
        if self._outcome != "diverged" or self._again():
            if self._outcome == "complete" and not self._first:
                self._first = [
                    (frozenset(node.pending), self._event(step).choice) for step, node in enumerate(self._path)
                ]
            if self._outcome == "complete" and self._path:
                self._look_for_taken_back(self._path[-1], self._event(len(self._path) - 1), {})
            self.complete += self._outcome == "complete"
            self.redundant += self._outcome == "redundant"
            self._next()
        if early:
            raise Diverged(at, missing, frozenset())

    def _repeated(self, here: frozenset[Name]) -> Choice:
        """The choice of the first run, if the program is where it was then."""
        expected, choice = self._first[self._depth] if self._depth < len(self._first) else (frozenset(), None)
        if choice is None or expected != here:
            self._outcome = "diverged"
            raise Diverged(self._depth, expected, here)
        return choice

    def _confirm(self) -> None:
        """The end of the run that repeats the first one."""
        if self._outcome == "complete" and self._depth == len(self._first):
            self.confirmed = True
            return
        self.repeated += 1
        self._tried += 1
        self.diverged += self._tried > TRIES_MAX
        if self._outcome == "complete":
            raise Diverged(self._depth, self._first[self._depth][0], frozenset())

    def _again(self) -> bool:
        """After a divergence: whether to go on elsewhere, as the same schedule was tried often enough."""
        self._tried += 1
        self.repeated += 1
        if self._tried <= TRIES_MAX:
            return False
        self.diverged += 1
        del self._path[self._depth :]
        return True

    def fail(self) -> None:
        """The run is over, and it is not known what it would have shown. What lies behind it is dropped."""
        self._outcome = "diverged"
        self.end()

    def _diverge(self, node: _Node, here: dict[Name, Pending]) -> None:
        self._outcome = "diverged"
        raise Diverged(self._depth, frozenset(node.pending), frozenset(here))

    def _enter(self, here: dict[Name, Pending]) -> _Node:
        """A place that no run has been at."""
        node = _Node(here, dict.fromkeys(here, -1), sleep={})
        if self._path:
            last = self._path[-1]
            event = self._event(self._depth - 1)
            node.born = {name: last.born.get(name, self._depth - 1) for name in here}
            asleep = {**last.sleep, **last.done}
            node.sleep = {choice: each for choice, each in asleep.items() if self._commute(each, event)}
            self._look_for_taken_back(last, event, here)
        self._path.append(node)
        self._take(node, here)
        return node

    def _commute(self, one: _Event, other: _Event) -> bool:
        """Whether two requests that wait at the same time can be exchanged."""
        return (self.threads or one.client != other.client) and not dependent(one.footprint, other.footprint)

    def _look_for_taken_back(self, last: _Node, event: _Event, here: dict[Name, Pending]) -> None:
        gone = sorted(each for each in last.pending if each not in here and each != event.choice.name)
        mine = [each for each in gone if each.client == event.client]
        if self.threads and mine and not self.taken_back:
            self.taken_back = f"{mine[0]} no longer waits after the answer to {event.choice.name}"

    def _take(self, node: _Node, names: Iterable[Name]) -> bool:
        """Try the first of some requests of which anything is left to try."""
        for name in names:
            if modes := node.awake(name):
                if name not in node.wanted:
                    node.wanted.append(name)
                node.current, node.modes, node.event = name, modes, None
                return True
        return False

    def _order(self, step: int, event: _Event) -> None:
        """Which earlier events happened before this one."""
        for earlier in range(step - 1, -1, -1):
            if event.before >> earlier & 1:
                continue
            other = self._event(earlier)
            same = other.client == event.client and not self.threads
            if same or event.born == earlier or dependent(other.footprint, event.footprint):
                event.before |= other.before | 1 << earlier

    def _event(self, step: int) -> _Event:
        event = self._path[step].event
        assert event is not None
        return event

    def _reverse_races(self, step: int, event: _Event) -> None:
        """For each earlier event that could have come after this one: see to it that a run has it so."""
        for earlier in self._races(step, event):
            node = self._path[earlier]
            after = [
                each for each in range(earlier + 1, step) if not self._event(each).before >> earlier & 1
            ]  # what does not depend on the earlier event
            firsts = [
                self._event(each).choice
                for each in (*after, step)
                if not any(self._event(each).before >> other & 1 for other in after if other < each)
            ]
            if not any(each.name in node.wanted or each in node.sleep for each in firsts):
                node.wanted.append(firsts[0].name)

    def _races(self, step: int, event: _Event) -> Iterator[int]:
        """The events directly before this one that have not made it possible."""
        for earlier in range(step):
            if not event.before >> earlier & 1 or event.born == earlier:
                continue
            between = (each for each in range(earlier + 1, step) if event.before >> each & 1)
            if not any(self._event(each).before >> earlier & 1 for each in between):
                yield earlier

    def _next(self) -> None:
        """Go back to the last place where something is left to try, and take it."""
        self._tried = 0
        while self._path:
            node = self._path[-1]
            if node.event is not None:
                node.done[node.event.choice] = node.event
            node.modes = node.modes[1:]
            if node.modes:
                node.event = None
                return
            if self._take(node, tuple(node.wanted)):
                return
            self._path.pop()
        self.over = True
