"""The table kv of a real PostgreSQL: read whole, once, in parallel ranges, in one snapshot."""

from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual

from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.data.postgresql import Piece, _pieces, _rows, shared_out
from lakeproof.spark_checks.engine import staging
from lakeproof.spark_checks.engine.tables import KV
from lakeproof.words import Unusable
from tests.lakefs_tables import PARTITIONED
from tests.servers import postgres

TABLE = "CREATE TABLE kv (partition_key bytea, key bytea, value bytea, PRIMARY KEY (partition_key, key))"
ROWS = [(b"p%d" % (number % 3), b"\x00\xff%d" % number, b"v%d" % number) for number in range(1_000)]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with postgres() as dsn:
        with psycopg.connect(dsn) as connection:
            connection.execute(TABLE)
            with connection.cursor() as cursor:
                cursor.executemany("INSERT INTO kv VALUES (%s, %s, %s)", ROWS)
        yield dsn


def test_every_row_is_read_once(spark: SparkSession, address: str) -> None:
    dataset = open_dataset(spark, address)
    assert dataset.keys == "lakefs"
    assert dataset.tables == {"kv"}
    assertDataFrameEqual(dataset.kv, spark.createDataFrame(ROWS, KV))


def test_what_is_written_later_is_not_in_it(spark: SparkSession, address: str) -> None:
    kv = open_dataset(spark, address).kv
    with psycopg.connect(address) as connection:
        connection.execute("INSERT INTO kv VALUES ('late', 'late', 'late')")
    try:
        assert kv.count() == len(ROWS)
    finally:
        with psycopg.connect(address) as connection:
            connection.execute("DELETE FROM kv WHERE partition_key = 'late'")


@pytest.fixture(scope="module")
def partitioned(address: str) -> tuple[str, list[tuple[bytes, bytes, bytes]]]:
    """A table as lakeFS makes it, which nobody has analyzed: a hundred partitions, and most rows under one key."""
    rows = [(b"r-main:1", b"%06d" % number, b"v" * 50) for number in range(6_000)]
    rows += [(b"r%d-u" % (number % 90), b"commits/%d" % number, b"v" * 50) for number in range(2_000)]
    with psycopg.connect(address) as connection:
        connection.execute("CREATE SCHEMA hashed")
        connection.execute("SET search_path TO hashed")
        connection.execute(PARTITIONED)
        for number in range(100):
            connection.execute(
                f"CREATE TABLE kv_{number} PARTITION OF kv FOR VALUES WITH (MODULUS 100, REMAINDER {number})"
            )
        with connection.cursor().copy("COPY kv FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["bytea"] * 3)
            for row in rows:
                copy.write_row(row)
    return f"{address}&options=-csearch_path%3Dhashed", rows


def test_what_a_writer_changes_meanwhile_is_read_as_it_was(address: str) -> None:
    """Each range by itself, as tasks do: rows that were updated are on other pages then."""
    with psycopg.connect(address) as connection, psycopg.connect(address, autocommit=True) as writer:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        row = connection.execute("SELECT pg_export_snapshot()").fetchone()
        assert row is not None
        pieces = _pieces(connection, 5)
        assert len(pieces) == 5
        writer.execute("UPDATE kv SET value = 'other'")
        writer.execute("VACUUM kv")
        try:
            assert sorted(each for piece in pieces for each in _all(address, row[0], piece)) == sorted(ROWS)
        finally:
            writer.execute("UPDATE kv SET value = 'v'::bytea || substring(key from 3)")


def test_while_it_is_read_nothing_moves_its_rows(
    spark: SparkSession, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = staging.write

    def written(*args: object, **options: object) -> staging.Written:
        with psycopg.connect(address, autocommit=True) as writer:
            writer.execute("SET lock_timeout = '1ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                writer.execute("VACUUM FULL kv")
        return write(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(staging, "write", written)
    assert open_dataset(spark, address).kv.count() == len(ROWS)


def _all(where: str, snapshot: str, piece: Piece) -> list[tuple[bytes, ...]]:
    return [tuple(each.values()) for batch in _rows(where, snapshot, piece) for each in batch.to_pylist()]


def test_a_partitioned_table_that_nobody_analyzed_is_cut_fairly_and_read_once(
    partitioned: tuple[str, list[tuple[bytes, bytes, bytes]]],
) -> None:
    where, rows = partitioned
    with psycopg.connect(where) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        row = connection.execute("SELECT pg_export_snapshot()").fetchone()
        assert row is not None
        tasks = shared_out(_pieces(connection, 8), 8)
        read = [[each for piece in pieces for each in _all(where, row[0], piece)] for pieces in tasks]
    assert len(tasks) == 8
    assert sorted(each for task in read for each in task) == sorted(rows)
    assert max(map(len, read)) < 3 * len(rows) / 8, "the rows of one partition key are shared out, too"


@given(st.lists(st.integers(0, 1_000)), st.integers(1, 9))
def test_pieces_are_shared_out_once_and_no_task_has_much_more(sizes: list[int], count: int) -> None:
    pieces = [Piece(f"t{number}", 0, None, size) for number, size in enumerate(sizes)]
    tasks = shared_out(pieces, count)
    assert len(tasks) <= count
    assert sorted(each.table for task in tasks for each in task) == sorted(each.table for each in pieces)
    largest = max((sum(each.bytes for each in task) for task in tasks), default=0)
    assert largest <= sum(sizes) / count + max(sizes, default=0)


def test_a_database_without_the_table_is_refused(spark: SparkSession, address: str) -> None:
    with pytest.raises(Unusable, match='PostgreSQL: relation "kv" does not exist'):
        open_dataset(spark, f"{address}&options=-csearch_path%3Dnowhere")


def test_an_unreachable_database_is_refused_in_one_line(spark: SparkSession) -> None:
    with pytest.raises(Unusable) as refused:
        open_dataset(spark, "postgresql://lakeproof@127.0.0.1:1/postgres")
    assert str(refused.value).startswith("PostgreSQL: ")
    assert "\n" not in str(refused.value)
