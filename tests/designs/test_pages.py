"""The pages of the designs say what the catalogue says."""

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from lakeproof.impl.graveler import lock_free, locked, optimistic, resets, writes
from lakeproof.impl.refs import branches
from lakeproof.impl.repositories import hardened, kv3, naive, step1, step2
from lakeproof.model.invariants import reclamation
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Scenario
from lakeproof.search.search import search
from tests.planting import asking
from tools.catalogues import everything, parts

Flow = Callable[..., object]  # type: ignore[explicit-any]  # flows take what they like after env

DOCS: Final = Path(__file__).parents[2] / "docs"


def page(name: str) -> str:
    """In one line."""
    return re.sub(r"\s+", " ", (DOCS / name).read_text(encoding="utf-8"))


REPOSITORIES, BRANCHES, TODAY = page("designs/repositories.md"), page("designs/branches.md"), page("lakefs-today.md")
RETENTION: Final = page("designs/retention.md")
AREAS: Final = "repositories|commits|branches|merges|compaction|ownership|tasks|imports|gc|deleted-data|pulls"
CATALOGUE: Final = {scenario.name: scenario for scenario in everything()}
DESIGNS: Final = {row.design.name for module in parts() for row in module.ROWS}
NAMED_TODAY: Final = set(re.findall(rf"`((?:{AREAS})/[\w.:@/-]+)`", TODAY))


def scenario_named(name: str, area: str = "commits") -> Scenario:
    """The one of a name, which a page shortens by its area."""
    return CATALOGUE[name if name in CATALOGUE else f"{area}/{name}"]


def test_every_scenario_that_a_page_names_exists_and_one_of_a_repository_refutes_something() -> None:
    refuted = set(re.findall(r"`((?:naive|kv3|step1|step2)[\w-]*/[\w.:@/-]+)`", REPOSITORIES))
    named = re.findall(r"`((?:commits/)?(?:lock-free|optimistic|locked)[\w-]*/[\w.:@-]+[\w/-]*)`", BRANCHES)
    named += re.findall(r"`((?:branches|tags|migrations)/[\w-]+/[\w.:@/-]+)`", BRANCHES)
    assert (len(refuted) >= 15, len(named) >= 15, len(NAMED_TODAY) >= 50) == (True, True, True)
    assert [name for name in sorted(refuted) if not scenario_named(name, "repositories").expect] == []
    assert all(scenario_named(name) for name in named)
    assert NAMED_TODAY - CATALOGUE.keys() - DESIGNS == set()


def test_every_variant_of_today_is_on_the_page() -> None:
    todays = {name for name in DESIGNS if name.partition("/")[2].startswith("upstream")}
    assert todays - {"/".join(name.split("/")[:2]) for name in NAMED_TODAY} == set()
    assert len(todays) >= 20


VIOLATIONS: Final = {
    "branches": re.findall(r"`([a-z-]+)`, `([\w.-]+/[\w.:@/-]+)`, (\d+) steps", BRANCHES),
    "today": re.findall(rf"`([a-z-]+)`, `((?:{AREAS})/[\w.:@/-]+)`, (\d+) steps", TODAY),
    "retention": re.findall(r"`([a-z-]+)`, `(retention/[\w.:@/-]+)`, (\d+) steps", RETENTION),
}
"""Invariant, scenario, steps."""


def test_there_are_violations_to_compare() -> None:
    assert len(VIOLATIONS["branches"]) >= 8
    assert len(VIOLATIONS["today"]) >= 20
    assert len(VIOLATIONS["retention"]) >= 6


@pytest.mark.parametrize(
    ("invariant", "name", "steps"),
    [
        pytest.param(*violation, marks=[pytest.mark.deep] if scenario_named(violation[1]).deep else [])
        for page_of in VIOLATIONS.values()
        for violation in page_of
    ],
    ids=lambda value: value.replace("/", "_"),
)
def test_a_violation_takes_as_many_steps_as_the_page_says(invariant: str, name: str, steps: str) -> None:
    scenario = scenario_named(name)
    assert scenario.expected(invariant) == "violated"
    (found,) = [found for found in search(asking(scenario, invariant)).findings if found.id == invariant]
    assert found.counterexample is not None
    assert len(found.counterexample.moves) == int(steps)


def test_a_proof_is_a_scenario_of_which_nothing_but_garbage_is_refuted() -> None:
    told = re.findall(r"\*Proof:\*(.*?)(?=### |## |\*Repair)", TODAY)
    proofs = {name for text in told for name in re.findall(rf"`((?:{AREAS})/[\w.:@/-]+)`", text)}
    assert len(proofs) >= 20
    for name in sorted(proofs & CATALOGUE.keys()):
        refuted = {key for key, verdict in CATALOGUE[name].expect.items() if verdict == "violated"}
        # That two deletes of one branch both succeed is another matter than what a delete takes away.
        other = {"linearizable"} if name.startswith("branches/tombstone/") else set[str]()
        assert refuted <= {"garbage-is-reclaimable", *reclamation.OF_A_KIND} | other, name
    assert proofs - CATALOGUE.keys() <= DESIGNS


def test_what_ends_a_server_is_expected_to() -> None:
    assert CATALOGUE["gc/upstream/committed/prepare-delete_repository"].expected(NO_UNHANDLED_EXCEPTION) == "violated"


OF_REPOSITORIES: Final = ("create_repository", "get_repository", "delete_repository", "list_repositories", "clean")
OF_BRANCHES: Final = (
    *(lock_free.commit, optimistic.commit, locked.commit, writes.set_entry, writes.create_entry),
    *(resets.reset_branch, resets.reset_entry, branches.create_branch),
)


def options() -> Iterator[tuple[Flow, str]]:
    """Flows of the designs, and their page."""
    for variant in (naive, kv3, step1, step2, hardened):
        yield from ((getattr(variant, name), REPOSITORIES) for name in OF_REPOSITORIES if hasattr(variant, name))
    yield from ((flow, BRANCHES) for flow in OF_BRANCHES)


def test_every_option_of_a_flow_is_explained() -> None:
    assert [
        f"{flow.__module__}.{flow.__name__}: {each.name}"
        for flow, text in options()
        for each in inspect.signature(flow).parameters.values()
        if each.kind is each.KEYWORD_ONLY and each.name not in text and (each.name, text) != ("batch_size", BRANCHES)
    ] == []
