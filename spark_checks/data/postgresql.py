"""The table ``kv`` of a PostgreSQL database, in lakeFS' layout: all rows of one snapshot, as one stream.

Decoding the rows takes several times as long as reading them does, and goes on in parallel. While the cursor is open,
nothing can drop or rewrite the table.
Source: lakeFS, pkg/kv/postgres/store.go; PostgreSQL, "Explicit Locking".
"""

from typing import Final

from pyspark.sql import DataFrame, SparkSession

from lakeproof.spark_checks.engine.tables import KV, ROWS
from lakeproof.spark_checks.engine.workspace import stage_rows
from lakeproof.words import Unusable

_QUERY: Final = "SELECT partition_key, key, value FROM kv"


def staged_table(spark: SparkSession, dsn: str) -> DataFrame:
    """The rows of ``kv`` as one statement sees them.

    Raises Unusable: the database cannot be reached, or has no such table.
    """
    try:
        import psycopg
    except ImportError:
        raise Unusable("psycopg is not installed; `pip install 'lakeproof[postgresql]'`") from None
    try:
        # A cursor with a name lives in the server: the client gets `itersize` rows at a time, and never holds all.
        with psycopg.connect(dsn) as connection, connection.cursor(name="kv", binary=True) as cursor:
            cursor.itersize = ROWS
            cursor.execute(_QUERY)
            return stage_rows(spark, cursor, KV)
    except psycopg.Error as error:
        lines = str(error).strip().splitlines()
        raise Unusable(
            f"PostgreSQL: {lines[0] if lines else type(error).__name__}; mend the address, or the table kv"
        ) from None
