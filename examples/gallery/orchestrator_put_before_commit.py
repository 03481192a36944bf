"""s3-orchestrator deletes the only copy of an object after a put that failed.

A put to an existing key writes the bytes to the backend first, under the same key, and records them in the database
after that. The database refuses, so the put cleans up: it deletes the key at the backend. The old value was replaced
by the first step and is deleted by the last, and the record still names it. One client and one refusal are enough.

Repair: each put writes to an address of its own, and the record names the current one. Cleaning up deletes that
address.
"""

from collections.abc import Iterator

from lakeproof import (
    Call,
    Env,
    Eventually,
    Faults,
    Finding,
    Reached,
    Reads,
    Scenario,
    Snapshot,
    Status,
    Violation,
    kv,
)

THREADS = "afreidah/s3-orchestrator#649"
STEPS = 3
RECORD = (b"database", b"key")


async def put(env: Env, value: str, own_address: bool = False) -> None:
    address = f"key-{env.ids.unique('put')}" if own_address else "key"
    await env.objects.put(address, value.encode())
    try:
        await env.store.set(*RECORD, f"{address} {value}".encode())
    except kv.Refused:
        await env.objects.delete(address)
        raise


def record_is_readable(snapshot: Snapshot) -> Iterator[Finding]:
    record = snapshot.store[RECORD]
    assert isinstance(record, bytes)
    address, value = record.decode().split()
    held = snapshot.objects.get(address)
    if any(call.status is Status.FAIL for call in snapshot.calls("put")):
        if held is None or held.content.decode() != value:
            yield Violation("record-is-readable", f"the record names the value {value}, which is gone")
        else:
            yield Reached("a put has failed, and the old value is there")


INVARIANT = Eventually(
    id="record-is-readable",
    meaning="after a failed put, the value that is recorded is there",
    check=record_is_readable,
    reads=frozenset({Reads.STORE, Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="orchestrator_put_before_commit/published",
        setup=[Call(put, "old")],
        clients=[[Call(put, "new")]],
        invariants=[INVARIANT],
        faults=Faults(refusals=1),
        expect={"record-is-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="orchestrator_put_before_commit/repaired",
        setup=[Call(put, "old", own_address=True)],
        clients=[[Call(put, "new", own_address=True)]],
        invariants=[INVARIANT],
        faults=Faults(refusals=1),
        source=THREADS,
    ),
]
