"""A counter that loses updates, and one that does not: see docs/ten-minutes.md."""

from collections.abc import Iterator
from contextlib import suppress

from lakeproof import Call, Env, Eventually, Faults, Finding, Reached, Scenario, Snapshot, Status, Violation, kv

PARTITION, KEY = b"counters", b"visits"


async def increment(env: Env) -> int:
    """Read, add one, write."""
    try:
        value = int((await env.store.get(PARTITION, KEY)).value)
    except kv.NotFound:
        value = 0
    await env.store.set(PARTITION, KEY, b"%d" % (value + 1))
    return value + 1


async def increment_if(env: Env, tries_max: int = 3) -> int:
    """The same, but the write only takes place if no other client has written meanwhile."""
    for _ in range(tries_max):
        found: bytes | None = None
        with suppress(kv.NotFound):
            found = (await env.store.get(PARTITION, KEY)).predicate
        value = int(found or b"0") + 1
        try:
            await env.store.set_if(PARTITION, KEY, b"%d" % value, found)
        except kv.PredicateFailed:
            continue
        return value
    raise kv.Refused(f"other clients wrote {tries_max} times")


def no_lost_update(snapshot: Snapshot) -> Iterator[Finding]:
    """Every acknowledged increment is in the counter."""
    acknowledged = sum(call.status is Status.OK for call in snapshot.calls("increment", "increment_if"))
    held = snapshot.store.get((PARTITION, KEY), b"0")
    assert isinstance(held, bytes)
    if int(held) < acknowledged:
        yield Violation("no-lost-update", f"{acknowledged} increments were acknowledged, the counter says {int(held)}")
    elif acknowledged > 1:
        yield Reached(f"{acknowledged} acknowledged increments, all of them counted")


NO_LOST_UPDATE = Eventually(
    id="no-lost-update", meaning="every acknowledged increment is in the counter", check=no_lost_update
)

SCENARIOS = [
    Scenario(
        name="counter/get-set",
        clients=[[Call(increment)], [Call(increment)]],
        invariants=[NO_LOST_UPDATE],
        expect={"no-lost-update": "violated"},
        reason="nothing happens between read and write, says the flow, and does not ask",
    ),
    Scenario(
        name="counter/set-if",
        clients=[[Call(increment_if)], [Call(increment_if)], [Call(increment_if)]],
        invariants=[NO_LOST_UPDATE],
    ),
    Scenario(
        name="counter/set-if/crash-and-lost-answer",
        clients=[[Call(increment_if)], [Call(increment_if)], [Call(increment_if)]],
        invariants=[NO_LOST_UPDATE],
        faults=Faults(crashes=1, lost_answers=1),
    ),
]
