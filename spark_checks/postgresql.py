"""The table ``kv`` of a PostgreSQL database, in lakeFS' layout, read in parallel by ranges of the primary key.

All tasks read one snapshot: it is exported by a transaction that stays open until the table is staged.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import staging
from lakeproof.spark_checks.tables import KV, LONG, table
from lakeproof.spark_checks.workspace import fresh

if TYPE_CHECKING:
    import psycopg

BATCH: Final = 1 << 14
RANGES_A_CORE: Final = 4
SAMPLE: Final = 10_000
SCHEMA: Final = pa.schema([(name, pa.binary()) for name in ("partition_key", "key", "value")])

Address = tuple[bytes, bytes]
KeyRange = tuple[Address | None, Address | None]
"""From the first address on, up to but without the second. None: no bound."""


def staged_table(spark: SparkSession, dsn: str) -> DataFrame:
    """The rows of ``kv`` as one transaction sees them. Runs one job.

    Raises Unusable: the database cannot be reached, or has no such table.
    """
    try:
        import psycopg
    except ImportError:
        raise Unusable("psycopg is not installed; `pip install 'lakeproof[postgresql]'`") from None
    target = fresh(spark, "kv")
    try:
        with psycopg.connect(dsn) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            snapshot = _one(connection, "SELECT pg_export_snapshot()")
            ranges = key_ranges(_sample(connection), RANGES_A_CORE * spark.sparkContext.defaultParallelism)

            def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
                for batch in batches:
                    for number in batch.column("id").to_pylist():
                        yield from _rows(dsn, str(snapshot), ranges[number])

            numbers = spark.range(0, len(ranges), 1, len(ranges)).select("id")
            assert numbers.schema.simpleString() == table(id=LONG).simpleString()
            written = staging.write(numbers.mapInArrow(read, KV), target)
    except psycopg.Error as error:
        said = str(error).strip().splitlines()
        raise Unusable(
            f"PostgreSQL: {said[0] if said else type(error).__name__}; mend the address, or the table kv"
        ) from None
    return staging.read(written, KV, spark)


def key_ranges(sample: Sequence[Address], count: int) -> list[KeyRange]:
    """Ranges that cover all addresses once, about equally full if the sample is fair. At most ``count``."""
    ordered = sorted(set(sample))
    cuts = sorted({ordered[len(ordered) * each // count] for each in range(1, count)}) if ordered else []
    return list(pairwise([None, *cuts, None]))


def _one(connection: "psycopg.Connection", query: str) -> object:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def _sample(connection: "psycopg.Connection") -> list[Address]:
    """Some addresses of the table. A small table is read whole, a large one by pages."""
    rows = float(str(_one(connection, "SELECT greatest(reltuples, 1) FROM pg_class WHERE oid = 'kv'::regclass")))
    percent = min(100.0, 100.0 * SAMPLE / rows)
    found = connection.execute(
        b"SELECT partition_key, key FROM kv TABLESAMPLE SYSTEM (%s) LIMIT %s", (percent, 2 * SAMPLE)
    )
    return [(bytes(partition), bytes(key)) for partition, key in found]


def _rows(dsn: str, snapshot: str, bounds: KeyRange) -> Iterator[pa.RecordBatch]:
    import psycopg
    from psycopg import sql

    low, high = bounds
    conditions = [b"TRUE"]
    values: list[bytes] = []
    for bound, comparison in ((low, b">="), (high, b"<")):
        if bound is not None:
            conditions.append(b"(partition_key, key) " + comparison + b" (%s, %s)")
            values.extend(bound)
    with psycopg.connect(dsn) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot)))
        with connection.cursor(name="kv", binary=True) as cursor:
            cursor.execute(b"SELECT partition_key, key, value FROM kv WHERE " + b" AND ".join(conditions), values)
            while rows := cursor.fetchmany(BATCH):
                columns = zip(*rows, strict=True)
                yield pa.record_batch([pa.array(list(column), pa.binary()) for column in columns], schema=SCHEMA)
