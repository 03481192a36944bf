"""A watch that begins after the lock was released waits for ever.

A client finds the lock taken, and then starts a watch that tells it of the release. Watches begin with the next change,
unless a revision is given. If the lock is released between the two requests, the event has passed, and the client waits
for it with no time-out.

Repair: the watch begins at the revision at which the lock was found taken.
"""

from lakeproof import Call, Env, Scenario, Terminates

THREADS = "kragniz/python-etcd3#1107"
STEPS = 4
LOCK = (b"etcd", b"lock")


async def acquire_and_release(env: Env, me: str, *, from_revision: bool = False) -> None:
    while not await env.store.try_set_if(*LOCK, me.encode(), None):
        async with env.store.watch(*LOCK) as changes:
            if from_revision and not changes.entries:
                continue  # it was released before: the watch delivers that at once
            async for change in changes:
                if change.value is None:
                    break
    await env.store.delete(*LOCK)


ACQUIRED_AT_LAST = Terminates(acquire_and_release, id="acquired-at-last", meaning="a waiting client gets the lock")

SCENARIOS = [
    Scenario(
        name=f"python_etcd3_missed_delete/{'repaired' if from_revision else 'published'}",
        clients=[[Call(acquire_and_release, me, from_revision=from_revision)] for me in ("a", "b")],
        invariants=[ACQUIRED_AT_LAST],
        expect={} if from_revision else {ACQUIRED_AT_LAST.id: "violated"},
        source=THREADS,
    )
    for from_revision in (False, True)
]
