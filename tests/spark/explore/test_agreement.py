"""The search that hands its levels over agrees with the local one: verdicts, numbers of states, lengths of traces.

The engine here is `tests.spark.explore.engines.InProcess`: workers' functions on Arrow batches, without Spark.
"""

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path

import pytest

from lakeproof import Call, Env, Scenario
from lakeproof.model import kv
from lakeproof.model.invariants import Always, Finding, Invariant, Monitor, OnStep, Reached, Violation
from lakeproof.model.snapshot import Event, Returned
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from lakeproof.search import packing
from lakeproof.search.fence import Hangs
from lakeproof.search.frozen import FrozenKernel
from lakeproof.search.search import Limits, Options, search
from lakeproof.spark_checks.explore.search import on
from lakeproof.spark_checks.explore.task import Explore
from lakeproof.verify.loader import Source
from lakeproof.verify.processes import run
from tests.differential.agreement import enumerated
from tests.differential.generated import flow_set
from tests.search.agreement import violated_by
from tests.search.test_looping import GROWS, NEVER, counting, holding
from tests.spark.explore.comparing import CATALOGUE, compare, scenario_of, told
from tests.spark.explore.engines import InProcess
from tests.test_running import Ear

GRADED = Options(ranked=False)
RAW = Options(merge=False)
RANKED = Options(ranked=True)


SOME = [pytest.param(name, marks=[pytest.mark.deep] * (at % 3 > 0)) for at, name in enumerate(CATALOGUE)]


@pytest.mark.parametrize("name", SOME)
def test_scenarios_of_the_catalogue_come_out_as_they_do_here(name: str) -> None:
    scenario, engine = scenario_of(name), InProcess()
    result = compare(scenario, engine, GRADED)
    assert engine.rounds
    for finding in result.findings:
        if finding.counterexample:
            assert finding.id in violated_by(scenario, finding.counterexample.moves)


@pytest.mark.deep
@pytest.mark.parametrize("options", [GRADED, RAW, RANKED], ids=["graded", "raw", "ranked"])
def test_generated_flows_come_out_as_they_do_here(options: Options) -> None:
    depths = [
        compare(made.scenario(), InProcess(batch_rows=7), options).depth
        for made in map(flow_set, range(20))
        if enumerated(made, 200) is not None
    ]
    assert len(depths) >= 10
    assert sum(depth > 0 for depth in depths) >= 8


@pytest.mark.deep
@pytest.mark.parametrize("driver_states", [0, 3, 10, 30])
def test_it_does_not_matter_when_levels_are_handed_over(driver_states: int) -> None:
    for name in CATALOGUE[::5]:
        compare(scenario_of(name), InProcess(), GRADED, driver_states)


def test_a_search_whose_levels_stay_small_is_the_local_one_to_the_letter() -> None:
    for name in CATALOGUE[::5]:
        engine = InProcess()
        here = search(scenario_of(name), options=GRADED)
        there = search(scenario_of(name), options=GRADED, searching=on(engine, 10**6))
        assert there.findings == here.findings
        assert engine.steps == 0


@pytest.mark.parametrize("states_max", [1, 20, 60])
def test_limits_stop_both_at_the_same_level(states_max: int) -> None:
    scenario, limits = scenario_of("repositories/kv3/delete-get"), Limits(states_max=states_max)
    here = search(scenario, limits, GRADED)
    there = search(scenario, limits, GRADED, searching=on(InProcess(), 0))
    assert told(there) == told(here)


PRINTS = """
from lakeproof import Call, Scenario

async def prints(env):
    print("a flow's own words")
    await env.store.set(b"p", b"k", b"1")

EXPECT = {"no-unhandled-exception": "holds"}
SCENARIOS = [Scenario(name="prints", clients=[[Call(prints)]], invariants=[], expect=EXPECT)]
"""


def test_a_users_file_is_searched_where_the_engine_is_and_prints_nothing_among_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, engine = tmp_path / "mine.py", InProcess()
    path.write_text(PRINTS)
    source, task = Source(path), Explore(engine=engine, driver_states=0)
    (outcome,) = run(task, source.load(), source, 1, Ear())
    assert outcome.complete
    assert engine.steps, "a copy of the engine has expanded the levels"
    shown = capsys.readouterr()
    assert (shown.out, "a flow's own words" in shown.err) == ("", True)


async def sets(env: Env, key: bytes) -> None:
    await env.store.set(b"p", key, b"1")


async def hangs_once_a_is_set(env: Env) -> None:
    if await env.store.find(b"p", b"a") is not None:
        raise Hangs(30.0, "mine.py:3")


def _is_set(cells: Mapping[tuple[bytes, bytes], object], key: bytes) -> list[Violation | Reached]:
    return [Violation("set", f"{key!r}")] if (b"p", key) in cells else [Reached("not set")]


def _returned(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    both = isinstance(event, Returned) and state is True
    return isinstance(event, Returned) or state, (Violation("second", "two have returned"),) if both else ()


BEFORE = Always(id="before", meaning="", check=lambda snapshot: _is_set(snapshot.store, b"a"))
BESIDE = OnStep(
    id="beside",
    meaning="",
    check=lambda step: _is_set(step.before.store, b"b"),
    watches=lambda _, op: isinstance(op, kv.Set) and op.key == b"a",
)
SECOND = Monitor(id="second", meaning="", initial=False, advance=_returned)


@pytest.mark.parametrize("invariants", [(BEFORE, BESIDE), (SECOND,)], ids=["states and steps", "a monitor"])
def test_a_flow_that_hangs_takes_no_violation_with_it_that_was_found(invariants: Sequence[Invariant]) -> None:
    """On the level on which it hangs, a state in which it does not is judged, too."""
    clients = [[Call(sets, b"a")], [Call(hangs_once_a_is_set)], [Call(sets, b"b")]]
    scenario = Scenario(name="hangs", clients=clients, invariants=invariants)
    here, there = search(scenario, options=GRADED), search(scenario, options=GRADED, searching=on(InProcess(), 0))
    assert {finding.verdict for finding in here.findings if finding.id != NO_UNHANDLED_EXCEPTION} == {"violated"}
    assert told(there)["verdicts"] == told(here)["verdicts"]
    assert told(there)["lengths"] == told(here)["lengths"]
    assert there.stopped == here.stopped == str(Hangs(30.0, "mine.py:3"))


def test_a_flow_that_counts_up_is_named_after_so_many_steps_and_so_is_what_it_counts() -> None:
    clients = [[Call(counting)], [Call(sets, b"a")]]
    scenario = Scenario(name="counts", clients=clients, setup=[Call(holding)], invariants=[NEVER])
    limits = Limits(steps_max=20, states_max=1_000)
    here = search(scenario, limits, GRADED)
    there = search(scenario, limits, GRADED, searching=on(InProcess(), 0))
    assert "counting() still runs after 20 steps" in here.stopped
    assert GROWS[counting] in here.stopped
    assert told(there) == told(here)


def test_a_level_is_expanded_in_rounds_until_nothing_is_missing() -> None:
    engine = InProcess(witnesses=1)
    compare(scenario_of("repositories/naive/delete-create/crash"), engine, GRADED)
    assert engine.rounds > engine.steps / 4
    assert engine.lacking > 0


ATTEMPT, FRESH = FrozenKernel.attempt, InProcess.fresh


def counted_although_held_back(self: FrozenKernel, words: packing.Words) -> object:
    found = ATTEMPT(self, words)
    known = ATTEMPT(self, packing.take(words, ~found.lacking)) if found.lacking.any() else found
    found.offers.extend(known.offers[:1])
    return found


def judged_again(self: InProcess, *args: object) -> object:
    """Old answers, too."""
    self.old = []
    return FRESH(self, *args)  # type: ignore[arg-type]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("where", "name", "fault"),
    [
        (FrozenKernel, "_lack", lambda *_: None),  # states that lack something are not held back
        (FrozenKernel, "attempt", counted_although_held_back),
        (InProcess, "fresh", lambda *_: iter(())),  # nobody answers a question
        (InProcess, "fresh", judged_again),
    ],
    ids=["not held back", "held back and counted", "no answers", "judged again"],
)
def test_a_planted_fault_does_not_go_unnoticed(
    where: type, name: str, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def differs(scenario: str) -> bool:
        try:
            compare(scenario_of(scenario), InProcess(), GRADED)
        except (AssertionError, IndexError, KeyError, ValueError):
            return True
        return False

    monkeypatch.setattr(where, name, fault)
    assert any(map(differs, CATALOGUE[:12]))
