"""The repository scenarios: each verdict is the expected one, and every counterexample replays."""

from lakeproof.designs import hardened, scenarios_of
from lakeproof.model.invariants import alone, lifecycle, outcomes, reclamation, refs, repositories
from tools.catalogues import everything

CATALOGUE = tuple(scenario for scenario in everything() if scenario.name.startswith("repositories/"))

INVARIANTS = {invariant.id for invariant in repositories.ALL} | {repositories.ID_BECOMES_REUSABLE.id}
INVARIANTS |= {invariant.id for invariant in lifecycle.ALL} | {lifecycle.SUPERSEDED_IS_CLEANED.id}
INVARIANTS |= {outcomes.failed_call_changed_nothing.id, refs.head_exists.id, "linearizable"}
INVARIANTS |= {alone.ALONE_IS_EXACT, "answers-in-its-terms", "doubt-has-a-reason", "cleaner-goes-on"}
INVARIANTS |= {lifecycle.some_delete_succeeds.id}
EVERYWHERE = INVARIANTS | {each.id for each in reclamation.ALL} | {reclamation.NAME_IS_NOT_BLOCKED.id}
"""And those of pairs and claims, and of each kind of garbage where garbage is refuted."""


def test_every_invariant_is_checked_somewhere_and_all_of_them_of_hardened() -> None:
    assert {name for scenario in CATALOGUE for name in scenario.named_ids} == EVERYWHERE
    ours = [scenario for scenario in CATALOGUE if scenario.name.startswith("repositories/hardened/")]
    assert {name for scenario in ours for name in scenario.named_ids} == INVARIANTS


def test_every_kind_of_fault_occurs_and_all_of_them_in_hardened() -> None:
    for scenarios in (CATALOGUE, scenarios_of(hardened)):
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
