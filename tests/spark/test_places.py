"""Folders by URL: what is worked in lies in a store, and what is written is found there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine import staging, workspace
from lakeproof.spark_checks.engine.tables import LONG, table
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.spark.conftest import Mount

TABLE = table(id=LONG)


@pytest.fixture
def work(spark: SparkSession, mount: Mount) -> Iterator[Path]:
    """The session works there."""
    workspace.remove(spark)
    workspace.place(spark, mount.url)
    yield mount.folder
    workspace.remove(spark)
    workspace.place(spark, None)


def test_what_is_staged_at_a_url_is_whole_or_an_error_and_goes_with_the_session(
    spark: SparkSession, work: Path
) -> None:
    assert workspace.stage(spark.range(10).repartition(3), "rows").count() == 10
    assert list(work.glob("lakeproof-spark-*/rows-*/rows/*.parquet"))
    where = workspace.fresh(spark, "rows")
    written = staging.write(spark.range(6).selectExpr("id", "id % 2 as odd"), where, by="odd")
    assert written.folders == {"odd=0": 3, "odd=1": 3}
    assert staging.read(written, TABLE, spark, "odd=1").count() == 3
    for each in work.glob("lakeproof-spark-*/rows-*/rows/odd=1/*.parquet"):
        each.unlink()
    with pytest.raises(Unusable, match="odd=1: 3 rows were written, and 0 are there"):
        staging.read(written, TABLE, spark, "odd=1")
    workspace.remove(spark)
    assert list(work.iterdir()) == []


def test_a_work_folder_that_is_not_there_is_one_line(spark: SparkSession) -> None:
    workspace.remove(spark)
    workspace.place(spark, "/nowhere/at/all")
    with pytest.raises(Unusable, match=r"^/nowhere/at/all: cannot be worked in \(No such file or directory\)"):
        workspace.folder(spark)
    workspace.place(spark, None)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("command", ["check", "retention"])
def test_an_out_of_no_file_system_that_is_known_is_one_line_and_makes_no_folder_of_that_name(
    command: str, rules: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    more = ("--rules", rules) if command == "retention" else ()
    said = complaint(lakeproof("spark", command, "d", "--out", "nothing://b/x", *more))
    assert re.match(r"nothing://b/x(/\S+)?: is on no file system that can be reached \(.*; name s3://", said)
    assert [str(each) for each in tmp_path.iterdir()] == [rules]


def test_a_dataset_is_generated_on_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = complaint(lakeproof("spark", "generate", "s3a://b/x"))
    assert "s3a://b/x: expected a folder; name one of this machine" in said
    assert list(tmp_path.iterdir()) == []
