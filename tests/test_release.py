"""A release says one version everywhere, and an index would take its packages."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import cast

import pytest
import yaml

from tests.commands import ROOT

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
