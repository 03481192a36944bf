"""docs/designs/branches.md says what the catalogue says."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lakeproof.impl.graveler import lock_free, locked, optimistic, resets, writes
from lakeproof.impl.refs import branches
from lakeproof.scenario import Scenario
from lakeproof.search.search import search
from tools.catalogues import everything

DOCS = Path(__file__).parents[2] / "docs"
PAGE = re.sub(r"\s+", " ", (DOCS / "designs" / "branches.md").read_text(encoding="utf-8"))
CATALOGUE = {scenario.name: scenario for scenario in everything()}

VIOLATIONS = re.findall(r"`([a-z-]+)`, `([\w.-]+/[\w.:@/-]+)`, (\d+) steps", PAGE)
"""Invariant, scenario, steps."""


def scenario_named(name: str) -> Scenario:
    return CATALOGUE[name if name in CATALOGUE else f"commits/{name}"]


def test_every_scenario_that_is_named_exists() -> None:
    named = re.findall(r"`((?:commits/)?(?:lock-free|optimistic|locked)[\w-]*/[\w.:@-]+[\w/-]*)`", PAGE)
    named += re.findall(r"`((?:branches|tags|migrations)/[\w-]+/[\w.:@/-]+)`", PAGE)
    assert len(named) >= 15
    for name in named:
        assert scenario_named(name).name


@pytest.mark.parametrize(("invariant", "name", "steps"), VIOLATIONS, ids=lambda value: value.replace("/", "_"))
def test_a_violation_takes_as_many_steps_as_the_page_says(invariant: str, name: str, steps: str) -> None:
    scenario = scenario_named(name)
    assert scenario.expected(invariant) == "violated"
    (found,) = [found for found in search(scenario).findings if found.id == invariant]
    assert found.counterexample is not None
    assert len(found.counterexample.moves) == int(steps)


def test_there_are_violations_to_compare() -> None:
    assert len(VIOLATIONS) >= 8


@pytest.mark.parametrize(
    "flow",
    [
        lock_free.commit,
        optimistic.commit,
        locked.commit,
        writes.set_entry,
        writes.create_entry,
        resets.reset_branch,
        resets.reset_entry,
        branches.create_branch,
    ],
    ids=lambda flow: f"{flow.__module__}.{flow.__name__}",
)
def test_every_option_of_a_flow_is_explained(flow: Callable[..., object]) -> None:  # type: ignore[explicit-any]
    parameters = inspect.signature(flow).parameters.values()
    for option in (each.name for each in parameters if each.kind is each.KEYWORD_ONLY):
        assert option == "batch_size" or option in PAGE, option
