"""Iceberg deletes the manifest list of a snapshot that its catalog has committed.

A writer puts a manifest list and sends the catalog a request to swap the table's pointer. The swap takes place, the
answer is lost, and the HTTP client sends the request again. The catalog answers 409, because the pointer has moved:
to this very snapshot. The writer takes that for a conflict and removes its files. The table cannot be read any more.

Repair: a conflict that answers a retried request is an unknown outcome, and what may be committed is left alone.
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

THREADS = "apache/iceberg#12792, apache/iceberg#12818, apache/iceberg#14583"
STEPS = 4
TABLE = (b"catalog", b"table")


async def append(env: Env, writer: str, careful: bool = False) -> None:
    found = await env.store.find(*TABLE)
    manifest = f"manifest/{writer}"
    await env.objects.put(manifest, b"files")
    try:
        await env.store.set_if(*TABLE, manifest.encode(), found.predicate if found else None)
    except kv.PredicateFailed as conflict:
        if careful:
            raise kv.OutcomeUnknown("the request may have been sent twice") from conflict
        await env.objects.delete(manifest)
        raise


def table_is_readable(snapshot: Snapshot) -> Iterator[Finding]:
    held = snapshot.store.get(TABLE)
    if isinstance(held, bytes):
        if held.decode() not in snapshot.objects:
            yield Violation("table-is-readable", f"the table names {held.decode()}, which is deleted")
        else:
            yield Reached("the table names a manifest list that is there")


INVARIANT = Always(
    id="table-is-readable",
    meaning="the manifest list that the catalog names exists",
    check=table_is_readable,
    reads=frozenset({Reads.STORE, Reads.OBJECTS}),
)

SCENARIOS = [
    Scenario(
        name="iceberg_cleanup_after_conflict/published",
        clients=[[Call(append, "w1")], [Call(append, "w2")]],
        invariants=[INVARIANT],
        faults=Faults(false_predicates=1),
        expect={"table-is-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="iceberg_cleanup_after_conflict/repaired",
        clients=[[Call(append, "w1", careful=True)], [Call(append, "w2", careful=True)]],
        invariants=[INVARIANT],
        faults=Faults(false_predicates=1),
        source=THREADS,
    ),
]
