"""The catalogue: complete, explained, and honest about what it leaves out."""

import attrs
import pytest

from lakeproof import Scenario
from lakeproof.designs import hardened, scenarios_of
from lakeproof.designs.repository_designs import RepositoryDesign
from lakeproof.model.invariants import alone, lifecycle, outcomes, reclamation, repositories
from lakeproof.search.search import search
from tools.catalogues import everything, parts

CATALOGUE = [scenario for scenario in everything() if scenario.name.startswith("repositories/")]
DESIGNS = {
    row.design.name: row.design for module in parts() for row in module.ROWS if isinstance(row.design, RepositoryDesign)
}
FIRST = {module.ROWS[0].design.name for module in parts()} & DESIGNS.keys()
MAIN = sorted(name for name in FIRST if "-" not in name)
"""The designs that run all races: the first of each module, but for modules of readings, which have a hyphen."""

ASKED = {invariant.id for invariant in (*repositories.ALL, *lifecycle.ALL, *alone.ALL)}
ASKED |= {repositories.ID_BECOMES_REUSABLE.id, lifecycle.SUPERSEDED_IS_CLEANED.id, alone.ALONE_IS_EXACT}
ASKED |= {outcomes.failed_call_changed_nothing.id, "linearizable", "head-exists"}
"""Of every design that runs all races."""

ALONE = {row.design.name for module in parts() if module.__name__.endswith(".alone") for row in module.ROWS}
"""The designs that are judged by a client that is alone, too."""


def test_every_variant_of_the_documents_is_judged_alone() -> None:
    assert set(MAIN) - ALONE == set()


def of(name: str) -> list[Scenario]:
    return [scenario for scenario in CATALOGUE if scenario.name.startswith(f"{name}/")]


def test_every_expectation_has_its_reason() -> None:
    for scenario in CATALOGUE:
        assert scenario.source
        for invariant in scenario.expect:
            assert f"{invariant}: " in scenario.reason


@pytest.mark.parametrize("name", MAIN)
def test_every_invariant_that_can_be_exercised_is_checked_in_every_variant(name: str) -> None:
    checked = {invariant for scenario in of(name) for invariant in scenario.named_ids}
    wanted = set(ASKED)
    if name != "repositories/hardened":  # they are asked where `garbage-is-reclaimable` is refuted
        wanted |= reclamation.OF_A_KIND.keys()
    if DESIGNS[name].flows.clean is None:
        wanted -= {"cleaner-spares-live", lifecycle.SUPERSEDED_IS_CLEANED.id, alone.cleaner_goes_on.id}
    if name in {"repositories/upstream", "repositories/hardened"}:
        wanted.add(lifecycle.some_delete_succeeds.id)  # what a running lakeFS has shown
    assert checked == wanted


@pytest.mark.parametrize("name", MAIN)
def test_every_race_also_meets_one_fault_of_each_kind(name: str) -> None:
    names = {scenario.name for scenario in of(name) if "/alone/" not in scenario.name}
    plain = {each.removesuffix("/crash") for each in names if each.endswith("/crash")}
    assert len(plain) >= 19
    for race in plain:
        assert {f"{race}/{fault}" for fault in ("lost-answer", "false-predicate", "clock-jump")} <= names


def test_every_kind_of_fault_occurs_in_hardened() -> None:
    scenarios = scenarios_of(hardened)
    for kind in ("refusals", "lost_answers", "false_predicates", "duplicates", "scan_failures", "crashes"):
        assert any(getattr(scenario.faults, kind) for scenario in scenarios), kind
    assert any(scenario.faults.clock_jumps and scenario.faults.clock_skew for scenario in scenarios)


def test_hardened_is_expected_to_hold_everywhere() -> None:
    assert all(not scenario.expect for scenario in of("repositories/hardened"))


def test_each_invariant_but_seven_is_refuted_of_some_variant_and_all_hold_of_one() -> None:
    """What is violated nowhere was perhaps never tested: these find the bugs of ``test_planted_*``."""
    everywhere = ASKED | {lifecycle.some_delete_succeeds.id, reclamation.NAME_IS_NOT_BLOCKED.id}
    everywhere |= {each.id for each in reclamation.ALL}
    assert everywhere - {name for scenario in CATALOGUE for name in scenario.expect} == {
        "claim-lasts-two-minutes",
        *("list-shows-active-only", "get-shows-active-only", "superseded-is-cleaned"),
        *("answers-in-its-terms", "doubt-has-a-reason", "cleaner-goes-on"),
    }
    held = {name for scenario in CATALOGUE for name in scenario.named_ids if scenario.expected(name) == "holds"}
    assert held == everywhere == {name for scenario in CATALOGUE for name in scenario.named_ids}


def test_no_fault_is_idle() -> None:
    # A scan breaks between two batches only: where every scan takes all, there would be nothing to break.
    for scenario in CATALOGUE:
        if scenario.faults.scan_failures:
            assert scenario.name.endswith("/paged-scan-failure")


@pytest.mark.deep
@pytest.mark.parametrize("name", MAIN)
def test_no_violated_invariant_is_left_out_of_a_race(name: str) -> None:
    found: dict[str, set[str]] = {}
    for scenario in of(name):
        if "/alone/" in scenario.name:
            continue
        left_out = [invariant for invariant in repositories.ALL if invariant.id not in scenario.named_ids]
        result = search(attrs.evolve(scenario, invariants=left_out, expect={}))
        violated = {each.id for each in result.findings if each.verdict == "violated"} - scenario.expect.keys()
        found |= {scenario.name: violated} if violated else {}
    assert not found
