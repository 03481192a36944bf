"""A removal of orphan files deletes what an Iceberg commit is about to publish.

A writer uploads data and metadata, and publishes the new pointer after that. A cleanup lists the folder in between:
no snapshot reaches the new files, so they are orphans. It deletes them, and the pointer names files that are gone.

Repair: one lock for both. A writer registers before its upload; a cleanup marks the table, and works only if no
writer is registered. A writer that meets the mark does not start.
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

THREADS = "apache/amoro#2925, viggy28/streambed#47"
STEPS = 6
POINTER, TABLE = (b"catalog", b"pointer"), (b"catalog", b"in-use")


async def write(env: Env, registers: bool = False) -> None:
    if registers:
        await env.store.set_if(*TABLE, b"writer", None)
    await env.objects.put("data/1", b"rows")
    await env.store.set(*POINTER, b"data/1")
    if registers:
        await env.store.delete(*TABLE)


async def remove_orphans(env: Env, registers: bool = False) -> None:
    if registers:
        await env.store.set_if(*TABLE, b"cleanup", None)
    listed = [head.address async for head in env.objects.list("data/")]
    pointer = await env.store.find(*POINTER)
    for address in listed:
        if not pointer or pointer.value.decode() != address:
            await env.objects.delete(address)
    if registers:
        await env.store.delete(*TABLE)


async def leave_orphan(env: Env) -> None:
    await env.objects.put("data/0", b"of a writer that crashed")


def table_is_readable(snapshot: Snapshot) -> Iterator[Finding]:
    pointer = snapshot.store.get(POINTER)
    if isinstance(pointer, bytes):
        if pointer.decode() not in snapshot.objects:
            yield Violation("table-is-readable", f"the table names {pointer.decode()}, which is deleted")
        elif "data/0" not in snapshot.objects:
            yield Reached("the orphan is deleted, and the table can be read")


INVARIANT = Always(
    id="table-is-readable",
    meaning="the file that the table names is there",
    check=table_is_readable,
    reads=frozenset({Reads.STORE, Reads.OBJECTS}),
)

SCENARIOS = [
    Scenario(
        name="iceberg_orphan_files/published",
        setup=[Call(leave_orphan)],
        clients=[[Call(write)], [Call(remove_orphans)]],
        invariants=[INVARIANT],
        expect={"table-is-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="iceberg_orphan_files/repaired",
        setup=[Call(leave_orphan)],
        clients=[[Call(write, registers=True)], [Call(remove_orphans, registers=True)]],
        invariants=[INVARIANT],
        faults=Faults(crashes=1),
        source=THREADS,
    ),
]
