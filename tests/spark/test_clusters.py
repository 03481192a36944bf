"""Commands on two executors in processes of their own. ``/proc/self/cwd`` is another folder for each process, and so a
work folder that nobody shares."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_checks import snapshots
from tests.commands import ROOT
from tests.spark.retention.worlds import world

CLUSTER = "local-cluster[2,1,1024]"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("dataset")
    snapshots.write(snapshots.tables(world(7, 10)), folder)
    return str(folder)


def on_a_cluster(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """``folder``: where the driver's process is; executors have folders of their own beneath it."""
    (folder / "driver").mkdir()
    workers = {"SPARK_WORKER_DIR": str(folder / "workers"), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "lakeproof.cli", "spark", *arguments, "--master", CLUSTER, "--memory", "1g"],
        cwd=folder / "driver",
        env={**os.environ, **workers, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_work_folder_that_executors_do_not_share_is_no_verdict(dataset: str, tmp_path: Path) -> None:
    done = on_a_cluster(tmp_path, "check", dataset, TMPDIR="/proc/self/cwd")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    *_, line = done.stderr.splitlines()
    assert line.startswith("lakeproof: /proc/self/cwd/lakeproof-spark-")
    assert "rows were written, and 0 are there; name a folder that all workers share" in line
    assert "Traceback" not in done.stderr
