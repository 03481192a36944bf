"""A lock that has expired is released by its first holder, and it is the lock of another one by then.

A lock is a key with a time to live. Its holder works for longer than that, and another one takes the lock. When the
first one is done, it deletes the key: the second one works on without a lock, and a third one may begin.

Repair: the key holds a token of its holder, and a release deletes it only if it still has that token.
"""

from collections.abc import Iterator

from lakeproof import Call, Env, Finding, OnStep, Reached, Scenario, Transition, Violation, kv

THREADS = "apache/superset#43462"
STEPS = 5
LOCK = (b"redis", b"lock")
TIME_TO_LIVE = 30_000_000


async def work(env: Env, me: str, *, by_token: bool = False) -> None:
    if not await env.store.try_set_if(*LOCK, me.encode(), None, ttl=TIME_TO_LIVE):
        return
    try:
        await env.store.transact(checks=[(*LOCK, me.encode())] if by_token else [], writes=[(*LOCK, None)])
    except kv.CheckFailed:
        return


def a_release_removes_the_lock_of_its_holder(step: Transition) -> Iterator[Finding]:
    before, after = step.before.store.get(LOCK), step.after.store.get(LOCK)
    if before is not None and after is None:
        me, holder = str(step.call.args[0]), before.decode()
        yield Reached("a lock is released") if me == holder else Violation("own-lock", f"{me} removed {holder}'s lock")


OWN_LOCK = OnStep(
    id="own-lock",
    meaning="a release removes the lock of the client that releases it",
    check=a_release_removes_the_lock_of_its_holder,
    watches=lambda _, op: isinstance(op, kv.Transact),
)

SCENARIOS = [
    Scenario(
        name=f"superset_releases_another_lock/{'repaired' if by_token else 'published'}",
        clients=[[Call(work, me, by_token=by_token)] for me in ("a", "b")],
        invariants=[OWN_LOCK],
        expect={} if by_token else {"own-lock": "violated"},
        source=THREADS,
        time="sleeps",
        tick=TIME_TO_LIVE,
    )
    for by_token in (False, True)
]
