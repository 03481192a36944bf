"""A lock whose release timed out: the delete arrives after the next lock. See docs/reference/scenario.md."""

from collections.abc import Iterator
from contextlib import suppress

from lakeproof import Call, Env, Eventually, Finding, Reached, Scenario, Snapshot, Status, Violation, kv

LOCK = (b"locks", b"a")


async def lock(env: Env, me: bytes) -> None:
    await env.store.set_if(*LOCK, me, None)


async def unlock(env: Env, me: bytes, *, conditional: bool) -> None:
    with suppress(TimeoutError):
        async with env.timeout(5_000_000):
            await (env.store.delete_if(*LOCK, me) if conditional else env.store.delete(*LOCK))
            return
    with suppress(kv.PredicateFailed):
        await env.store.delete_if(*LOCK, me)


def held(seen: Snapshot) -> Iterator[Finding]:
    locked = any(call.status is Status.OK for call in seen.calls("lock"))
    if locked and LOCK not in seen.store:
        yield Violation("held", "the lock was taken, and is gone")
    yield Reached("all have ended")


SCENARIOS = [
    Scenario(
        name=f"timeout/{name}",
        setup=[Call(lock, b"one")],
        clients=[[Call(unlock, b"one", conditional=name == "conditional")], [Call(lock, b"two")]],
        invariants=[Eventually(id="held", meaning="who has locked holds the lock", check=held)],
        expect={} if name == "conditional" else {"held": "violated"},
        time="sleeps",
    )
    for name in ("plain", "conditional")
]
