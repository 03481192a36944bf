"""All searches agree with the plain one on generated flows with groups, which the enumerator does not know."""

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from tests.differential.agreement import plain
from tests.search.agreement import check_agreement
from tests.search.groups import group_set

SMALL_MAX = 60
"""States of generated sets that are compared; larger ones take the plain search too long."""

WANTED = ("holds", "violated", "merged", "withdrawn", "nested")


def agree(seeds: range) -> Counter[str]:
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
def test_all_searches_agree_on_a_sample_of_generated_flows_with_groups() -> None:
    seen = agree(range(40))
    assert all(seen[what] for what in WANTED), seen


@pytest.mark.long
def test_all_searches_agree_on_hundreds_of_generated_flows_with_groups(run_seed: int) -> None:
    """In processes of their own, one after the other: a flow that is left inside an ``async with`` is never closed,
    since that would run its lines, so a process keeps the tasks of all its re-runs: gigabytes, by thousands."""
    first = (run_seed + 1) * 1_000
    parts = [range(start, start + 200) for start in range(first, first + 600, 200)]
    seen: Counter[str] = Counter()
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for part, found in zip(parts, pool.map(agree, parts), strict=True):
            seen += found
            sys.stderr.write(f"{part}: {dict(seen)}\n")
    assert all(seen[what] >= 10 for what in WANTED), seen
