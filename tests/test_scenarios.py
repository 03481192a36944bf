"""The repository scenarios: no refutation is dead, and each verdict is the expected one."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from types import ModuleType

import pytest

from lakeproof.explore.faults import Move
from lakeproof.explore.plain import Referee, Verdicts
from lakeproof.explore.search import Limits, Result, search
from lakeproof.explore.setting import prepare
from lakeproof.explore.world import World
from lakeproof.model.invariants import repositories
from lakeproof.scenario import Scenario
from lakeproof.scenarios import catalogue, hardened, kv3, naive, step1, step2
from lakeproof.scenarios._life_cycle import Variant

DESIGNS = (naive, kv3, step1, step2, hardened)
SMALL = Limits(states_max=3000)
CATALOGUE = tuple(scenario for scenario in catalogue() if scenario.name.startswith("repositories/"))
SAMPLE = CATALOGUE[::9]
"""Every ninth. All of them: the deep test below."""

INVARIANTS = {invariant.id for invariant in repositories.ALL} | {repositories.ID_BECOMES_REUSABLE}


def variants(design: ModuleType) -> list[Variant]:
    return [value for value in vars(design).values() if isinstance(value, Variant)]


def races(variant: Variant) -> list[str]:
    """The names of a variant's scenarios, without the variant."""
    prefix = f"repositories/{variant.name}/"
    return [scenario.name.removeprefix(prefix) for scenario in CATALOGUE if scenario.name.startswith(prefix)]


def astray(result: Result) -> list[str]:
    """Verdicts that are not the expected ones. Of a search that was stopped, only what it has violated counts."""
    return [
        f"{finding.id}: {finding.verdict}, expected {result.scenario.expected(finding.id)}; {finding.why}"
        for finding in result.findings
        if finding.verdict != result.scenario.expected(finding.id)
        and (result.complete or finding.verdict == "violated")
    ]


def replayed(scenario: Scenario, moves: Sequence[Move]) -> set[str]:
    """What the real flows violate when they are moved so: ids."""
    verdicts = Verdicts()
    referee = Referee(scenario, verdicts)
    world, monitors = World(prepare(scenario)), referee.start()
    referee.state(world, monitors)
    for move in moves:
        before = world.cells
        monitors = referee.step(world, world.step(move), before, monitors)
        referee.state(world, monitors)
    world.close()
    return set(verdicts.violations)


def test_the_catalogue_is_all_that_the_designs_list() -> None:
    listed = tuple(scenario for design in DESIGNS for scenario in design.SCENARIOS)
    assert listed == CATALOGUE


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.__name__.rpartition(".")[2])
def test_refutations_name_known_invariants_and_give_a_reason(design: ModuleType) -> None:
    for variant in variants(design):
        assert variant.refuted.keys() <= INVARIANTS, variant.name
        assert all(refuted.reason and refuted.races for refuted in variant.refuted.values()), variant.name


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.__name__.rpartition(".")[2])
def test_no_refutation_is_dead(design: ModuleType) -> None:
    """Of the main variant, which runs all races: each pattern matches one at least."""
    main = variants(design)[0]
    names = races(main)
    dead = [
        f"{invariant_id}: {pattern}"
        for invariant_id, refuted in main.refuted.items()
        for pattern in refuted.races
        if not any(fnmatchcase(name, pattern) for name in names)
    ]
    assert dead == []


def test_every_invariant_is_checked_somewhere_and_all_of_them_of_hardened() -> None:
    assert {name for scenario in CATALOGUE for name in scenario.named_ids} == INVARIANTS
    assert {name for scenario in hardened.SCENARIOS for name in scenario.named_ids} == INVARIANTS


def test_every_kind_of_fault_occurs_and_all_of_them_in_hardened() -> None:
    for scenarios in (CATALOGUE, hardened.SCENARIOS):
        for kind in ("refusals", "lost_answers", "false_predicates", "duplicates", "scan_failures", "crashes"):
            assert any(getattr(scenario.faults, kind) for scenario in scenarios), kind
        assert any(scenario.faults.clock_jumps and scenario.faults.clock_skew for scenario in scenarios)


def test_each_invariant_but_one_is_refuted_of_some_variant_and_holds_of_another() -> None:
    """What is violated nowhere was perhaps never tested."""
    refuted = {name for scenario in CATALOGUE for name in scenario.expect}
    held = {name for scenario in CATALOGUE for name in scenario.named_ids if scenario.expected(name) == "holds"}
    assert INVARIANTS - refuted == {"list-shows-active-only"}
    assert held == INVARIANTS


@pytest.mark.parametrize("scenario", SAMPLE, ids=lambda scenario: scenario.name)
def test_a_small_scenario_has_the_expected_verdicts(scenario: Scenario) -> None:
    result = search(scenario, SMALL)
    assert astray(result) == []
    for finding in result.findings:
        if finding.counterexample is not None:
            assert finding.id in replayed(scenario, finding.counterexample.moves)


def test_every_design_is_in_the_sample() -> None:
    names = {scenario.name.split("/")[1] for scenario in SAMPLE}
    assert {variants(design)[0].name for design in DESIGNS} <= names


@pytest.mark.deep
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.__name__.rpartition(".")[2])
def test_every_scenario_has_the_expected_verdicts(design: ModuleType) -> None:
    scenarios: Sequence[Scenario] = design.SCENARIOS
    wrong = {scenario.name: found for scenario in scenarios if (found := astray(search(scenario)))}
    assert wrong == {}
