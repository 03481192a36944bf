"""Each mistake of the table is found by the property that is there for it."""

import ast

import pytest

from tests.designs.planted_mistakes import Mistake
from tests.designs.planted_mistakes_data import MISTAKES
from tests.designs.planting import asking, replaced, verdicts
from tools.catalogues import everything

CATALOGUE = {scenario.name: scenario for scenario in everything()}


def test_there_are_as_many_as_were_planted_first() -> None:
    assert len({str(each) for each in MISTAKES}) == len(MISTAKES) >= 44


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_is_found_by_a_property(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = CATALOGUE[mistake.scenario]
    assert scenario.expected(mistake.invariant) == "holds"
    if mistake.before:
        replaced(monkeypatch, mistake.module, mistake.before, mistake.after)
    else:
        name, _, value = mistake.after.partition(" = ")
        monkeypatch.setattr(mistake.module, name, ast.literal_eval(value))
    assert verdicts(asking(scenario, mistake.invariant))[mistake.invariant] == "violated"
