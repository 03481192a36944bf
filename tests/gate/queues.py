"""Workers over Redis as they are mostly written: they wait for work without a timeout, by redis-py."""

import asyncio
import os
import threading
from contextlib import suppress

import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.retry import Retry

from lakeproof import Faults
from lakeproof.gate import GateScenario, Outcome, call
from lakeproof.gate.scenario import Invariant


def connected() -> redis.Redis:
    return redis.Redis.from_url(os.environ["REDIS_URL"], retry=Retry(NoBackoff(), 3), socket_timeout=60)


def produce(*jobs: str) -> None:
    with connected() as client:
        for job in jobs:
            client.rpush("jobs", job)


def work() -> None:
    with connected() as client:
        while True:
            _, job = client.blpop(["jobs"], 0)
            client.rpush("done", job)


def work_carefully() -> None:
    """What is under way stays in a list of its own until it is done."""
    with connected() as client:
        while True:
            job = client.blmove("jobs", "under way", 0, "LEFT", "RIGHT")
            with client.pipeline() as pipe:
                pipe.rpush("done", job)
                pipe.lrem("under way", 1, job)
                pipe.execute()


def work_by_time() -> None:
    """What is due first comes first."""
    with connected() as client:
        while True:
            client.rpush("done", client.bzpopmin(["due"], 0)[1])


def plan(*jobs: str) -> None:
    with connected() as client:
        for at, job in enumerate(jobs):
            client.zadd("due", {job: -at})


def first_is_planned_first(outcome: Outcome) -> str | None:
    """It is not: what was planned later may be due before."""
    found = outcome.store.redis.keys.get(b"done")
    return None if found == (b"a", b"b") else f"done are, in this order, {found!r}"


def work_stubbornly() -> None:
    """It takes an error for nothing, and waits again."""
    with connected() as client:
        while True:
            with suppress(redis.RedisError):
                client.rpush("done", client.blpop(["jobs"], 0)[1])


def work_behind() -> None:
    """The call returns; its thread still waits."""
    threading.Thread(target=work, daemon=True).start()
    with connected() as client:
        client.get("ready")


def ask() -> str:
    """A question to a server, which waits for questions as this waits for its answer."""
    with connected() as client:
        client.rpush("questions", "q")
        return str(client.blpop(["answers"], 0)[1].decode())


def serve() -> None:
    with connected() as client:
        while True:
            client.rpush("answers", client.blpop(["questions"], 0)[1] + b"!")


async def wait_or_stop() -> None:
    url = os.environ["REDIS_URL"]
    async with redis.asyncio.Redis.from_url(url) as waits, redis.asyncio.Redis.from_url(url) as client:
        job: asyncio.Future[object] = asyncio.ensure_future(waits.blpop(["jobs"], 0))
        if not await client.get("stop"):
            await job
        job.cancel()
        with suppress(asyncio.CancelledError):
            await job
        await client.set("stopped", 1)


def work_once() -> None:
    """Or give up the wait for work."""
    asyncio.run(wait_or_stop())


def stop() -> None:
    with connected() as client:
        client.set("stop", 1)


def produce_late() -> None:
    """A job that nobody takes any more."""
    with connected() as client:
        if client.get("stopped"):
            client.rpush("jobs", "late")


def no_job_stays(outcome: Outcome) -> str | None:
    found = listed(outcome, "jobs")
    return f"there are still {found}" if found else None


def take() -> None:
    with connected() as client, suppress(redis.RedisError):
        client.blpop(["jobs"], 0)
        client.set("taken", 1)


def take_beside(seconds: float, key: str) -> None:
    """Wait for a job, and write another key after a time."""
    threading.Thread(target=take, daemon=True).start()
    with connected() as client:
        client.get("ready")
        threading.Event().wait(seconds)
        client.set(key, 1)


def produce_if(key: str) -> None:
    with connected() as client:
        if client.get(key):
            client.rpush("jobs", "a")


def is_absent(key: str) -> Invariant:
    def judge(outcome: Outcome) -> str | None:
        return f"there is {key}" if key.encode() in outcome.store.redis.keys else None

    return judge


def wait_beside_work() -> None:
    """The thread takes an error for nothing, and waits again; the call does not."""
    threading.Thread(target=work_stubbornly, daemon=True).start()
    with connected() as client:
        client.blpop(["answers"], 0)


def read(key: str) -> None:
    with connected() as client:
        if client.get(key) is None:
            raise LookupError(key)


def listed(outcome: Outcome, *keys: str) -> list[str]:
    found = (outcome.store.redis.keys.get(each.encode(), ()) for each in keys)
    return sorted(one.decode() for each in found if isinstance(each, tuple) for one in each)


def produced(outcome: Outcome) -> list[str]:
    """The jobs that a producer knows to be pushed."""
    ends = [one for calls in outcome.results.values() for one in calls]
    return sorted(str(job) for made, how in ends if made.name == "produce" and how.ok for job in made.args)


def no_job_is_lost(outcome: Outcome) -> str | None:
    """What was pushed is done, or is where it will be found."""
    pushed, found = produced(outcome), listed(outcome, "jobs", "under way", "done")
    return None if set(pushed) <= set(found) else f"pushed were {pushed}, and there are {found}"


def all_is_done(outcome: Outcome) -> str | None:
    pushed, found = produced(outcome), listed(outcome, "done")
    return None if found == pushed else f"pushed were {pushed}, and done are {found}"


def who_works_waits(outcome: Outcome) -> str | None:
    """No worker has returned, and none has failed."""
    ends = [how.error for calls in outcome.results.values() for made, how in calls if made.name.startswith("work")]
    return None if set(ends) == {"Blocked"} else f"the workers have ended so: {ends}"


def is_answered(outcome: Outcome) -> str | None:
    [(_, found)] = outcome.results["c1"]
    return None if found.value == "q!" else f"the answer is {found}"


DOES_ALL = [all_is_done, who_works_waits]
SCENARIOS = [
    GateScenario(name="one", clients=[[call(work)], [call(produce, "a", "b")]], invariants=DOES_ALL),
    GateScenario(
        name="two", clients=[[call(work)], [call(work)], [call(produce, "a"), call(produce, "b")]], invariants=DOES_ALL
    ),
    GateScenario(name="stubborn", clients=[[call(work_stubbornly)], [call(produce, "a")]], invariants=DOES_ALL),
    GateScenario(name="behind", clients=[[call(work_behind)], [call(produce, "a")]], invariants=[all_is_done]),
    *(
        GateScenario(
            name=f"crash/{each.__name__}",
            clients=[[call(each)], [call(produce, "a")]],
            invariants=[no_job_is_lost],
            faults=Faults(crashes=1),
            expect={"no_job_is_lost": verdict},
        )
        for each, verdict in ((work, "violated"), (work_carefully, "holds"))
    ),
    GateScenario(
        name="due",
        clients=[[call(work_by_time)], [call(plan, "a", "b")]],
        invariants=[first_is_planned_first],
        expect={"first_is_planned_first": "violated"},
    ),
    GateScenario(name="rpc", clients=[[call(ask)], [call(serve)]], invariants=[is_answered]),
    GateScenario(name="alone", clients=[[call(work)]], invariants=[who_works_waits], reached=lambda _: True),
    GateScenario(
        name="gives up", clients=[[call(work_once)], [call(stop)], [call(produce_late)]], invariants=[no_job_stays]
    ),
    GateScenario(name="timer", clients=[[call(take_beside, 0.3, "bad")]], invariants=[is_absent("bad")]),
    *(
        GateScenario(
            name=f"orders/{parallel}",
            clients=[[call(take_beside, 0, "ready")], [call(produce_if, "ready")]],
            invariants=[is_absent("taken")],
            parallel=parallel,
            expect={"judge": "violated"},
        )
        for parallel in (True, False)
    ),
    GateScenario(name="beside", clients=[[call(wait_beside_work)]], invariants=[all_is_done], reached=lambda _: True),
    GateScenario(
        name="raises",
        clients=[[call(read, "mine")]],
        after=[call(read, "of after")],
        invariants=[all_is_done],
    ),
    GateScenario(name="after", clients=[[call(stop)]], after=[call(work)], invariants=[all_is_done]),
    GateScenario(name="setup", clients=[[call(produce, "a")]], setup=[call(work)], invariants=[all_is_done]),
]
