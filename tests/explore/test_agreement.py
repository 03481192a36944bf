"""Vectorised search, plain search and brute force agree, on generated flows and on the catalogue."""

from collections import Counter
from collections.abc import Sequence
from unittest.mock import Mock

import attrs
import pytest
from hypothesis import given, reject, settings

from lakeproof.explore import behaviour, packing, paths, search
from lakeproof.explore.plain import enumerate_schedules
from lakeproof.model.invariants import Always, Reached
from lakeproof.scenario import Scenario
from lakeproof.scenarios import catalogue
from tests.explore.agreement import (
    Searched,
    check_agreement,
    check_unmerged,
    plain_of,
    plain_or_none,
    run_search,
)
from tests.explore.generated import FIXED, KINDS, FlowSet, corpus, flow_sets
from tests.explore.handmade import HANDMADE

SETS = 120

CATALOGUE_STATES_MAX = 25
"""Scenarios of the catalogue with at most so many states are compared by default."""

DEEP_STATES_MAX = 300
"""And those with so many when there is time."""


class Evidence:
    """What the generated sets have brought about: agreement on nothing is worth nothing."""

    def __init__(self) -> None:
        self.sets: set[FlowSet] = set()
        self.verdicts: Counter[tuple[str, str]] = Counter()
        self.faults: Counter[str] = Counter()
        self.worth: Counter[str] = Counter()
        self.states = 0

    def note(self, flow_set: FlowSet, found: Sequence[Searched]) -> None:
        if flow_set in self.sets:
            return
        self.sets.add(flow_set)
        self.verdicts.update(found[0].verdicts.items())
        self.faults.update(kind for kind in KINDS if getattr(flow_set.faults, kind))
        unmerged, merged, symmetric = (one.result for one in found[:3])
        self.states += unmerged.states
        self.worth["merging"] += merged.states < unmerged.states
        self.worth["symmetry"] += symmetric.states < unmerged.states
        self.worth["ranks"] += len(found) > 4 and found[4].result.states < found[3].result.states
        self.worth["experiments"] += any(one.result.restarts for one in found)


def test_all_searches_agree_on_generated_flows() -> None:
    evidence = Evidence()

    @settings(FIXED, max_examples=SETS * 3 // 2)
    @given(flow_sets())
    def agree(flow_set: FlowSet) -> None:
        plain = plain_of(flow_set)
        if plain is None:
            reject()
        evidence.note(flow_set, check_agreement(flow_set.scenario(), plain))

    agree()
    assert len(evidence.sets) >= SETS
    assert evidence.states >= 50 * SETS
    for name in ("stored", "told", "ended", "stepped", "order", "after"):
        assert evidence.verdicts[name, "violated"] >= 3, name
        assert evidence.verdicts[name, "holds"] >= 3, name
    assert all(evidence.faults[kind] >= 5 for kind in KINDS), evidence.faults
    assert all(evidence.worth[what] >= 3 for what in ("merging", "symmetry", "ranks", "experiments")), evidence.worth


@pytest.mark.parametrize("flow_set", HANDMADE.values(), ids=HANDMADE)
def test_all_searches_agree_on_flows_made_by_hand(flow_set: FlowSet) -> None:
    plain = plain_of(flow_set)
    assert plain is not None
    assert len(check_agreement(flow_set.scenario(), plain)) >= 4


def test_brute_force_agrees_on_tiny_generated_flows() -> None:
    sets: set[FlowSet] = set()
    schedules: Counter[int] = Counter()

    @settings(FIXED, max_examples=SETS * 4 // 3)
    @given(flow_sets(tiny=True))
    def agree(flow_set: FlowSet) -> None:
        plain = plain_of(flow_set)
        try:
            executions, brute = enumerate_schedules(flow_set.scenario(), 60)
        except AssertionError as error:
            if "schedules" not in str(error):
                raise
            reject()
        assert plain is not None
        assert brute.keys == plain.keys
        assert brute.finals == plain.finals
        assert brute.verdicts == plain.verdicts
        assert brute.transitions >= plain.transitions
        check_unmerged(flow_set.scenario(), plain)
        sets.add(flow_set)
        schedules[executions] += 1

    agree()
    assert len(sets) >= SETS
    assert sum(number for executions, number in schedules.items() if executions >= 6) >= SETS // 3


BOUNDS: dict[str, tuple[tuple[object, str, int], ...]] = {
    "states of several words": ((packing, "WORD_BITS", 10),),
    "chunks of three states": ((search, "CHUNK", 3), (paths, "CHUNK", 2)),
    "levels on disk": ((paths, "RESIDENT_BYTES_MAX", 0),),
    "one member a node": ((behaviour, "MEMBERS_MAX", 1),),
    "two members a node": ((behaviour, "MEMBERS_MAX", 2),),
    "no experiments": ((behaviour, "EXPERIMENTS_MAX", 0),),
    "one experiment": ((behaviour, "EXPERIMENTS_MAX", 1),),
    "ranks that are never raised twice": ((behaviour, "RAISES_MAX", 0),),
    "no first guess": ((behaviour, "SOLO_STEPS_MAX", 0),),
}


@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
@pytest.mark.parametrize("sets", [15, pytest.param(60, marks=pytest.mark.deep)])
def test_bounds_of_the_machinery_cost_time_and_never_truth(
    bounds: tuple[tuple[object, str, int], ...], sets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name, value in bounds:
        monkeypatch.setattr(module, name, value)
    for flow_set in (*HANDMADE.values(), *corpus(sets)):
        plain = plain_of(flow_set)
        if plain is not None and plain.states <= 250:
            check_agreement(flow_set.scenario(), plain)


def test_levels_on_disk_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    spill = Mock(side_effect=paths._spilled)
    monkeypatch.setattr(paths, "RESIDENT_BYTES_MAX", 0)
    monkeypatch.setattr(paths, "_spilled", spill)
    found = run_search(corpus(1)[0].scenario(), merge=True, symmetry=True)
    assert found is not None
    assert sum(len(call.args[0]) for call in spill.call_args_list) == found.result.states


def test_states_of_generated_sets_span_several_words_when_words_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "WORD_BITS", 10)
    found = [run_search(flow_set.scenario(), merge=True, symmetry=True) for flow_set in corpus(60)]
    assert sum(one is not None and one.result.collision > 0 for one in found) >= 10


def complete(scenario: Scenario) -> Scenario:
    """The scenario with an invariant that nothing violates, so that no search stops early."""
    unbroken = Always(id="unbroken", meaning="holds", check=lambda _: [Reached("a state")])
    return attrs.evolve(scenario, invariants=[*scenario.invariants, unbroken])


def catalogue_of(fewest: int, most: int, every: int) -> list[Scenario]:
    """The scenarios of the catalogue whose raw state spaces are that large: of races, and of those of a single client,
    whose schedules differ by faults only, every so manieth."""
    limits = search.Limits(states_max=most + 1)
    options = search.Options(merge=False, symmetry=False)
    all_of_them = catalogue()
    races = [scenario for scenario in all_of_them if len(scenario.clients) > 1]
    singles = [scenario for scenario in all_of_them if len(scenario.clients) == 1]
    looked_at = [complete(scenario) for scenario in (*races[::every], *singles[::every])]
    sized = ((search.search(scenario, limits, options), scenario) for scenario in looked_at)
    return [scenario for result, scenario in sized if result.complete and fewest <= result.states <= most]


def check_catalogue(fewest: int, most: int, *, every: int = 1) -> int:
    """How many scenarios are compared."""
    scenarios = catalogue_of(fewest, most, every)
    for scenario in scenarios:
        plain = plain_or_none(scenario, most)
        assert plain is not None, f"{scenario.name}: the searches do not agree on the number of states"
        check_agreement(scenario, plain)
    return len(scenarios)


def test_all_searches_agree_on_small_scenarios_of_the_catalogue() -> None:
    assert check_catalogue(1, CATALOGUE_STATES_MAX, every=8) >= 40


@pytest.mark.deep
def test_all_searches_agree_on_all_small_scenarios_of_the_catalogue() -> None:
    assert check_catalogue(1, CATALOGUE_STATES_MAX) >= 200


@pytest.mark.deep
def test_all_searches_agree_on_larger_scenarios_of_the_catalogue() -> None:
    assert check_catalogue(CATALOGUE_STATES_MAX + 1, DEEP_STATES_MAX) >= 100
