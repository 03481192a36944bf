"""Data at the ends of what its types hold, and a disk that is full."""

import shutil
import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import cast

import attrs
import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from lakeproof.model.records import Commit
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine import runs
from lakeproof.spark_checks.retention.marks import MarkOptions
from tests.commands import complaint, lakeproof
from tests.spark import snapshots
from tests.spark.commands import LAKEPROOF, ran
from tests.spark.conftest import ON_CLASSIC_TOO
from tests.spark.retention import test_marking as retention
from tests.spark.retention.worlds import HOUR, NOW, world
from tests.spark.sweep.test_references import sound

DAY = 24 * HOUR
LAST = (1 << 63) - 1
YEARS = (-62_135_596_800_000_000, 253_402_300_799_999_999)
"""The first and the last microsecond of Python's calendar."""
MOMENTS = (-LAST - 1, YEARS[0] - 1, YEARS[0], -1, 0, NOW - DAY, NOW - DAY + 1, NOW, *YEARS[1:], YEARS[1] + 1, LAST)


@ON_CLASSIC_TOO
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


@ON_CLASSIC_TOO
@pytest.mark.parametrize("kind", [pa.timestamp("us", "UTC"), pa.timestamp("ms", "UTC"), pa.timestamp("ns")], ids=str)
def test_the_youngest_object_of_all_files_says_when_a_run_is(
    spark: SparkSession, dataset: Path, kind: pa.DataType
) -> None:
    whole = dataset / "objects" / "part.parquet"
    rows, early, late = parquet.read_table(whole), NOW, NOW + 123_457
    files: list[list[int | None]] = [[early, late, None], [early], [None]]
    for number, times in enumerate(files):
        made = pa.array(times, pa.timestamp("us", "UTC")).cast(kind, safe=False)
        file, at = whole.with_name(f"{number}.parquet"), rows.schema.get_field_index("last_modified")
        listed = rows.slice(0, len(times)).set_column(at, "last_modified", made)
        parquet.write_table(listed, file, use_deprecated_int96_timestamps=kind == pa.timestamp("ns"))
    whole.unlink()
    assert runs.time_of(None, open_dataset(spark, str(dataset))) == (late // 1000 * 1000 if kind.unit == "ms" else late)


@ON_CLASSIC_TOO
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


def ran_out(larger: Path, out: Path, line: str, engine: str, *shell: str) -> None:
    """The run of a world does not fit: it ends with one line, and leaves nothing that a sweep takes."""
    command = (*LAKEPROOF, "uncommitted", str(larger / "data"), "--lenient", "--run", "it")
    done = ran(*shell, *command, "--engine", engine, "--now", str(NOW), "--out", str(out))
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.splitlines()[-1].startswith(line)
    assert not (out / "it").exists()
    swept = lakeproof("spark", "sweep", str(out), "--run", "it", "--objects", ".")
    assert "has no run 'it'" in complaint(swept)


@pytest.mark.parametrize("engine", ["embedded", pytest.param("classic", marks=pytest.mark.long)])
def test_a_disk_that_is_full_ends_the_run(larger: Path, full: Path, engine: str) -> None:
    ran_out(larger, full / "out", NO_SPACE, engine)


def test_a_file_that_the_machine_lets_not_grow_ends_the_run(larger: Path, tmp_path: Path) -> None:
    """As a quota does. (Of Java's own files some are larger.)"""
    ran_out(larger, tmp_path / "out", TOO_LARGE, "embedded", "sh", "-c", 'ulimit -f 1; exec "$@"', "sh")
