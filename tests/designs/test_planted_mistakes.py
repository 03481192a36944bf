"""Realistic mistakes in the flows of the designs: what a programmer could write, and who must notice.

Each has a harm that a user would see. They are in `mistakes/`, as changes of the text of a module: a scenario of the
catalogue is then violated, by the invariant that is there for it. A change of theirs:

    @@ MODULE: what is wrong
    @@ SCENARIO: INVARIANT
    -a line as it is
    +a line as it would be
"""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest

from tests.designs.planting import asking, replaced, verdicts
from tools.catalogues import everything

FOLDER: Final = Path(__file__).parent / "mistakes"


@attrs.frozen
class Mistake:
    """A change of a module's text, and the scenario and the invariant that find it."""

    module: str
    what: str
    scenario: str
    invariant: str
    before: str
    after: str

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
CATALOGUE: Final = {scenario.name: scenario for scenario in everything()}


def test_there_are_as_many_as_were_planted_first() -> None:
    assert len({str(each) for each in MISTAKES}) == len(MISTAKES) >= 44


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_is_found_by_a_property(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = CATALOGUE[mistake.scenario]
    assert scenario.expected(mistake.invariant) == "holds"
    replaced(monkeypatch, importlib.import_module(mistake.module), mistake.before, mistake.after)
    assert verdicts(asking(scenario, mistake.invariant))[mistake.invariant] == "violated"
