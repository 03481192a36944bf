"""The table ``kv`` of a PostgreSQL database, in lakeFS' layout, read in parallel: by its own partitions, the large ones
by ranges of their pages.

lakeFS partitions the table by a hash of the partition key, into a hundred tables, and nobody analyzes them: what
PostgreSQL believes of its rows is nothing. So the bytes on disk say what is large. Of 400 tables' worth of work for 8
tasks, 50 each::

    kv_0   3     whole                      task 1
    kv_1   170   four ranges of pages       tasks 1 to 4
    kv_2   0     whole                      task 4 ...

All tasks read one snapshot: it is exported by a transaction that stays open until the table is staged, and that holds a
lock, so that nothing moves rows to other pages (VACUUM FULL, CLUSTER). A row that the snapshot shows is on one page.
Source: lakeFS, pkg/kv/postgres/store.go, setupKeyValueDatabase; PostgreSQL, "Explicit Locking", ``ctid``.
"""

from collections.abc import Iterator, Sequence
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
PAGE_BYTES: Final = 8_192
SCHEMA: Final = pa.schema([(name, pa.binary()) for name in ("partition_key", "key", "value")])


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
            connection.execute("LOCK TABLE kv IN ACCESS SHARE MODE")
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
    """What is read at once: a table, as SQL names it, from one of its pages on, up to but without another (None: to its
    end); its bytes, about."""

    table: str
    first: int
    end: int | None
    bytes: int


def _tasks(spark: SparkSession) -> int:
    return RANGES_A_CORE * cores(spark)


def shared_out(pieces: Sequence[Piece], count: int) -> list[list[Piece]]:
    """At most so many lists that have each piece once: the largest first, each to the list that has least."""
    lists: list[list[Piece]] = [[] for _ in range(count)]
    for piece in sorted(pieces, key=lambda each: -each.bytes):
        min(lists, key=lambda each: (sum(other.bytes for other in each), len(each))).append(piece)
    return [each for each in lists if each]


def _one(connection: "psycopg.Connection", query: str) -> object:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def _tables(connection: "psycopg.Connection") -> list[tuple[str, int, int]]:
    """The tables that rows are in, as SQL names them, their bytes on disk, and those of their rows alone: the
    partitions, or kv itself."""
    leaves = connection.execute(
        b"SELECT relid::regclass::text FROM pg_partition_tree('kv'::regclass) WHERE isleaf"
    ).fetchall()
    return connection.execute(
        b"SELECT name, pg_table_size(name::regclass), pg_relation_size(name::regclass) FROM unnest(%s::text[]) AS name",
        ([name for (name,) in leaves] or ["kv"],),
    ).fetchall()


def _pieces(connection: "psycopg.Connection", tasks: int) -> list[Piece]:
    """All of the table: small partitions whole, large ones in ranges."""
    tables = _tables(connection)
    share = max(sum(size for _, size, _ in tables) // tasks, PAGE_BYTES)
    found: list[Piece] = []
    for name, size, of_rows in tables:
        count = max(min(-(-size // share), tasks), 1)
        cuts = [of_rows // PAGE_BYTES * number // count for number in range(count)]
        found += [Piece(name, *ends, size // count) for ends in zip(cuts, [*cuts[1:], None], strict=True)]
    return found


def _rows(dsn: str, snapshot: str, piece: Piece) -> Iterator[pa.RecordBatch]:
    import psycopg
    from psycopg import sql

    query = sql.SQL("SELECT partition_key, key, value FROM {} WHERE ctid >= %s::tid").format(sql.SQL(piece.table))
    bounds = [f"({piece.first},0)"]
    if piece.end is not None:
        query += sql.SQL(" AND ctid < %s::tid")
        bounds.append(f"({piece.end},0)")
    with psycopg.connect(dsn) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(sql.Literal(snapshot)))
        with connection.cursor(name="kv", binary=True) as cursor:
            cursor.execute(query, bounds)
            while rows := cursor.fetchmany(BATCH):
                columns = zip(*rows, strict=True)
                yield pa.record_batch([pa.array(list(column), pa.binary()) for column in columns], schema=SCHEMA)
