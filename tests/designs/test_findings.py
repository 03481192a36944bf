"""docs/designs/repositories.md says what the catalogue says."""

import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

from lakeproof.impl.repositories import hardened, kv3, naive, step1, step2
from tools.catalogues import everything

PAGE = (Path(__file__).parents[2] / "docs" / "designs" / "repositories.md").read_text(encoding="utf-8")
CATALOGUE = {scenario.name: scenario for scenario in everything() if scenario.name.startswith("repositories/")}


def test_every_scenario_that_is_named_exists_and_refutes_something() -> None:
    named = set(re.findall(r"`((?:naive|kv3|step1|step2)[\w-]*/[\w.:@/-]+)`", PAGE))
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
                assert option in PAGE, f"{variant.__name__}.{name}: {option}"
