"""A stalled writer of SlateDB has a put acknowledged that is never replayed.

A writer owns the next number of the write-ahead log by putting that object if it is absent. A new writer fences the
old one by taking the number, compacts what lies below, and records that in the manifest. The collector deletes the
objects that the manifest has left behind, the fence with them. Now the old writer wakes up and its conditional put
succeeds, in a place where no replay looks.

Repair: before it acknowledges a put, a writer reads in the manifest whether the log still reaches so far back.
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
    Status,
    Violation,
    kv,
    objects,
)

THREADS = "slatedb/slatedb#352, slatedb/slatedb#1622, lance-format/lance#6699"
STEPS = 5
MANIFEST = (b"db", b"manifest")


async def put(env: Env, number: int, checks: bool = False) -> None:
    await env.objects.put(f"wal/{number}", b"row", if_absent=True)
    if checks and await env.store.find(*MANIFEST):
        raise kv.OutcomeUnknown("another writer has taken over")


async def take_over(env: Env) -> None:
    number, flushed = 1, b""
    while True:
        try:
            await env.objects.put(f"wal/{number}", b"fence", if_absent=True)
            break
        except objects.PreconditionFailed:
            flushed += await env.objects.get(f"wal/{number}")
            number += 1
    await env.store.set(*MANIFEST, b"%d %s" % (number, flushed))


async def collect(env: Env) -> None:
    if found := await env.store.find(*MANIFEST):
        for number in range(1, int(found.value.split()[0]) + 1):
            await env.objects.delete(f"wal/{number}")


def acknowledged_is_replayed(snapshot: Snapshot) -> Iterator[Finding]:
    manifest = snapshot.store.get(MANIFEST, b"0 ")
    assert isinstance(manifest, bytes)
    for call in snapshot.calls("put"):
        if call.status is Status.OK:
            replayed, flushed = int(manifest.split()[0]), b"row" in manifest
            if not flushed and replayed >= 1:
                yield Violation(
                    "acknowledged-is-replayed", f"the row is in wal/1, and a replay begins after {replayed}"
                )
            elif flushed:
                yield Reached("the row was flushed by the new writer")


INVARIANT = Eventually(
    id="acknowledged-is-replayed",
    meaning="an acknowledged put is in the tables, or in the part of the log that is replayed",
    check=acknowledged_is_replayed,
)

SCENARIOS = [
    Scenario(
        name="slatedb_stalled_writer/published",
        clients=[[Call(put, 1)], [Call(take_over)], [Call(collect)]],
        invariants=[INVARIANT],
        expect={"acknowledged-is-replayed": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="slatedb_stalled_writer/repaired",
        clients=[[Call(put, 1, checks=True)], [Call(take_over)], [Call(collect)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
