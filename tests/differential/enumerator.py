"""An explicit-state enumerator: all states of a scenario, one by one, each judged literally.

It is written from what the documents say (the stores' contract, `Faults`, the kinds of invariants) and shares no
code with the searches: its stores, faults, driving of coroutines and judging are its own. Slow and obvious: a state
is a row of values; a client is the whole history of what it was told; no states are merged but those that are the
same by type and bits.

Example: one client that performs one ``set``, ``Faults(lost_answers=1)``. The first state has three moves: the write
takes place and is acknowledged; it takes place and the answer is lost; neither. So there are four states on two
levels, and three schedules.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import cast

import attrs

from lakeproof.model import kv
from lakeproof.model.invariants import Always, Eventually, Finding, Monitor, OnStep, Reads, Violation
from lakeproof.model.objects import StoredObject
from lakeproof.model.snapshot import CallView, Snapshot, Status
from lakeproof.scenario import Faults, Scenario
from tests.differential.states import Moves, State, Step, Views, run_alone
from tests.differential.typed import typed

UNHANDLED = "no-unhandled-exception"
"""The invariant that every scenario has without naming it."""

STORES = frozenset({Reads.STORE, Reads.OBJECTS})


@attrs.frozen
class Seen:
    """A snapshot that shows what an invariant has declared to read, and fails where it looks at more."""

    parts: frozenset[Reads]
    whole: Snapshot

    def _declared(self, part: Reads) -> None:
        assert part in self.parts, f"{part} is looked at, and not declared"

    @property
    def store(self) -> Mapping[kv.Address, object]:
        self._declared(Reads.STORE)
        return self.whole.store

    @property
    def objects(self) -> Mapping[str, StoredObject]:
        self._declared(Reads.OBJECTS)
        return self.whole.objects

    @property
    def now(self) -> int:
        self._declared(Reads.CLOCK)
        return self.whole.now

    @property
    def clients(self) -> Views:
        self._declared(Reads.CLIENTS)
        return self.whole.clients

    def calls(self, *names: str) -> tuple[CallView, ...]:
        """No names: all."""
        return tuple(call for calls in self.clients for call in calls if not names or call.name in names)


class Spent:
    """What stands in a monitor's place after a violation: its state is not used any more."""


SPENT = Spent()


@attrs.frozen(eq=False)
class Past:
    """A state: how its clients came to it, and all else that it is."""

    replies: tuple[tuple[object, ...], ...]
    crashed: tuple[bool, ...]
    late: int
    """Whose write is under way; -1: nobody's."""
    rest: Hashable


@attrs.frozen(kw_only=True)
class Enumeration:
    """What there is, all of it."""

    verdicts: dict[str, str]
    lengths: dict[str, int]
    """Of the shortest ways to a violation, in moves, by invariant."""
    finals: frozenset[Hashable]
    """Contents and views where no client can move: see `final_key`."""
    states: int
    transitions: int
    """Pairs of a state and a next one. Two moves are one where they lead to one state: an answer was lost of a write
    that would have changed nothing, and it took place or did not."""
    schedules: int
    """Ways from the start to a state without moves."""
    unspent: frozenset[str]
    """Faults with a budget that is whole in each state."""
    pasts: tuple[Past, ...] = attrs.field(eq=False, repr=False)
    """One for each state."""


class TooManyStates(Exception):
    """More than were asked for."""


Identity = Callable[[object], Hashable]


def final_key(cells: Iterable[tuple[object, object]], views: Views, identity: Identity = typed) -> Hashable:
    """A final state: its filled cells, and what each client was told. A crash in a flow counts as a crash, whatever
    was raised."""
    return (identity(frozenset(cells)), *(tuple(identity(_shown(call)) for call in calls) for calls in views))


IN_A_FLOW = Exception("raised in a flow")


def _shown(call: CallView) -> CallView:
    return attrs.evolve(call, error=IN_A_FLOW) if _broken(call) else call


def _broken(call: CallView) -> bool:
    """Whether the flow itself raised what is no answer."""
    return call.status is Status.CRASHED and call.error is not None


def _cells(seen: Snapshot) -> list[tuple[object, object]]:
    """The filled cells of both stores, by what a search calls them."""
    keys = [(("kv", *at), value) for at, value in seen.store.items()]
    return [*keys, *((("object", at), held) for at, held in seen.objects.items())]


def enumerate_states(scenario: Scenario, *, states_max: int = 10_000, identity: Identity = typed) -> Enumeration:
    """Breadth first through all states. ``identity``: what the states of monitors and final states are known by.

    Raises:
        TooManyStates: there are more than ``states_max``.
    """
    return _Enumerator(scenario, identity).run(states_max)


def _past(state: State, identity: Identity) -> Past:
    late = state.late
    rest = attrs.evolve(state, clients=(), crashed=(), late=late and attrs.evolve(late, client=0))
    replies = tuple(standing.replies for standing in state.clients)
    return Past(replies, state.crashed, late.client if late else -1, rest.key(identity))


def whole_in_all(budgets: Faults, rows: Sequence[Mapping[str, int]]) -> frozenset[str]:
    """The faults of a budget of which nothing is spent in any state. rows: what is left in each."""
    # The clock's are no budgets: it jumps in each search, and a skew is for all of it.
    counts = {name: count for name, count in attrs.asdict(budgets).items() if count and "clock" not in name}
    return frozenset(name for name, count in counts.items() if all(row[name] == count for row in rows))


class _Enumerator:
    def __init__(self, scenario: Scenario, identity: Identity) -> None:
        self.scenario = scenario
        self.identity = identity
        self.moves = Moves(scenario)
        self.monitors = [invariant for invariant in scenario.invariants if isinstance(invariant, Monitor)]
        self.reached: set[str] = set()
        self.lengths: dict[str, int] = {}
        self.finals: set[Hashable] = set()
        self.pasts: list[Past] = []
        self.left: set[Faults] = set()

    def run(self, states_max: int) -> Enumeration:
        first = self.moves.first()
        self._judge(first, 0)
        # By key: a state of the level, and the number of ways to it. Every move is one reply, crash, jump or arrival
        # more, and a state tells how many there were of each: it belongs to one level.
        level: dict[Hashable, tuple[State, int]] = {first.key(self.identity): (first, 1)}
        states, transitions, schedules, depth = 1, 0, 0, 0
        while level:
            depth += 1
            following: dict[Hashable, tuple[State, int]] = {}
            for state, ways in level.values():
                steps = list(self.moves.steps(state))
                schedules += 0 if steps else ways
                met: set[Hashable] = set()
                for step in steps:
                    after = self._heard(step, depth)
                    key = after.key(self.identity)
                    met.add(key)
                    if key not in following:
                        states += 1
                        if states > states_max:
                            raise TooManyStates(f"{self.scenario.name}: more than {states_max}")
                        self._judge(after, depth)
                    following[key] = (after, ways + (following[key][1] if key in following else 0))
                transitions += len(met)
            level = following
        return Enumeration(
            verdicts={name: self._verdict(name) for name in self._names()},
            lengths=self.lengths,
            finals=frozenset(self.finals),
            states=states,
            transitions=transitions,
            schedules=schedules,
            unspent=whole_in_all(self.scenario.faults, list(map(attrs.asdict, self.left))),
            pasts=tuple(self.pasts),
        )

    def _names(self) -> list[str]:
        named = [item.id for item in (*self.scenario.invariants, *self.scenario.aftermath)]
        return [*named, UNHANDLED]

    def _verdict(self, name: str) -> str:
        if name == UNHANDLED and name not in self.lengths:
            return "holds"  # it is tested by every call
        if name in self.lengths:
            return "violated"
        return "holds" if name in self.reached else "inconclusive"

    def _hear(self, name: str, findings: Iterable[Finding], depth: int) -> bool:
        """Take in what was found after so many moves. Returns whether any of it is a violation."""
        found = list(findings)
        violated = any(isinstance(finding, Violation) for finding in found)
        if violated:
            self.lengths.setdefault(name, depth)
        elif found:
            self.reached.add(name)
        return violated

    def _heard(self, step: Step, depth: int) -> State:
        """Judge a move. Returns the state that it leads to, the monitors having heard of it."""
        watched = step.watched
        for invariant in self.scenario.invariants:
            if isinstance(invariant, OnStep) and watched and invariant.watches(watched.call.name, watched.op):
                self._hear(invariant.id, invariant.check(watched), depth)
        states = list(step.after.monitors)
        for at, monitor in enumerate(self.monitors):
            for event in step.events:
                if states[at] is not SPENT:
                    states[at], findings = monitor.advance(states[at], event)
                    states[at] = SPENT if self._hear(monitor.id, findings, depth) else states[at]
        return attrs.evolve(step.after, monitors=tuple(states))

    def _judge(self, state: State, depth: int) -> None:
        """Judge a state that was met for the first time."""
        self.pasts.append(_past(state, self.identity))
        self.left.add(state.left)
        whole = self.moves.stores(state, state.views)
        if any(_broken(call) for calls in state.views for call in calls):
            self.lengths.setdefault(UNHANDLED, depth)
        for invariant in self.scenario.invariants:
            if isinstance(invariant, Always) or (isinstance(invariant, Eventually) and not state.movable):
                seen = cast("Snapshot", Seen(invariant.may_read, whole))
                self._hear(invariant.id, invariant.check(seen), depth)
        if not state.movable:
            self._judge_final(state, whole, depth)

    def _judge_final(self, state: State, whole: Snapshot, depth: int) -> None:
        self.finals.add(final_key(_cells(whole), state.views, self.identity))
        for monitor, remembered in zip(self.monitors, state.monitors, strict=True):
            if monitor.at_end is not None and remembered is not SPENT:
                seen = cast("Snapshot", Seen(STORES, whole))
                self._hear(monitor.id, monitor.at_end(remembered, seen), depth)
        for aftermath in self.scenario.aftermath:
            later = whole.now + aftermath.clock_advance
            contents, outcomes = run_alone("z", aftermath.calls, state.contents, later)
            after = Snapshot(dict(contents.keys), contents.stored_objects(), later, ())
            self._hear(aftermath.id, aftermath.check(outcomes, after), depth)
