"""Mistakes in the flows of the designs, as `planted/` has them: changes of the text of a module.

    @@ MODULE: what is wrong
    @@ SCENARIO: INVARIANT
    -a line as it is
    +a line as it would be

The scenario of the catalogue is violated with it, by the invariant that is there for it.
"""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest

from tests.planting import replaced

FOLDER: Final = Path(__file__).parent / "planted"


@attrs.frozen
class Mistake:
    """A change of a module's text, and the scenario and the invariant that find it."""

    module: str
    what: str
    scenario: str
    invariant: str
    before: str
    after: str

    def plant(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """In this process. Raises AssertionError: the text is not there once."""
        replaced(monkeypatch, importlib.import_module(self.module), self.before, self.after)

    def __str__(self) -> str:
        return f"{self.module.removeprefix('lakeproof.impl.')}: {self.what}"


def mistakes() -> Iterator[Mistake]:
    for path in sorted(FOLDER.glob("*.diff")):
        for block in re.split(r"^\n(?=@@ )", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            where, found_by, *lines = block.splitlines()
            before, after = ("".join(f"{line[1:]}\n" for line in lines if line[:1] in ("", " ", of)) for of in "-+")
            module, _, what = where.removeprefix("@@ ").partition(": ")
            scenario, _, invariant = found_by.removeprefix("@@ ").partition(": ")
            yield Mistake(module, what, scenario, invariant, before, after)


MISTAKES: Final = tuple(mistakes())
