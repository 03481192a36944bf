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
from benchmarks.linearizability import Shape, generated
from benchmarks.processes import Cost, measured
from lakeproof.model.linearizability.checker import check
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.model.linearizability.specifications import CAS_REGISTER

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


@pytest.mark.parametrize("distinct", [True, False])
@pytest.mark.parametrize("stale", [True, False])
@pytest.mark.parametrize("clients", [3, 10])
def test_a_generated_history_holds_unless_it_has_a_stale_read(distinct: bool, stale: bool, clients: int) -> None:
    for seed in range(20):
        shape = Shape(
            operations=200, clients=clients, keys=1, distinct=distinct, indefinite=0 if stale else 0.02, stale=stale
        )
        told = generated(shape, seed)
        assert len(told) == 200
        for algorithm in (None, "frontier"):
            [found] = check(CAS_REGISTER, told, algorithm=algorithm)
            assert found.verdict is (Verdict.VIOLATED if stale else Verdict.HOLDS), (seed, algorithm)


@pytest.mark.parametrize(("operations", "clients", "seeds"), [(2_000, 10, range(30)), (10_000, 5, (40, 57, 109, 127))])
def test_zones_decide_where_values_are_distinct_though_compare_and_sets_are_refused(
    operations: int, clients: int, seeds: Sequence[int]
) -> None:
    for seed in seeds:
        told = generated(Shape(operations=operations, clients=clients, keys=1, distinct=True), seed)
        [found] = check(CAS_REGISTER, told)
        assert (found.verdict, found.algorithm) == (Verdict.HOLDS, "zones")


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
