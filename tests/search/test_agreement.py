"""Searches agree with the enumerator whatever the bounds of the machinery; with the plain search on the catalogue."""

from collections import Counter
from unittest.mock import Mock

import attrs
import pytest

from lakeproof.designs import catalogue
from lakeproof.scenario import Scenario
from lakeproof.search import behaviour, by_level, packing, paths
from lakeproof.search import search as driver
from lakeproof.search.search import Limits, Options, search
from tests.differential.agreement import WAYS, disagreements, enumerated, plain, run_search
from tests.differential.generated import flow_set
from tests.differential.handmade import HANDMADE
from tests.search.agreement import check_agreement
from tests.search.walks import UNBROKEN

BOUNDED_STATES_MAX = 150
"""Sets with more states than that are left out where bounds are odd."""


Bounds = tuple[tuple[object, str, int], ...]

BOUNDS: dict[str, Bounds] = {
    "states of several words": ((packing, "WORD_BITS", 10),),
    "chunks of three states": ((by_level, "CHUNK", 3), (paths, "CHUNK", 2)),
    "levels on disk": ((paths, "RESIDENT_BYTES_MAX", 0),),
    "projections of few bits at a time": ((packing, "KEY_BITS_MAX", 4),),
    "one member a node": ((behaviour, "MEMBERS_MAX", 1),),
    "two members a node": ((behaviour, "MEMBERS_MAX", 2),),
    "no experiments": ((behaviour, "EXPERIMENTS_MAX", 0),),
    "one experiment": ((behaviour, "EXPERIMENTS_MAX", 1),),
    "ranks that are never raised twice": ((behaviour, "RAISES_MAX", 0),),
    "no first guess": ((behaviour, "SOLO_STEPS_MAX", 0),),
}


@pytest.mark.deep
@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
def test_bounds_of_the_machinery_cost_time_and_never_truth(bounds: Bounds, monkeypatch: pytest.MonkeyPatch) -> None:
    for owner, name, value in bounds:
        monkeypatch.setattr(owner, name, value)
    for made in (*list(HANDMADE.values())[::3], *map(flow_set, range(10))):
        expected = enumerated(made, BOUNDED_STATES_MAX)
        assert expected is None or list(disagreements(made.scenario(), expected)) == [], made


GROWS: dict[str, Bounds] = {
    "it merges": ((by_level, "SMALL_STATES_MAX", 3),),
    "it merges, as flows run often": ((by_level, "SMALL_RERUNS_MAX", 3),),
    "it goes on, as merging does not pay": ((by_level, "SMALL_STATES_MAX", 3), (by_level, "MERGED_RESTARTS_MAX", 0)),
    "it is ranked": ((by_level, "SMALL_STATES_MAX", 3), (driver, "RANKED_FROM", 3)),
    "its ranks do not settle": (
        *((by_level, "SMALL_STATES_MAX", 3), (driver, "RANKED_FROM", 1), (by_level, "RANKED_RESTARTS_MAX", -1)),
    ),
}


@pytest.mark.parametrize("bounds", GROWS.values(), ids=GROWS)
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.deep)])
def test_a_small_search_that_grows_agrees_with_the_enumerator(
    bounds: Bounds, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner, name, value in bounds:
        monkeypatch.setattr(owner, name, value)
    for made in list(HANDMADE.values())[::every]:
        expected, findings = enumerated(made), search(made.scenario()).findings
        assert expected is not None
        assert {each.id: each.verdict for each in findings} == expected.verdicts, made
        ways = {each.id: len(each.counterexample.moves) for each in findings if each.counterexample}
        assert ways == expected.lengths, made


@pytest.mark.parametrize("options", [Options(), Options(merge=True), Options(ranked=True)], ids=repr)
def test_a_search_that_starts_over_goes_as_if_it_had_learned_nothing(
    options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in how often it runs flows, which decides how it goes on."""

    def counted() -> list[tuple[object, ...]]:
        found = [search(made.scenario(), options=options) for made in HANDMADE.values()]
        return [(each.findings, each.states, each.transitions, each.reruns, each.restarts) for each in found]

    learning, begin = counted(), behaviour.Behaviour.__init__
    assert options == Options() or any(restarts for *_, restarts in learning), "nothing is taken up again"
    monkeypatch.setattr(
        behaviour.Behaviour,
        "__init__",
        lambda self, trie, **ways: begin(self, attrs.evolve(trie, root=None), **ways),
    )
    assert counted() == learning


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
    return attrs.evolve(scenario, invariants=[*scenario.invariants, UNBROKEN])


@pytest.mark.parametrize(
    ("fewest", "most", "singles_every", "pairs_every", "enough"),
    [pytest.param(1, 25, 60, 15, 60, marks=pytest.mark.deep), pytest.param(26, 200, 45, 45, 7, marks=pytest.mark.long)],
)
def test_all_searches_agree_on_scenarios_of_the_catalogue(
    fewest: int, most: int, singles_every: int, pairs_every: int, enough: int
) -> None:
    """Those whose raw state spaces are that large: every so manieth race; and of those of a single client, whose
    schedules differ by faults only, fewer."""
    compared: Counter[int] = Counter()
    for clients, every in ((1, singles_every), (2, pairs_every)):
        chosen = [each for each in catalogue() if min(len(each.clients), 2) == clients][::every]
        for scenario in map(complete, chosen):
            result = search(scenario, Limits(states_max=most + 1), Options(merge=False, symmetry=False))
            if result.complete and fewest <= result.states <= most:
                expected = plain(scenario, most)
                assert expected is not None, f"{scenario.name}: the searches do not agree on the number of states"
                check_agreement(scenario, expected)
                compared[clients] += 1
    assert compared.total() >= enough
