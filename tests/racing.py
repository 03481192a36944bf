"""Counters that race: small scenarios for the tests of traces, reports and the command line. Also a scenario file."""

from collections.abc import Iterator
from contextlib import suppress

from lakeproof import (
    Aftermath,
    Call,
    Env,
    Eventually,
    Faults,
    Finding,
    Outcome,
    Reached,
    Scenario,
    Snapshot,
    Status,
    Violation,
    kv,
)

COUNTER = (b"counters", b"n")


async def increment(env: Env) -> int:
    """Read, add one, write: what is written meanwhile is lost."""
    try:
        found = int((await env.store.get(*COUNTER)).value)
    except kv.NotFound:
        found = 0
    await env.store.set(*COUNTER, b"%d" % (found + 1))
    return found + 1


async def increment_if(env: Env) -> int:
    """The same, but only if nobody has written meanwhile."""
    predicate = None
    with suppress(kv.NotFound):
        predicate = (await env.store.get(*COUNTER)).predicate
    found = int(predicate or b"0")
    await env.store.set_if(*COUNTER, b"%d" % (found + 1), predicate)
    return found + 1


async def clear(env: Env) -> None:
    await env.store.delete(*COUNTER)


def _counts(snapshot: Snapshot) -> Iterator[Finding]:
    done = sum(call.status is Status.OK for call in snapshot.calls("increment", "increment_if"))
    held = snapshot.store.get(COUNTER, b"0")
    assert isinstance(held, bytes)
    if int(held) < done:
        yield Violation("increments-count", f"{done} increments, and the counter says {int(held)}")
    else:
        yield Reached(f"{done} increments counted")


COUNTS = Eventually(id="increments-count", meaning="every acknowledged increment is counted", check=_counts)


def _small_afterwards(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
    value = outcomes[-1].value
    if value == 2:
        return [Violation("stays-small", "one more increment made it 2")]
    return [Reached(f"one more increment made it {value}")]


STAYS_SMALL = Aftermath(
    id="stays-small", meaning="one more increment does not make it 2", calls=[Call(increment)], check=_small_afterwards
)

LOST_UPDATE = Scenario(name="counters/lost-update", clients=[[Call(increment)], [Call(increment)]], invariants=[COUNTS])
KNOWN = Scenario(
    name="counters/known",
    clients=[[Call(increment)], [Call(increment)]],
    invariants=[COUNTS],
    expect={"increments-count": "violated"},
)
ATOMIC = Scenario(name="counters/atomic", clients=[[Call(increment_if)], [Call(increment_if)]], invariants=[COUNTS])
LARGE = Scenario(name="counters/large", clients=[[Call(increment_if)] * 3] * 4, invariants=[COUNTS])
FAULTY = Scenario(
    name="counters/faulty",
    setup=[Call(increment)],
    clients=[[Call(increment), Call(clear)], [Call(increment)]],
    invariants=[COUNTS],
    faults=Faults(crashes=1, lost_answers=1, refusals=1, duplicates=1, clock_jumps=(1_000_000,)),
    expect={"increments-count": "violated"},
)
AFTERWARDS = Scenario(
    name="counters/afterwards",
    clients=[[Call(increment)], [Call(clear)]],
    invariants=[],
    aftermath=[STAYS_SMALL],
    expect={"stays-small": "violated"},
)

SCENARIOS = [LOST_UPDATE, KNOWN, ATOMIC]
