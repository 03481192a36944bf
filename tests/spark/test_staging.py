"""What the pipeline has written for itself and does not find again ends the run; it is never an empty table."""

import shutil
from pathlib import Path
from random import Random

import numpy as np
import pytest
from pyspark.sql import SparkSession

from lakeproof.search.packing import Layout
from lakeproof.spark_checks.engine import staging, workspace
from lakeproof.spark_checks.engine.folders import Folder, folder_at
from lakeproof.spark_checks.explore.levels import SparkLevels
from lakeproof.spark_checks.retention import commit_files
from lakeproof.words import Unusable
from tests.spark.damages import Damage, emptied, largest, lose, lost, table_lost

SCHEMA = "id long, kind string"
COMMITS = "repository_id string, commit_id string, expired boolean, metarange_id string"


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


@pytest.mark.parametrize("damage", [lost, emptied, table_lost])
def test_what_was_lost_between_two_stages_ends_the_second(spark: SparkSession, tmp_path: Path, damage: Damage) -> None:
    written = staging.write(spark.range(10).repartition(3), str(tmp_path / "rows"))
    damage(Random(0), largest(sorted((tmp_path / "rows").glob("*.parquet"))))
    with pytest.raises(Unusable, match=r"10 rows were written, and \d are there|cannot be read any more"):
        staging.read(written, spark.range(0).schema, spark)


def test_a_folder_to_which_no_row_went_is_empty_and_one_that_is_gone_is_an_error(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.createDataFrame([(1, "a"), (2, "a"), (3, "b")], SCHEMA)
    written = staging.write(rows, str(tmp_path / "rows"), by="kind")
    assert written.rows == 3
    schema = rows.select("id").schema
    assert staging.read(written, schema, spark, "kind=c").collect() == []
    assert staging.read(written, schema, spark, "kind=a").count() == 2
    shutil.rmtree(tmp_path / "rows" / "kind=a")
    with pytest.raises(Unusable, match="kind=a: 2 rows were written, and 0 are there"):
        staging.read(written, schema, spark, "kind=a")


def test_what_is_appended_is_added_to_what_there_was(spark: SparkSession, tmp_path: Path) -> None:
    where = str(tmp_path / "rows")
    first = staging.write(spark.range(3), where)
    both = staging.write(spark.range(4), where, to=first)
    assert (both.rows, staging.read(both, spark.range(0).schema, spark).count()) == (7, 7)
    largest(sorted((tmp_path / "rows").glob("*.parquet"))).unlink()
    with pytest.raises(Unusable, match="8 rows were written"):
        staging.write(spark.range(1), where, to=both)


def test_a_level_of_a_search_is_whole_or_the_search_ends(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    lose(monkeypatch, "level")
    levels = SparkLevels(spark)
    with pytest.raises(Unusable, match="5 rows were written, and 0 are there"):
        levels.keep([np.arange(5, dtype=np.uint64)], Layout((), 1))
    levels.clear()


def test_a_csv_file_that_a_worker_wrote_elsewhere_ends_the_run(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = spark.createDataFrame([("r", "c", True, "m")], COMMITS)
    monkeypatch.setattr(Folder, "files", lambda self, under="": [])
    with pytest.raises(Unusable, match=r"part-.*\.csv: a task wrote \d+ bytes, and the file is not there"):
        commit_files.write(rows, folder_at(tmp_path / "commits"))
