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


SOME = [pytest.param(name, marks=[pytest.mark.deep] * (at % 3 > 0)) for at, name in enumerate(CATALOGUE)]


@pytest.mark.parametrize("name", SOME)
def test_scenarios_of_the_catalogue_come_out_as_they_do_here(name: str) -> None:
    scenario, engine = scenario_of(name), InProcess()
    result = compare(scenario, engine, GRADED)
    assert engine.rounds
    for finding in result.findings:
        if finding.counterexample:
            assert finding.id in violated_by(scenario, finding.counterexample.moves)


@pytest.mark.parametrize("options", [GRADED, RAW], ids=["graded", "raw"])
def test_generated_flows_come_out_as_they_do_here(options: Options) -> None:
    compared = 0
    for made in map(flow_set, range(40)):
        if enumerated(made, 200) is not None:
            compare(made.scenario(), InProcess(batch_rows=7), options)
            compared += 1
    assert compared >= 20


def test_ranked_searches_agree_too() -> None:
    strides = 0
    for made in map(flow_set, range(40)):
        if enumerated(made, 200) is not None:
            strides += compare(made.scenario(), InProcess(), Options(ranked=True)).depth > 0
    assert strides >= 15


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


class TestPlantedFaults:
    """What must not go unnoticed."""

    def differs(self) -> bool:
        for name in CATALOGUE[:12]:
            try:
                compare(scenario_of(name), InProcess(), GRADED)
            except (AssertionError, IndexError, KeyError, ValueError):
                return True
        return False

    def test_states_that_lack_something_but_are_not_held_back(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(FrozenKernel, "_lack", lambda *_: None)
        assert self.differs()

    def test_states_that_are_held_back_and_counted_all_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        attempt = FrozenKernel.attempt

        def wrong(self: FrozenKernel, words: packing.Words) -> object:
            found = attempt(self, words)
            known = attempt(self, packing.take(words, ~found.lacking)) if found.lacking.any() else found
            found.offers.extend(known.offers[:1])
            return found

        monkeypatch.setattr(FrozenKernel, "attempt", wrong)
        assert self.differs()

    def test_questions_that_nobody_answers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(InProcess, "fresh", lambda *_: iter(()))
        assert self.differs()

    def test_old_answers_that_are_judged_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fresh = InProcess.fresh

        def forgetful(self: InProcess, *args: object) -> object:
            self.old = []
            return fresh(self, *args)  # type: ignore[arg-type]

        monkeypatch.setattr(InProcess, "fresh", forgetful)
        assert self.differs()
