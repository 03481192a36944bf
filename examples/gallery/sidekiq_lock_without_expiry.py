"""A worker that dies between two commands leaves a lock that never expires.

A worker takes the lock of a batch with one command, and sets its time to live with another one. It is killed between
the two. The lock has no time to live, Redis keeps it, and the worker that starts again never flushes a batch.

Repair: one command sets the lock and its time to live.
"""

from lakeproof import Call, Client, Env, Faults, Scenario, Terminates, kv

THREADS = "gzigzigzeo/sidekiq-grouping#20, gzigzigzeo/sidekiq-grouping#23"
STEPS = 6
LOCK, EXPIRY = (b"redis", b"lock"), (b"redis", b"expiry of lock")


async def flush(env: Env, *, at_once: bool = False) -> None:
    while True:
        try:
            if at_once:
                await env.store.transact(checks=[(*LOCK, None)], writes=[(*LOCK, b"1"), (*EXPIRY, b"1")])
            else:
                await env.store.set_if(*LOCK, b"1", None)
                await env.store.set(*EXPIRY, b"1")
            break
        except kv.PredicateFailed:
            continue


async def expire(env: Env) -> None:
    """Redis: a key that has an expiry is removed at some time."""
    while True:
        if await env.store.find(*EXPIRY) is not None:
            await env.store.transact(checks=[], writes=[(*LOCK, None), (*EXPIRY, None)])


FLUSHES_AT_LAST = Terminates(flush, id="flushes-at-last", meaning="a batch is flushed at last")

SCENARIOS = [
    Scenario(
        name=f"sidekiq_lock_without_expiry/{'repaired' if at_once else 'published'}",
        clients=[Client([Call(flush, at_once=at_once)], recover=Call(flush, at_once=at_once)), [Call(expire)]],
        invariants=[FLUSHES_AT_LAST],
        faults=Faults(restarts=1),
        expect={} if at_once else {FLUSHES_AT_LAST.id: "violated"},
        source=THREADS,
    )
    for at_once in (False, True)
]
