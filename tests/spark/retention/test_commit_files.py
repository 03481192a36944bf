"""The CSV files of a run are what Spark reads as a table partitioned by repository."""

from itertools import pairwise
from pathlib import Path

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.tables import BOOLEAN, STRING, table
from lakeproof.spark_checks.retention import commit_files
from tests.spark.conftest import CLASSIC, Mount

ROWS = table(repository_id=STRING, commit_id=STRING, expired=BOOLEAN, metarange_id=STRING)
READ = table(commit_id=STRING, expired=BOOLEAN, metarange_id=STRING, repository_id=STRING)
STRANGE = ("a/b", "..", "a=b", "100%", "é", 'say "x"', "a,b", "tab\there", "q?*:[]^{}#\\'")


@CLASSIC
def test_spark_reads_what_was_written_last_from_folders_that_it_would_name_so(
    spark: SparkSession, tmp_path: Path, mount: Mount
) -> None:
    rows = [(name, f" {name}-{n}\n", n % 2 == 0, "m" if n else None) for name in (*STRANGE, None) for n in range(3)]
    table = spark.createDataFrame(rows, ROWS)
    table.write.partitionBy("repository_id").csv(str(tmp_path / "theirs"))
    theirs = {path.name for path in (tmp_path / "theirs").iterdir() if path.is_dir()}
    for where in (str(tmp_path / "ours"), f"{mount.url}/commits"):
        for _ in range(2):  # what was there is replaced
            assert commit_files.write(table, folder_at(where)) == len(rows)
        assert {*folder_at(where).folders()} == theirs
        how = {"header": True, "escape": '"', "multiLine": True}
        blanks = {"ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False}
        found = spark.read.schema(READ).csv(where, **how, **blanks).select(*ROWS.names).collect()  # type: ignore[arg-type]
        assert sorted(map(tuple, found), key=repr) == sorted(rows, key=repr)
    assert commit_files.write(spark.createDataFrame([], ROWS), folder_at(where)) == 0
    assert folder_at(where).files() == []
    assert f"{commit_files.HOME}={commit_files.escape('')}" in theirs, "as of null"


@given(st.lists(st.sampled_from(["a", "b", None])))
def test_runs_are_stretches_of_equal_values_one_after_another(values: list[str | None]) -> None:
    found = list(commit_files.runs(pa.array(values, pa.string())))
    assert [value for start, end in found for value in values[start:end]] == values
    assert all(len(set(values[start:end])) == 1 for start, end in found)
    assert all(values[one[0]] != values[two[0]] for one, two in pairwise(found))
