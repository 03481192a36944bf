"""A failed commit of Fluree deletes a blob that another commit shares.

The raw text of a transaction is stored under its hash. Two commits with the same text have one blob. The commit that
loses the race for the head cleans up and deletes "its" blob, which the winner names.

Repair: a content address belongs to all, so a failed commit leaves the blob to a collector that reads all commits.
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

THREADS = "fluree/db#1677"
STEPS = 7
HEAD = (b"ledger", b"head")


async def commit(env: Env, text: str, cleans_up: bool = True) -> None:
    found = await env.store.find(*HEAD)
    await env.objects.put(f"hash-of-{text}", text.encode())
    try:
        await env.store.set_if(*HEAD, f"hash-of-{text}".encode(), found.predicate if found else None)
    except kv.PredicateFailed:
        if cleans_up:
            await env.objects.delete(f"hash-of-{text}")
        raise


def head_is_readable(snapshot: Snapshot) -> Iterator[Finding]:
    head = snapshot.store.get(HEAD)
    if isinstance(head, bytes) and any(call.status is Status.FAIL for call in snapshot.calls("commit")):
        if head.decode() not in snapshot.objects:
            yield Violation("head-is-readable", f"the head names {head.decode()}, which is deleted")
        else:
            yield Reached("one commit has failed, and the other can be read")


INVARIANT = Always(
    id="head-is-readable",
    meaning="the blob that the head names is there",
    check=head_is_readable,
    reads=frozenset({Reads.STORE, Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="fluree_shared_blob/published",
        clients=[[Call(commit, "x")], [Call(commit, "x")]],
        invariants=[INVARIANT],
        expect={"head-is-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="fluree_shared_blob/repaired",
        clients=[[Call(commit, "x", cleans_up=False)], [Call(commit, "x", cleans_up=False)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
