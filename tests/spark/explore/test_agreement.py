"""The search that hands its levels over agrees with the local one: verdicts, numbers of states, lengths of traces.

The engine here is `tests.spark.explore.engines.InProcess`: workers' functions on Arrow batches, without Spark.
"""

import pytest

from lakeproof.search import packing
from lakeproof.search.frozen import FrozenKernel
from lakeproof.search.search import Limits, Options, search
from lakeproof.spark_checks.explore.search import on
from tests.differential.agreement import enumerated
from tests.differential.generated import flow_set
from tests.search.agreement import violated_by
from tests.spark.explore.comparing import CATALOGUE, compare, scenario_of, told
from tests.spark.explore.engines import InProcess

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
