"""Two replicas fire one schedule, since their clocks are further apart than the job is long.

At the time of a schedule each replica tries to take a lease. The one that has it runs the job, and releases the lease
when the job is done. A replica whose clock is late, or that is slow, finds the lease free, and runs the job again.

Repair: the lease has the time of the schedule in its name, and is not released.
"""

from collections.abc import Iterator

from lakeproof import Always, Call, Env, Faults, Finding, Reached, Scenario, Snapshot, Violation

THREADS = "objectstack-ai/objectstack#14619"
STEPS = 11
LEASES, RUNS = b"leases", b"runs"
SECOND = 1_000_000
SCHEDULED = 60 * SECOND


async def run_scheduled(env: Env, me: str, *, by_schedule: bool = False) -> None:
    await env.clock.wait_until(SCHEDULED)
    name = b"job at %d" % SCHEDULED if by_schedule else b"job"
    if await env.store.try_set_if(LEASES, name, me.encode(), None):
        await env.store.set(RUNS, me.encode(), b"has run")
        if not by_schedule:
            await env.store.delete(LEASES, name)


def a_schedule_fires_once(seen: Snapshot) -> Iterator[Finding]:
    runs = sorted(key.decode() for partition, key in seen.store if partition == RUNS)
    if len(runs) > 1:
        yield Violation("fires-once", f"{' and '.join(runs)} have run the job")
    elif runs:
        yield Reached("the job has run")


SCENARIOS = [
    Scenario(
        name=f"objectstack_clocks_apart/{'repaired' if by_schedule else 'published'}",
        clients=[[Call(run_scheduled, me, by_schedule=by_schedule)] for me in ("a", "b")],
        invariants=[Always(id="fires-once", meaning="one time of a schedule, one run", check=a_schedule_fires_once)],
        faults=Faults(clock_skew=(0, 30 * SECOND)),
        expect={} if by_schedule else {"fires-once": "violated"},
        source=THREADS,
        start_time=0,
        time="read",
    )
    for by_schedule in (False, True)
]
