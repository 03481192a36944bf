"""What the pipeline has written for itself and does not find again ends the run; it is never an empty table. In the
folders of runs a file is whole or not there, and what a store refuses is one line."""

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest
from pyspark.sql import SparkSession

from lakeproof.search.packing import Layout
from lakeproof.spark_checks.engine import staging, workspace
from lakeproof.spark_checks.engine.folders import Folder, folder_at, of_url
from lakeproof.spark_checks.engine.tables import LONG, table
from lakeproof.spark_checks.explore.levels import SparkLevels
from lakeproof.words import Unusable
from tests.spark.conftest import ON_CLASSIC_TOO
from tests.spark.damages import Damage, emptied, largest, lose, lost, table_lost

TABLE = table(id=LONG)


@ON_CLASSIC_TOO
@pytest.mark.parametrize("struck", [(), (lost,), (emptied,)], ids=["all of them", "one", "emptied"])
def test_what_was_lost_before_the_end_of_writing_ends_it(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, struck: tuple[Damage, ...]
) -> None:
    lose(monkeypatch, "rows", *struck)
    with pytest.raises(
        Unusable, match=r"rows.*(10 rows were written, and \d are there|cannot be read any more)"
    ) as told:
        workspace.stage(spark.range(10).repartition(3), "rows")
    assert "\n" not in str(told.value)


@ON_CLASSIC_TOO
@pytest.mark.parametrize("damage", [lost, emptied, table_lost])
@pytest.mark.parametrize("by", [None, "odd"])
def test_what_was_lost_between_two_stages_ends_the_second(
    spark: SparkSession, tmp_path: Path, by: str | None, damage: Damage
) -> None:
    rows = spark.range(10).selectExpr("id", "id % 2 as odd").repartition(3)
    written = staging.write(rows, str(tmp_path / "rows"), by=by)
    folder = "odd=1" if by else ""
    damage(Random(0), largest(sorted((tmp_path / "rows" / folder).glob("*.parquet"))))
    with pytest.raises(Unusable, match=r"(10|5) rows were written, and \d are there|cannot be read any more"):
        staging.read(written, TABLE, spark, folder)
    if by:
        assert staging.read(written, TABLE, spark, "odd=0").count() == 5
        assert staging.read(written, TABLE, spark, "odd=2").collect() == []  # no row went there


@ON_CLASSIC_TOO
def test_a_level_of_a_search_is_whole_or_the_search_ends(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    lose(monkeypatch, "level")
    levels = SparkLevels(spark)
    with pytest.raises(Unusable, match="5 rows were written, and 0 are there"):
        levels.keep([np.arange(5, dtype=np.uint64)], Layout((), 1))
    levels.clear()


@ON_CLASSIC_TOO
def test_what_is_appended_is_added_to_what_there_was(spark: SparkSession, tmp_path: Path) -> None:
    where = str(tmp_path / "rows")
    first = staging.write(spark.range(3), where)
    both = staging.write(spark.range(4), where, to=first)
    assert (both.rows, staging.read(both, TABLE, spark).count()) == (7, 7)
    largest(sorted((tmp_path / "rows").glob("*.parquet"))).unlink()
    with pytest.raises(Unusable, match="8 rows were written"):
        staging.write(spark.range(1), where, to=both)


Make = Callable[[Path], Folder]


def by_url(path: Path) -> Folder:
    return of_url(path.as_uri())


@pytest.fixture(params=[folder_at, by_url], ids=["path", "url"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    make: Make = request.param
    return make(tmp_path / "runs" / "r1")


def test_what_is_written_is_listed_and_read(folder: Folder, tmp_path: Path) -> None:
    assert (folder.name, folder.exists(), folder.files(), folder.folders()) == ("r1", False, [], [])
    folder.write("b/2", b"two")
    folder.child("b").write("10", b"ten, really")
    folder.write("a", b"")
    assert folder.files() == [("a", 0), ("b/10", 11), ("b/2", 3)]
    assert (folder.folders(), folder.parent().folders()) == (["b"], ["r1"])
    assert folder.files("b") == folder.files()[1:]
    assert (folder.exists(), folder.exists("b"), folder.exists("b/2"), folder.exists("c")) == (True, True, True, False)
    assert folder.read("b/2") == b"two"
    with folder.open("b/10") as file:
        file.seek(-6, io.SEEK_END)
        assert file.read(3) == b"rea"
    assert folder.sha256("b/10") == hashlib.sha256(b"ten, really").hexdigest()
    assert folder.parent().child("r1").files() == folder.files()
    assert (tmp_path / "runs/r1/b/2").read_bytes() == b"two"


def test_a_file_of_any_size_is_written_copied_and_replaced_and_nothing_else_is_left(folder: Folder) -> None:
    for content in (bytes(3 << 20), b"short"):
        folder.copy("a/b", io.BytesIO(content))
        folder.write("a/c", content)
        assert folder.read("a/b") == folder.read("a/c") == content
        assert folder.files() == [("a/b", len(content)), ("a/c", len(content))]


def test_files_and_folders_are_deleted_once_or_twice(folder: Folder) -> None:
    folder.write("a/1", b"")
    folder.write("b", b"")
    for _ in range(2):
        folder.delete("a")
        assert folder.files() == [("b", 0)]
    folder.delete("b")
    assert folder.files() == []
    folder.delete()
    folder.delete()
    assert not folder.exists()
    folder.make()
    assert folder.exists()


def test_a_file_that_is_not_there_is_one_line(folder: Folder) -> None:
    for read in (folder.read, folder.open, folder.sha256):
        with pytest.raises(Unusable, match=r"r1/none: cannot be read \(.*; mend that, or name another folder") as told:
            read("none")
        assert "\n" not in str(told.value)


def test_what_cannot_be_written_is_one_line_and_what_was_there_stays(folder: Folder) -> None:
    folder.write("file", b"there")
    with pytest.raises(Unusable, match=r"r1/file/inside: cannot be written \("):
        folder.write("file/inside", b"")
    assert folder.files() == [("file", 5)]


def test_in_a_store_of_objects_nothing_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = by_url(tmp_path / "r1")
    folder.make()
    monkeypatch.setattr("lakeproof.spark_checks.engine.folders._STORES", frozenset({"local"}))
    seen: list[str] = []
    monkeypatch.setattr(Folder, "_send", lambda self, data, target: seen.append(target))
    folder.write("a", b"x")
    assert seen == [str(tmp_path / "r1" / "a")]
