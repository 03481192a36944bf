"""Few rows are known before there is a JVM, by footers alone; what cannot be looked at is not few, and is no error."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

from lakeproof.spark_checks import session, sizing
from lakeproof.spark_checks.session import Options, settings
from tests.commands import lakeproof


@pytest.fixture(autouse=True)
def ten_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizing, "FEW", 10)


def dataset(folder: Path, **rows: int) -> str:
    """``decoded__staged`` is the table staged/ in decoded/."""
    for name, count in rows.items():
        path = folder / name.replace("__", "/")
        path.mkdir(parents=True)
        write_table(pa.table({"x": range(count)}), path / "part-0.parquet")
    return str(folder)


def test_the_rows_of_all_tables_count(tmp_path: Path) -> None:
    assert sizing.is_few(dataset(tmp_path / "a", kv=4, objects=3, ranges=2, metaranges=1))
    assert not sizing.is_few(dataset(tmp_path / "b", kv=4, objects=3, ranges=2, metaranges=2))


def test_typed_tables_count_instead_of_the_records_that_they_are_of(tmp_path: Path) -> None:
    assert sizing.is_few(dataset(tmp_path / "a", kv=9, objects=1, decoded__staged=9))
    assert not sizing.is_few(dataset(tmp_path / "b", kv=1, objects=1, decoded__staged=10))
    assert not sizing.is_few(dataset(tmp_path / "c", objects=1, decoded__staged=10))


def test_a_folder_beside_a_dump_counts(tmp_path: Path) -> None:
    dump = tmp_path / "dump.json"
    dump.write_text("{}")
    assert sizing.is_few(str(dump))
    assert sizing.is_few(str(dump), dataset(tmp_path / "few", objects=10))
    assert not sizing.is_few(str(dump), dataset(tmp_path / "many", objects=11))
    dump.write_text(" " * (10 * sizing.ROW_BYTES + 1))
    assert not sizing.is_few(str(dump))


@pytest.mark.parametrize("where", ["s3a://bucket/dataset", "postgresql://here/db", "/is/not/there"])
def test_what_cannot_be_looked_at_is_not_few(tmp_path: Path, where: str) -> None:
    assert not sizing.is_few(where)
    assert not sizing.is_few(dataset(tmp_path, kv=1), where)


def test_files_count_whatever_they_are_called(tmp_path: Path) -> None:
    where = dataset(tmp_path, kv=11)
    (tmp_path / "kv" / "part-0.parquet").rename(tmp_path / "kv" / "part-0")
    assert not sizing.is_few(where)


def test_a_damaged_file_is_left_to_those_who_say_what_is_wrong(tmp_path: Path) -> None:
    where = dataset(tmp_path, kv=1)
    (tmp_path / "kv" / "part-1.parquet").write_bytes(b"")
    assert not sizing.is_few(where)


def test_a_table_of_very_many_files_is_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = dataset(tmp_path, kv=1, objects=1)
    assert sizing.is_few(where)
    monkeypatch.setattr(sizing, "FILES_MAX", 1)
    assert not sizing.is_few(where)


def test_hash_tables_of_few_rows_begin_small_where_all_is_one_process() -> None:
    page = "spark.buffer.pageSize"
    assert page in settings(Options(few=True))
    assert page not in settings(Options())
    assert page not in settings(Options(few=True, master="spark://host:7077"))


@pytest.mark.parametrize(("rows", "few"), [(10, True), (11, False)])
def test_commands_ask_before_they_start_a_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int, few: bool
) -> None:
    asked = []

    def started(options: Options) -> None:
        asked.append(options.few)
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "_started", started)
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    done = lakeproof("spark", "check", dataset(tmp_path, kv=rows))
    assert asked == [few], done.output
