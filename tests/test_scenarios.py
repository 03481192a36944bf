"""The repository scenarios: each verdict is the expected one, and every counterexample replays."""

from collections.abc import Sequence

import pytest

from lakeproof.explore.faults import Move
from lakeproof.explore.plain import Referee, Verdicts
from lakeproof.explore.search import Limits, Result, search
from lakeproof.explore.setting import prepare
from lakeproof.explore.world import World
from lakeproof.model.invariants import alone, lifecycle, outcomes, reclaiming, refs, repositories, today
from lakeproof.scenario import Scenario
from lakeproof.scenarios import catalogue, hardened

SMALL = Limits(states_max=3000)
CATALOGUE = tuple(scenario for scenario in catalogue() if scenario.name.startswith("repositories/"))
SAMPLE = CATALOGUE[::61]
"""Some of each design. All of them: `make verify`."""

INVARIANTS = {invariant.id for invariant in repositories.ALL} | {repositories.ID_BECOMES_REUSABLE}
INVARIANTS |= {invariant.id for invariant in lifecycle.ALL} | {lifecycle.SUPERSEDED_IS_CLEANED}
INVARIANTS |= {outcomes.failed_call_changed_nothing.id, refs.head_exists.id, "linearizable"}
INVARIANTS |= {alone.ALONE_IS_EXACT, "answers-in-its-terms", "doubt-has-a-reason", "cleaner-goes-on"}
INVARIANTS |= {today.some_delete_succeeds.id}
EVERYWHERE = INVARIANTS | {each.id for each in reclaiming.ALL} | {reclaiming.NAME_IS_NOT_BLOCKED}
"""And those of pairs and claims, and of each kind of garbage where garbage is refuted."""


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


def test_every_invariant_is_checked_somewhere_and_all_of_them_of_hardened() -> None:
    assert {name for scenario in CATALOGUE for name in scenario.named_ids} == EVERYWHERE
    ours = [scenario for scenario in CATALOGUE if scenario.name.startswith("repositories/hardened/")]
    assert {name for scenario in ours for name in scenario.named_ids} == INVARIANTS


def test_every_kind_of_fault_occurs_and_all_of_them_in_hardened() -> None:
    for scenarios in (CATALOGUE, hardened.SCENARIOS):
        for kind in ("refusals", "lost_answers", "false_predicates", "duplicates", "scan_failures", "crashes"):
            assert any(getattr(scenario.faults, kind) for scenario in scenarios), kind
        assert any(scenario.faults.clock_jumps and scenario.faults.clock_skew for scenario in scenarios)


def test_each_invariant_but_seven_is_refuted_of_some_variant_and_holds_of_another() -> None:
    """What is violated nowhere was perhaps never tested: these find the bugs of ``test_planted_*``."""
    refuted = {name for scenario in CATALOGUE for name in scenario.expect}
    held = {name for scenario in CATALOGUE for name in scenario.named_ids if scenario.expected(name) == "holds"}
    assert EVERYWHERE - refuted == {
        "claim-lasts-two-minutes",
        *("list-shows-active-only", "get-shows-active-only", "superseded-is-cleaned"),
        *("answers-in-its-terms", "doubt-has-a-reason", "cleaner-goes-on"),
    }
    assert held == EVERYWHERE


@pytest.mark.parametrize("scenario", SAMPLE, ids=lambda scenario: scenario.name)
def test_a_small_scenario_has_the_expected_verdicts(scenario: Scenario) -> None:
    result = search(scenario, SMALL)
    assert astray(result) == []
    for finding in result.findings:
        if finding.counterexample is not None:
            assert finding.id in replayed(scenario, finding.counterexample.moves)


def test_every_design_is_in_the_sample() -> None:
    assert {scenario.name.split("/")[1] for scenario in SAMPLE} >= {"naive", "kv3", "step1", "step2", "hardened"}
