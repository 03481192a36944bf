"""All searches agree on generated flows with groups: vectorised and plain."""

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest
from hypothesis import Phase, given, seed, settings

from tests.explore.agreement import check_agreement, plain_or_none
from tests.explore.generated import FIXED, FlowSet, parallel_sets

SMALL_MAX = 120
"""States of generated sets that are compared; larger ones take the plain search too long."""


def agree(size: int, number: int = 0) -> Counter[str]:
    """Hold all searches against each other on generated sets with groups. What these have brought about. number: a
    sample of its own."""
    seen: Counter[str] = Counter()

    @settings(FIXED, derandomize=not number, max_examples=size, phases=[Phase.generate])
    @given(parallel_sets())
    def compare(flow_set: FlowSet) -> None:
        of = flow_set.scenario()
        plain = plain_or_none(of, SMALL_MAX)
        if plain is None:
            return
        seen["compared"] += 1
        found = check_agreement(of, plain)
        seen.update(found[0].verdicts.values())
        seen["merged"] += found[1].result.states < found[0].result.states
        tasks = [task for behaviour in found[0].behaviours for task in behaviour.tasks]
        seen["withdrawn"] += any(task.endswith("-") for task in tasks)
        seen["nested"] += any("." in task for task in tasks)

    (seed(number)(compare) if number else compare)()
    return seen


def test_all_searches_agree_on_a_sample_of_generated_flows_with_groups() -> None:
    seen = agree(40)
    assert all(seen[what] for what in ("holds", "violated", "merged", "withdrawn", "nested")), seen


@pytest.mark.long
def test_all_searches_agree_on_hundreds_of_generated_flows_with_groups() -> None:
    seen = _parts(3, 200)
    assert seen["compared"] >= 300
    assert all(seen[what] >= 10 for what in ("holds", "violated", "merged", "withdrawn", "nested")), seen


def _parts(parts: int, size: int) -> Counter[str]:
    """Many sets, in processes of their own, one after the other: a flow that is left inside an ``async with`` is never
    closed, since that would run its lines, so a process keeps the tasks of all its re-runs: gigabytes, by thousands."""
    seen: Counter[str] = Counter()
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for part, found in enumerate(pool.map(partial(agree, size), range(1, parts + 1)), 1):
            seen += found
            sys.stderr.write(f"part {part} of {parts}: {dict(seen)}\n")
    return seen
