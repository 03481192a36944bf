"""A rename that is a copy and a delete loses a snapshot of Paimon.

A commit writes a temporary file and renames it to the next snapshot. On a file system the second rename fails. On an
object store a rename is a look, a copy and a delete: two writers look, both copy, and the second copy replaces the
first.

Repair: the snapshot is put directly, if it is absent.
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

THREADS = "apache/paimon#9714, apache/paimon-rust#233"
STEPS = 7


async def commit(env: Env, writer: str, conditional: bool = False) -> None:
    if conditional:
        await env.objects.put("snapshot-1", writer.encode(), if_absent=True)
        return
    await env.objects.put(f"tmp-{writer}", writer.encode())
    if [head async for head in env.objects.list("snapshot-1")]:
        raise kv.Refused("snapshot 1 exists")
    await env.objects.copy(f"tmp-{writer}", "snapshot-1")
    await env.objects.delete(f"tmp-{writer}")


def snapshot_is_kept(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls("commit"):
        held = snapshot.objects.get("snapshot-1")
        if call.status is Status.OK and held is not None:
            if held.content.decode() != call.args[0]:
                yield Violation("snapshot-is-kept", f"snapshot 1 of {call.args[0]} was replaced")
            else:
                yield Reached("the acknowledged snapshot is there")


INVARIANT = Always(
    id="snapshot-is-kept",
    meaning="an acknowledged snapshot is not replaced",
    check=snapshot_is_kept,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="paimon_rename/published",
        clients=[[Call(commit, "w1")], [Call(commit, "w2")]],
        invariants=[INVARIANT],
        expect={"snapshot-is-kept": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="paimon_rename/repaired",
        clients=[[Call(commit, "w1", conditional=True)], [Call(commit, "w2", conditional=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
