"""A commit of delta-rs outlives its lock, is reported as failed, and is in the log.

Versions are written under a lock in DynamoDB with a lease. S3 pauses in the middle of the commit, the lease expires,
and another worker takes the lock. The commit lands. At its release the writer sees that the lock is not its own, and
reports a failure. The caller commits again, and the data are there twice.

Repair: the answer depends on the log and not on the lock. The put is conditional, so no lock is needed to keep it
from replacing another version, and its answer is the answer of the commit.
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
)

THREADS = "delta-io/delta-rs#268, delta-io/delta-rs#233"
STEPS = 10
LOCK = (b"locks", b"table")
LEASE = 20_000_000


async def commit(env: Env, writer: str, by_the_log: bool = False) -> None:
    mine = await locked(env, writer)
    version = len([head async for head in env.objects.list("log/")])
    await env.objects.put(f"log/{version}", writer.encode(), if_absent=True)
    held = await env.store.find(*LOCK)
    if not by_the_log and (not held or held.value != mine):
        raise kv.Refused("the lock was lost")


async def locked(env: Env, writer: str) -> bytes:
    found, now = await env.store.find(*LOCK), await env.clock.now()
    if found and int(found.value.split()[1]) > now:
        raise kv.Refused("the lock is held")
    mine = f"{writer} {now + LEASE}".encode()
    await env.store.set_if(*LOCK, mine, found.predicate if found else None)
    return mine


def failed_is_not_in_log(snapshot: Snapshot) -> Iterator[Finding]:
    log = {held.content.decode() for held in snapshot.objects.values()}
    for call in snapshot.calls("commit"):
        if call.status is Status.FAIL and call.args[0] in log:
            yield Violation("failed-is-not-in-log", f"the commit of {call.args[0]} has failed, and is in the log")
    if len(log) > 1:
        yield Reached("a second worker has taken over an expired lock")


INVARIANT = Always(
    id="failed-is-not-in-log",
    meaning="a commit that is reported as failed is not in the log",
    check=failed_is_not_in_log,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="delta_rs_lease_pause/published",
        clients=[[Call(commit, "w1")], [Call(commit, "w2")]],
        invariants=[INVARIANT],
        faults=Faults(clock_jumps=(30_000_000,)),
        expect={"failed-is-not-in-log": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="delta_rs_lease_pause/repaired",
        clients=[[Call(commit, "w1", by_the_log=True)], [Call(commit, "w2", by_the_log=True)]],
        invariants=[INVARIANT],
        faults=Faults(clock_jumps=(30_000_000,)),
        source=THREADS,
    ),
]
