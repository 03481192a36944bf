"""The explicit graph of clients that loop: an oracle that steps their machines, and looks into no coroutine.

A set of clients is made from a seed: two or three machines, what may go wrong, and what must not be seen: a state, and
an order of events.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from random import Random
from typing import Final, cast

import attrs

from lakeproof import Always, Call, Faults, Finding, Monitor, Reached, Scenario, Snapshot, Status, Violation
from lakeproof.model.invariants import Invariant
from lakeproof.model.snapshot import CallView, Event, Returned
from tests.differential.loops import KEEPERS, Answer, Keeper, Machine, Op, Store, machine

CRASHED: Final = -3
"""Where a client stands that has crashed. Its call returns nothing."""
Seen = tuple[Store, tuple[int, ...]]
"""A store, and how calls have ended."""
Told = tuple[tuple[int, int], ...]
"""The last events: which client, and what its call returns; 0: that it begins."""
TOLD_MAX: Final = 3
NONE: Final = Faults()
BUDGETS: Final = (
    Faults(crashes=1),
    Faults(refusals=1, crashes=1),
    Faults(lost_answers=1),
    Faults(lost_answers=1, false_predicates=1),
    Faults(lost_answers=1, duplicates=1),
    Faults(lost_answers=2, duplicates=2),
)


@attrs.frozen
class Client:
    """A client of the oracle: its state, and whether it has begun."""

    at: int = 0
    begun: bool = False


Step = tuple[int, Answer, "State"]
"""Who moves, what it is answered, and the state after that."""


@attrs.frozen(cache_hash=True)
class State:
    """``told``: None where no monitor looks on. ``late``: a write that will arrive once more."""

    clients: tuple[Client, ...]
    store: Store
    left: Faults = NONE
    late: Op | None = None
    told: Told | None = None

    def moves(self, machines: tuple[Machine, ...]) -> Iterator[Step]:
        """Where nothing goes wrong."""
        for number, op in self._waiting(machines):
            answer, store = op.apply(dict(self.store))
            yield self._answered(number, machines[number], answer, store)

    def faults(self, machines: tuple[Machine, ...]) -> Iterator[Step]:
        """All that may go wrong, as often as it may; and the late write arrives."""
        for number, op in self._waiting(machines):
            answer, written = op.apply(dict(self.store))
            for state in self._spend("refusals"):
                yield state._answered(number, machines[number], "refused", dict(self.store))
            for state in self._spend("lost_answers") if op.kind != "get" else ():
                late = (attrs.evolve(each, late=op) for each in state._spend("duplicates") if self.late is None)
                for each in (state, *late):
                    yield each._answered(number, machines[number], "unknown", dict(self.store))
                    yield each._answered(number, machines[number], "unknown", written)
            for state in self._spend("false_predicates") if op.kind == "set_if" and answer else ():
                yield state._answered(number, machines[number], False, written)
            for state in self._spend("crashes"):
                yield number, None, state._changed(number, Client(CRASHED, self.clients[number].begun))
        if self.late is not None:
            _, store = self.late.apply(dict(self.store))
            yield -1, None, attrs.evolve(self, late=None, store=tuple(sorted(store.items())))

    def _waiting(self, machines: tuple[Machine, ...]) -> Iterator[tuple[int, Op]]:
        pairs = zip(self.clients, machines, strict=True)
        yield from ((number, m.ops[client.at]) for number, (client, m) in enumerate(pairs) if client.at >= 0)

    def _spend(self, kind: str) -> Iterator["State"]:
        """This state with one fault less; nothing if there is none left."""
        if left := getattr(self.left, kind):
            yield attrs.evolve(self, left=attrs.evolve(self.left, **{kind: left - 1}))

    def _answered(self, number: int, m: Machine, answer: Answer, store: Mapping[bytes, bytes]) -> Step:
        client, told = self.clients[number], self.told
        to = m.after(client.at, answer)
        events = [(number, 0)] * (not client.begun) + [(number, to)] * (to < 0)
        moved = attrs.evolve(self._changed(number, Client(to, True)), store=tuple(sorted(store.items())))
        return number, answer, attrs.evolve(moved, told=None if told is None else (*told, *events)[-TOLD_MAX:])

    def _changed(self, number: int, client: Client) -> "State":
        return attrs.evolve(self, clients=(*self.clients[:number], client, *self.clients[number + 1 :]))

    @property
    def seen(self) -> Seen:
        """What an invariant sees: the store, and what calls have returned, or that they have crashed."""
        return self.store, tuple(min(client.at, 0) if client.begun else 0 for client in self.clients)


def explored(first: State, machines: tuple[Machine, ...], states_max: int = 4_000) -> dict[State, int] | None:
    """All states, by their distance from the start. None: there are too many."""
    found = {first: 0}
    waiting = deque([first])
    while waiting:
        state = waiting.popleft()
        for _, _, after in (*state.moves(machines), *state.faults(machines)):
            if after not in found:
                found[after] = found[state] + 1
                waiting.append(after)
        if len(found) > states_max:
            return None
    return found


def seen_of(snapshot: Snapshot) -> Seen:
    """As `State.seen`."""
    store = tuple(sorted((key, value) for (_, key), value in snapshot.store.items()))
    return store, tuple(_end_of(calls[0]) if calls else 0 for calls in snapshot.clients)


def _end_of(call: CallView) -> int:
    if call.status is Status.OK:
        return cast("int", call.value)
    return CRASHED if call.status is Status.CRASHED else 0


def never(wrong: Seen, *, alike: bool = False) -> Always:
    """This is never seen. ``alike``: whichever client is in which state."""

    def check(snapshot: Snapshot) -> Iterator[Finding]:
        found = _mixed(seen_of(snapshot)) == _mixed(wrong) if alike else seen_of(snapshot) == wrong
        yield Violation("never", repr(wrong)) if found else Reached("another state")

    return Always(id="never", meaning="a certain state is never seen", check=check)


def _mixed(seen: Seen) -> Seen:
    return seen[0], tuple(sorted(seen[1]))


def disordered(wrong: Told) -> Monitor:
    """Events never come in this order."""

    def advance(told: object, event: Event) -> tuple[Told, tuple[Finding, ...]]:
        what = cast("int", event.call.value) if isinstance(event, Returned) else 0
        now = (*cast("Told", told), (event.client, what))[-TOLD_MAX:]
        return now, (Violation("disordered", repr(now)) if now == wrong else Reached("another order"),)

    return Monitor(id="disordered", meaning="a certain order is never seen", initial=(), advance=advance)


@attrs.frozen
class Made:
    """A generated set of clients. ``wrong``: what its invariant forbids, of twins whichever is which; ``order``: what
    its monitor forbids, if it has one."""

    machines: tuple[Machine, ...]
    keepers: tuple[Keeper, ...]
    wrong: Seen
    states: Mapping[State, int]
    faults: Faults = NONE
    order: Told | None = None
    twins: bool = False

    @property
    def steps(self) -> int | None:
        """How far away the forbidden state is; None: it cannot be reached."""
        shown, wrong = (_mixed, _mixed(self.wrong)) if self.twins else (lambda seen: seen, self.wrong)
        return min((far for state, far in self.states.items() if shown(state.seen) == wrong), default=None)

    @property
    def lengths(self) -> dict[str, int | None]:
        """The same, of each invariant."""
        told = (far for state, far in self.states.items() if state.told == self.order)
        return {"never": self.steps, **({} if self.order is None else {"disordered": min(told, default=None)})}

    def clients(self) -> list[list[Call]]:
        return [[Call(keep, m)] for keep, m in zip(self.keepers, self.machines, strict=True)]

    def scenario(self) -> Scenario:
        invariants: list[Invariant] = [never(self.wrong, alike=self.twins)]
        invariants += [] if self.order is None else [disordered(self.order)]
        return Scenario(name="generated/loops", clients=self.clients(), invariants=invariants, faults=self.faults)


def made(seed: int, keepers: tuple[Keeper, ...] = KEEPERS, *, twins: bool = False, faulty: bool = False) -> Made | None:
    """A set of two or three clients, twins do all the same; ``faulty``: with faults, and half of the sets with a
    monitor; None where it has too many states."""
    random = Random(seed)
    count = random.choice((2, 2, 3))
    machines = (machine(random, faulty=faulty),) * count
    if not twins:
        machines = (machines[0], *(machine(random, faulty=faulty) for _ in range(count - 1)))
    faults = random.choice(BUDGETS) if faulty else NONE
    told = () if faulty and random.random() < 0.5 else None
    first = State(tuple(Client() for _ in machines), (), faults, None, told)
    states = explored(first, machines, 600 if faulty else 4_000)
    if states is None:
        return None
    wrong = random.choice([*states]).seen
    if random.random() < 0.5:
        wrong = (random.choice([*states]).store, random.choice([*states]).seen[1])
    if faulty and random.random() < 0.3:
        wrong = (wrong[0], ())  # no state is such: all are counted
    keeps = (random.choice(keepers),) * count if twins else tuple(random.choice(keepers) for _ in range(count))
    order = None
    if told is not None:
        # A call that begins and ends in one step is told of twice: what ends with an end is seen after the step, too.
        orders = [state.told for state in states if state.told and state.told[-1][1]]
        before = random.choice([*orders, ((0, 0), (0, -1))])[:-1]
        order = (*before, (random.randrange(count), -random.randint(1, 2)))
    return Made(machines, keeps, wrong, states, faults, order, twins)
