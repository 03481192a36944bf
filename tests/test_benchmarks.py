"""The benchmarks measure what they say: small ones of each."""

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest
import trio

from benchmarks import commits, hard_delete
from benchmarks.processes import Cost, measured

BURN = "import time\nwhile time.process_time() < 0.4: pass\n"
CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BURN!r}])"
ORPHAN = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BURN!r}])"


@pytest.mark.parametrize("variant", commits.VARIANTS)
def test_a_long_commit_is_measured(variant: str) -> None:
    work = partial(commits.long_commit, "memory", variant, entries=20, writers=2, writes=3)
    row = commits.measure("memory", lambda store: work(store=store))
    assert row.variant == variant
    assert row.staged > 0
    assert 0 < row.p50 <= row.p99 <= row.longest


@pytest.mark.parametrize("variant", ["locked", "lock-free"])
def test_parallel_commits_are_measured(variant: str) -> None:
    work = partial(commits.parallel_commits, "sqlite", variant, committers=2, each=2)
    row = commits.measure("sqlite", lambda store: work(store=store))
    assert row.ended
    assert row.commits_per_second > 0


@pytest.mark.parametrize("job", hard_delete.FLOWS)
def test_each_job_of_hard_delete_deletes_all_garbage_and_nothing_else(job: str) -> None:
    row = trio.run(hard_delete.measure, job, 20, 5, 5)
    assert row.deleted == 5
    assert row.upload_kv_operations == {"offline": 3, "online": 5}[job]


def apart(command: Sequence[str], log: Path, limit: float | None = None) -> Cost:
    """`measured` in a process of its own: it waits for all children of its process, and stops them in the end, and here
    other tests have left some, Spark among them."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(measured, command, log, limit).result()


@pytest.mark.deep
@pytest.mark.parametrize("code", [BURN, CHILD, ORPHAN], ids=["itself", "a child", "one that outlives it"])
def test_the_processor_seconds_are_of_all_that_a_command_starts(tmp_path: Path, code: str) -> None:
    cost = apart([sys.executable, "-c", code], tmp_path / "log")
    assert cost.code == 0
    assert cost.cpu_seconds >= 0.4
