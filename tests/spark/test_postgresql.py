"""The table kv of a real PostgreSQL: read whole, once, in one snapshot."""

from collections.abc import Iterable, Iterator

import psycopg
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual

from lakeproof.spark_checks.data import postgresql
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine import workspace
from lakeproof.spark_checks.engine.tables import KV, batches
from lakeproof.words import Unusable
from tests.lakefs_tables import in_postgresql
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


def test_what_is_written_later_is_not_in_it(spark: SparkSession, address: str) -> None:
    kv = open_dataset(spark, address).kv
    with psycopg.connect(address) as connection:
        connection.execute("INSERT INTO kv VALUES ('late', 'late', 'late')")
    try:
        assert kv.count() == len(ROWS)
    finally:
        with psycopg.connect(address) as connection:
            connection.execute("DELETE FROM kv WHERE partition_key = 'late'")


def test_a_table_of_a_hundred_partitions_is_read_once(spark: SparkSession, address: str) -> None:
    """As lakeFS makes it."""
    rows = [(b"r%d-u" % (number % 90), b"commits/%d" % number, b"v" * 50) for number in range(2_000)]
    with psycopg.connect(address) as connection:
        connection.execute("CREATE SCHEMA hashed")
    where = f"{address}&options=-csearch_path%3Dhashed"
    in_postgresql(where, rows)
    dataset = open_dataset(spark, where)
    assert dataset.keys == "lakefs"
    assert dataset.tables == {"kv"}
    assertDataFrameEqual(dataset.kv, spark.createDataFrame(rows, KV))


def test_what_a_writer_changes_meanwhile_is_read_as_it_was(
    spark: SparkSession, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are changed, and moved to other pages, when the first of them has been read; and nothing rewrites the table
    while the others are."""

    def changed(rows: Iterable[tuple[bytes, ...]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        left = iter(rows)
        yield from batches([next(left)], schema)
        with psycopg.connect(address, autocommit=True) as writer:
            writer.execute("UPDATE kv SET value = 'other'")
            writer.execute("SET lock_timeout = '1ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                writer.execute("VACUUM FULL kv")
        yield from batches(left, schema)

    monkeypatch.setattr(postgresql, "ROWS", 7)
    monkeypatch.setattr(workspace, "batches", changed)
    try:
        assertDataFrameEqual(open_dataset(spark, address).kv, spark.createDataFrame(ROWS, KV))
    finally:
        with psycopg.connect(address) as writer:
            writer.execute("UPDATE kv SET value = 'v'::bytea || substring(key from 3)")


def test_a_database_without_the_table_is_refused(spark: SparkSession, address: str) -> None:
    with pytest.raises(Unusable, match='PostgreSQL: relation "kv" does not exist'):
        open_dataset(spark, f"{address}&options=-csearch_path%3Dnowhere")


def test_an_unreachable_database_is_refused_in_one_line(spark: SparkSession) -> None:
    with pytest.raises(Unusable) as refused:
        open_dataset(spark, "postgresql://lakeproof@127.0.0.1:1/postgres")
    assert str(refused.value).startswith("PostgreSQL: ")
    assert "\n" not in str(refused.value)
