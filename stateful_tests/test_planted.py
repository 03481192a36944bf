"""Each planted bug is found by its machine, within the machine's own budget, from three seeds out of three.

The table stands for what a programmer could get wrong. It sets the budgets: a machine that finds a bug by luck has too
few runs, and gets more, or fewer words.
"""

from collections import Counter

import pytest

from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from stateful_tests import planted_branches, planted_objects
from stateful_tests.machines import PLANS, machine
from stateful_tests.planting import Bug

BUGS: tuple[Bug, ...] = (*planted_branches.BUGS, *planted_objects.BUGS)
SEEDS = ("one", "two", "three")


def test_the_table_has_forty_bugs_of_machines_that_there_are() -> None:
    assert sum(not bug.deep for bug in BUGS) >= 40
    assert {bug.machine for bug in BUGS} <= PLANS.keys()
    assert max(Counter(map(str, BUGS)).values()) == 1


def _marked(bug: Bug) -> object:
    return pytest.param(bug, marks=pytest.mark.deep, id=str(bug)) if bug.deep else pytest.param(bug, id=str(bug))


@pytest.mark.parametrize("bug", [_marked(bug) for bug in BUGS])
def test_a_planted_bug_is_found_from_every_seed(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    swarm = machine(bug.machine)
    for owner, name, planted in bug.patches:
        monkeypatch.setattr(owner, name, planted)
    found = [bug.in_flows(swarm).seek(seed) for seed in SEEDS]
    assert all(each is not None and each.invariant != NO_UNHANDLED_EXCEPTION for each in found), found
