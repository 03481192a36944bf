"""Two clients hold one lock of etcd, because the lease of the first has expired.

A client takes the lock and stalls. Its lease expires, and a second client takes the lock and writes to a storage. The
first wakes up and writes as well: nothing in its state says that the lock is lost. An update is lost.

Repair: the lock comes with a number that grows (the revision of its key), and the storage refuses a write under a
smaller number than the largest that it has seen.
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

THREADS = "etcd-io/etcd#10811, etcd-io/etcd#11456, etcd-io/etcd#11788"
STEPS = 11
LOCK, STORAGE = (b"etcd", b"lock"), (b"storage", b"file")
LEASE = 10_000_000


async def append(env: Env, client: str, fenced: bool = False) -> None:
    found, now = await env.store.find(*LOCK), await env.clock.now()
    token, expires = map(int, found.value.split()) if found else (0, 0)
    if expires > now:
        raise kv.Refused("the lock is held")
    await env.store.set_if(*LOCK, b"%d %d" % (token + 1, now + LEASE), found.predicate if found else None)
    before = await env.store.find(*STORAGE)
    seen, text = before.value.split(b":") if before else (b"0", b"")
    after = b"%d:%s" % (token + 1, text + client.encode())
    if fenced and int(seen) > token + 1:
        raise kv.Refused("the lock is old")
    if fenced:
        await env.store.set_if(*STORAGE, after, before.predicate if before else None)
    else:
        await env.store.set(*STORAGE, after)


def no_lost_update(snapshot: Snapshot) -> Iterator[Finding]:
    text = snapshot.store.get(STORAGE, b"0:")
    assert isinstance(text, bytes)
    done = [str(call.args[0]) for call in snapshot.calls("append") if call.status is Status.OK]
    for client in done:
        if client not in text.decode():
            yield Violation("no-lost-update", f"{client} was appended under the lock, and the file is {text.decode()}")
    if len(done) > 1:
        yield Reached("both clients have had the lock")


INVARIANT = Always(
    id="no-lost-update",
    meaning="what was appended under the lock stays",
    check=no_lost_update,
    reads=frozenset({Reads.STORE, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="etcd_lock_without_token/published",
        clients=[[Call(append, "A")], [Call(append, "B")]],
        invariants=[INVARIANT],
        faults=Faults(clock_jumps=(15_000_000,)),
        expect={"no-lost-update": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="etcd_lock_without_token/repaired",
        clients=[[Call(append, "A", fenced=True)], [Call(append, "B", fenced=True)]],
        invariants=[INVARIANT],
        faults=Faults(clock_jumps=(15_000_000,)),
        source=THREADS,
    ),
]
