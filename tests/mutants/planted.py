"""What a mutant is, and what becomes of it: caught by its test, or not."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Final

import attrs

from tests.mutants.plugin import FAILED, VARIABLE

ROOT: Final = Path(__file__).resolve().parents[2]

SECONDS_MAX: Final = 120
"""A mutant may loop; the slowest test here takes two seconds."""


@attrs.frozen
class Mutant:
    """A plausible mistake: in ``file``, ``old`` (which occurs once) has become ``new``; ``caught_by`` fails then."""

    name: str
    file: str
    old: str
    new: str
    caught_by: str
    """A node id: of one test, or of a class or a test with parameters of which one fails."""

    @property
    def module(self) -> str:
        return self.linked.removesuffix(".py").replace("/", ".")

    @property
    def linked(self) -> str:
        """The file, by the path that it is imported by: some folders are links in ``lakeproof/``."""
        return self.file if self.file.startswith("lakeproof/") else f"lakeproof/{self.file}"


class Fate(Enum):
    """What becomes of a mutant."""

    CAUGHT = "the named test fails"
    SURVIVED = "all tests pass"
    BROKEN = "no test says anything of it: it cannot be planted, or loaded, or it never ends"


@attrs.frozen
class Ran:
    """A run of pytest that has ended."""

    fate: Fate
    said: str


def run(tests: Sequence[str], storage: Path, mutant: Mutant | None = None) -> Ran:
    """Run some tests in a process of its own, with a mutant or without. No file is written but to ``storage``."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(storage),
    }
    environment.pop("PYTEST_ADDOPTS", None)
    if mutant is not None:
        parts = {"module": mutant.module, "file": str(ROOT / mutant.linked), "old": mutant.old, "new": mutant.new}
        environment[VARIABLE] = json.dumps(parts)
    options = ["-x", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", "tests.mutants.plugin"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS_MAX,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ran(Fate.BROKEN, f"not done after {SECONDS_MAX} s")
    return Ran(_fate(done.returncode, done.stdout, tests), done.stdout + done.stderr)


def _fate(code: int, stdout: str, tests: Sequence[str]) -> Fate:
    if code == 0:
        return Fate.SURVIVED
    failed = [line.removeprefix(FAILED) for line in stdout.splitlines() if line.startswith(FAILED)]
    named = bool(failed) and all(any(_within(one, test) for test in tests) for one in failed)
    return Fate.CAUGHT if code == 1 and named else Fate.BROKEN


def _within(node_id: str, named: str) -> bool:
    return node_id == named or node_id.startswith((f"{named}::", f"{named}["))
