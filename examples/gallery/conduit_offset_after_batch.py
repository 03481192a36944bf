"""A connector that is killed before it commits its offset delivers the same records again.

A connector reads records from its offset on, writes each of them to the destination, and commits the offset after the
batch. It is killed in the midst of a batch, and starts again. It reads from the old offset, and the records that it had
written arrive a second time.

Repair: each record and the offset behind it are written to the destination in one step, if the offset is what was read.
"""

from collections.abc import Iterator

from lakeproof import Always, Call, Client, Env, Faults, Finding, Reached, Scenario, Snapshot, Violation

THREADS = "ConduitIO/conduit-connector-kafka#233"
STEPS = 5
OFFSET, DELIVERED, RECORDS = (b"connector", b"offset"), b"delivered", 2


async def deliver(env: Env, together: bool = False) -> None:
    found = await env.store.find(*OFFSET)
    for record in range(int(found.value) if found else 0, RECORDS):
        row = (DELIVERED, env.ids.unique("row").encode(), b"record %d" % record)
        if together:
            known = b"%d" % record if record else None
            await env.store.transact(checks=[(*OFFSET, known)], writes=[row, (*OFFSET, b"%d" % (record + 1))])
        else:
            await env.store.set(*row)
    if not together:
        await env.store.set(*OFFSET, b"%d" % RECORDS)


def each_record_is_delivered_once(snapshot: Snapshot) -> Iterator[Finding]:
    rows = sorted(held for (at, _), held in snapshot.store.items() if at == DELIVERED and isinstance(held, bytes))
    if len(set(rows)) < len(rows):
        yield Violation("delivered-once", f"the destination has {b', '.join(rows).decode()}")
    elif len(rows) == RECORDS:
        yield Reached("all records are delivered")


def scenario(name: str, expect: dict[str, str], **options: bool) -> Scenario:
    return Scenario(
        name=f"conduit_offset_after_batch/{name}",
        clients=[Client([Call(deliver, **options)], recover=Call(deliver, **options))],
        invariants=[
            Always(
                id="delivered-once",
                meaning="no record is delivered twice",
                check=each_record_is_delivered_once,
            )
        ],
        faults=Faults(restarts=1),
        expect=expect,
        source=THREADS,
    )


SCENARIOS = [scenario("published", {"delivered-once": "violated"}), scenario("repaired", {}, together=True)]
