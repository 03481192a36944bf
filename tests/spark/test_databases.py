"""The table kv of a real PostgreSQL, read whole, once, in one snapshot; and of a DynamoDB, by its segments, through the
gate's front."""

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
from tests.gate.dynamodb_server import served
from tests.lakefs_tables import in_dynamodb, in_postgresql
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


def test_a_database_without_the_table_or_that_is_not_there_is_one_line(spark: SparkSession, address: str) -> None:
    empty, nowhere = f"{address}&options=-csearch_path%3Dnowhere", "postgresql://lakeproof@127.0.0.1:1/postgres"
    for where, words in ((empty, 'relation "kv" does not exist'), (nowhere, "")):
        with pytest.raises(Unusable, match=f"^PostgreSQL: {words}.*; mend the address, or the table kv$"):
            open_dataset(spark, where)


ITEMS = [(b"graveler", b"repos/r", b"\x00\xff"), *((b"r-main:1", b"p/%d" % number, b"") for number in range(40))]


@pytest.fixture(scope="module")
def at() -> Iterator[str]:
    with served() as url:
        yield in_dynamodb(url, ITEMS)


def test_every_item_is_read_once(spark: SparkSession, at: str) -> None:
    dataset = open_dataset(spark, at)
    assert dataset.keys == "lakefs"
    assert "me:x" not in dataset.where
    assertDataFrameEqual(dataset.kv, spark.createDataFrame(ITEMS, KV))


def test_a_table_that_is_not_there_is_refused_in_one_line(spark: SparkSession, at: str) -> None:
    for where, words in (("/other", "other"), ("", "names no table")):
        with pytest.raises(Unusable, match=words) as refused:
            open_dataset(spark, at.removesuffix("/kvstore") + (where or "/"))
        assert "\n" not in str(refused.value)
        assert "me:x" not in str(refused.value)
