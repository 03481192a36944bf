"""Hudi's clean deletes a partition into which an insert has just written.

An insert is going to write into a partition. A clean plans meanwhile: no commit has a file in the partition, so it
adds the whole partition to what it will delete. The insert writes its file and commits. The clean executes its plan
and deletes the partition with everything in it.

Repair: a clean deletes the replaced files that the timeline names, one by one, and never whatever a partition holds
by then.
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
    Violation,
)

THREADS = "apache/hudi#11600"
STEPS = 6


async def insert(env: Env) -> None:
    await env.objects.put("p1/new", b"rows")
    await env.store.set(b"timeline", b"commit", b"p1/new")


async def clean(env: Env, by_file: bool = False) -> None:
    planned = [entry.key.decode() async for entry in env.store.scan(b"replaced")]
    commits = [entry.value async for entry in env.store.scan(b"timeline")]
    if not commits and not by_file:
        planned = [head.address async for head in env.objects.list("p1/")]
    for address in planned:
        await env.objects.delete(address)


async def replace(env: Env) -> None:
    await env.objects.put("p1/old", b"rows of long ago")
    await env.store.set(b"replaced", b"p1/old", b"by a later commit")


def timeline_is_readable(snapshot: Snapshot) -> Iterator[Finding]:
    held = snapshot.store.get((b"timeline", b"commit"))
    if isinstance(held, bytes):
        if held.decode() not in snapshot.objects:
            yield Violation("timeline-is-readable", f"a commit names {held.decode()}, which is deleted")
        elif "p1/old" not in snapshot.objects:
            yield Reached("the partition is clean, and the commit can be read")


INVARIANT = Always(
    id="timeline-is-readable",
    meaning="the files that completed commits name exist",
    check=timeline_is_readable,
    reads=frozenset({Reads.STORE, Reads.OBJECTS}),
)

SCENARIOS = [
    Scenario(
        name="hudi_clean_partition/published",
        setup=[Call(replace)],
        clients=[[Call(insert)], [Call(clean)]],
        invariants=[INVARIANT],
        expect={"timeline-is-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="hudi_clean_partition/repaired",
        setup=[Call(replace)],
        clients=[[Call(insert)], [Call(clean, by_file=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
