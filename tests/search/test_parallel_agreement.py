"""All searches agree with the plain one on generated flows with groups, which the enumerator does not know."""

from collections import Counter
from collections.abc import Iterable

import pytest

from tests.differential.agreement import plain
from tests.search.agreement import check_agreement
from tests.search.groups import group_set

SMALL_MAX = 60
"""States of generated sets that are compared; larger ones take the plain search too long."""

WANTED = ("holds", "violated", "merged", "withdrawn", "nested")


def agree(seeds: Iterable[int]) -> Counter[str]:
    """Hold all searches against each other on these sets. What these have brought about."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        scenario = group_set(seed).scenario()
        expected = plain(scenario, SMALL_MAX)
        if expected is None:
            continue
        found = check_agreement(scenario, expected)
        seen["compared"] += 1
        seen.update(set(expected.verdicts.values()))
        seen["merged"] += found["merged"].result.states < found["neither"].result.states
        tasks = [task for behaviour in found["neither"].behaviours for task in behaviour.tasks]
        seen["withdrawn"] += any(task.endswith("-") for task in tasks)
        seen["nested"] += any("." in task for task in tasks)
    return seen


@pytest.mark.deep
def test_all_searches_agree_on_generated_flows_with_groups(run_seed: int) -> None:
    """On the first ones, and on some that are new each time."""
    first = (run_seed + 1) * 1_000
    seen = agree([*range(40), *range(first, first + 100)])
    assert all(seen[what] for what in WANTED), seen
