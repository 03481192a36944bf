"""Hudi rolls back a commit that has just completed.

A writer keeps a heartbeat while its commit is inflight, and removes it when the commit is complete. A lazy clean
lists the timeline and finds the commit inflight. The writer completes and removes its heartbeat. The clean finds no
heartbeat, takes the writer for dead, and deletes the files of a completed commit.

Repair: where there is no heartbeat, the clean reads the timeline again. A heartbeat that is gone means that the
commit is complete, or that there is nothing to roll back.
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
    Violation,
)

THREADS = "apache/hudi#7826"
STEPS = 8
INSTANT, HEARTBEAT = (b"timeline", b"1"), (b"heartbeats", b"1")


async def write(env: Env) -> None:
    await env.store.set(*HEARTBEAT, b"alive")
    await env.store.set(*INSTANT, b"inflight")
    await env.objects.put("file", b"rows")
    await env.store.set(*INSTANT, b"complete")
    await env.store.delete(*HEARTBEAT)


async def clean(env: Env, reads_again: bool = False) -> str:
    found = await env.store.find(*INSTANT)
    if not found or found.value != b"inflight" or await env.store.find(*HEARTBEAT):
        return "nothing to roll back"
    if reads_again and (await env.store.get(*INSTANT)).value == b"complete":
        return "it has completed meanwhile"
    await env.objects.delete("file")
    return "rolled back"


def completed_is_kept(snapshot: Snapshot) -> Iterator[Finding]:
    if snapshot.store.get(INSTANT) == b"complete":
        if "file" not in snapshot.objects:
            yield Violation("completed-is-kept", "the commit is complete, and its file is deleted")
        elif any(call.value == "it has completed meanwhile" for call in snapshot.calls("clean")):
            yield Reached("a clean met a commit that completed meanwhile")


INVARIANT = Always(
    id="completed-is-kept",
    meaning="a completed commit is not rolled back",
    check=completed_is_kept,
    reads=frozenset({Reads.STORE, Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="hudi_rollback_of_completed/published",
        clients=[[Call(write)], [Call(clean)]],
        invariants=[INVARIANT],
        expect={"completed-is-kept": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="hudi_rollback_of_completed/repaired",
        clients=[[Call(write)], [Call(clean, reads_again=True)], [Call(clean, reads_again=True)]],
        invariants=[INVARIANT],
        faults=Faults(crashes=1),
        source=THREADS,
    ),
]
