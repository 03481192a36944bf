"""Data at the ends of what its types hold, and a disk that is full."""

import shutil
import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import cast

import attrs
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from lakeproof.model.records import Commit
from lakeproof.spark_checks.retention.marks import MarkOptions
from tests.commands import complaint, lakeproof
from tests.spark import snapshots
from tests.spark.commands import LAKEPROOF, ran
from tests.spark.retention import test_marking as retention
from tests.spark.retention.worlds import HOUR, NOW, world
from tests.spark.sweep.test_references import sound

DAY = 24 * HOUR
LAST = (1 << 63) - 1
YEARS = (-62_135_596_800_000_000, 253_402_300_799_999_999)
"""The first and the last microsecond of Python's calendar."""
MOMENTS = (-LAST - 1, YEARS[0] - 1, YEARS[0], -1, 0, NOW - DAY, NOW - DAY + 1, NOW, *YEARS[1:], YEARS[1] + 1, LAST)


def test_objects_of_all_times_of_64_bits_are_young_or_old(spark: SparkSession, tmp_path: Path) -> None:
    """Files of a calendar that is longer than Python's, and a time that no file names."""
    made = snapshots.tables(world(7, 2))
    for moment in MOMENTS:
        made.objects.append(("s3://bucket/r0", f"data/at{moment}", 1, cast("datetime", moment)))
    snapshots.write(made, tmp_path / "data")
    where = (str(tmp_path / "data"), "--lenient", "--out", str(tmp_path / "out"))
    ages = {"given": ("--now", str(NOW)), "youngest": (), "longest": ("--now", "0", "--older-than", "999999999d")}
    for run, more in ages.items():  # the youngest is of the future: it is now
        done = lakeproof("spark", "uncommitted", *where, "--run", run, *more)
        assert done.exit_code == 0, done.output
    marked = parquet.read_table(tmp_path / "out" / "given" / "addresses").column("address").to_pylist()
    old = [f"data/at{moment}" for moment in MOMENTS if moment <= NOW - DAY]
    assert sorted(each for each in marked if "/at" in each) == sorted(old)
    done = lakeproof("spark", "sweep", str(tmp_path / "out"), "--run", "given", "--objects", str(tmp_path))
    assert done.exit_code == 0, done.output


def test_commits_of_all_times_are_expired_as_the_model_has_it(spark: SparkSession, tmp_path: Path) -> None:
    plain = sound(world(5, 12))
    store = dict(plain.store)
    commits = [at for at, each in plain.store.items() if isinstance(each, Commit)]
    for number, at in enumerate(commits):
        date = (-LAST, -1, NOW - 5 * DAY, NOW - 5 * DAY + 1, LAST)[number % 5]
        store[at] = attrs.evolve(cast("Commit", store[at]), creation_date=date)
    found = attrs.evolve(plain, store=store)
    done = retention.run(spark, found, tmp_path, MarkOptions(now=NOW, lenient=True))
    expected = retention.marked_by_the_model(found, tags=False)
    assert retention.addresses(spark, done.folder) == expected
    assert expected
    assert expected != retention.marked_by_the_model(plain, tags=False)


@pytest.mark.parametrize("command", ["uncommitted", "retention"])
def test_a_null_that_hides_what_is_kept_is_refused(
    spark: SparkSession, tmp_path: Path, rules: str, command: str
) -> None:
    made = snapshots.tables(world(7, 2))
    made.ranges[0] = (*made.ranges[0][:2], None, *made.ranges[0][3:])
    snapshots.write(made, tmp_path / "data")
    more = ("--rules", rules) if command == "retention" else ()
    said = lakeproof("spark", command, str(tmp_path / "data"), *more, "--out", str(tmp_path / "out"))
    assert "a row of ranges/ leaves out what it keeps (address is null)" in complaint(said)


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A disk of 8 KiB."""
    disk, mount = tmp_path / "disk", shutil.which("mount")
    disk.mkdir()
    order = [mount or "mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(disk)]
    if mount is None or subprocess.run(order, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a disk that is full, and not in every container")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


NO_SPACE = "lakeproof: no space left on the device"
TOO_LARGE = "lakeproof: a file of Spark's grew larger than this machine lets files grow"


def ran_out(out: Path, line: str, engine: str, *shell: str) -> None:
    """The run of a world does not fit: it ends with one line, and leaves nothing that a sweep takes."""
    data = out.parent.parent / "data"
    snapshots.write(snapshots.tables(world(7, 10)), data)
    command = (*LAKEPROOF, "uncommitted", str(data), "--lenient", "--run", "it")
    done = ran(*shell, *command, "--engine", engine, "--now", str(NOW), "--out", str(out))
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.splitlines()[-1].startswith(line)
    assert not (out / "it").exists()
    swept = lakeproof("spark", "sweep", str(out), "--run", "it", "--objects", ".")
    assert "has no run 'it'" in complaint(swept)


@pytest.mark.parametrize("engine", ["embedded", pytest.param("classic", marks=pytest.mark.long)])
def test_a_disk_that_is_full_ends_the_run(full: Path, engine: str) -> None:
    ran_out(full / "out", NO_SPACE, engine)


def test_a_file_that_the_machine_lets_not_grow_ends_the_run(tmp_path: Path) -> None:
    """As a quota does. (Of Java's own files some are larger.)"""
    (tmp_path / "disk").mkdir()
    ran_out(tmp_path / "disk" / "out", TOO_LARGE, "embedded", "sh", "-c", 'ulimit -f 1; exec "$@"', "sh")
