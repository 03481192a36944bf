"""What the project depends on: pinned, satisfied by its pins, each with its reason; and one version everywhere."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Final, cast

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.commands import ROOT

PIN = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[0-9][0-9A-Za-z.!+-]*)")


def pins(constraints: str) -> dict[str, str]:
    """Version by canonical name. Raises ValueError for a line that is neither a comment nor ``name==version``."""
    found: dict[str, str] = {}
    for number, line in enumerate(constraints.splitlines(), start=1):
        if line and not line.startswith("#"):
            match = PIN.fullmatch(line)
            if match is None:
                raise ValueError(f"line {number}: {line!r}, expected name==version and nothing else")
            found[canonicalize_name(match["name"])] = match["version"]
    return found


def required(name: str, extras: frozenset[str] = frozenset()) -> set[str]:
    """Canonical names of all that an installed distribution needs here, directly or not; absent ones are leaves."""
    seen: set[tuple[str, frozenset[str]]] = set()
    todo = [(canonicalize_name(name), extras)]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        try:
            lines = metadata.requires(node[0]) or []
        except metadata.PackageNotFoundError:
            continue
        for requirement in map(Requirement, lines):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in node[1] | {""}):
                todo.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return {needed for needed, _ in seen} - {canonicalize_name(name)}


class TestDependencies:
    pinned = pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    direct = [Requirement(line) for lines in (project["dependencies"], *extras.values()) for line in lines]

    def test_every_requirement_installed_here_is_pinned(self) -> None:
        needed = required("lakeproof", frozenset(self.extras))
        assert {"numpy", "pytest", "execnet"} <= needed  # of the core, of an extra, of a dependency's own
        assert needed - self.pinned.keys() == set()

    @pytest.mark.parametrize("requirement", direct, ids=str)
    def test_a_pin_satisfies_what_the_project_asks_for(self, requirement: Requirement) -> None:
        if requirement.name != self.project["name"]:
            assert self.pinned[canonicalize_name(requirement.name)] in requirement.specifier

    @pytest.mark.parametrize("requirement", direct, ids=str)
    def test_each_dependency_has_its_reason(self, requirement: Requirement) -> None:
        reasons = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        if requirement.name != self.project["name"]:
            assert f"`{requirement.name}`" in reasons

    def test_the_core_is_light(self) -> None:
        core = {Requirement(line).name for line in self.project["dependencies"]}
        assert core == {"attrs", "click", "numpy", "rich", "sortedcontainers", "trio"}
        files = [file for name in required("lakeproof") for file in metadata.files(name) or ()]
        assert sum(file.size or 0 for file in files) < 75_000_000  # as pip unpacks them; most of it is numpy


HIDING: Final = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"google", "httptools", "lark", "lupa"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
"""
"""A process in which nothing but the core is installed."""


def core_only(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HIDING + program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_a_users_own_flows_are_searched_and_a_race_is_shown_with_the_core_alone() -> None:
    done = core_only(
        "import lakeproof\n"
        "from tests.racing import ATOMIC, LOST_UPDATE\n"
        "lakeproof.check(ATOMIC)\n"
        "try:\n    lakeproof.check(LOST_UPDATE)\n"
        "except lakeproof.NotAsExpected as error:\n    print(error)\n"
    )
    assert done.returncode == 0, done.stderr
    assert "violated: increments-count" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "repair"),
    [
        (("gate", "run", "x.py"), "gate: httptools is not installed; pip install 'lakeproof[gate]'"),
        (
            ("verify", "--no-cache", "repositories/kv3/*", "--jobs", "2"),
            "lakeproof: records of lakeFS need protobuf: pip install 'lakeproof[lakefs]'",
        ),
    ],
)
def test_what_needs_an_extra_names_it_once(arguments: tuple[str, ...], repair: str, tmp_path: Path) -> None:
    out = ("--out", str(tmp_path)) if arguments[0] == "verify" else ()
    done = core_only("from lakeproof.cli import main\nmain.main(prog_name='lakeproof')", *arguments, *out)
    assert done.returncode == 2
    assert done.stderr.count(repair) == 1
    assert "Traceback" not in done.stderr


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_one_version_everywhere() -> None:
    citation = cast("dict[str, str]", yaml.safe_load((ROOT / "CITATION.cff").read_text()))
    newest = re.search(r"^## (\S+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert (citation["version"], newest[1]) == (PROJECT["version"], PROJECT["version"])
    assert citation["date-released"] == newest[2]
    assert f"@v{PROJECT['version']}" in (ROOT / "docs" / "ci.md").read_text()


@pytest.mark.deep
def test_an_index_would_take_the_packages(tmp_path: Path) -> None:
    """`make dist`, from a clean copy of what is committed."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tmp_path / "copy")], check=True)
    copy = tmp_path / "copy"
    packaged(copy, "build", "--no-isolation")
    packages = [str(path) for path in (copy / "dist").iterdir()]
    assert len(packages) == 2
    packaged(copy, "twine", "check", "--strict", *packages)


def packaged(folder: Path, *command: str) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
