"""All searches agree on generated flows with groups: vectorised, plain, and brute force."""

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest
from hypothesis import Phase, given, seed, settings

from lakeproof import Scenario
from lakeproof.explore.plain import enumerate_schedules, plain_search
from tests.explore.agreement import check_agreement, check_unmerged, plain_or_none
from tests.explore.generated import FIXED, FlowSet, parallel_sets

SMALL_MAX = 120
"""States of generated sets that are compared; larger ones take the plain search too long."""


def agree(size: int, number: int = 0, *, tiny: bool = False) -> Counter[str]:
    """Hold all searches against each other on generated sets with groups. What these have brought about. number: a
    sample of its own."""
    seen: Counter[str] = Counter()

    @settings(FIXED, derandomize=not number, max_examples=size, phases=[Phase.generate])
    @given(parallel_sets(tiny=tiny))
    def compare(flow_set: FlowSet) -> None:
        of = flow_set.scenario()
        plain = plain_or_none(of, SMALL_MAX)
        if plain is None:
            return
        seen["compared"] += 1
        if tiny:
            _compare_brute(of, seen)
            check_unmerged(of, plain)
            return
        found = check_agreement(of, plain)
        seen.update(found[0].verdicts.values())
        seen["merged"] += found[1].result.states < found[0].result.states
        tasks = [task for behaviour in found[0].behaviours for task in behaviour.tasks]
        seen["withdrawn"] += any(task.endswith("-") for task in tasks)
        seen["nested"] += any("." in task for task in tasks)

    (seed(number)(compare) if number else compare)()
    return seen


def _compare_brute(of: Scenario, seen: Counter[str]) -> None:
    try:
        executions, brute = enumerate_schedules(of, 40)
    except AssertionError as error:
        if "schedules" not in str(error):
            raise
        return
    plain = plain_search(of)
    assert (brute.verdicts, brute.finals, brute.keys) == (plain.verdicts, plain.finals, plain.keys)
    seen["brute force"] += 1
    seen["several schedules"] += executions > 1


def test_all_searches_agree_on_a_sample_of_generated_flows_with_groups() -> None:
    seen = agree(24)
    assert all(seen[what] for what in ("holds", "violated", "merged", "withdrawn", "nested")), seen


def test_brute_force_agrees_on_a_sample_of_generated_flows_with_groups() -> None:
    assert agree(10, tiny=True)["several schedules"]


@pytest.mark.deep
def test_all_searches_agree_on_thousands_of_generated_flows_with_groups() -> None:
    seen = _parts(20, 200)
    assert seen["compared"] >= 2_000
    assert all(seen[what] >= 50 for what in ("holds", "violated", "merged", "withdrawn", "nested")), seen


@pytest.mark.deep
def test_brute_force_agrees_on_many_generated_flows_with_groups() -> None:
    assert _parts(4, 500, tiny=True)["several schedules"] >= 200


def _parts(parts: int, size: int, *, tiny: bool = False) -> Counter[str]:
    """Many sets, in processes of their own, one after the other: a flow that is left inside an ``async with`` is never
    closed, since that would run its lines, so a process keeps the tasks of all its re-runs: gigabytes, by thousands."""
    seen: Counter[str] = Counter()
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for part, found in enumerate(pool.map(partial(agree, size, tiny=tiny), range(1, parts + 1)), 1):
            seen += found
            sys.stderr.write(f"part {part} of {parts}: {dict(seen)}\n")
    return seen
