"""ClickHouse loses an Iceberg table to one lost answer.

A commit is the put of the next `metadata.json`, if it is absent. The put takes place, and no answer comes. The writer
treats the unknown outcome as a failure, and removes the data files and manifests that it has written. The metadata,
which is current now, names them.

Repair: cleaning up is for definite failures. After an unknown outcome the files stay; if nothing names them, a later
collection removes them.
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
    objects,
)

THREADS = "ClickHouse/ClickHouse#112081, ClickHouse/ClickHouse#115390, duckdb/duckdb-iceberg#1120"
STEPS = 3


async def insert(env: Env, writer: str, careful: bool = False) -> None:
    data = f"data/{writer}"
    await env.objects.put(data, b"rows")
    try:
        await env.objects.put("metadata/1", data.encode(), if_absent=True)
    except objects.PreconditionFailed:
        await env.objects.delete(data)
        raise
    except kv.OutcomeUnknown:
        if not careful:
            await env.objects.delete(data)
        raise


def table_is_readable(snapshot: Snapshot) -> Iterator[Finding]:
    held = snapshot.objects.get("metadata/1")
    if held is not None:
        if held.content.decode() not in snapshot.objects:
            yield Violation("table-is-readable", f"the metadata names {held.content.decode()}, which is deleted")
        else:
            yield Reached("the metadata names data that are there")


INVARIANT = Always(
    id="table-is-readable",
    meaning="the data that the current metadata names exist",
    check=table_is_readable,
    reads=frozenset({Reads.OBJECTS}),
)

SCENARIOS = [
    Scenario(
        name="clickhouse_unknown_cleaned_up/published",
        clients=[[Call(insert, "w1")], [Call(insert, "w2")]],
        invariants=[INVARIANT],
        faults=Faults(lost_answers=1),
        expect={"table-is-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="clickhouse_unknown_cleaned_up/repaired",
        clients=[[Call(insert, "w1", careful=True)], [Call(insert, "w2", careful=True)]],
        invariants=[INVARIANT],
        faults=Faults(lost_answers=1),
        source=THREADS,
    ),
]
