"""A worker that dies between two commands leaves a lock that never expires.

A worker takes the lock of a batch with one command, and sets its time to live with another one. It is killed between
the two. The lock has no time to live, Redis keeps it, and the worker that starts again never flushes a batch.

Repair: one command sets the lock and its time to live.
"""

from lakeproof import Call, Client, Env, Faults, Scenario, Terminates

THREADS = "gzigzigzeo/sidekiq-grouping#20, gzigzigzeo/sidekiq-grouping#23"
STEPS = 4
LOCK, TIME_TO_LIVE = (b"redis", b"lock"), 60_000_000


async def flush(env: Env, *, at_once: bool = False) -> None:
    while not await env.store.try_set_if(*LOCK, b"1", None, ttl=TIME_TO_LIVE if at_once else None):
        pass
    if not at_once:
        await env.store.set(*LOCK, b"1", ttl=TIME_TO_LIVE)


FLUSHES_AT_LAST = Terminates(flush, id="flushes-at-last", meaning="a batch is flushed at last")

SCENARIOS = [
    Scenario(
        name=f"sidekiq_lock_without_expiry/{'repaired' if at_once else 'published'}",
        clients=[Client([Call(flush, at_once=at_once)], recover=Call(flush, at_once=at_once))],
        invariants=[FLUSHES_AT_LAST],
        faults=Faults(restarts=1),
        expect={} if at_once else {FLUSHES_AT_LAST.id: "violated"},
        source=THREADS,
        time="sleeps",
        tick=TIME_TO_LIVE,
    )
    for at_once in (False, True)
]
