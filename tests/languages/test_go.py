"""Flows in Go: the adapter, and the twins of the Step 1 and hardened flows."""

import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from lakeproof import Program, Scenario
from lakeproof.designs import hardened, scenarios_of, step1
from tests.languages.building import ROOT, built, tool
from tests.languages.twins import ERRORS, established, twin

pytestmark = pytest.mark.xdist_group("languages")
GO = ROOT / "examples" / "go"

SCENARIOS = {scenario.name: scenario for scenario in (*scenarios_of(step1), *scenarios_of(hardened))}

SHORT = [
    name
    for name in SCENARIOS
    for pattern in (
        "*/step1/delete-delete-create",
        "*/hardened/delete-delete-create",
        "*/step1/delete-create/*",
        "*/hardened/delete-create/lost-answer",
        "*/hardened/delete-create/paged",
        "*/absent/create-create/crash",
        "*/step1/retry_delete-create*",
        "*step1-state-by-set-if/delete-create/*",
    )
    if fnmatchcase(name, pattern)
]
"""Those that are compared always."""


def by_go(scenario: Scenario, flows: Path) -> Scenario:
    variant = "hardened" if "/hardened/" in scenario.name else "step1"
    return twin(scenario, Program(f"{flows} {variant}", errors=ERRORS))


@pytest.mark.parametrize("name", sorted(set(SHORT)))
def test_the_flows_in_go_have_the_verdicts_schedules_and_states_of_those_in_python(name: str, go_program: Path) -> None:
    assert established(by_go(SCENARIOS[name], go_program)) == established(SCENARIOS[name])


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(SCENARIOS.keys() - set(SHORT)))
def test_all_flows_in_go_agree_with_those_in_python(name: str, go_program: Path) -> None:
    assert established(by_go(SCENARIOS[name], go_program)) == established(SCENARIOS[name])


def test_the_adapter_and_the_example_are_formatted_and_vetted() -> None:
    for folder in (ROOT / "adapters" / "go", GO):
        built([tool("go", "golang"), "vet", "./..."], folder)
        if (gofmt := Path(tool("go", "golang")).resolve().with_name("gofmt")).exists():
            done = subprocess.run([gofmt, "-l", "."], cwd=folder, capture_output=True, text=True, check=True)
            assert done.stdout == "", "not as gofmt writes it"
