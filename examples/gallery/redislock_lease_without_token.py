"""A holder of a lease that was stopped for too long writes over the work of the next holder.

A lock ends by itself after some time. Its holder stops for longer than that, goes on, and writes what it has worked out
from what it had read. The next holder has written already, and that is lost.

Repair: each lease has a number, one more than the last. The storage takes no write with a number below its own.
"""

from collections.abc import Iterator

from lakeproof import Call, Env, Eventually, Finding, Reached, Scenario, Snapshot, Violation

THREADS = "bsm/redislock#93"
STEPS = 14
LOCK, NUMBER, FILE = (b"redis", b"lock"), (b"redis", b"number"), (b"storage", b"file")
LEASE = 10_000_000


async def lock(env: Env) -> int:
    while not await env.store.try_set_if(*LOCK, b"held", None, ttl=LEASE):
        await env.clock.sleep(LEASE)
    while True:
        last = await env.store.find(*NUMBER)
        number = int(last.value) + 1 if last else 1
        if await env.store.try_set_if(*NUMBER, b"%d" % number, last.predicate if last else None):
            return number


async def add(env: Env, me: str, *, fenced: bool = False) -> bool:
    number = await lock(env)
    file = await env.store.find(*FILE)
    last, names = file.value.split() if file else (b"0", b"")
    new = b"%d %s" % (number, names + me.encode())
    if not fenced:
        await env.store.set(*FILE, new)
        return True
    return int(last) < number and await env.store.try_set_if(*FILE, new, file.predicate if file else None)


def added_is_there(seen: Snapshot) -> Iterator[Finding]:
    names = seen.store[FILE].split()[1]
    for call in seen.calls("add"):
        if call.value and str(call.args[0]).encode() not in names:
            yield Violation("added-is-there", f"{call.args[0]} was added, and the file has {names.decode()}")
    yield Reached("both have ended")


SCENARIOS = [
    Scenario(
        name=f"redislock_lease_without_token/{'repaired' if fenced else 'published'}",
        clients=[[Call(add, me, fenced=fenced)] for me in "ab"],
        invariants=[Eventually(id="added-is-there", meaning="what was added is in the file", check=added_is_there)],
        expect={} if fenced else {"added-is-there": "violated"},
        source=THREADS,
        time="sleeps",
        tick=LEASE,
    )
    for fenced in (False, True)
]
