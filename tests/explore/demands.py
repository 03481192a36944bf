"""Invariants of every kind for generated flow sets: some of them hold, some are violated."""

from collections.abc import Hashable, Iterator
from typing import Final

import attrs

from lakeproof import Aftermath, Call
from lakeproof.model import kv
from lakeproof.model.invariants import (
    Always,
    Eventually,
    Finding,
    Invariant,
    Monitor,
    Observer,
    OnStep,
    Reached,
    Reads,
    Violation,
)
from lakeproof.model.snapshot import Event, Invoked, Observed, Outcome, Returned, Snapshot, Status, Transition
from tests.explore.programs import KEYS, Get, Program, Set, digit, run_program

EVERYTHING: Final = frozenset(Reads)

START: Final = 1_700_000_000_000_000


@attrs.frozen
class Demands:
    """What the invariants of a set ask for: some demands are met, others are not."""

    forbidden: int
    """A digit that must not be stored under the key ``key``."""
    key: int
    limit: int
    """How much may have happened to all clients together."""
    monitored: bool
    observed: bool


def count_gets(effects: tuple[Observed, ...]) -> Hashable:
    return sum(isinstance(observed.op, kv.Get) for observed in effects)


def invariants(demands: Demands) -> Iterator[Invariant]:
    """One invariant of each kind, and one that always holds, so that no search stops early."""
    observers = (Observer("gets", count_gets),) if demands.observed else ()
    forbidden = digit(demands.forbidden)

    def always(snapshot: Snapshot) -> Iterator[Finding]:
        yield Reached("a state")

    def stored(snapshot: Snapshot) -> Iterator[Finding]:
        found = snapshot.store.get(KEYS[demands.key])
        if found == forbidden:
            yield Violation("stored", f"{found!r}")
        elif found is not None:
            yield Reached("a value")

    def told(snapshot: Snapshot) -> Iterator[Finding]:
        calls = [call for calls in snapshot.clients for call in calls]
        bad = sum(call.status in (Status.FAIL, Status.INFO, Status.CRASHED) for call in calls)
        good = sum(call.status is Status.OK and call.value is not None for call in calls)
        jumped = snapshot.now > START
        yield Violation("told", f"{bad=} {good=}") if bad + good + jumped > demands.limit else Reached("told")

    def ended(snapshot: Snapshot) -> Iterator[Finding]:
        held = sorted(map(str, snapshot.store.values()))
        if len(set(held)) < len(held) or len(snapshot.objects) > 1:
            yield Violation("ended", f"{held}")
        elif held or snapshot.objects:
            yield Reached("something")

    def stepped(transition: Transition) -> Iterator[Finding]:
        before, after = transition.before.store, transition.after.store
        shrunk = any(str(after[at]) < str(value) for at, value in before.items())  # it is a `set`: no key goes
        blind = demands.observed and transition.call.saw("gets") == 0
        if shrunk or (blind and before):
            yield Violation("stepped", f"{before} -> {after}")
        else:
            yield Reached("a write")

    yield Always(id="always", meaning="holds", check=always)
    yield Always(id="stored", meaning="a digit is never stored", check=stored, observers=observers)
    yield Always(id="told", meaning="little happens to clients", check=told, reads=EVERYTHING)
    yield Eventually(id="ended", meaning="values differ at the end", check=ended, reads=EVERYTHING)
    yield OnStep(
        id="stepped",
        meaning="values grow, and writers have read",
        check=stepped,
        watches=lambda _, op: isinstance(op, kv.Set | kv.SetIf),
    )
    if demands.monitored:
        yield Monitor(id="order", meaning="calls return in order", initial=(frozenset(), ""), advance=order)


def order(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    """Values are returned in ascending order whenever no other client's call is open. Clients count by number."""
    assert isinstance(state, tuple)
    busy, highest = state
    assert isinstance(busy, frozenset)
    if isinstance(event, Invoked):
        return (busy | {event.client}, highest), ()
    assert isinstance(event, Returned)
    value = str(event.call.value)
    if busy == {event.client} and value < highest:
        return state, (Violation("order", f"{value} after {highest}"),)
    return (busy - {event.client}, max(value, highest)), (Reached("a return"),)


def aftermath(demands: Demands) -> Aftermath:
    """A further reader must not find the forbidden digit; the clock has moved on."""

    def check(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
        values = [outcome.value for outcome in outcomes]
        bad = values[0] == digit(demands.forbidden) or snapshot.now == START
        return [Violation("after", f"{values}") if bad else Reached("a reader")]

    reader = Program((Get(demands.key), Set(demands.key, "next")), returns="last")
    return Aftermath(id="after", meaning="", calls=[Call(run_program, reader)], check=check, clock_advance=1)
