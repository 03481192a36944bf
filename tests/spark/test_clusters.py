"""Commands on two executors in processes of their own. ``/proc/self/cwd`` is another folder for each process, and so a
folder that nobody shares."""

import signal
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.runs import read_report
from tests.commands import complaint, lakeproof
from tests.spark import snapshots
from tests.spark.commands import SPARK_HOME, a_python, ran, timeless
from tests.spark.retention.worlds import NOW, world

CLUSTER = "local-cluster[2,1,1024]"
OPTIONS = ("--master", CLUSTER, "--memory", "1g", "--conf", "spark.sql.shuffle.partitions=4")
BREAKING = Path(__file__).with_name("breaking.py")
UNSHARED = "/proc/self/cwd"


def on_a_cluster(
    folder: Path,
    *arguments: str,
    breaking: tuple[str, ...] = (),
    beside: Mapping[str, Path] | None = None,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """``folder``: where the driver's process is; executors have folders of their own beneath it. ``breaking``: what
    is broken, see breaking.py. ``beside``: what lies three folders above the one where an executor runs, by name."""
    (folder / "driver").mkdir()
    home = folder / "home" / "pyspark"  # its folder work/ is where executors run
    home.mkdir(parents=True)
    for each in SPARK_HOME.iterdir():
        if each.name != "work":
            (home / each.name).symlink_to(each)
    for name, path in (beside or {}).items():
        (home / name).symlink_to(path)
    if "PYSPARK_PYTHON" not in environment:
        environment["PYSPARK_PYTHON"] = str(a_python(folder / "lean"))
    start = (str(BREAKING), *breaking) if breaking else ("-m", "lakeproof")
    command = (sys.executable, *start, "spark", *arguments, *OPTIONS)
    return ran(*command, cwd=folder / "driver", env={"SPARK_HOME": str(home), **environment})


def after_sending(stderr: str) -> list[str]:
    """What a command on a cluster says after it has sent its code to the workers."""
    first, *rest = stderr.splitlines()
    assert first == "sending lakeproof to the workers"
    return rest


@pytest.fixture
def dataset(larger: Path) -> str:
    return str(larger / "data")


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    return after_sending(done.stderr)[-1]


@pytest.mark.long
def test_a_work_folder_that_executors_do_not_share_is_refused(dataset: str, tmp_path: Path) -> None:
    line = refused(on_a_cluster(tmp_path, "check", dataset, TMPDIR=UNSHARED))
    assert line.startswith(f"lakeproof: {UNSHARED}/lakeproof-spark-")
    assert "rows were written, and 0 are there" in line
    assert line.endswith("name a folder that all workers share, and that nothing else empties, with --work")
    assert list((tmp_path / "driver").iterdir()) == []


@pytest.mark.long
def test_a_python_of_workers_that_lacks_packages_is_one_line_that_says_what_to_do(dataset: str, tmp_path: Path) -> None:
    bare = a_python(tmp_path / "bare", ("attrs", "numpy"))
    line = refused(on_a_cluster(tmp_path, "check", dataset, PYSPARK_PYTHON=str(bare)))
    assert line.startswith("lakeproof: workers: Python finds no module ")
    assert "--conf spark.archives=env.tar.gz#environment" in line


@pytest.mark.long
def test_workers_run_the_python_that_is_shipped_and_say_what_this_machine_says_and_nothing_else(
    spark: SparkSession, dataset: str, tmp_path: Path
) -> None:
    """The archive has a Python that is nowhere else, and whose packages are those of a folder."""
    program = a_python(tmp_path / "packages")
    with tarfile.open(tmp_path / "env.tar.gz", "w:gz") as archive:
        archive.add(program, "bin/python")
    program.unlink()
    (tmp_path / "work").mkdir()
    arguments = ("check", dataset, "--json")
    conf = ("--conf", f"spark.archives={tmp_path / 'env.tar.gz'}#environment", "--conf", "spark.task.cpus=1")
    more = ("--work", str(tmp_path / "work"), *conf)
    done = on_a_cluster(tmp_path, *arguments, *more, PYSPARK_PYTHON="./environment/bin/python")
    here = lakeproof("spark", *arguments)
    assert done.returncode == here.exit_code
    assert timeless(done.stdout) == timeless(here.stdout)
    assert {line.partition(" ")[0] for line in after_sending(done.stderr)} == {"decoding", "checking", "counting"}
    assert list((tmp_path / "work").iterdir()) == []


def broken(folder: Path, what: str, table: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """The command on a cluster that is broken while it writes a table; the files in ``marks``: how often it was."""
    (folder / "marks").mkdir()
    return on_a_cluster(folder, *arguments, breaking=(what, table, str(folder / "marks")))


def struck(folder: Path) -> int:
    return len(list((folder / "marks").iterdir()))


def uncommitted(dataset: str, out: Path) -> tuple[str, ...]:
    return ("uncommitted", dataset, "--now", str(NOW), "--lenient", "--run", "it", "--out", str(out))


def answer(out: Path) -> tuple[object, list[str]]:
    """Of a run: what became of the listing, and the addresses that it marked."""
    rows = parquet.read_table(out / "it" / "addresses").sort_by("address")
    return read_report(folder_at(out), "it")["accounts"], rows.column("address").to_pylist()


class TestExecutorsThatAreLost:
    @pytest.mark.deep
    def test_uncommitted_marks_what_it_marks_without(self, spark: SparkSession, dataset: str, tmp_path: Path) -> None:
        done = broken(tmp_path, "executors=1", "fates", *uncommitted(dataset, tmp_path / "out"))
        assert done.returncode == 0, done.stderr
        assert struck(tmp_path) == 1
        assert lakeproof("spark", *uncommitted(dataset, tmp_path / "here")).exit_code == 0
        found = answer(tmp_path / "out")
        assert found == answer(tmp_path / "here")
        assert found[1]

    @pytest.mark.long
    def test_a_task_that_always_ends_its_executor_ends_the_run_with_one_line_and_no_run_that_sweep_takes(
        self, dataset: str, tmp_path: Path
    ) -> None:
        out = tmp_path / "out"
        done = broken(tmp_path, "executors=99", "fates", *uncommitted(dataset, out))
        assert (done.returncode, done.stdout) == (2, "")
        assert struck(tmp_path) >= 4
        assert after_sending(done.stderr)[-1].startswith("lakeproof: executors were lost, again and again")
        assert "has no run 'it'" in complaint(lakeproof("spark", "sweep", str(out), "--run", "it", "--objects", "."))


@pytest.mark.parametrize("engine", ["embedded", pytest.param("classic", marks=pytest.mark.long)])
def test_a_driver_that_is_killed_leaves_no_run_that_sweep_takes(dataset: str, tmp_path: Path, engine: str) -> None:
    out, marks = tmp_path / "out", tmp_path / "marks"
    command = ("spark", *uncommitted(dataset, out), "--engine", engine)
    done = ran(sys.executable, str(BREAKING), "driver", "addresses", str(marks), *command, TMPDIR=str(tmp_path))
    assert done.returncode == -signal.SIGKILL
    assert list((out / "it" / "addresses").glob("*.parquet"))
    line = complaint(lakeproof("spark", "sweep", str(out), "--run", "it", "--objects", str(tmp_path)))
    assert "has no report.json, so the run never came to its end" in line


@pytest.mark.long
def test_a_dataset_of_which_the_workers_have_an_older_copy_marks_nothing(tmp_path: Path) -> None:
    """The link leads each process to a folder of its own: three above the one where it runs."""
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    link = tmp_path / "dataset"
    link.symlink_to("/proc/self/cwd/../../../seen")
    snapshots.write(snapshots.tables(world(7, 10)), tmp_path / "a" / "seen")  # as the driver sees it
    snapshots.write(snapshots.tables(world(7, 9)), folder / "home-data")
    (tmp_path / "work").mkdir()
    out = tmp_path / "out"
    shared = ("--work", str(tmp_path / "work"), "--out", str(out))
    done = on_a_cluster(
        folder, "uncommitted", str(link), "--now", str(NOW), "--lenient", *shared, beside={"seen": folder / "home-data"}
    )
    assert done.returncode == 2, done.stdout + done.stderr
    line = done.stderr.splitlines()[-1]
    assert "kv/: the footers of its files tell of " in line
    assert line.endswith("name a place that the driver and all workers see alike")
    assert list(out.iterdir()) == []
