"""DuckLake loses a delete, because the conflict that it would have met has expired.

A transaction begins and reads file 1. A compaction replaces file 1 by file 2. Another snapshot follows, and the
compaction's snapshot is expired. The transaction commits a delete from file 1: it looks for conflicts in the
snapshots since it began, finds none, and succeeds. The rows are in file 2 now, where nothing was deleted.

Repair: a commit expects a record of each snapshot since it began. If one is missing, it cannot rule out a conflict,
and refuses.
"""

from collections.abc import Iterator

from lakeproof import (
    Always,
    Call,
    Env,
    Finding,
    Reached,
    Reads,
    Scenario,
    Snapshot,
    Status,
    Violation,
    kv,
)

THREADS = "duckdb/ducklake#1472"
STEPS = 11
LATEST = (b"catalog", b"latest")


async def delete_row(env: Env, expects_all: bool = False) -> None:
    base, file, _ = (await env.store.get(*LATEST)).value.split()
    latest = await env.store.get(*LATEST)
    last, current, _ = latest.value.split()
    for number in range(int(base) + 1, int(last) + 1):
        change = await env.store.find(b"changes", b"%d" % number)
        if change and change.value == b"compacted":
            raise kv.Refused("conflict: the file was compacted")
        if expects_all and not change:
            raise kv.Refused("conflict: a snapshot has expired")
    await env.store.set_if(*LATEST, b"%d %s %s" % (int(last) + 1, current, file), latest.predicate)


async def maintain(env: Env) -> None:
    before = await env.store.get(*LATEST)
    base, file, deleted_in = before.value.split()
    moved, after = int(base) + 1, b"file-2 file-2" if deleted_in == file else b"file-2 -"
    await env.store.set(b"changes", b"%d" % moved, b"compacted")
    await env.store.set_if(*LATEST, b"%d %s" % (moved, after), before.predicate)
    await env.store.set(b"changes", b"%d" % (moved + 1), b"created a table")
    await env.store.set_if(*LATEST, b"%d %s" % (moved + 1, after), b"%d %s" % (moved, after))
    await env.store.delete(b"changes", b"%d" % moved)


async def create(env: Env) -> None:
    await env.store.set(*LATEST, b"1 file-1 -")


def delete_takes_effect(snapshot: Snapshot) -> Iterator[Finding]:
    latest = snapshot.store[LATEST]
    assert isinstance(latest, bytes)
    _, file, deleted_in = latest.decode().split()
    if any(call.status is Status.OK for call in snapshot.calls("delete_row")):
        if deleted_in != file:
            yield Violation("delete-takes-effect", f"a row was deleted in {deleted_in}, and the table has {file}")
        else:
            yield Reached("the row is deleted in the file that is current")


INVARIANT = Always(
    id="delete-takes-effect",
    meaning="an acknowledged delete is in the file that is current",
    check=delete_takes_effect,
    reads=frozenset({Reads.STORE, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="ducklake_expired_conflict/published",
        setup=[Call(create)],
        clients=[[Call(delete_row)], [Call(maintain)]],
        invariants=[INVARIANT],
        expect={"delete-takes-effect": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="ducklake_expired_conflict/repaired",
        setup=[Call(create)],
        clients=[[Call(delete_row, expects_all=True)], [Call(maintain)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
