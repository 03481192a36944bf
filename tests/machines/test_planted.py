"""Each planted bug is found by its machine, within the machine's own budget.

The table stands for what a programmer could get wrong. It sets the budgets, from three seeds out of three when they are
chosen: a machine that finds a bug by luck has too few runs, and gets more, or fewer words. Of several bugs of a machine
it has those that are not all found within a twentieth of the budget: the others set none. In the default tier: one bug
of each family of designs, and those of machines with a small budget. Not in the table, because machines do not find it:
a write that is acknowledged after three changes of its token takes three commits at three places, and only the search
finds it.
"""

from collections import Counter

import pytest

from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from stateful_tests.machines import BY_HAND, PLANS, machine
from tests.machines.planted import BUGS, Bug

FIRST = {bug.machine.partition("/")[0]: bug for bug in reversed(BUGS)}
QUICK = 200
"""Runs."""
BY_DEFAULT = [bug for bug in BUGS if bug in FIRST.values() or machine(bug.machine).runs <= QUICK]
TIERED = [*BY_DEFAULT, *(pytest.param(bug, marks=pytest.mark.deep) for bug in BUGS if bug not in BY_DEFAULT)]


def test_each_bug_is_another_one_of_a_machine_that_there_is() -> None:
    assert {bug.machine for bug in BUGS} <= PLANS.keys() | BY_HAND.keys()
    assert max(Counter(map(str, BUGS)).values()) == 1


@pytest.mark.parametrize("bug", TIERED, ids=str)
def test_a_planted_bug_is_found(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    bug.plant(monkeypatch)
    failure = machine(bug.machine).seek("one")
    assert failure is not None
    assert failure.invariant != NO_UNHANDLED_EXCEPTION
