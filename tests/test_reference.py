"""The reference says what the code says."""

from pathlib import Path

from lakeproof.model.invariants import data, entries, refs, repositories, resets
from lakeproof.scenarios import catalogue

REFERENCE = (Path(__file__).parents[1] / "docs" / "reference" / "invariants.md").read_text()


def test_every_invariant_is_in_the_reference_with_its_kind_and_meaning() -> None:
    for invariant in (*repositories.ALL, *entries.ALL, *refs.ALL, *resets.ALL, *data.ALL):
        assert f"| `{invariant.id}` | {type(invariant).__name__} | {invariant.meaning} |" in REFERENCE
    assert f"| `{repositories.ID_BECOMES_REUSABLE}` | Aftermath |" in REFERENCE
    assert f"| `{data.GARBAGE_IS_RECLAIMED}` | Aftermath | {data.GARBAGE_IS_RECLAIMED_MEANING} |" in REFERENCE
    stays = f"| `{refs.BRANCH_STAYS_COMMITTABLE}` | Aftermath | {refs.BRANCH_STAYS_COMMITTABLE_MEANING} |"
    assert stays in REFERENCE


def test_every_invariant_and_aftermath_of_the_catalogue_is_in_the_reference() -> None:
    for scenario in catalogue():
        for checked in (*scenario.invariants, *scenario.aftermath):
            told = f"| `{checked.id}` | {type(checked).__name__} | "
            assert told in REFERENCE, f"{scenario.name}: {told}"
