"""One way to plant a fault in this process: something in a module is replaced, and what held is violated."""

from collections.abc import Mapping
from typing import Final

import attrs
import pytest
from _pytest.mark.structures import ParameterSet

from lakeproof.explore.search import Limits, search
from lakeproof.scenario import Faults, Scenario
from lakeproof.scenarios.designs import AnyDesign, rows
from lakeproof.scenarios.races import Before, fault

NO_FAULT: Final = Faults()


@attrs.frozen(kw_only=True)
class Planted:
    """A fault, and the invariant of a scenario that is there for it."""

    where: object
    """A module or a class."""
    name: str
    instead: object
    scenario: Scenario
    invariant: str

    def __str__(self) -> str:
        return f"{self.name}-{getattr(self.instead, '__name__', '')}-{self.scenario.name}"

    def is_found(self, monkeypatch: pytest.MonkeyPatch) -> bool:
        """Whether what holds, or is not put to the test, is violated with the fault."""
        assert verdicts(self.scenario)[self.invariant] in ("holds", "inconclusive")
        monkeypatch.setattr(self.where, self.name, self.instead)
        return verdicts(self.scenario)[self.invariant] == "violated"


def tiered(faults: list[Planted]) -> list[ParameterSet]:
    """As parameters of a test: the first of each invariant in the default tier, the others deep."""
    met: set[str] = set()
    found = []
    for each in faults:
        marks = [pytest.mark.deep] if each.invariant in met else []
        met.add(each.invariant)
        found.append(pytest.param(each, marks=marks, id=str(each)))
    return found


def race(design: AnyDesign, words: str, before: str = "", faults: Faults = NO_FAULT) -> Scenario:
    """The scenario of one race of a design."""
    (row,) = rows(design, words, fault("", faults), Before("", before))
    return row.scenario()


def verdicts(scenario: Scenario) -> Mapping[str, str]:
    """By id."""
    return {found.id: found.verdict for found in search(scenario, Limits(seconds_max=120)).findings}
