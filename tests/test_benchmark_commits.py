"""The benchmark of commits measures what it says: a small one, in memory."""

from functools import partial

import pytest

from benchmarks import commits


@pytest.mark.parametrize("variant", commits.VARIANTS)
def test_a_long_commit_is_measured(variant: str) -> None:
    work = partial(commits.long_commit, "memory", variant, entries=20, writers=2, writes=3)
    row = commits.measure("memory", lambda store: work(store=store))
    assert row.variant == variant
    assert row.staged > 0
    assert 0 < row.p50 <= row.p99 <= row.longest
    assert variant in commits.long_table([row, *([] if variant == "locked" else [_locked()])])


def _locked() -> commits.LongCommit:
    work = partial(commits.long_commit, "memory", "locked", entries=2, writers=1, writes=2)
    row: commits.LongCommit = commits.measure("memory", lambda store: work(store=store))
    return row


@pytest.mark.parametrize("variant", ["locked", "lock-free"])
def test_parallel_commits_are_measured(variant: str) -> None:
    work = partial(commits.parallel_commits, "sqlite", variant, committers=2, each=2)
    row = commits.measure("sqlite", lambda store: work(store=store))
    assert row.ended
    assert row.commits_per_second > 0
