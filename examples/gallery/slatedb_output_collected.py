"""The collector of SlateDB deletes the output of a compaction that is about to be published.

A compaction writes its output and then names it in the manifest. Between the two, the output is named nowhere. A
collector that lists it there, and reads the manifest, deletes it. The manifest names it afterwards.

Repair: a compaction stores what it is going to write before it writes it, and forgets that only after the manifest.
The collector lists the files first, then reads the compactions under way, and the manifest last. The order matters.
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

THREADS = "slatedb/slatedb#1029, slatedb/slatedb#1044, slatedb/slatedb#1071"
STEPS = 5
MANIFEST, RUNNING = (b"db", b"manifest"), (b"db", b"compactions")


async def compact(env: Env, announces: bool = False) -> None:
    if announces:
        await env.store.set(*RUNNING, b"sst/1")
    await env.objects.put("sst/1", b"rows")
    await env.store.set(*MANIFEST, b"sst/1")
    if announces:
        await env.store.delete(*RUNNING)


async def collect(env: Env, announces: bool = False) -> None:
    listed = [head.address async for head in env.objects.list("sst/")]
    running = await env.store.find(*RUNNING) if announces else None
    manifest = await env.store.find(*MANIFEST)
    used = {found.value.decode() for found in (running, manifest) if found}
    for address in listed:
        if address not in used:
            await env.objects.delete(address)


def manifest_is_readable(snapshot: Snapshot) -> Iterator[Finding]:
    held = snapshot.store.get(MANIFEST)
    if isinstance(held, bytes):
        if held.decode() not in snapshot.objects:
            yield Violation("manifest-is-readable", f"the manifest names {held.decode()}, which is deleted")
        else:
            yield Reached("the manifest names a file that is there")


INVARIANT = Always(
    id="manifest-is-readable",
    meaning="the files that the manifest names exist",
    check=manifest_is_readable,
    reads=frozenset({Reads.STORE, Reads.OBJECTS}),
)

SCENARIOS = [
    Scenario(
        name="slatedb_output_collected/published",
        clients=[[Call(compact)], [Call(collect)]],
        invariants=[INVARIANT],
        expect={"manifest-is-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="slatedb_output_collected/repaired",
        clients=[[Call(compact, announces=True)], [Call(collect, announces=True)]],
        invariants=[INVARIANT],
        faults=Faults(crashes=1),
        source=THREADS,
    ),
]
