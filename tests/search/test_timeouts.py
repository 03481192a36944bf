"""Timeouts, by hand: what they raise, where they are refused, in loops, alone, live; and a write that arrives late."""

from collections.abc import Iterator
from contextlib import suppress

import attrs
import pytest
import trio
import trio.testing

from lakeproof import Aftermath, Call, Env, Eventually, Finding, Reached, Scenario, Snapshot, Terminates, Violation, kv
from lakeproof.impl.effects import TimedOut
from lakeproof.impl.live import live_env, run
from lakeproof.impl.stores import MemoryStore
from lakeproof.model.snapshot import AnySnapshot, Outcome, Status
from lakeproof.scenario import Flow, ScenarioError
from lakeproof.search.faults import Mode
from lakeproof.search.results import Options
from lakeproof.search.search import search
from tests.search.agreement import broken, found_of
from tests.search.walks import ENDS

P, SECOND = b"p", 1_000_000


async def unlock(env: Env) -> None:
    """Release a lock; who gets no answer in time does so once more, if the lock is still its own."""
    try:
        async with env.timeout(SECOND):
            await env.store.delete(P, b"lock")
    except TimeoutError:
        with suppress(kv.PredicateFailed):
            await env.store.delete_if(P, b"lock", b"a")


async def lock(env: Env) -> None:
    await env.store.set_if(P, b"lock", b"b", None)


def _held(seen: Snapshot) -> Iterator[Finding]:
    for call in seen.calls("lock"):
        if call.status is Status.OK:
            held = (P, b"lock") in seen.store
            yield Reached("it holds the lock") if held else Violation("held", "its lock is gone")


async def locked(env: Env) -> None:
    await env.store.set(P, b"lock", b"a")


LATE = Scenario(
    name="late",
    setup=[Call(locked)],
    clients=[[Call(unlock)], [Call(lock)]],
    invariants=[Eventually(id="held", meaning="who has locked holds the lock", check=_held)],
    time="sleeps",
)


@pytest.mark.parametrize("time", ["sleeps", "read"])
def test_a_write_that_was_cut_off_arrives_after_its_client_has_gone_on(time: str) -> None:
    scenario = attrs.evolve(LATE, time=time)
    found = broken(scenario)
    assert found is not None
    modes = [move.mode for move in found.moves]
    assert modes[-1] is Mode.DELIVER
    assert Mode.CUT_OFF in modes


async def hasty(env: Env) -> None:
    async with env.timeout(SECOND):
        await env.store.set(P, b"k", b"")


def outcomes_of(scenario: Scenario) -> set[tuple[Status, type]]:
    finals = search(scenario, options=Options(keep_finals=True)).finals
    assert finals == search(scenario, options=Options(merge=True, keep_finals=True)).finals
    views = [calls for final in finals for calls in final.value[1]]  # type: ignore[index]
    return {(calls[0].status, type(calls[0].error)) for calls in views}


def test_who_lets_a_timeout_pass_does_not_know_the_outcome() -> None:
    one = Scenario(name="hasty", clients=[[Call(hasty)]], invariants=[ENDS], time="sleeps")
    assert outcomes_of(one) == {(Status.OK, type(None)), (Status.INFO, TimedOut)}


def test_time_that_stands_still_has_no_timeouts() -> None:
    with pytest.raises(
        ScenarioError, match=r"hasty\(\) has a timeout, at .*, and time stands still; .*time=\"sleeps\""
    ):
        search(Scenario(name="still", clients=[[Call(hasty)]], invariants=[ENDS]))


async def inner(env: Env, microseconds: int) -> str:
    try:
        async with env.timeout(microseconds):
            await env.clock.sleep(10 * SECOND)
    except TimeoutError:
        return "inner"
    return "none"


async def first(env: Env, short: int, long: int) -> str:
    """Which of two timeouts expires."""
    try:
        async with env.timeout(long * SECOND):
            ended = await inner(env, short * SECOND)
    except TimeoutError:
        return "outer"
    return ended


async def answered(env: Env) -> str:
    """A timeout of 10 s around what another task answers after 1 s."""

    async def answer() -> None:
        await env.clock.sleep(SECOND)
        await env.store.set(P, b"k", b"answered")

    try:
        async with env.timeout(10 * SECOND), env.parallel() as group:
            group.start(answer)
            await env.clock.sleep(2 * SECOND)
    except TimeoutError:
        return "too late"
    return (await env.store.get(P, b"k")).value.decode()


async def workers(env: Env, main: int) -> str:
    """What two tasks have written after 5 s and 1 s, as this one sees it after a sleep of its own."""

    async def work(name: bytes, seconds: int) -> None:
        await env.clock.sleep(seconds * SECOND)
        known = await env.store.find(P, b"done")
        await env.store.set(P, b"done", name if known is None else known.value + name)

    async with env.parallel() as group:
        group.start(work, b"a", 5)
        group.start(work, b"b", 1)
        await env.clock.sleep(main * SECOND)
        found = await env.store.find(P, b"done")
    return "nothing" if found is None else found.value.decode()


async def body_fails(env: Env) -> str:
    try:
        async with env.timeout(SECOND):
            await env.store.get(P, b"absent")
    except kv.NotFound:
        return "as it is"
    return ""


@pytest.mark.parametrize(
    ("flow", "args", "end"),
    [
        *((first, (2, 3), "inner"), (first, (3, 2), "outer"), (first, (20, 30), "none"), (body_fails, (), "as it is")),
        *((answered, (), "answered"), (workers, (0,), "nothing"), (workers, (3,), "b"), (workers, (7,), "ba")),
    ],
)
def test_timeouts_alone_and_live(flow: object, args: tuple[int, ...], end: str) -> None:
    clock = trio.testing.MockClock(autojump_threshold=0)
    assert trio.run(run, flow(live_env(), *args), MemoryStore(), clock=clock) == end  # type: ignore[operator]

    def ended(outcomes: tuple[Outcome, ...], seen: AnySnapshot) -> list[Finding]:
        return [Reached("so")] if outcomes[0].value == end else [Violation("alone", str(outcomes[0].value))]

    alone = Aftermath(id="alone", meaning="as live", calls=[Call(flow, *args)], check=ended)  # type: ignore[arg-type]
    assert found_of(attrs.evolve(LATE, aftermath=[alone]), "alone").verdict == "holds"


async def laps(env: Env) -> None:
    """A loop of nothing but timeouts, none of which ever needs to expire."""
    while await env.store.find(P, b"stop") is None:
        async with env.timeout(SECOND):
            await env.store.find(P, b"k")


async def poll(env: Env) -> str:
    try:
        async with env.timeout(SECOND):
            while await env.store.find(P, b"k") is None:
                pass
    except TimeoutError:
        return "late"
    return "found"


async def retry(env: Env) -> None:
    while True:
        try:
            async with env.timeout(SECOND):
                await env.store.set_if(P, b"k", b"", None)
        except (TimeoutError, kv.PredicateFailed):
            continue
        return


async def write_late_for_ever(env: Env) -> None:
    """Each of its writes is cut off, and arrives between the reads."""
    late = True
    while late:
        try:
            async with env.timeout(SECOND):
                await env.store.set(P, b"k", b"")
        except TimeoutError:
            pass
        late = await env.store.find(P, b"k") is None and await env.store.find(P, b"k") is not None
        await env.store.delete(P, b"k")


@pytest.mark.parametrize(
    ("flow", "verdict"),
    [
        (poll, "holds"),  # the deadline comes at last
        (retry, "violated"),  # each time, or never: a write that came late locks it out
        (write_late_for_ever, "violated"),
        (laps, "violated"),
    ],
)
def test_timeouts_in_loops(flow: Flow, verdict: str) -> None:
    promise = Terminates(flow, id="ends", meaning="it ends")
    found = broken(Scenario(name="loop", clients=[[Call(flow)]], invariants=[promise], time="sleeps"))
    assert (found is None) is (verdict == "holds")
    assert found is None or found.loop is not None
