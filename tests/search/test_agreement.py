"""Searches agree with the enumerator whatever the bounds of the machinery; with the plain search on the catalogue."""

from collections import Counter
from unittest.mock import Mock

import attrs
import pytest

from lakeproof.designs import catalogue
from lakeproof.model.invariants import Always, Reached
from lakeproof.scenario import Scenario
from lakeproof.search import behaviour, by_level, expansion, packing, paths
from lakeproof.search.search import Limits, Options, search
from tests.differential.agreement import WAYS, disagreements, enumerated, plain, run_search
from tests.differential.generated import flow_set
from tests.differential.handmade import HANDMADE
from tests.search.agreement import check_agreement

BOUNDED_STATES_MAX = 150
"""Sets with more states than that are left out where bounds are odd."""

CATALOGUE_STATES_MAX = 25
"""Scenarios of the catalogue with at most so many states are compared with `deep`."""

LONG_STATES_MAX = 200
"""And those with so many with `long`."""


BOUNDS: dict[str, tuple[tuple[object, str, int], ...]] = {
    "states of several words": ((packing, "WORD_BITS", 10),),
    "chunks of three states": ((by_level, "CHUNK", 3), (paths, "CHUNK", 2)),
    "levels on disk": ((paths, "RESIDENT_BYTES_MAX", 0),),
    "projections of few bits at a time": ((expansion, "KEY_BITS_MAX", 4),),
    "one member a node": ((behaviour, "MEMBERS_MAX", 1),),
    "two members a node": ((behaviour, "MEMBERS_MAX", 2),),
    "no experiments": ((behaviour, "EXPERIMENTS_MAX", 0),),
    "one experiment": ((behaviour, "EXPERIMENTS_MAX", 1),),
    "ranks that are never raised twice": ((behaviour, "RAISES_MAX", 0),),
    "no first guess": ((behaviour, "SOLO_STEPS_MAX", 0),),
}


@pytest.mark.deep
@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
@pytest.mark.parametrize(
    ("every", "sets"),
    [(12, 2), pytest.param(5, 4, marks=pytest.mark.long), pytest.param(1, 40, marks=pytest.mark.long)],
)
def test_bounds_of_the_machinery_cost_time_and_never_truth(
    bounds: tuple[tuple[object, str, int], ...], every: int, sets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name, value in bounds:
        monkeypatch.setattr(module, name, value)
    for made in (*list(HANDMADE.values())[::every], *map(flow_set, range(sets))):
        expected = enumerated(made, BOUNDED_STATES_MAX)
        assert expected is None or list(disagreements(made.scenario(), expected)) == [], made


@pytest.mark.deep
@pytest.mark.parametrize("restarts", [0, 8])
def test_a_search_that_is_small_grows_and_goes_on_agrees_with_the_enumerator(
    restarts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_level, "SMALL_STATES_MAX", 3)
    monkeypatch.setattr(by_level, "MERGED_RESTARTS_MAX", restarts)
    for made in (*HANDMADE.values(), *map(flow_set, range(20))):
        scenario = made.scenario()
        expected = enumerated(made, BOUNDED_STATES_MAX)
        if expected is not None:
            findings = search(scenario).findings
            assert {each.id: each.verdict for each in findings} == expected.verdicts, made
            ways = {each.id: len(each.counterexample.moves) for each in findings if each.counterexample}
            assert ways == expected.lengths, made


def test_levels_on_disk_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    spill = Mock(side_effect=paths._spill_to_file)
    monkeypatch.setattr(paths, "RESIDENT_BYTES_MAX", 0)
    monkeypatch.setattr(paths, "_spill_to_file", spill)
    found = run_search(flow_set(0).scenario(), WAYS["merged"])
    assert found is not None
    assert sum(len(call.args[0]) for call in spill.call_args_list) == found.result.states


def test_states_of_generated_sets_span_several_words_when_words_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "WORD_BITS", 10)
    found = [run_search(flow_set(seed).scenario(), WAYS["merged"]) for seed in range(20)]
    assert sum(one is not None and one.result.collision > 0 for one in found) >= 5


def complete(scenario: Scenario) -> Scenario:
    """The scenario with an invariant that nothing violates, so that no search stops early."""
    unbroken = Always(id="unbroken", meaning="holds", check=lambda _: [Reached("a state")])
    return attrs.evolve(scenario, invariants=[*scenario.invariants, unbroken])


def catalogue_of(fewest: int, most: int, *, races_every: int, singles_every: int) -> list[Scenario]:
    """The scenarios of the catalogue whose raw state spaces are that large: of races, and of those of a single client,
    whose schedules differ by faults only, every so manieth."""
    limits = Limits(states_max=most + 1)
    options = Options(merge=False, symmetry=False)
    all_of_them = catalogue()
    races = [scenario for scenario in all_of_them if len(scenario.clients) > 1]
    singles = [scenario for scenario in all_of_them if len(scenario.clients) == 1]
    looked_at = [complete(scenario) for scenario in (*races[::races_every], *singles[::singles_every])]
    sized = ((search(scenario, limits, options), scenario) for scenario in looked_at)
    return [scenario for result, scenario in sized if result.complete and fewest <= result.states <= most]


def check_catalogue(fewest: int, most: int, *, races_every: int, singles_every: int) -> Counter[int]:
    """How many scenarios are compared, by the number of their clients."""
    scenarios = catalogue_of(fewest, most, races_every=races_every, singles_every=singles_every)
    for scenario in scenarios:
        expected = plain(scenario, most)
        assert expected is not None, f"{scenario.name}: the searches do not agree on the number of states"
        check_agreement(scenario, expected)
    return Counter(len(scenario.clients) for scenario in scenarios)


@pytest.mark.deep
def test_all_searches_agree_on_many_small_scenarios_of_the_catalogue() -> None:
    compared = check_catalogue(1, CATALOGUE_STATES_MAX, races_every=15, singles_every=60)
    assert compared[1] >= 40
    assert compared.total() - compared[1] >= 20


@pytest.mark.long
def test_all_searches_agree_on_larger_scenarios_of_the_catalogue() -> None:
    compared = check_catalogue(CATALOGUE_STATES_MAX + 1, LONG_STATES_MAX, races_every=15, singles_every=15)
    assert compared.total() >= 20
