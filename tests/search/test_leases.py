"""Keys with a time to live: against the plain search, in loops, and by hand."""

from collections.abc import Callable, Iterator
from typing import Final

import attrs
import pytest
import trio
import trio.testing

from lakeproof import (
    Aftermath,
    Always,
    Call,
    Env,
    Eventually,
    Faults,
    Finding,
    OnStep,
    Reached,
    Scenario,
    Terminates,
    Transition,
    Violation,
    kv,
)
from lakeproof.impl.live import live_env, run
from lakeproof.impl.stores import MemoryStore
from lakeproof.model.invariants import Fairness
from lakeproof.model.snapshot import AnySnapshot, Outcome
from lakeproof.scenario import ScenarioError
from lakeproof.search.results import Limits, Options
from lakeproof.search.sampling import sample
from lakeproof.search.search import search
from tests.search.agreement import broken, differences_from_plain, found_of, in_parts
from tests.search.leased import SECOND, P, generated, scenario_of
from tests.search.walks import ENDS

LOCK: Final = (P, b"lock")


def _claimed(seen: AnySnapshot) -> Iterator[Finding]:
    lost = [call for call in seen.calls("follow") if call.done and isinstance(call.value, tuple) and None in call.value]
    yield Violation("found", "a key is gone") if lost and (P, b"0") not in seen.store else Reached("a state")


FOUND: Final = Always(id="found", meaning="who finds nothing finds out why", check=_claimed)
FAULTS: Final = (Faults(), Faults(crashes=1), Faults(lost_answers=1, duplicates=1), Faults(false_predicates=1))


STATES_MAX: Final = 200


def disagreements(seeds: range, time: str) -> Iterator[str]:
    made = ((generated(seed), FAULTS[seed % len(FAULTS)]) for seed in seeds)
    scenarios = (scenario_of((first[:2], second[:1]), time, faults) for (first, second, *_), faults in made)
    return differences_from_plain((attrs.evolve(each, invariants=[ENDS, FOUND]) for each in scenarios), STATES_MAX)


@pytest.mark.parametrize("time", ["sleeps", "read"])
@pytest.mark.parametrize("seeds", in_parts(range(8), 8, deep=range(8, 28)))
def test_both_searches_agree(seeds: range, time: str) -> None:
    assert list(disagreements(seeds, time)) == []


async def hold(env: Env, *, renew: bool = False, ttl: int | None = 2 * SECOND) -> None:
    await env.store.set(*LOCK, b"held", ttl=ttl)
    while renew:
        await env.store.set(*LOCK, b"held", ttl=ttl)


async def take(env: Env, *, naps: bool) -> None:
    while not await env.store.try_set_if(*LOCK, b"taken", None):
        if naps:
            await env.clock.sleep(SECOND)


TAKES: Final = Terminates(take, id="takes", meaning="the lock is taken at last")


@pytest.mark.parametrize("naps", [False, True])
@pytest.mark.parametrize(
    ("holder", "verdict"),
    [
        (Call(hold), "holds"),
        (Call(hold, ttl=None), "violated"),
        (Call(hold, renew=True), "violated"),
    ],
)
def test_a_loop_waits_for_a_lock_to_expire(holder: Call, verdict: str, naps: bool) -> None:
    clients = [[holder], [Call(take, naps=naps)]]
    spin = Scenario(name="spin", clients=clients, invariants=[TAKES], time="sleeps", tick=SECOND)
    assert (broken(spin) is None) is (verdict == "holds")


@pytest.mark.parametrize(("fairness", "verdict"), [("weak", "holds"), ("strong", "holds"), ("none", "violated")])
def test_time_passes_at_last_where_nobody_sleeps(fairness: Fairness, verdict: str) -> None:
    clients = [[Call(hold)], [Call(take, naps=False)]]
    takes = Terminates(take, id="takes", meaning="the lock is taken at last", fairness=fairness)
    spin = Scenario(name="spin", clients=clients, invariants=[takes], time="sleeps", tick=SECOND)
    assert found_of(spin, "takes").verdict == verdict


def test_a_loop_that_reads_the_clock_is_inconclusive() -> None:
    async def renew(env: Env) -> None:
        while True:
            await env.store.set(*LOCK, b"%d" % await env.clock.now(), ttl=SECOND)

    endless = Scenario(name="endless", clients=[[Call(renew)]], invariants=[ENDS], time="read", tick=SECOND)
    result = search(endless, Limits(states_max=500))
    assert not result.complete
    assert {finding.verdict for finding in result.findings} == {"inconclusive"}


async def once(env: Env, ttl: int) -> None:
    await env.store.set(*LOCK, b"v", ttl=ttl)


async def nap(env: Env, microseconds: int) -> None:
    await env.clock.sleep(microseconds)


async def look(env: Env) -> bool:
    return await env.store.find(*LOCK) is not None


def _one(**options: object) -> Scenario:
    given = {"name": "one", "clients": [[Call(once, SECOND)]], "invariants": [ENDS], "time": "sleeps", "tick": SECOND}
    return Scenario(**{**given, **options})  # type: ignore[arg-type]


REFUSED: Final[dict[str, Callable[[], Scenario]]] = {
    r'time stands still; give .* time="sleeps".*, and tick=1000000,': lambda: _one(time="still", tick=0),
    "the scenario has no tick; give it tick=1000000,": lambda: _one(tick=0),
    "1000000 is no multiple of tick=700000; give the scenario tick=100000": lambda: _one(tick=700_000),
    "5 is no multiple of tick=1000000; give the scenario tick=5$": lambda: _one(clients=[[Call(nap, 5)]]),
    "it is 0; give it microseconds, 1 or more": lambda: _one(clients=[[Call(once, 0)]]),
    'tick=1000000 and time="still"': lambda: _one(time="still"),
    "tick is 1.5; expected microseconds": lambda: _one(tick=1.5),
    "tick is -1; expected microseconds": lambda: _one(tick=-1),
    "no tick": lambda: _one(setup=[Call(once, SECOND)], clients=[[Call(look)]], tick=0),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_the_time_of_a_scenario_does_not_allow_is_refused(message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        search(REFUSED[message]())


def test_a_client_has_no_ttl_on_its_own_store() -> None:
    async def own(env: Env) -> None:
        await env.local.set(*LOCK, b"v", ttl=SECOND)

    result = search(
        _one(clients=[[Call(own)]], expect={"no-unhandled-exception": "holds"}), options=Options(keep_finals=True)
    )
    [final] = result.finals
    assert "no ttl" in str(final.value)


def test_what_the_setup_leaves_lives_on_and_an_aftermath_outlives_it() -> None:
    def gone(outcomes: tuple[Outcome, ...], seen: AnySnapshot) -> list[Finding]:
        there = [outcome.value for outcome in outcomes if outcome.value is not None]
        return [Reached("gone")] if there == [False, True, False] else [Violation("after", str(there))]

    calls = [Call(look), Call(once, 2 * SECOND), Call(nap, SECOND), Call(look), Call(nap, SECOND), Call(look)]
    found = _one(
        setup=[Call(once, 2 * SECOND), Call(nap, SECOND)],
        clients=[[Call(nap, SECOND), Call(look)]],
        aftermath=[Aftermath(id="after", meaning="it is gone", calls=calls, check=gone)],
    )
    ended = {final.value[1][0][-1].value for final in search(found, options=Options(keep_finals=True)).finals}  # type: ignore[index]
    assert ended == {False, True}
    assert found_of(found, "after").verdict == "holds"


def test_invariants_see_values_and_plain_writes() -> None:
    seen_ops: set[str] = set()

    def written(step: Transition) -> Iterator[Finding]:
        assert isinstance(step.op, kv.Set)
        seen_ops.add(type(step.op).__name__)
        yield Reached("written") if step.after.store[LOCK] == b"v" else Violation("written", str(step.after.store))

    def values(seen: AnySnapshot) -> Iterator[Finding]:
        yield Reached("v") if seen.store.get(LOCK, b"v") == b"v" else Violation("values", str(seen.store))

    scenario = _one(
        invariants=[
            OnStep(id="written", meaning="m", check=written, watches=lambda _, op: isinstance(op, kv.Set)),
            Always(id="values", meaning="m", check=values),
        ],
    )
    assert {finding.verdict for finding in search(scenario).findings} == {"holds"}
    assert seen_ops == {"ExpiringSet"}


def test_the_end_comes_when_nothing_has_a_time_to_live() -> None:
    def empty(seen: AnySnapshot) -> Iterator[Finding]:
        yield Violation("empty", "it is there") if LOCK in seen.store else Reached("it is gone")

    result = search(_one(invariants=[Eventually(id="empty", meaning="m", check=empty)]))
    assert {finding.verdict for finding in result.findings} == {"holds"}
    forever = _one(clients=[[Call(hold, ttl=None)]], invariants=[Eventually(id="empty", meaning="m", check=empty)])
    assert "violated" in {finding.verdict for finding in search(forever).findings}


def test_a_sampled_run_sees_a_key_expire() -> None:
    scenario = scenario_of(((("claim", 0, 1),), (("sleep", 0, 2), ("get", 0, 0))), "sleeps")
    found = sample(attrs.evolve(scenario, invariants=[FOUND]), executions=500)
    assert found.violations


def test_a_live_key_expires() -> None:
    async def flow(env: Env) -> list[bool]:
        await env.store.set_if(*LOCK, b"1", None, ttl=2 * SECOND)
        seen = []
        for wait in (SECOND, SECOND):
            await env.clock.sleep(wait)
            seen.append(await look(env))
        assert await env.store.try_set_if(*LOCK, b"2", None, ttl=SECOND)
        await env.store.set(*LOCK, b"3")
        await env.clock.sleep(5 * SECOND)
        await env.store.set(P, b"other", b"v", ttl=SECOND)
        await env.store.delete(P, b"other")
        await env.store.set(P, b"other", b"w")
        await env.clock.sleep(5 * SECOND)
        return [*seen, await look(env), await env.store.find(P, b"other") is not None]

    clock = trio.testing.MockClock(autojump_threshold=0)
    assert trio.run(run, flow(live_env()), MemoryStore(), clock=clock) == [True, False, True, True]
