"""Iceberg looks for its commit, does not find it, deletes its metadata; then the commit lands.

A swap of the table's pointer times out. The writer reads the table again: neither the current metadata nor the
history names its commit, so it has failed, and its metadata file is deleted. But the metastore is still at work on
the request. Afterwards the pointer names a file that is gone.

Repair: a commit that is not seen is unknown, not failed. The file stays.
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
    kv,
)

THREADS = "apache/iceberg#3717, apache/iceberg#3733, apache/iceberg#2328"
STEPS = 5
TABLE = (b"metastore", b"table")


async def commit(env: Env, writer: str, careful: bool = False) -> None:
    metadata = f"metadata/{writer}"
    await env.objects.put(metadata, b"snapshot")
    try:
        await env.store.set_if(*TABLE, metadata.encode(), None)
    except kv.OutcomeUnknown:
        found = await env.store.find(*TABLE)
        if found and found.value == metadata.encode():
            return
        if not careful:
            await env.objects.delete(metadata)
        raise


def table_is_readable(snapshot: Snapshot) -> Iterator[Finding]:
    held = snapshot.store.get(TABLE)
    if isinstance(held, bytes):
        if held.decode() not in snapshot.objects:
            yield Violation("table-is-readable", f"the table names {held.decode()}, which is deleted")
        else:
            yield Reached("the table names metadata that are there")


INVARIANT = Always(
    id="table-is-readable",
    meaning="the metadata file that the metastore names exists",
    check=table_is_readable,
    reads=frozenset({Reads.STORE, Reads.OBJECTS}),
)

SCENARIOS = [
    Scenario(
        name="iceberg_commit_lands_later/published",
        clients=[[Call(commit, "w1")], [Call(commit, "w2")]],
        invariants=[INVARIANT],
        faults=Faults(lost_answers=1, duplicates=1),
        expect={"table-is-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="iceberg_commit_lands_later/repaired",
        clients=[[Call(commit, "w1", careful=True)], [Call(commit, "w2", careful=True)]],
        invariants=[INVARIANT],
        faults=Faults(lost_answers=1, duplicates=1),
        source=THREADS,
    ),
]
