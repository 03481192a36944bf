"""A lock and a counter in Redis, by redis-py as it is released, and what must hold of each.

redis-py sends a command again by itself where no answer came. Here it does so at once, and three times at most.

lakeproof gate run examples/gate/redis_lock.py
"""

import os
from contextlib import suppress
from functools import partial

import redis
from redis.backoff import NoBackoff
from redis.exceptions import LockError
from redis.lock import Lock
from redis.retry import Retry

from lakeproof import Faults
from lakeproof.gate import GateScenario, Outcome, call

LOCK, COUNTER = "lock", "counter"


# The program. Its clients find the store, and who they are, in the environment.
def connected() -> redis.Redis:
    return redis.Redis.from_url(os.environ["REDIS_URL"], retry=Retry(NoBackoff(), 3), socket_timeout=60)


def take(name: str) -> bool:
    """Take the lock, and keep it."""
    with connected() as client:
        return bool(client.set(LOCK, name, nx=True))


def pass_through(name: str, careful: bool) -> bool:
    """Take the lock, and give it back; careful: only if it is still one's own."""
    with connected() as client:
        if not client.set(LOCK, name, nx=True):
            return False
        if careful:
            give_back(client, name)
        else:
            client.delete(LOCK)
        return True


def give_back(client: redis.Redis, name: str) -> None:
    while True:
        try:
            with client.pipeline() as pipe:
                pipe.watch(LOCK)
                if pipe.get(LOCK) != name.encode():
                    return
                pipe.multi()
                pipe.delete(LOCK)
                pipe.execute()
                return
        except (redis.WatchError, redis.ConnectionError):
            continue


def pass_through_by_redis_py(name: str) -> bool:
    """The same by the lock that redis-py has."""
    with connected() as client:
        lock = Lock(client, LOCK)
        if not lock.acquire(blocking=False, token=name):
            return False
        try:
            lock.release()
        except LockError:  # it is another's by now, or nobody's
            return True
        return True


def zero() -> None:
    with connected() as client:
        client.set(COUNTER, 0)


def value() -> int:
    with connected() as client:
        return int(client.get(COUNTER) or 0)


def add_blindly() -> int:
    """Add one to what was read, and write it over whatever is there by now."""
    with connected() as client:
        found = int(client.get(COUNTER) or 0) + 1
        client.set(COUNTER, found)
        return found


def add_carefully() -> int:
    """Write only over what was read; else begin again."""
    with connected() as client:
        while True:
            with client.pipeline() as pipe:
                pipe.watch(COUNTER)
                found = int(pipe.get(COUNTER) or 0) + 1
                pipe.multi()
                pipe.set(COUNTER, found)
                try:
                    pipe.execute()
                except redis.WatchError:
                    continue
                return found


def add_at_once() -> int:
    with connected() as client:
        return int(client.incr(COUNTER))


def add_under_lock() -> int:
    """Add blindly, but only with the lock, which is given back after ten seconds by Redis itself."""
    with connected() as client:
        lock = Lock(client, LOCK, timeout=10)
        if not lock.acquire(blocking=False):
            raise LockError("another client has it")
        found = int(client.get(COUNTER) or 0) + 1
        client.set(COUNTER, found)
        with suppress(LockError):  # it is another's by now, or nobody's
            lock.release()
        return found


# What must hold: a sentence if it does not.
def who_has_taken_it_has_it(outcome: Outcome) -> str | None:
    """A client that was told that it has the lock, and keeps it, has it."""
    calls = [pair for of_client in outcome.results.values() for pair in of_client]
    keeping = [made.args[0] for made, returned in calls if made.name == "take" and returned.value is True]
    holder = outcome.store.redis.text(LOCK)
    lost = [each for each in keeping if each != holder]
    return f"{lost[0]} has taken the lock, and the lock has {holder or 'nobody'}" if lost else None


def counted_once(outcome: Outcome) -> str | None:
    """The counter is the number of additions that were acknowledged."""
    acknowledged = sum(returned.ok for calls in outcome.results.values() for _, returned in calls)
    found = outcome.after[0].value
    return None if found == acknowledged else f"{acknowledged} additions were acknowledged, and the counter is {found}"


def one_has_added(outcome: Outcome) -> bool:
    return any(returned.ok for calls in outcome.results.values() for _, returned in calls)


locked = partial(GateScenario, invariants=[who_has_taken_it_has_it], faults=Faults(lost_answers=1))
counting = partial(GateScenario, setup=[call(zero)], after=[call(value)], invariants=[counted_once])
LOSES = {"who_has_taken_it_has_it": "violated"}
MISCOUNTS = {"counted_once": "violated"}

SCENARIOS = [
    locked(name="lock/blind", clients=[[call(pass_through, "a", False)], [call(take, "b")]], expect=LOSES),
    locked(name="lock/watch", clients=[[call(pass_through, "a", True)], [call(take, "b")]]),
    locked(name="lock/redis-py", clients=[[call(pass_through_by_redis_py, "a")], [call(take, "b")]]),
    counting(name="counter/blind", clients=[[call(add_blindly)], [call(add_blindly)]], expect=MISCOUNTS),
    counting(name="counter/watch", clients=[[call(add_carefully)], [call(add_carefully)]]),
    counting(name="counter/incr", clients=[[call(add_at_once)], [call(add_at_once)]]),
    counting(
        name="counter/incr/lost-answer",
        clients=[[call(add_at_once)]],
        faults=Faults(lost_answers=1),
        expect=MISCOUNTS,
    ),
    *(
        counting(
            name=f"counter/lock/{word}",
            clients=[[call(add_under_lock)], [call(add_under_lock)]],
            expiries=expiries,
            reached=one_has_added,
            expect=expect,
        )
        for word, expiries, expect in (("never-expires", 0, {}), ("expires", 1, MISCOUNTS))
    ),
]
