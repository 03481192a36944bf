"""A full vacuum of delta-rs deletes a file that an append is about to name.

An append puts its data first and the entry of the log after that. A vacuum with `full=True` deletes what the log does
not name, so it deletes the data of an append under way. The entry is written afterwards and names a file that is
gone.

Repair: a vacuum spares files that are younger than its retention. That alone rests on the assumption that no append
takes longer. The put of the log entry is therefore signed for less than the retention: S3 refuses it later. The
vacuum lists the files before it reads the log.
"""

from collections.abc import Iterator

from lakeproof import (
    Always,
    Call,
    Env,
    Faults,
    Finding,
    Reached,
    Reads,
    Scenario,
    Snapshot,
    Violation,
)

THREADS = "delta-io/delta-rs#3645, delta-io/delta-rs#3835"
STEPS = 5
RETENTION = 7 * 24 * 3_600_000_000


async def append(env: Env, deadline: bool = False) -> None:
    ends = await env.clock.now() + RETENTION - 1 if deadline else None
    await env.objects.put("data/1", b"rows")
    await env.objects.put("log/1", b"data/1", if_absent=True, not_after=ends)


async def vacuum(env: Env, retention: int = 0) -> None:
    now = await env.clock.now()
    old = [head.address async for head in env.objects.list("data/") if head.last_modified <= now - retention]
    named = [await env.objects.get(head.address) async for head in env.objects.list("log/")]
    for address in old:
        if address.encode() not in named:
            await env.objects.delete(address)


def log_is_readable(snapshot: Snapshot) -> Iterator[Finding]:
    entry = snapshot.objects.get("log/1")
    vacuumed = any(call.done for call in snapshot.calls("vacuum"))
    if entry is not None and "data/1" not in snapshot.objects:
        yield Violation("log-is-readable", "version 1 names data/1, which is deleted")
    elif entry is not None and vacuumed:
        yield Reached("version 1 can be read after a vacuum")


INVARIANT = Always(
    id="log-is-readable",
    meaning="the files that the log names exist",
    check=log_is_readable,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="delta_rs_vacuum/published",
        clients=[[Call(append)], [Call(vacuum)]],
        invariants=[INVARIANT],
        expect={"log-is-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="delta_rs_vacuum/repaired",
        clients=[[Call(append, deadline=True)], [Call(vacuum, retention=RETENTION)]],
        invariants=[INVARIANT],
        faults=Faults(clock_jumps=(RETENTION // 2, RETENTION)),
        source=THREADS,
    ),
    Scenario(
        name="delta_rs_vacuum/young-files-are-spared-but-an-append-stalls",
        clients=[[Call(append)], [Call(vacuum, retention=RETENTION)]],
        invariants=[INVARIANT],
        faults=Faults(clock_jumps=(RETENTION // 2, RETENTION)),
        expect={"log-is-readable": "violated"},
        source=THREADS,
    ),
]
