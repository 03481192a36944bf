"""The CSV files of a run are what engines read as a table partitioned by repository, whichever has written them."""

import csv
import io
from pathlib import Path
from urllib.parse import unquote

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine.folders import Folder, folder_at
from lakeproof.spark_checks.engine.tables import BOOLEAN, STRING, table
from lakeproof.spark_checks.retention import commit_files
from lakeproof.words import Unusable
from tests.spark.conftest import ON_CLASSIC_TOO, Mount

pytestmark = ON_CLASSIC_TOO

ROWS = table(repository_id=STRING, commit_id=STRING, expired=BOOLEAN, metarange_id=STRING)
READ = table(commit_id=STRING, expired=BOOLEAN, metarange_id=STRING, repository_id=STRING)
STRANGE = ("a/b", "..", "a=b", "100%", "007", 'say "x"', "a,b", "tab\there", "q?*:[]^{}#\\'")
IDS = (" c\n", 'a"b', "a,b", "back\\", "'", "\r")


@pytest.mark.parametrize("at_once", [1_000, 10])
def test_what_is_written_is_read_again_a_file_for_each_repository(
    spark: SparkSession, tmp_path: Path, mount: Mount, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(commit_files, "AT_ONCE", at_once)
    # In an order in which no two rows of a repository are neighbours.
    trees = ("", None, *IDS[2:])
    rows = [(name, each, n % 2 == 0, trees[n]) for n, each in enumerate(IDS) for name in STRANGE]
    table = spark.createDataFrame(rows, ROWS).coalesce(1)
    for where in (str(tmp_path / "ours"), f"{mount.url}/commits-{at_once}"):
        folder = folder_at(where)
        commit_files.write(table, folder, len(rows))
        assert {unquote(each.partition("=")[2]) for each in folder.folders()} == {*STRANGE}
        assert sum(name.endswith(".csv") for name, _ in folder.files()) == len(STRANGE)
        texts = {name: folder.read(name).decode() for name, _ in folder.files() if name.endswith(".csv")}
        # As RFC 4180 has it: quotes are doubled, and nothing is an escape.
        told = [
            (unquote(name.partition("=")[2].partition("/")[0]), *each)
            for name, text in texts.items()
            for each in csv.reader(io.StringIO(text, newline=""))
        ]
        expected = [(*row[:2], str(row[2]).lower(), row[3] or "") for row in rows]
        assert sorted(told) == sorted([*expected, *((name, *commit_files.COLUMNS) for name in STRANGE)])
        assert not any(',""' in text for text in texts.values())
        found = spark.read.schema(READ).options(**commit_files.AS_CSV, multiLine="true").csv(where)
        named = [(*row[:3], row[3] or None) for row in rows]
        assert sorted(map(tuple, found.select(*ROWS.names).collect()), key=repr) == sorted(named, key=repr)


def test_no_commits_are_a_folder_without_files(spark: SparkSession, tmp_path: Path) -> None:
    commit_files.write(spark.createDataFrame([], ROWS), folder_at(tmp_path / "commits"), 0)
    assert (tmp_path / "commits").is_dir()
    assert not [*tmp_path.rglob("*.csv")]


@pytest.mark.parametrize("files", [[], [("repository_id=r/gone.csv", 9)]], ids=["no file", "one that is gone"])
def test_what_a_worker_wrote_elsewhere_ends_the_run(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: list[tuple[str, int]]
) -> None:
    rows = spark.createDataFrame([("r", "c", True, "m")], ROWS)
    monkeypatch.setattr(Folder, "files", lambda self, under="": files)
    with pytest.raises(Unusable, match=r"1 commits were written, and 0 are there|commits: cannot be read") as told:
        commit_files.write(rows, folder_at(tmp_path / "commits"), 1)
    assert "\n" not in str(told.value)
