"""A message that is delivered again makes Leonardo mark a sound runtime as broken.

A message asks for a runtime, and its queue delivers it twice. The second time, the runtime cannot be created, as it is
there, and is marked as errored. It was created fine.

Repair: the work is idempotent. A runtime that is there is what the message asks for.
"""

from collections.abc import Iterator

from lakeproof import Always, Call, Env, Faults, Finding, Reached, Scenario, Snapshot, Violation

THREADS = "DataBiosphere/leonardo#1376"
STEPS = 7
CLOUD, STATUS = (b"cloud", b"runtime"), (b"database", b"status")


async def request(env: Env) -> None:
    await env.channel("create runtime").send(b"runtime")


async def serve(env: Env, idempotent: bool = False) -> None:
    while True:
        runtime = await env.channel("create runtime").receive()
        created = await env.store.try_set_if(*CLOUD, runtime, None)
        await env.store.set(*STATUS, b"running" if created or idempotent else b"errored")


def status_is_true(snapshot: Snapshot) -> Iterator[Finding]:
    if CLOUD in snapshot.store and STATUS in snapshot.store:
        status = snapshot.store[STATUS]
        yield Reached("it runs") if status == b"running" else Violation("status-is-true", "a sound runtime is errored")


INVARIANT = Always(id="status-is-true", meaning="a runtime that is there is not errored", check=status_is_true)

SCENARIOS = [
    Scenario(
        name=f"leonardo_message_redelivered/{'repaired' if options else 'published'}",
        clients=[[Call(request)], [Call(serve, **options)]],
        invariants=[INVARIANT],
        faults=Faults(duplicated_messages=1),
        expect={} if options else {INVARIANT.id: "violated"},
        source=THREADS,
    )
    for options in ({}, {"idempotent": True})
]
