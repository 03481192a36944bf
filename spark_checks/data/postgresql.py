"""The table ``kv`` of a PostgreSQL database, in lakeFS' layout, read in parallel: by its own partitions, the large ones
by ranges of the primary key.

lakeFS partitions the table by a hash of the partition key, into a hundred tables, and nobody analyzes them: what
PostgreSQL believes of its rows is nothing. So the bytes on disk say what is large. Of 400 tables' worth of work for 8
tasks, 50 each::

    kv_0   3     whole                      task 1
    kv_1   170   four ranges, by a sample   tasks 1 to 4
    kv_2   0     whole                      task 4 ...

All tasks read one snapshot: it is exported by a transaction that stays open until the table is staged.
Source: lakeFS, pkg/kv/postgres/store.go, setupKeyValueDatabase.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import attrs
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from lakeproof.spark_checks.engine import staging
from lakeproof.spark_checks.engine.engines import cores
from lakeproof.spark_checks.engine.tables import KV, LONG, table
from lakeproof.spark_checks.engine.workspace import fresh
from lakeproof.words import Unusable

if TYPE_CHECKING:
    import psycopg

BATCH: Final = 1 << 14
RANGES_A_CORE: Final = 4
SAMPLED_PAGES: Final = 64
"""Of a table, for each range that it is cut into."""
PAGE_BYTES: Final = 8_192
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
            tasks = shared_out(_pieces(connection, _tasks(spark)), _tasks(spark))

            def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
                for batch in batches:
                    for number in batch.column("id").to_pylist():
                        for piece in tasks[number]:
                            yield from _rows(dsn, str(snapshot), piece)

            numbers = spark.range(0, len(tasks), 1, len(tasks)).select("id")
            assert numbers.schema.simpleString() == table(id=LONG).simpleString()
            written = staging.write(numbers.mapInArrow(read, KV), target)
    except psycopg.Error as error:
        said = str(error).strip().splitlines()
        raise Unusable(
            f"PostgreSQL: {said[0] if said else type(error).__name__}; mend the address, or the table kv"
        ) from None
    return staging.read(written, KV, spark)


@attrs.frozen
class Piece:
    """What is read at once: a table, as SQL names it; a range of its addresses; its bytes, about."""

    table: str
    bounds: KeyRange
    bytes: int


def _tasks(spark: SparkSession) -> int:
    return RANGES_A_CORE * cores(spark)


def shared_out(pieces: Sequence[Piece], count: int) -> list[list[Piece]]:
    """At most so many lists that have each piece once: the largest first, each to the list that has least."""
    lists: list[list[Piece]] = [[] for _ in range(count)]
    for piece in sorted(pieces, key=lambda each: -each.bytes):
        min(lists, key=lambda each: (sum(other.bytes for other in each), len(each))).append(piece)
    return [each for each in lists if each]


def key_ranges(sample: Sequence[Address], count: int) -> list[KeyRange]:
    """Ranges that cover all addresses once, about equally full if the sample is fair. At most ``count``."""
    ordered = sorted(set(sample))
    cuts = sorted({ordered[len(ordered) * each // count] for each in range(1, count)}) if ordered else []
    return list(pairwise([None, *cuts, None]))


def _one(connection: "psycopg.Connection", query: str) -> object:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def _tables(connection: "psycopg.Connection") -> list[tuple[str, int]]:
    """The tables that rows are in, as SQL names them, and their bytes on disk: the partitions, or kv itself."""
    leaves = connection.execute(
        b"SELECT relid::regclass::text, pg_table_size(relid) FROM pg_partition_tree('kv'::regclass) WHERE isleaf"
    ).fetchall()
    return leaves or [("kv", int(str(_one(connection, "SELECT pg_table_size('kv'::regclass)"))))]


def _pieces(connection: "psycopg.Connection", tasks: int) -> list[Piece]:
    """All of the table: small partitions whole, large ones in ranges."""
    tables = _tables(connection)
    share = max(sum(size for _, size in tables) // tasks, PAGE_BYTES)
    found: list[Piece] = []
    for name, size in tables:
        wanted = min(-(-size // share), tasks)
        ranges = key_ranges(_sample(connection, name, size, wanted), wanted) if wanted > 1 else [(None, None)]
        found.extend(Piece(name, each, size // len(ranges)) for each in ranges)
    return found


def _sample(connection: "psycopg.Connection", name: str, size: int, wanted: int) -> list[Address]:
    """Some addresses of a table. A small table is read whole, a large one by pages."""
    from psycopg import sql

    percent = min(100.0, 100.0 * SAMPLED_PAGES * wanted * PAGE_BYTES / max(size, 1))
    query = sql.SQL("SELECT partition_key, key FROM {} TABLESAMPLE SYSTEM (%s)").format(sql.SQL(name))
    return [(bytes(partition), bytes(key)) for partition, key in connection.execute(query, (percent,))]


def _rows(dsn: str, snapshot: str, piece: Piece) -> Iterator[pa.RecordBatch]:
    import psycopg
    from psycopg import sql

    low, high = piece.bounds
    conditions = ["TRUE"]
    values: list[bytes] = []
    for bound, comparison in ((low, ">="), (high, "<")):
        if bound is not None:
            conditions.append(f"(partition_key, key) {comparison} (%s, %s)")
            values.extend(bound)
    with psycopg.connect(dsn) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot)))
        with connection.cursor(name="kv", binary=True) as cursor:
            query = sql.SQL("SELECT partition_key, key, value FROM {} WHERE {}").format(
                sql.SQL(piece.table), sql.SQL(" AND ".join(conditions))
            )
            cursor.execute(query, values)
            while rows := cursor.fetchmany(BATCH):
                columns = zip(*rows, strict=True)
                yield pa.record_batch([pa.array(list(column), pa.binary()) for column in columns], schema=SCHEMA)
