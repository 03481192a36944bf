"""A transaction of Ceph is run twice, and finds the lease that it has taken itself.

The gateway takes a lease in a FoundationDB transaction. The commit takes place, its result is unknown, and the
library runs the body of the transaction again. The body finds an active lease and answers "held by another". No
client releases this lease, so all wait until it expires. A review of the change found this.

Repair: the body compares holder and token with its own.
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

THREADS = "ceph/ceph#67012"
STEPS = 3
LEASE = (b"fdb", b"lease")


async def acquire(env: Env, holder: str, compares: bool = False) -> None:
    while True:
        found = await env.store.find(*LEASE)
        if found and compares and found.value == holder.encode():
            return
        if found:
            raise kv.Refused("the lease is held by another")
        try:
            await env.store.set_if(*LEASE, holder.encode(), None)
            return
        except kv.OutcomeUnknown:
            continue


def refused_holds_nothing(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls("acquire"):
        if call.status is Status.FAIL and snapshot.store.get(LEASE) == str(call.args[0]).encode():
            yield Violation("refused-holds-nothing", f"{call.args[0]} was refused, and holds the lease")
        elif call.status is Status.FAIL:
            yield Reached("a holder was refused, and another has the lease")


INVARIANT = Always(
    id="refused-holds-nothing",
    meaning="a client that was refused does not hold the lease",
    check=refused_holds_nothing,
    reads=frozenset({Reads.STORE, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="ceph_own_lease/published",
        clients=[[Call(acquire, "w1")], [Call(acquire, "w2")]],
        invariants=[INVARIANT],
        faults=Faults(lost_answers=1),
        expect={"refused-holds-nothing": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="ceph_own_lease/repaired",
        clients=[[Call(acquire, "w1", compares=True)], [Call(acquire, "w2", compares=True)]],
        invariants=[INVARIANT],
        faults=Faults(lost_answers=1),
        source=THREADS,
    ),
]
