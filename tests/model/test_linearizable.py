"""Linearizability monitors: hand-made event orders with known verdicts."""

from collections.abc import Hashable, Sequence

import pytest

from lakeproof import Call, Client, Env, Faults, Scenario, kv
from lakeproof.model.invariants import Finding, Monitor, Reached, Violation
from lakeproof.model.linearizable import Specification, linearizable
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Status
from lakeproof.testing.check import NotAsExpected, check
from tests.model.test_branch_invariants import judged


def register(state: Hashable, name: str, args: tuple[Hashable, ...]) -> tuple[Hashable, Hashable]:
    return (args[0], None) if name == "write" else (state, state)


MONITOR = linearizable(Specification(name="register", initial=0, apply=register))


def invoke(client: int, name: str, *args: Hashable) -> Event:
    return Invoked(client, 0, name, args)


def ok(client: int, name: str, *args: Hashable, value: Hashable = None) -> Event:
    return Returned(client, 0, CallView(name, args, Status.OK, value))


def violated(events: Sequence[Event]) -> bool:
    return judged(MONITOR, events) == "violated"


def test_results_are_told_apart_by_type_and_bits() -> None:
    write = [invoke(0, "write", 0), ok(0, "write", 0)]
    assert not violated([*write, invoke(1, "read"), ok(1, "read", value=0)])
    for other in (False, 0.0, -0.0):
        assert violated([*write, invoke(1, "read"), ok(1, "read", value=other)])


def test_states_that_compare_equal_are_two_states() -> None:
    """Either write may be the last one: the register holds True or 1, and both reads are explained, each by its own."""
    both = [invoke(0, "write", 1), invoke(1, "write", True), ok(0, "write", 1), ok(1, "write", True)]
    assert not violated([*both, invoke(2, "read"), ok(2, "read", value=True)])
    assert not violated([*both, invoke(2, "read"), ok(2, "read", value=1)])
    assert violated([*both, invoke(2, "read"), ok(2, "read", value=1.0)])


async def look_at_nothing(env: Env) -> bytes:
    return b"1"


async def store_value(env: Env, value: bytes) -> None:
    if value != b"1":
        raise kv.Refused
    await env.store.set(b"p", b"k", value)


def test_a_call_without_an_effect_is_invoked_as_it_returns() -> None:
    def advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
        assert isinstance(state, frozenset)
        call, begins = (event.client, event.index), isinstance(event, Invoked)
        wrong = () if begins != (call in state) else (Violation("paired", str(event)),)
        return state ^ {call}, (*wrong, Reached("an event"))

    monitor = Monitor(id="paired", meaning="each return has its invocation", initial=frozenset(), advance=advance)
    calls = [Call(look_at_nothing), Call(store_value, b"1"), Call(store_value, b"2"), Call(look_at_nothing)]
    clients = [Client(calls, recover=Call(look_at_nothing)), Client([Call(look_at_nothing)], recover=calls)]
    check(Scenario(name="paired", clients=clients, invariants=[monitor], faults=Faults(restarts=2, crashes=1)))


def test_a_call_that_returns_before_the_first_effect_is_judged() -> None:
    async def read(env: Env) -> bytes:
        return b"2"

    async def write(env: Env, value: bytes) -> None:
        await env.store.set(b"p", b"k", value)

    scenario = Scenario(name="first", clients=[[Call(read), Call(write, b"1")]], invariants=[MONITOR])
    with pytest.raises(NotAsExpected, match="'2'"):
        check(scenario)
