"""A queued delete of s3-orchestrator removes the copy that a later put has committed.

A copy is discarded, and the delete of its bytes is queued by backend and key. A put to the same key commits
meanwhile. The delete removes the bytes of that put. The record remains, and a replica is counted that does not exist.

Repair: bytes have an address of their own, and the queue names the address. A delete then cannot meet the bytes of
another put.
"""

from collections.abc import Iterator

from lakeproof import (
    Call,
    Env,
    Eventually,
    Finding,
    Reached,
    Reads,
    Scenario,
    Snapshot,
    Violation,
)

THREADS = "afreidah/s3-orchestrator#1527"
STEPS = 5
RECORD, QUEUE = (b"database", b"key"), (b"database", b"queue")


async def put(env: Env, value: str, own_address: bool = False) -> None:
    address = f"key-{value}" if own_address else "key"
    await env.objects.put(address, value.encode())
    await env.store.set(*RECORD, address.encode())


async def discard(env: Env) -> None:
    record = await env.store.get(*RECORD)
    await env.store.set(*QUEUE, record.value)
    await env.store.delete(*RECORD)


async def work_off_queue(env: Env) -> None:
    if queued := await env.store.find(*QUEUE):
        await env.objects.delete(queued.value.decode())
        await env.store.delete(*QUEUE)


def record_is_readable(snapshot: Snapshot) -> Iterator[Finding]:
    record = snapshot.store.get(RECORD)
    if isinstance(record, bytes) and all(call.done for call in snapshot.calls()):
        if record.decode() not in snapshot.objects:
            yield Violation("record-is-readable", f"the record names {record.decode()}, which is deleted")
        elif QUEUE not in snapshot.store:
            yield Reached("the queue is done, and the new value is there")


INVARIANT = Eventually(
    id="record-is-readable",
    meaning="the bytes that the record names are there",
    check=record_is_readable,
    reads=frozenset({Reads.STORE, Reads.OBJECTS, Reads.CLIENTS}),
)


async def put_and_discard(env: Env, own_address: bool = False) -> None:
    await put(env, "old", own_address)
    await discard(env)


SCENARIOS = [
    Scenario(
        name="orchestrator_late_delete/published",
        setup=[Call(put_and_discard)],
        clients=[[Call(put, "new")], [Call(work_off_queue)]],
        invariants=[INVARIANT],
        expect={"record-is-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="orchestrator_late_delete/repaired",
        setup=[Call(put_and_discard, own_address=True)],
        clients=[[Call(put, "new", own_address=True)], [Call(work_off_queue)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
