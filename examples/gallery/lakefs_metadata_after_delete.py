"""An update of metadata in lakeFS brings back an entry whose object is collected.

An update reads the entry, and writes it again with other metadata. In between the entry is deleted, and the
collector, which finds no entry any more, deletes the object. The update writes its entry, which names an object that
is gone.

Repair: the update writes only if the entry is still what it has read. lakeFS was mended in this way.
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

THREADS = "treeverse/lakeFS#8262, treeverse/lakeFS#8264"
STEPS = 5
ENTRY = (b"staging", b"path")


async def update_metadata(env: Env, conditional: bool = False) -> None:
    found = await env.store.get(*ENTRY)
    address = found.value.split()[0]
    if conditional:
        await env.store.set_if(*ENTRY, address + b" new", found.predicate)
    else:
        await env.store.set(*ENTRY, address + b" new")


async def delete(env: Env) -> None:
    await env.store.delete(*ENTRY)


async def collect(env: Env) -> None:
    if not await env.store.find(*ENTRY):
        await env.objects.delete("data/1")


async def upload(env: Env) -> None:
    await env.objects.put("data/1", b"bytes")
    await env.store.set(*ENTRY, b"data/1 old")


def entry_has_its_object(snapshot: Snapshot) -> Iterator[Finding]:
    if ENTRY in snapshot.store and "data/1" not in snapshot.objects:
        yield Violation("entry-has-its-object", "the entry names data/1, which is deleted: 410 Gone")
    elif "data/1" not in snapshot.objects:
        yield Reached("the object was collected after its entry")


INVARIANT = Always(
    id="entry-has-its-object",
    meaning="the object that an entry names is there",
    check=entry_has_its_object,
    reads=frozenset({Reads.STORE, Reads.OBJECTS}),
)

SCENARIOS = [
    Scenario(
        name="lakefs_metadata_after_delete/published",
        setup=[Call(upload)],
        clients=[[Call(update_metadata)], [Call(delete)], [Call(collect)]],
        invariants=[INVARIANT],
        expect={"entry-has-its-object": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="lakefs_metadata_after_delete/repaired",
        setup=[Call(upload)],
        clients=[[Call(update_metadata, conditional=True)], [Call(delete)], [Call(collect)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
