"""Realistic mistakes in the flows of the designs, each with a harm that a user would see, and who must notice."""

from typing import Final

import pytest

from tests.designs.mistakes import MISTAKES, Mistake
from tests.planting import asking, verdicts
from tools.catalogues import everything

CATALOGUE: Final = {scenario.name: scenario for scenario in everything()}


def test_there_are_as_many_as_were_planted_first() -> None:
    assert len({str(each) for each in MISTAKES}) == len(MISTAKES) >= 44


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_is_found_by_a_property(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = CATALOGUE[mistake.scenario]
    assert scenario.expected(mistake.invariant) == "holds"
    mistake.plant(monkeypatch)
    assert verdicts(asking(scenario, mistake.invariant))[mistake.invariant] == "violated"
