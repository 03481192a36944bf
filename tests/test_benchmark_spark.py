"""The benchmark of the jobs on Spark: what a command costs is what all its processes cost, and ratios are of that."""

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from benchmarks import spark
from benchmarks.processes import Cost, measured

BURN = "import time\nwhile time.process_time() < {}: pass\n"
CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BURN.format(0.4)!r}])"
ORPHAN = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BURN.format(0.4)!r}])"


def apart(command: Sequence[str], log: Path, limit: float | None = None) -> Cost:
    """`measured` in a process of its own: it waits for all children of its process, and stops them in the end, and here
    other tests have left some, Spark among them."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(measured, command, log, limit).result()


@pytest.mark.deep
@pytest.mark.parametrize("code", [BURN.format(0.4), CHILD, ORPHAN], ids=["itself", "a child", "one that outlives it"])
def test_the_processor_seconds_are_of_all_that_a_command_starts(tmp_path: Path, code: str) -> None:
    cost = apart([sys.executable, "-c", code], tmp_path / "log")
    assert cost.code == 0
    assert cost.cpu_seconds >= 0.4


def row(cpu: float, rival: float, wall: float = 10.0) -> spark.Row:
    return spark.Row(
        job="uncommitted",
        scale=0.1,
        rows=2_000_000,
        seconds=wall,
        cpu_seconds=cpu,
        mebibytes=1,
        rival_seconds=5.0,
        rival_cpu_seconds=rival,
        rival_mebibytes=1,
        aim=5.0,
    )


def test_the_run_that_is_told_has_the_middle_ratio_of_processor_seconds() -> None:
    runs = [row(30, 2, wall=1), row(10, 1, wall=99), row(20, 10, wall=50)]
    assert [run.cpu_ratio for run in runs] == [15, 10, 2]
    assert spark.middle(runs) == runs[1]


def test_a_dataset_without_typed_tables_has_all_else(tmp_path: Path) -> None:
    for name in ("kv", "decoded/staged"):
        (tmp_path / "data" / name).mkdir(parents=True)
        (tmp_path / "data" / name / "part.parquet").write_bytes(b"x")
    found = spark.without_typed(tmp_path / "data")
    assert sorted(str(path.relative_to(found)) for path in found.rglob("*")) == ["kv", "kv/part.parquet"]
    assert spark.without_typed(tmp_path / "data") == found
