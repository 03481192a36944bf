"""A reader of SlateDB loses a table under its feet.

A reader takes the manifest, which names table 1. A compaction replaces table 1 by table 2, and the collector deletes
what the manifest does not name any more. The reader opens table 1: not found.

Repair: a reader leaves a checkpoint before it takes the manifest, and the collector deletes nothing that a checkpoint
may need. The collector reads the manifest before it looks for checkpoints: a reader that comes later takes that
manifest, or a newer one.
"""

from collections.abc import Iterator

from lakeproof import (
    Always,
    Call,
    Env,
    Finding,
    Reached,
    Reads,
    Scenario,
    Snapshot,
    Status,
    Violation,
)

THREADS = "slatedb/slatedb#604, slatedb/slatedb#487"
STEPS = 7
MANIFEST, CHECKPOINT = (b"db", b"manifest"), (b"db", b"checkpoint")


async def read(env: Env, protected: bool = False) -> None:
    if protected:
        await env.store.set(*CHECKPOINT, b"reading")
    table = (await env.store.get(*MANIFEST)).value.decode()
    await env.objects.get(table)
    if protected:
        await env.store.delete(*CHECKPOINT)


async def compact(env: Env, number: int) -> None:
    await env.objects.put(f"sst/{number}", b"rows")
    await env.store.set(*MANIFEST, f"sst/{number}".encode())


async def collect(env: Env) -> None:
    current = (await env.store.get(*MANIFEST)).value.decode()
    if not await env.store.find(*CHECKPOINT):
        await env.objects.delete("sst/1" if current == "sst/2" else "sst/0")


def read_succeeds(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls("read"):
        if call.status is Status.FAIL:
            yield Violation("read-succeeds", "the reader opens a table that is deleted")
        elif call.status is Status.OK and "sst/1" not in snapshot.objects:
            yield Reached("the reader and the collector are done")


INVARIANT = Always(
    id="read-succeeds",
    meaning="a reader finds the tables that its manifest names",
    check=read_succeeds,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="slatedb_reader_loses_table/published",
        setup=[Call(compact, 1)],
        clients=[[Call(read)], [Call(compact, 2)], [Call(collect)]],
        invariants=[INVARIANT],
        expect={"read-succeeds": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="slatedb_reader_loses_table/repaired",
        setup=[Call(compact, 1)],
        clients=[[Call(read, protected=True)], [Call(compact, 2)], [Call(collect)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
