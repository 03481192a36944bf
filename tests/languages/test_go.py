"""Flows in Go: the adapter, and the twins of the Step 1 and hardened flows."""

import subprocess
from base64 import b64decode
from collections.abc import Hashable, Sequence
from copy import copy
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, cast

import attrs
import pytest

from lakeproof import Call, Program, Scenario
from lakeproof.designs import hardened, scenarios_of, step1
from lakeproof.impl.codec import decode_repository
from lakeproof.impl.repositories import errors
from lakeproof.model.identity import Exact
from lakeproof.model.snapshot import CallView
from lakeproof.search.results import Options
from lakeproof.search.search import search
from tests.languages.building import ROOT, built, tool

pytestmark = pytest.mark.xdist_group("languages")
GO = ROOT / "examples" / "go"
BY_NAME: Final = {scenario.name: scenario for scenario in (*scenarios_of(step1), *scenarios_of(hardened))}
ALWAYS: Final = (
    *("*/step1/delete-delete-create", "*/hardened/delete-delete-create", "*/step1/delete-create/*"),
    *("*/hardened/delete-create/lost-answer", "*/hardened/delete-create/paged", "*/absent/create-create/crash"),
    *("*/step1/retry_delete-create*", "*step1-state-by-set-if/delete-create/*", "*/delete-create-get"),
)
DEEP: Final = ("*/hardened/delete-create/*", "*/delete-create_bare-create_branch", "*/absent/create-create_bare")
"""In these and those above each of the four flows meets each kind of fault, and each reply of the store."""
ERRORS: Final = {
    "not_unique": errors.NotUnique,
    "repository_not_found": errors.RepositoryNotFound,
    "repository_deleting": errors.RepositoryDeleting,
    "conflict": errors.Conflict,
    "creation_outrun": errors.CreationOutrun,
}
FLOWS: Final = frozenset({"create_repository", "create_bare_repository", "delete_repository", "get_repository"})
"""Those that the program has; the others of a scenario stay in Python."""


def repository(returned: Hashable) -> Hashable:
    """The record that a flow returned, in Base64."""
    return None if returned is None else decode_repository(b64decode(cast("str", returned)))


def by_go(scenario: Scenario, flows: Path) -> Scenario:
    """The scenario with the program's flows."""
    variant = "hardened" if "/hardened/" in scenario.name else "step1"
    program = Program(f"{flows} {variant}", errors=ERRORS)

    def called(calls: Sequence[Call]) -> list[Call]:
        return [
            Call(program.flow(call.name, result=repository), *call.args, attempts=call.attempts, **dict(call.options))
            if call.name in FLOWS
            else call
            for call in calls
        ]

    return attrs.evolve(
        scenario,
        setup=called(scenario.setup),
        clients=[called(calls) for calls in scenario.clients],
        aftermath=[attrs.evolve(each, calls=called(each.calls)) for each in scenario.aftermath],
    )


def without_causes(final: Exact) -> Exact:
    """A final state whose errors have no ``__cause__`` and no ``__context__``: those of a program have none."""
    cells, clients = cast("tuple[Hashable, tuple[tuple[CallView, ...], ...]]", final.value)
    return Exact(
        (cells, tuple(tuple(attrs.evolve(each, error=copy(each.error)) for each in calls) for calls in clients))
    )


def established(scenario: Scenario) -> dict[str, object]:
    """What a search finds out: verdicts, shortest schedules, and how large the space is."""
    found = search(scenario, options=Options(merge=True, keep_finals=True))
    return {
        "states": found.states,
        "transitions": found.transitions,
        "final states": len({without_causes(final) for final in found.finals}),
        "depth": found.depth,
        **{each.id: (each.verdict, each.counterexample) for each in found.findings},
    }


@pytest.fixture(scope="module")
def go_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("go") / "flows"
    built([tool("go", "golang"), "build", "-buildvcs=false", "-o", program, "."], GO)
    return program


def chosen(patterns: Sequence[str]) -> set[str]:
    return {name for name in BY_NAME if any(fnmatchcase(name, pattern) for pattern in patterns)}


@pytest.mark.parametrize(
    "name",
    [
        *sorted(chosen(ALWAYS)),
        *(pytest.param(each, marks=pytest.mark.deep) for each in sorted(chosen(DEEP) - chosen(ALWAYS))),
    ],
)
def test_the_flows_in_go_have_the_verdicts_schedules_and_states_of_those_in_python(name: str, go_program: Path) -> None:
    assert established(by_go(BY_NAME[name], go_program)) == established(BY_NAME[name])


def test_the_adapters_and_the_example_are_formatted_and_vetted() -> None:
    for folder in (ROOT / "adapters" / "go", ROOT / "adapters" / "go" / "kvstore", GO):
        built([tool("go", "golang"), "vet", "./..."], folder)
        if (gofmt := Path(tool("go", "golang")).resolve().with_name("gofmt")).exists():
            done = subprocess.run([gofmt, "-l", "."], cwd=folder, capture_output=True, text=True, check=True)
            assert done.stdout == "", "not as gofmt writes it"
