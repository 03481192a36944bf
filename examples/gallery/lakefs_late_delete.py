"""A late delete in lakeFS removes the repository that was created after it began.

A delete reads the repository, marks it as being deleted, and removes the record. Two deletes run at once. The first
one finishes, and a new repository of the same name is created. The second one wakes up, writes its mark over the new
record, and removes it. A reviewer described the first half.

Repair: the mark is a conditional write, and what is left is a mark as well. A create replaces it, under a condition.
A record that is never removed cannot be removed too late.
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
    Status,
    Violation,
    kv,
)

THREADS = "treeverse/lakeFS#3841"
STEPS = 8
RECORD = (b"repositories", b"r")


async def delete(env: Env, leaves_mark: bool = False) -> str:
    found = await env.store.get(*RECORD)
    mark = b"deleted" + found.value[-2:]
    if leaves_mark:
        await env.store.set_if(*RECORD, mark, found.predicate)
    else:
        await env.store.set(*RECORD, mark)
        await env.store.delete(*RECORD)
    return found.value[-1:].decode()


async def create(env: Env, instance: str) -> None:
    found = await env.store.find(*RECORD)
    if found and not found.value.startswith(b"deleted"):
        raise kv.Refused("the repository exists")
    await env.store.set_if(*RECORD, f"active {instance}".encode(), found.predicate if found else None)


def delete_spares_successor(snapshot: Snapshot) -> Iterator[Finding]:
    deleted = {call.value for call in snapshot.calls("delete") if call.status is Status.OK}
    created = any(call.status is Status.OK for call in snapshot.calls("create"))
    if created and snapshot.store.get(RECORD) != b"active 2" and "2" not in deleted:
        yield Violation("delete-spares-successor", "repository 2 is gone, and only repository 1 was to be deleted")
    elif created and deleted == {"1"}:
        yield Reached("repository 2 follows repository 1")


INVARIANT = Eventually(
    id="delete-spares-successor",
    meaning="a delete does not touch a repository that was created after it began",
    check=delete_spares_successor,
    reads=frozenset({Reads.STORE, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="lakefs_late_delete/published",
        setup=[Call(create, "1")],
        clients=[[Call(delete)], [Call(delete), Call(create, "2")]],
        invariants=[INVARIANT],
        expect={"delete-spares-successor": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="lakefs_late_delete/repaired",
        setup=[Call(create, "1")],
        clients=[[Call(delete, leaves_mark=True)], [Call(delete, leaves_mark=True), Call(create, "2")]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
