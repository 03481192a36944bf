"""The time to live of a DynamoDB entry lets a second writer overwrite a Delta commit.

The log store claims version 1 by an entry in DynamoDB, copies the commit from a temporary object to its place in S3,
and marks the entry as complete. The time to live of a complete entry was its time of completion, so DynamoDB removes
it at once. A slow writer, which chose version 1 long ago, finds no entry, claims the version anew, and copies its own
commit over the first.

Repair: the writer looks at S3 first, and a complete entry lives for another hour. The proof needs a bound: no writer
stalls for that hour between its look and its claim. A third scenario lets one stall for longer, and the commit is
lost as before.
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
    Status,
    Violation,
    kv,
    objects,
)

THREADS = "delta-io/delta#1410, delta-io/delta#1416"
STEPS = 9
ENTRY = (b"table", b"1")
MINUTE = 60_000_000
HOUR = 60 * MINUTE


async def commit(env: Env, writer: str, lives: int = 0) -> None:
    await env.objects.put(f"temporary/{writer}", writer.encode())
    if lives:
        await refuse_if_there(env)
    await env.store.set_if(*ENTRY, b"claimed", None)
    await env.objects.copy(f"temporary/{writer}", "log/1")
    await env.store.set(*ENTRY, b"%d" % (await env.clock.now() + lives))


async def refuse_if_there(env: Env) -> None:
    try:
        await env.objects.head("log/1")
    except objects.ObjectNotFound:
        return
    raise kv.Refused("version 1 exists")


async def expire(env: Env) -> None:
    found = await env.store.find(*ENTRY)
    if found and found.value.isdigit() and int(found.value) <= await env.clock.now():
        await env.store.delete(*ENTRY)


def committed_is_in_log(snapshot: Snapshot) -> Iterator[Finding]:
    held = snapshot.objects.get("log/1")
    for call in snapshot.calls("commit"):
        if call.status is Status.OK:
            if held is None or held.content.decode() != call.args[0]:
                yield Violation(
                    "committed-is-in-log", f"the commit of {call.args[0]} was acknowledged, and is replaced"
                )
            else:
                yield Reached("the log has the commit that was acknowledged")


INVARIANT = Always(
    id="committed-is-in-log",
    meaning="an acknowledged commit stays in the log",
    check=committed_is_in_log,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="delta_dynamodb_expiry/published",
        clients=[[Call(commit, "w1")], [Call(commit, "w2")], [Call(expire)]],
        invariants=[INVARIANT],
        expect={"committed-is-in-log": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="delta_dynamodb_expiry/repaired",
        clients=[[Call(commit, "w1", lives=HOUR)], [Call(commit, "w2", lives=HOUR)], [Call(expire)]],
        invariants=[INVARIANT],
        faults=Faults(clock_jumps=(30 * MINUTE,)),
        source=THREADS,
    ),
    Scenario(
        name="delta_dynamodb_expiry/repaired-and-stalled-for-an-hour",
        clients=[[Call(commit, "w1", lives=HOUR)], [Call(commit, "w2", lives=HOUR)], [Call(expire)]],
        invariants=[INVARIANT],
        faults=Faults(clock_jumps=(61 * MINUTE,)),
        expect={"committed-is-in-log": "violated"},
        source=THREADS,
    ),
]
