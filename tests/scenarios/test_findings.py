"""docs/findings.md and docs/designs.md say what the catalogue says."""

import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

from lakeproof.impl.repositories import hardened, kv3, naive, step1, step2
from lakeproof.scenarios import catalogue

DOCS = Path(__file__).parents[2] / "docs"
FINDINGS = (DOCS / "findings.md").read_text(encoding="utf-8")
DESIGNS = (DOCS / "designs.md").read_text(encoding="utf-8")
CATALOGUE = {scenario.name: scenario for scenario in catalogue() if scenario.name.startswith("repositories/")}


def summary() -> dict[tuple[str, str], str]:
    """The table at the top: (variant, invariant) to verdict."""
    rows = [[cell.strip(" *`") for cell in line.split("|")[1:-1]] for line in FINDINGS.splitlines() if "|" in line]
    (_, *variants), _, *body = rows
    return {(variant, row[0]): verdict for row in body for variant, verdict in zip(variants, row[1:], strict=True)}


def test_the_summary_is_that_of_the_catalogue() -> None:
    expected: dict[tuple[str, str], str] = {}
    for scenario in CATALOGUE.values():
        variant = scenario.name.split("/")[1]
        for invariant in scenario.named_ids:
            if scenario.expected(invariant) == "violated":
                expected[variant, invariant] = "violated"
            else:
                expected.setdefault((variant, invariant), "holds")
    found = summary()
    main = {variant for variant, _ in found}
    assert {key: verdict for key, verdict in found.items() if verdict != "-"} == {
        key: verdict for key, verdict in expected.items() if key[0] in main
    }


def test_every_scenario_that_is_named_exists_and_refutes_something() -> None:
    named = set(re.findall(r"`((?:naive|kv3|step1|step2)[\w-]*/[\w.:@/-]+)`", FINDINGS))
    assert len(named) >= 15
    for name in named:
        assert CATALOGUE[f"repositories/{name}"].expect, name


@pytest.mark.parametrize("variant", [naive, kv3, step1, step2, hardened], ids=lambda module: module.__name__)
def test_every_option_of_a_flow_is_explained(variant: ModuleType) -> None:
    for name in ("create_repository", "get_repository", "delete_repository", "list_repositories", "clean"):
        flow = getattr(variant, name, None)
        if flow is not None:
            parameters = inspect.signature(flow).parameters.values()
            for option in (each.name for each in parameters if each.kind is each.KEYWORD_ONLY):
                assert option in DESIGNS, f"{variant.__name__}.{name}: {option}"
