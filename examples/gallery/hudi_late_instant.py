"""An instant of Hudi appears in the past, and incremental readers never see it.

A writer takes its instant from a clock, works for long, and puts it on the timeline late. Another writer has taken a
later instant meanwhile and is on the timeline already. A reader that has read so far goes on after the latest instant
that it has seen. The late one is never returned.

Repair: an instant is taken and put on the timeline in one conditional write, so that the timeline has no gaps.
"""

from collections.abc import Iterator

from lakeproof import (
    Call,
    Env,
    Eventually,
    Finding,
    Reached,
    Scenario,
    Snapshot,
    Violation,
)

THREADS = "apache/hudi#11344, apache/hudi#11580"
STEPS = 7
CLOCK = (b"clock", b"last")


async def commit(env: Env, at_once: bool = False) -> None:
    if at_once:
        instant = 1 + len([entry async for entry in env.store.scan(b"timeline")])
        while not await env.store.try_set_if(b"timeline", b"%d" % instant, b"complete", None):
            instant += 1
        return
    while True:
        found = await env.store.find(*CLOCK)
        instant = int(found.value) + 1 if found else 1
        if await env.store.try_set_if(*CLOCK, b"%d" % instant, found.predicate if found else None):
            break
    await env.store.set(b"timeline", b"%d" % instant, b"complete")


async def read_increment(env: Env) -> tuple[str, ...]:
    return tuple([entry.key.decode() async for entry in env.store.scan(b"timeline")])


def nothing_appears_in_the_past(snapshot: Snapshot) -> Iterator[Finding]:
    timeline = {key.decode() for (partition, key) in snapshot.store if partition == b"timeline"}
    for call in snapshot.calls("read_increment"):
        seen = [str(one) for one in call.value] if isinstance(call.value, tuple) else []
        for instant in sorted(timeline - set(seen)):
            if seen and instant < max(seen):
                yield Violation("nothing-appears-in-the-past", f"{max(seen)} was read, then {instant} appeared")
            elif seen:
                yield Reached("an instant came after what was read")


INVARIANT = Eventually(
    id="nothing-appears-in-the-past",
    meaning="no instant appears before one that a reader has seen",
    check=nothing_appears_in_the_past,
)

SCENARIOS = [
    Scenario(
        name="hudi_late_instant/published",
        clients=[[Call(commit)], [Call(commit)], [Call(read_increment)]],
        invariants=[INVARIANT],
        expect={"nothing-appears-in-the-past": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="hudi_late_instant/repaired",
        clients=[[Call(commit, at_once=True)], [Call(commit, at_once=True)], [Call(read_increment)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
