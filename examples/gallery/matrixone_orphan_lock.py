"""MatrixOne releases the lock of an orphaned transaction whose commit is still under way.

A service takes a transaction for an orphan. It marks the transaction as one that must not commit, and releases its
lock. But the commit may have passed the check of that mark already. A second transaction gets the lock, reads the old
value, and one of the two updates is lost.

Repair: the check and the mark are one conditional write. Either the transaction is committing, and keeps its lock, or
it is aborted, and cannot commit.
"""

from collections.abc import Iterator

from lakeproof import (
    Call,
    Env,
    Eventually,
    Finding,
    Reached,
    Scenario,
    Snapshot,
    Status,
    Violation,
    kv,
)

THREADS = "matrixorigin/matrixone#15670"
STEPS = 9
STATE, LOCK, ROW = (b"tn", b"state"), (b"locks", b"row"), (b"tn", b"row")


async def commit_orphan(env: Env, claims: bool = False) -> None:
    before = int((await env.store.get(*ROW)).value)
    if claims:
        await env.store.set_if(*STATE, b"committing", b"active")
    elif (await env.store.get(*STATE)).value == b"aborted":
        raise kv.Refused("aborted")
    await env.store.set(*ROW, b"%d" % (before + 1))
    await env.store.delete(*LOCK)


async def release_orphan(env: Env, claims: bool = False) -> None:
    if claims:
        await env.store.set_if(*STATE, b"aborted", b"active")
    else:
        await env.store.set(*STATE, b"aborted")
    await env.store.delete(*LOCK)


async def update(env: Env) -> None:
    await env.store.set_if(*LOCK, b"second", None)
    before = int((await env.store.get(*ROW)).value)
    await env.store.set(*ROW, b"%d" % (before + 1))


async def begin(env: Env) -> None:
    await env.store.set(*LOCK, b"orphan")
    await env.store.set(*STATE, b"active")
    await env.store.set(*ROW, b"0")


def no_lost_update(snapshot: Snapshot) -> Iterator[Finding]:
    row = snapshot.store[ROW]
    assert isinstance(row, bytes)
    done = sum(call.status is Status.OK for call in snapshot.calls("commit_orphan", "update"))
    if int(row) < done:
        yield Violation("no-lost-update", f"{done} transactions have committed, and the row is {int(row)}")
    elif done > 1:
        yield Reached("both transactions have committed")


INVARIANT = Eventually(id="no-lost-update", meaning="each committed update counts", check=no_lost_update)

SCENARIOS = [
    Scenario(
        name="matrixone_orphan_lock/published",
        setup=[Call(begin)],
        clients=[[Call(commit_orphan)], [Call(release_orphan)], [Call(update)]],
        invariants=[INVARIANT],
        expect={"no-lost-update": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="matrixone_orphan_lock/repaired",
        setup=[Call(begin)],
        clients=[[Call(commit_orphan, claims=True)], [Call(release_orphan, claims=True)], [Call(update)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
