"""docs/lakefs-today.md says what the catalogue says."""

import re
from pathlib import Path

import pytest

from lakeproof.model.invariants import reclamation
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Scenario
from lakeproof.search.search import search
from tools.catalogues import everything, parts

PAGE = re.sub(r"\s+", " ", (Path(__file__).parents[2] / "docs" / "lakefs-today.md").read_text(encoding="utf-8"))
CATALOGUE = {scenario.name: scenario for scenario in everything()}
DESIGNS = {row.design.name for module in parts() for row in module.ROWS}
AREAS = "repositories|commits|branches|merges|compaction|ownership|tasks|imports|gc|deleted-data|pulls"

VIOLATIONS = re.findall(rf"`([a-z-]+)`, `((?:{AREAS})/[\w.:@/-]+)`, (\d+) steps", PAGE)
"""Invariant, scenario, steps."""
NAMED = set(re.findall(rf"`((?:{AREAS})/[\w.:@/-]+)`", PAGE))
PROOFS = re.findall(r"\*Proof:\*(.*?)(?=### |## |\*Repair)", PAGE)


def scenario_named(name: str) -> Scenario:
    return CATALOGUE[name]


def test_everything_that_is_named_exists() -> None:
    unknown = {name for name in NAMED if name not in CATALOGUE and name not in DESIGNS}
    assert unknown == set()
    assert len(NAMED) >= 50


def test_every_variant_of_today_is_on_the_page() -> None:
    todays = {name for name in DESIGNS if name.partition("/")[2].startswith("upstream")}
    told = {"/".join(name.split("/")[:2]) for name in NAMED}
    assert todays - told == set()
    assert len(todays) >= 20


@pytest.mark.parametrize(("invariant", "name", "steps"), VIOLATIONS, ids=lambda value: value.replace("/", "_"))
def test_a_violation_takes_as_many_steps_as_the_page_says(invariant: str, name: str, steps: str) -> None:
    scenario = scenario_named(name)
    assert scenario.expected(invariant) == "violated"
    (found,) = [found for found in search(scenario).findings if found.id == invariant]
    assert found.counterexample is not None
    assert len(found.counterexample.moves) == int(steps)


def test_there_are_violations_to_compare() -> None:
    assert len(VIOLATIONS) >= 20


def test_a_proof_is_a_scenario_of_which_nothing_but_garbage_is_refuted() -> None:
    proofs = {name for text in PROOFS for name in re.findall(rf"`((?:{AREAS})/[\w.:@/-]+)`", text)}
    assert len(proofs) >= 20
    for name in sorted(proofs & CATALOGUE.keys()):
        refuted = {key for key, verdict in CATALOGUE[name].expect.items() if verdict == "violated"}
        # That two deletes of one branch both succeed is another matter than what a delete takes away.
        other = {"linearizable"} if name.startswith("branches/tombstone/") else set[str]()
        assert refuted <= {"garbage-is-reclaimable", *reclamation.OF_A_KIND} | other, name
    assert proofs - CATALOGUE.keys() <= DESIGNS


def test_what_ends_a_server_is_expected_to() -> None:
    assert CATALOGUE["gc/upstream/committed/prepare-delete_repository"].expected(NO_UNHANDLED_EXCEPTION) == "violated"
