"""Lance records the ETag of a manifest that has been written again since.

With an external store, a commit copies a staged manifest to its final place, reads the ETag of the copy, and records
it. A reader that finds a manifest not yet finalised helps and does the same. Both copies have the same bytes, but
each write makes an ETag of its own, and the slower one records an ETag that is not there any more. The next reader
reports a mismatch. Here metadata of the object stand for the ETag of one write.

Repair: the final manifest is put only if it is absent. The loser reads the ETag of the winner's.
"""

import contextlib
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
    Violation,
    objects,
)

THREADS = "lance-format/lance#8499, lance-format/lance#8455"
STEPS = 6
ROW, FINAL = (b"dynamodb", b"version-1"), "manifest-1"


async def finalise(env: Env, helper: str, create_only: bool = False) -> None:
    with contextlib.suppress(objects.PreconditionFailed):
        await env.objects.put(FINAL, b"staged manifest", (("write", helper),), if_absent=create_only)
    head = await env.objects.head(FINAL)
    await env.store.set(*ROW, dict(head.metadata)["write"].encode())


def recorded_is_there(snapshot: Snapshot) -> Iterator[Finding]:
    recorded = snapshot.store.get(ROW)
    if isinstance(recorded, bytes) and all(call.done for call in snapshot.calls("finalise")):
        there = dict(snapshot.objects[FINAL].metadata)["write"]
        if recorded.decode() != there:
            yield Violation(
                "recorded-is-there", f"the write of {recorded.decode()} is recorded, that of {there} is there"
            )
        else:
            yield Reached("what is recorded is there")


INVARIANT = Eventually(
    id="recorded-is-there",
    meaning="the ETag that is recorded is that of the manifest",
    check=recorded_is_there,
    reads=frozenset({Reads.STORE, Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="lance_stale_etag/published",
        clients=[[Call(finalise, "writer")], [Call(finalise, "reader")]],
        invariants=[INVARIANT],
        expect={"recorded-is-there": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="lance_stale_etag/repaired",
        clients=[[Call(finalise, "writer", create_only=True)], [Call(finalise, "reader", create_only=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
