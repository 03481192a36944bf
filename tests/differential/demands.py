"""Invariants as values: what generated sets are judged by. Each looks at values by their type and bits."""

from collections.abc import Hashable, Iterator
from typing import Final, Literal

import attrs

from lakeproof import Aftermath, Call
from lakeproof.impl.effects import Now
from lakeproof.model import kv, objects
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
from lakeproof.model.snapshot import CallView, Event, Invoked, Observed, Outcome, Returned, Snapshot, Status, Transition
from tests.differential.interpreter import run_program
from tests.differential.programs import KEYS, START, Const, Get, Instruction, Program, Set
from tests.differential.typed import typed

CLIENTS: Final = frozenset({Reads.CLIENTS})
EVERYTHING: Final = frozenset(Reads)


def same(left: object, right: object) -> bool:
    return typed(left) == typed(right)


def ok(call: CallView, value: Hashable) -> bool:
    """Whether the call returned just this value."""
    return call.status is Status.OK and same(call.value, value)


def verdict(name: str, wrong: object, tested: object) -> Iterator[Finding]:
    if wrong:
        yield Violation(name, f"{wrong}")
    elif tested:
        yield Reached("tested")


def all_calls(snapshot: Snapshot) -> list[CallView]:
    return [call for calls in snapshot.clients for call in calls]


@attrs.frozen
class Holds:
    """Always true, so that no search stops early."""

    def build(self, name: str) -> Invariant:
        return Always(id=name, meaning="holds", check=lambda _: [Reached("a state")])


@attrs.frozen
class NoneReturned:
    """No call (of that client; None: of any) returned just this value."""

    value: Hashable
    client: int | None = None

    def build(self, name: str) -> Invariant:
        def check(snapshot: Snapshot) -> Iterator[Finding]:
            shown = snapshot.clients if self.client is None else snapshot.clients[self.client : self.client + 1]
            calls = [call for calls in shown for call in calls if call.done]
            yield from verdict(name, any(ok(call, self.value) for call in calls), calls)

        return Always(id=name, meaning="a value is never returned", check=check, reads=CLIENTS)


@attrs.frozen
class Distinct:
    """No two calls ended in the same way, by type and bits of values and errors."""

    def build(self, name: str) -> Invariant:
        def check(snapshot: Snapshot) -> Iterator[Finding]:
            ends = [typed((call.status, call.value, call.error)) for call in all_calls(snapshot) if call.done]
            yield from verdict(name, len(set(ends)) < len(ends), len(ends) > 1)

        return Always(id=name, meaning="calls end differently", check=check, reads=CLIENTS)


@attrs.frozen
class NotAhead:
    """This client does not end all that it does before another one has begun: an exchange of clients shows it."""

    client: int

    def build(self, name: str) -> Invariant:
        def check(snapshot: Snapshot) -> Iterator[Finding]:
            own = snapshot.clients[self.client]
            others = [calls for client, calls in enumerate(snapshot.clients) if client != self.client]
            ended = any(call.done for call in own)
            yield from verdict(name, ended and not all(others), ended)

        return Always(id=name, meaning="another has begun", check=check, reads=CLIENTS)


@attrs.frozen
class NotWhile:
    """Nothing is under a key (or just this is not) while some call has returned just that value."""

    key: int
    content: bytes | None
    value: Hashable

    def build(self, name: str) -> Invariant:
        def check(snapshot: Snapshot) -> Iterator[Finding]:
            found = snapshot.store.get(KEYS[self.key])
            there = found is not None and self.content in (None, found)
            told = any(ok(call, self.value) for call in all_calls(snapshot))
            yield from verdict(name, there and told, there or told)

        reads = frozenset({Reads.STORE, Reads.CLIENTS})
        return Always(id=name, meaning="a value excludes a key", check=check, reads=reads)


@attrs.frozen
class NotAt:
    """At that time (microseconds since the start) fewer than so many calls have ended."""

    time: int
    ended: int

    def build(self, name: str) -> Invariant:
        def check(snapshot: Snapshot) -> Iterator[Finding]:
            ended = sum(call.done for call in all_calls(snapshot))
            yield from verdict(name, snapshot.now - START == self.time and ended >= self.ended, ended)

        return Always(id=name, meaning="little by then", check=check, reads=frozenset({Reads.CLOCK, Reads.CLIENTS}))


@attrs.frozen
class NoneRaised:
    """No call ended with an error that carries just this value, and no more than so many failed or stopped."""

    value: Hashable
    failures: int

    def build(self, name: str) -> Invariant:
        def check(snapshot: Snapshot) -> Iterator[Finding]:
            calls = [call for call in all_calls(snapshot) if call.status not in (Status.OK, Status.PENDING)]
            raised = [call.error.args for call in calls if call.error is not None and call.done]
            wrong = any(same(args, (self.value,)) for args in raised) or len(calls) > self.failures
            yield from verdict(name, wrong, calls)

        return Always(id=name, meaning="few calls fail", check=check, reads=CLIENTS)


@attrs.frozen
class Ends:
    """At the end: no object was written at that time, not just so many keys are there, and no call saw just this."""

    time: int
    keys: int
    seen: Hashable
    observer: "Glance | None" = None

    def build(self, name: str) -> Invariant:
        def check(snapshot: Snapshot) -> Iterator[Finding]:
            late = any(held.last_modified - START == self.time for held in snapshot.objects.values())
            saw = any(self.observer and same(call.saw(self.observer.name), self.seen) for call in all_calls(snapshot))
            wrong = late or saw or len(snapshot.store) == self.keys
            yield from verdict(name, wrong, snapshot.store or snapshot.objects)

        return Eventually(
            id=name,
            meaning="ends well",
            check=check,
            reads=EVERYTHING,
            observers=(self.observer.build(),) if self.observer else (),
        )


@attrs.frozen
class Glance:
    """A ghost variable: one value as long as the call was told nothing but successes, the next ones after errors."""

    name: str
    values: tuple[Hashable, ...]

    def build(self) -> Observer:
        def fold(effects: tuple[Observed, ...]) -> Hashable:
            errors = sum(isinstance(observed.reply, Exception) for observed in effects)
            return self.values[errors % len(self.values)]

        return Observer(self.name, fold)


WATCHED: Final = {
    "writes": kv.Set | kv.SetIf | kv.Delete | kv.DeleteIf,
    "objects": objects.Put | objects.Copy | objects.SetMetadata | objects.DeleteObject,
    "reads": kv.Get | kv.ScanBatch | objects.GetObject | objects.HeadObject | objects.ListObjects,
}


@attrs.frozen
class Steps:
    """No watched step takes place at that time, is answered so, writes an object at that time, or shrinks the store."""

    watches: Literal["writes", "objects", "reads", "clock"]
    what: Literal["time", "reply", "modified", "shrinks", "glance"]
    wanted: Hashable
    client: int | None = None
    observer: Glance | None = None

    def build(self, name: str) -> Invariant:
        def watches(call: str, op: object) -> bool:
            return isinstance(op, Now if self.watches == "clock" else WATCHED[self.watches])

        def check(step: Transition) -> Iterator[Finding]:
            yield from verdict(name, self._wrong(step) and self.client in (None, step.client), True)

        observers = (self.observer.build(),) if self.observer else ()
        return OnStep(id=name, meaning="steps well", check=check, watches=watches, observers=observers)

    def _wrong(self, step: Transition) -> bool:
        match self.what:
            case "time":
                return step.before.now - START == self.wanted and step.after.now == step.before.now
            case "reply":
                told = step.reply - START if isinstance(step.reply, int) else step.reply
                return same(type(told).__name__ if isinstance(told, Exception) else told, self.wanted)
            case "modified":
                before, after = step.before.objects, step.after.objects
                fresh = [held for at, held in after.items() if before.get(at) != held]
                return any(held.last_modified - START == self.wanted for held in fresh)
            case "shrinks":
                return len(step.after.store) < len(step.before.store)
            case "glance":
                return self.observer is not None and same(step.call.saw(self.observer.name), self.wanted)


@attrs.frozen
class Order:
    """An automaton over returns: its state is the next one of ``states`` after each, or the one of the client that
    returned last, or what was returned last. A call that returns just ``reset`` leads back to the first state. No call
    is invoked in the state ``wrong``; the end is not reached in the state ``bad_end`` while something is under the
    key."""

    by: Literal["turn", "client", "value"]
    states: tuple[Hashable, ...]
    reset: Hashable
    wrong: Hashable
    bad_end: Hashable
    key: int

    def build(self, name: str) -> Invariant:
        def advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
            if isinstance(event, Invoked):
                return state, tuple(verdict(name, same(state, self.wrong), False))
            if ok(event.call, self.reset):
                return self.states[0], (Reached("a reset"),)
            return self._next(state, event), (Reached("a return"),)

        def at_end(state: Hashable, snapshot: Snapshot) -> Iterator[Finding]:
            yield from verdict(name, same(state, self.bad_end) and KEYS[self.key] in snapshot.store, False)

        return Monitor(id=name, meaning="in order", initial=self.states[0], advance=advance, at_end=at_end)

    def _next(self, state: Hashable, event: Returned) -> Hashable:
        match self.by:
            case "turn":
                turn = [typed(known) for known in self.states].index(typed(state))
                return self.states[(turn + 1) % len(self.states)]
            case "client":
                return self.states[event.client % len(self.states)]
            case "value":
                return event.call.value


Demand = Holds | NoneReturned | NotAhead | Distinct | NotWhile | NotAt | NoneRaised | Ends | Steps | Order


@attrs.frozen
class After:
    """One more client, alone on the final stores, does not return just this."""

    instructions: tuple[Instruction, ...] = (Get(0), Set(1, Const(b"after")))
    value: Hashable = None
    advance: int = 0

    def build(self, name: str) -> Aftermath:
        def check(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
            told = any(outcome.status is Status.OK and same(outcome.value, self.value) for outcome in outcomes)
            return list(verdict(name, told and snapshot.now - START >= self.advance, True))

        calls = [Call(run_program, Program(self.instructions, returns="last"))]
        return Aftermath(id=name, meaning="", calls=calls, check=check, clock_advance=self.advance)
