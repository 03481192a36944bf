"""A pytest plugin that plants a mutant: one module of the engine is compiled from another text than the one on disk.

The mutant comes in an environment variable, as JSON: the module, its file, the old text and the new one. Without the
variable nothing happens. A mutant that cannot be planted is a usage error (exit code 4), which no failed test is.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

import pytest

VARIABLE: Final = "LAKEPROOF_PLANTED_MUTANT"

FAILED: Final = "planted mutant: failed "
"""How a line begins that names a test that failed: not one whose fixtures did, nor one that was never collected."""


class Planted(importlib.machinery.SourceFileLoader):
    """Compiles a module from the mutated text, never from bytecode, and writes none."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text
        self.loaded = False

    def get_code(self, fullname: str) -> CodeType:
        self.loaded = True
        return compile(self.text, self.path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the one module that is mutated."""

    def __init__(self, loader: Planted) -> None:
        self.loader = loader

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.loader.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.loader.path, loader=self.loader)


class Report:
    """Says which tests failed; and that the mutant was never run, if it was not."""

    def __init__(self, loader: Planted) -> None:
        self.loader = loader

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for report in terminalreporter.stats.get("failed", []):
            terminalreporter.write_line(f"{FAILED}{report.nodeid}")

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if not self.loader.loaded and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            raise pytest.UsageError(f"{self.loader.name} was never loaded: no test has run the mutant")


def mutated(path: Path, old: str, new: str) -> str:
    """The text of a file with the fault in it.

    Raises:
        UsageError: the old text does not occur just once.
    """
    text = path.read_text(encoding="utf-8")
    found = text.count(old)
    if found != 1:
        raise pytest.UsageError(f"{path}: expected {old!r} once, found it {found} times; bring the mutant up to date")
    return text.replace(old, new)


def pytest_configure(config: pytest.Config) -> None:
    given = os.environ.get(VARIABLE)
    if given is None:
        return
    mutant = json.loads(given)
    if mutant["module"] in sys.modules:
        raise pytest.UsageError(f"{mutant['module']} is loaded already: the mutant would not run")
    loader = Planted(mutant["module"], mutant["file"], mutated(Path(mutant["file"]), mutant["old"], mutant["new"]))
    sys.meta_path.insert(0, Finder(loader))
    config.pluginmanager.register(Report(loader))
