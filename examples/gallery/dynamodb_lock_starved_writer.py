"""Readers that come and go keep a writer out for ever.

A lock admits any number of readers at once, or one writer. A writer that finds readers tries again later. While two
readers take turns, there is always one of them, and the writer never gets in.

Repair: a writer says first that it wants the lock, and readers that come then wait.
"""

from lakeproof import Call, Env, Scenario, Terminates

THREADS = "tristanls/dynamodb-lock-client#14"
STEPS = 12
WANTED = b"wanted"


async def read(env: Env, me: str, *, waits: bool = False) -> None:
    while True:
        while await env.store.find(b"lock", WANTED) is not None and waits:
            pass
        await env.store.set(b"lock", me.encode(), b"reads")
        await env.store.delete(b"lock", me.encode())


async def write(env: Env) -> None:
    await env.store.set(b"lock", WANTED, b"1")
    while [entry async for entry in env.store.scan(b"lock", b"") if entry.key != WANTED]:
        pass
    await env.store.delete(b"lock", WANTED)


WRITES_AT_LAST = Terminates(write, id="writes-at-last", meaning="a writer that waits gets the lock at last")

SCENARIOS = [
    Scenario(
        name=f"dynamodb_lock_starved_writer/{'repaired' if waits else 'published'}",
        clients=[[Call(read, "a", waits=waits)], [Call(read, "b", waits=waits)], [Call(write)]],
        invariants=[WRITES_AT_LAST],
        expect={} if waits else {WRITES_AT_LAST.id: "violated"},
        source=THREADS,
    )
    for waits in (False, True)
]
