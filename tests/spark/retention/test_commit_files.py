"""The CSV files of a run are what Spark reads as a table partitioned by repository."""

from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.tables import BOOLEAN, STRING, table
from lakeproof.spark_checks.retention import commit_files
from tests.spark.conftest import CLASSIC

ROWS = table(repository_id=STRING, commit_id=STRING, expired=BOOLEAN, metarange_id=STRING)
READ = table(commit_id=STRING, expired=BOOLEAN, metarange_id=STRING, repository_id=STRING)
STRANGE = ["a/b", "..", "a=b", "100%", "é", 'say "x"', "a,b", "tab\there", "q?*:[]^{}#\\'"]


@CLASSIC
def test_folders_are_named_as_spark_names_them(spark: SparkSession, tmp_path: Path) -> None:
    rows = [(name, "c", True, "m") for name in STRANGE]
    spark.createDataFrame(rows, ROWS).write.partitionBy("repository_id").csv(str(tmp_path / "theirs"))
    commit_files.write(spark.createDataFrame(rows, ROWS), folder_at(tmp_path / "ours"))
    names = [{path.name for path in (tmp_path / who).iterdir() if path.is_dir()} for who in ("theirs", "ours")]
    assert names[0] == names[1]


def test_no_rows_make_an_empty_folder(spark: SparkSession, tmp_path: Path) -> None:
    assert commit_files.write(spark.createDataFrame([], ROWS), folder_at(tmp_path / "commits")) == 0
    assert list((tmp_path / "commits").iterdir()) == []


@pytest.mark.parametrize("name", [None, ""])
def test_a_repository_without_a_name_has_the_folder_of_null(name: str | None) -> None:
    assert commit_files.escape(name) == "__HIVE_DEFAULT_PARTITION__"


@given(st.lists(st.sampled_from(["a", "b", None])))
def test_runs_are_stretches_of_equal_values_one_after_another(values: list[str | None]) -> None:
    found = list(commit_files.runs(pa.array(values, pa.string())))
    assert [value for start, end in found for value in values[start:end]] == values
    assert all(len(set(values[start:end])) == 1 for start, end in found)
    assert all(values[one[0]] != values[two[0]] for one, two in pairwise(found))
