"""Time that passes: the search against the plain one, and against runs that take their time; and faults planted."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import nullcontext
from random import Random
from typing import Final, cast

import attrs
import numpy as np
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
    Reads,
    Scenario,
    Terminates,
    Violation,
)
from lakeproof.impl.effects import Effect
from lakeproof.impl.live import live_env, run
from lakeproof.impl.stores import MemoryStore
from lakeproof.model.identity import Exact
from lakeproof.model.snapshot import AnySnapshot
from lakeproof.scenario import ScenarioError
from lakeproof.search import expansion, faults, kernel, semantics, tables, world
from lakeproof.search.faults import Mode, Move
from lakeproof.search.packing import Words, take
from lakeproof.search.replay import NotReproduced
from lakeproof.search.results import Limits, Options
from lakeproof.search.sampling import sample
from lakeproof.search.search import search
from lakeproof.search.setup import ALONE_STEPS_MAX, run_setup
from tests.differential.plain import plain_search
from tests.planting import text_fault
from tests.search.agreement import broken, differences_from_plain, in_parts, verdicts
from tests.search.timed import SECOND, START, P, follow, several, strayed
from tests.search.walks import ENDS

STATES_MAX: Final = 120


def disagreements(seeds: range, time: str) -> Iterator[str]:
    return differences_from_plain(several(seeds, time), STATES_MAX)


@pytest.mark.deep
@pytest.mark.parametrize("time", ["sleeps", "read"])
@pytest.mark.parametrize("seeds", in_parts(range(25), 25, deep=range(25, 50)))
def test_both_searches_agree(seeds: range, time: str) -> None:
    assert list(disagreements(seeds, time)) == []


def left_out(seeds: range, runs: int, time: str) -> list[int]:
    """In which scenarios a run ends as the search says that none does."""
    found = []
    for scenario in several(seeds, time):
        quiet, seed = attrs.evolve(scenario, faults=Faults(), invariants=[ENDS]), int(scenario.name.split("/")[1])
        finals, random = ends_of(quiet), Random(seed)
        if any(strayed(quiet, random) not in finals for _ in range(runs)):
            found.append(seed)
    return found


def ends_of(scenario: Scenario) -> set[Exact]:
    """The final states of a search, without timers: nobody waits for them any more."""
    found = search(scenario, options=Options(keep_finals=True)).finals
    values = [cast("tuple[frozenset[tuple[semantics.Cell, object]], Hashable]", final.value) for final in found]
    return {
        Exact((frozenset(pair for pair in cells if pair[0][0] != semantics.TIMER), views)) for cells, views in values
    }


@pytest.mark.deep
@pytest.mark.parametrize("time", ["sleeps", "read"])
def test_no_run_that_takes_its_time_is_left_out(time: str) -> None:
    assert left_out(range(25), 30, time) == []


Plant = Callable[[pytest.MonkeyPatch], None]


def _to_the_last(cells: semantics.Cells, tick: int) -> tuple[int, dict[semantics.Cell, semantics.Value]]:
    """As `pass_time`, up to the last timer."""
    left = {cell: int(value) for cell, value in cells.items() if cell[0] == "timer" and isinstance(value, bytes)}
    return max(left.values(), default=0), semantics.patch(cells, dict.fromkeys(left))


def _one_at_a_time(cells: semantics.Cells, tick: int) -> tuple[int, dict[semantics.Cell, semantics.Value]]:
    """As `pass_time`, but only the timer that runs out goes on."""
    left = {cell: int(value) for cell, value in cells.items() if cell[0] == "timer" and isinstance(value, bytes)}
    first = min(left, key=lambda cell: left[cell], default=None)
    return min(left.values(), default=0), semantics.patch(cells, {} if first is None else {first: None})


def _passes(wrong: Callable[[semantics.Cells, int], object]) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(kernel, "pass_time", wrong)

    return plant


def _never_asleep(patch: pytest.MonkeyPatch) -> None:
    def awake(op: Effect, reply: object, writes: semantics.Writes, modes: object) -> Iterator[object]:
        reply = None if reply is semantics.Asleep.ASLEEP else reply
        return usual(op, reply, writes, modes)  # type: ignore[arg-type]

    usual = faults.outcomes
    patch.setattr(tables, "outcomes", awake)


SLOW: Final = "runs & nothing_due & self.alive(words)"
IDLE: Final = "self.asleep(t, words) | (t.kind[t.nodes_of(words)] == 0)"
PLANTS: Final[dict[str, Plant]] = {
    "time goes on to the last timer": _passes(_to_the_last),
    "other timers stand still": _passes(_one_at_a_time),
    "clients are never slow": text_fault(kernel, SLOW, f"{SLOW} & np.all([{IDLE} for t in self.tables], 0)"),
    "a timer does not hold its client up": _never_asleep,
}


@pytest.mark.deep
@pytest.mark.parametrize("fault", PLANTS)
def test_planted_faults_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTS[fault](monkeypatch)
    assert notices(range(25), "read")


def notices(seeds: range, time: str) -> bool:
    try:
        return any(disagreements(seeds, time))
    except (NotReproduced, AssertionError):  # a counterexample that is none
        return True


@pytest.mark.parametrize("wrong", [_to_the_last, _one_at_a_time])
def test_faults_that_both_searches_have_are_found(wrong: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "pass_time", wrong)
    monkeypatch.setattr(world, "pass_time", wrong)
    assert left_out(range(10), 20, "read")


async def seen_early(env: Env) -> tuple[object, int]:
    return await env.store.find(P, b"k1") is not None, await env.clock.now() - START


def test_a_write_may_be_seen_before_the_deadline_that_cuts_it_off() -> None:
    clients = [[Call(follow, "a", (("hurry", 1),))], [Call(seen_early)]]
    scenario = Scenario(name="early", clients=clients, invariants=[ENDS], time="read")
    ends = [[calls[0].value for calls in end.value[1]] for end in ends_of(scenario)]  # type: ignore[index]
    assert [("late",), (True, 0)] in ends
    assert [("late",), (False, SECOND)] in ends


@pytest.mark.parametrize("planted", [False, True])
def test_one_write_is_on_its_way_at_a_time(planted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    twice = Scenario(name="twice", clients=[[Call(follow, "a", (("hurry", 1),) * 2)]], invariants=[ENDS], time="sleeps")
    if planted:
        monkeypatch.setattr(expansion, "REPEATED", ())
    with pytest.raises((IndexError, AssertionError)) if planted else nullcontext():
        assert search(twice, options=Options(keep_finals=True)).finals == plain_search(twice, 2_000).finals


def test_a_client_that_is_left_out_of_a_sleep_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = kernel.Kernel.expand

    def hasty(self: kernel.Kernel, words: Words, sink: kernel.Sink) -> None:
        def some(move: Move, rows: kernel.Rows, after: Words) -> None:
            last = self.tables[-1].kind[self.tables[-1].nodes_of(words)][rows] == tables.DONE
            keep = np.flatnonzero(last if move.client == 0 else np.ones(len(rows), np.bool_))
            sink(move, rows[keep], take(after, keep))

        usual(self, words, some)

    monkeypatch.setattr(kernel.Kernel, "expand", hasty)
    assert left_out(range(25), 30, "sleeps")


async def lease(env: Env, me: str, lasts: int) -> bool:
    """Take a lease, wait until another one has run out, and say whether it is one's own still."""
    found = await env.store.find(P, b"lease")
    if found is not None:
        await env.clock.wait_until(int(found.value))
    await env.store.set(P, b"lease", b"%d" % (await env.clock.now() + lasts))
    return await env.clock.now() < int((await env.store.get(P, b"lease")).value)


def test_a_lease_runs_out_while_its_holder_is_slow() -> None:
    def all_hold(seen: AnySnapshot) -> Iterator[Finding]:
        ended = [call.value for call in seen.calls() if call.done]
        yield Violation("holds", "it has run out") if False in ended else Reached("it is held")

    holds = Always(id="holds", meaning="a lease is held", check=all_hold)
    found = Scenario(
        name="lease", clients=[[Call(lease, "a", SECOND)], [Call(lease, "b", SECOND)]], invariants=[holds], time="read"
    )
    counterexample = broken(found)
    assert counterexample is not None
    assert Mode.TICK in [move.mode for move in counterexample.moves]
    assert sample(found, executions=3000).violations


async def beat(env: Env) -> None:
    while True:
        await env.store.set(P, b"beat", b"1")
        await env.clock.sleep(SECOND)


async def watch(env: Env) -> None:
    while await env.store.find(P, b"beat") is None:
        await env.clock.sleep(3 * SECOND)


async def renew(env: Env) -> None:
    while True:
        await env.clock.sleep(SECOND)
        await env.clock.now()


def test_a_heartbeat_closes_a_cycle() -> None:
    seen = Terminates(watch, id="seen", meaning="a heartbeat is seen")
    for patient, verdict in ((watch, "holds"), (renew, "inconclusive")):
        scenario = Scenario(name="beat", clients=[[Call(beat)], [Call(patient)]], invariants=[seen], time="sleeps")
        reads = patient is renew
        result = search(attrs.evolve(scenario, time="read" if reads else "sleeps"), Limits(states_max=2_000))
        assert (result.complete, verdicts(result)["seen"]) == (not reads, verdict)


async def sleeps(env: Env) -> None:
    await env.clock.sleep(SECOND)


async def reads(env: Env) -> int:
    return await env.clock.now()


async def writes_an_object(env: Env) -> None:
    await env.objects.put("o", b"")


def _now(seen: AnySnapshot) -> Iterator[Finding]:
    yield Reached(str(seen.now))


def _now_after(_: object, seen: AnySnapshot) -> list[Finding]:
    return [*_now(seen)]


def _later(outcomes: object, seen: AnySnapshot) -> list[Finding]:
    return [Reached("later")]


_ON_STEP = OnStep(id="on_step", meaning="m", check=lambda step: _now(step.after), watches=lambda *_: True)
_AFTER = Aftermath(id="after", meaning="m", calls=[Call(reads)], check=_later)
_PLAIN = Scenario(name="plain", clients=[[Call(sleeps)]], invariants=[ENDS])
_TIMED = attrs.evolve(_PLAIN, time="sleeps")
REFUSED: Final = {
    "sleeps": _PLAIN,
    r"reads\(\) reads the clock, at \S+test_time.py:\d+, and": attrs.evolve(_TIMED, clients=[[Call(reads)]]),
    r"writes_an_object\(\) .* when an object was written, at": attrs.evolve(_TIMED, clients=[[Call(writes_an_object)]]),
    "at_all": attrs.evolve(_TIMED, invariants=[Always(id="at_all", meaning="m", check=_now)]),
    "at_end": attrs.evolve(_TIMED, invariants=[Eventually(id="at_end", meaning="m", check=_now)]),
    r"reads\(\) reads the clock, at": attrs.evolve(_TIMED, aftermath=[_AFTER]),
    "'after': it looks at now": attrs.evolve(_TIMED, aftermath=[attrs.evolve(_AFTER, calls=(), check=_now_after)]),
    "on_step": attrs.evolve(_TIMED, clients=[[Call(beat)]], invariants=[_ON_STEP]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_clock_that_nothing_may_read_is_not_read(what: str) -> None:
    with pytest.raises(ScenarioError, match=what) as refused:
        search(REFUSED[what])
    assert "time=" in str(refused.value)


def test_what_is_not_declared_is_not_blamed_on_the_clock() -> None:
    stores = Always(id="x", meaning="m", check=lambda at: [Reached(str(at.clients))], reads=frozenset({Reads.STORE}))
    with pytest.raises(ScenarioError, match="which it does not declare to read; declare it: reads="):
        search(attrs.evolve(_TIMED, invariants=[stores]))


def test_jumps_and_time_that_passes_exclude_each_other() -> None:
    with pytest.raises(ScenarioError, match="leave out the jumps"):
        attrs.evolve(REFUSED["sleeps"], time="read", faults=Faults(clock_jumps=(1,)))


def test_that_time_goes_on_is_no_effect_of_a_setup() -> None:
    async def naps(env: Env) -> None:
        for _ in range(ALONE_STEPS_MAX // 2):  # each of them is two: a timer is set, and waited for
            await env.clock.sleep(1)

    assert run_setup(attrs.evolve(_TIMED, setup=[Call(naps)])) == {}


def test_a_live_flow_sleeps() -> None:
    async def naps(env: Env) -> None:
        await env.clock.sleep(3 * SECOND)
        async with env.parallel() as group:
            group.start(sleeps, env)

    clock = trio.testing.MockClock(autojump_threshold=0)
    trio.run(run, naps(live_env()), MemoryStore(), clock=clock)
    assert clock.current_time() == pytest.approx(4)
