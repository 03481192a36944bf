"""Commands on two executors in processes of their own. ``/proc/self/cwd`` is another folder for each process, and so a
folder that nobody shares."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from spark_checks import snapshots
from tests.commands import ROOT, lakeproof
from tests.spark.retention.worlds import NOW, world

CLUSTER = "local-cluster[2,1,1024]"
UNSHARED = "/proc/self/cwd"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("dataset")
    snapshots.write(snapshots.tables(world(7, 10)), folder)
    return str(folder)


def on_a_cluster(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """``folder``: where the driver's process is; executors have folders of their own beneath it."""
    (folder / "driver").mkdir()
    home = folder / "home"  # its folder work/ is where executors run
    home.mkdir()
    for each in Path(pyspark.__file__).parent.iterdir():
        if each.name != "work":
            (home / each.name).symlink_to(each)
    workers = {"SPARK_HOME": str(home), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "lakeproof.cli", "spark", *arguments, "--master", CLUSTER, "--memory", "1g"],
        cwd=folder / "driver",
        env={**os.environ, **workers, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    *progress, line = done.stderr.splitlines()
    assert progress == ["probing the folders that the workers share"]
    return line


def test_a_work_folder_that_executors_do_not_share_is_refused_before_anything_is_read(
    dataset: str, tmp_path: Path
) -> None:
    line = refused(on_a_cluster(tmp_path, "check", dataset, TMPDIR=UNSHARED))
    assert line.startswith(f"lakeproof: {UNSHARED}/lakeproof-spark-")
    assert "4 tasks have written a row each, and the driver finds 0" in line
    assert line.endswith("name a folder that the driver and all workers share with --work")
    assert list((tmp_path / "driver").iterdir()) == []


def test_a_folder_for_runs_that_executors_do_not_share_is_refused_and_a_work_folder_that_they_share_is_not(
    dataset: str, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    work = ("--work", f"file:{tmp_path / 'work'}")
    line = refused(on_a_cluster(tmp_path, "uncommitted", dataset, "--now", str(NOW), "--out", UNSHARED, *work))
    assert line.startswith(f"lakeproof: {UNSHARED}/20")
    assert line.endswith("name a folder that the driver and all workers share with --out")
    assert list((tmp_path / "driver").iterdir()) == list((tmp_path / "work").iterdir()) == []


@pytest.mark.deep
def test_a_cluster_that_shares_its_folders_says_what_this_machine_says_and_nothing_else(
    spark: SparkSession, dataset: str, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    arguments = ("check", dataset, "--only", "child-is-not-older", "--json")
    done = on_a_cluster(tmp_path, *arguments, "--work", str(tmp_path / "work"))
    here = lakeproof("spark", *arguments)
    assert done.returncode == here.exit_code
    assert timeless(done.stdout) == timeless(here.stdout)
    assert [line.partition(" ")[0] for line in done.stderr.splitlines()] == [
        "probing",
        "decoding",
        "checking",
        "counting",
    ]
    assert list((tmp_path / "work").iterdir()) == []


def timeless(text: str) -> str:
    return re.sub(r'"seconds": [0-9.]+', "", text)
