"""A lock outlives the leader that took it.

A leader has taken a lock and crashed. The lock is a record like any other, so it stays, and a follower that
waits for it waits for ever.

Repair: a lock says when it was taken, and after some time it is free.
"""

from lakeproof import Call, Env, Faults, Scenario, Terminates

THREADS = "bakwc/PySyncObj#183"
STEPS = 7
LOCK = (b"locks", b"leader")
EXPIRES_AFTER = 75_000_000


async def lead_and_crash(env: Env) -> None:
    await env.store.set(*LOCK, b"%d" % await env.clock.now())


async def lead(env: Env, *, expires: bool = False) -> None:
    while True:
        now, held = await env.clock.now(), await env.store.find(*LOCK)
        free = held is None or (expires and now >= int(held.value) + EXPIRES_AFTER)
        if free and await env.store.try_set_if(*LOCK, b"%d" % now, None if held is None else held.predicate):
            break
    await env.store.delete(*LOCK)


LEADS_AT_LAST = Terminates(lead, id="leads-at-last", meaning="a waiting client has the lock at last")

SCENARIOS = [
    Scenario(
        name=f"pysyncobj_lock_after_crash/{'repaired' if expires else 'published'}",
        setup=[Call(lead_and_crash)],
        clients=[[Call(lead, expires=expires)] for _ in range(2)],
        invariants=[LEADS_AT_LAST],
        faults=Faults(clock_jumps=(EXPIRES_AFTER,)),
        expect={} if expires else {LEADS_AT_LAST.id: "violated"},
        source=THREADS,
    )
    for expires in (False, True)
]
