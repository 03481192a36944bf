"""Tables that the pipeline writes for itself: as many rows are read as were written, or the run ends.

The driver lists the files of a table, and tasks write them wherever they run. A table whose folder the workers do not
share looks empty, and so does one whose files are gone. So each row that goes to a file is counted by the task that
writes it (`count_passing`), and the footers that the driver finds must add up to that: after the table was written, and
again before it is read. What goes after that ends the job that looks for it.
"""

import io
from collections.abc import Mapping, Sequence
from typing import Final

import attrs
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from lakeproof.spark_checks.engine import footers, places
from lakeproof.spark_checks.engine.counts import count_passing
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.tables import Wide, no_rows
from lakeproof.words import Unusable

ENDING: Final = ".parquet"


@attrs.frozen
class Written:
    """A table that was written. ``folders``: its rows, by folder, as ``kind=commits``; "" is the table's own."""

    where: str
    folders: Mapping[str, int]

    @property
    def rows(self) -> int:
        return sum(self.folders.values())


def write(
    rows: DataFrame,
    where: str,
    by: str | None = None,
    to: Written | None = None,
    options: Mapping[str, str] | None = None,
) -> Written:
    """Write rows as Parquet. ``by``: into a folder for each value of this column, which is never null. ``to``: append
    to what was written there. Runs a job.

    Raises Unusable: not all that tasks have written is there.
    """
    passing, passed = count_passing(rows)
    writer = passing.write.options(**(options or {}))
    if by is not None:
        writer = writer.partitionBy(by)
    if to is not None:
        # Without a mode, the writer refuses a folder that is there.
        writer = writer.mode("append")
    writer.parquet(places.full(where))
    # Counted by the driver: where it sees another folder than the workers, the numbers differ.
    found = Written(where, footers.by_folder(where))
    expected = passed() + (0 if to is None else to.rows)
    _demand(where, expected, found.rows)
    # Of a table in folders there is none for an empty one: `read` answers for it without a file.
    if not expected and by is None:
        _write_nothing(where, rows.schema)
    return found


def _write_nothing(where: str, schema: StructType) -> None:
    """A file without rows, for engines that write none: a table has its columns in any case."""
    folder = folder_at(where)
    if any(name.endswith(ENDING) for name, _ in folder.files()):
        return
    # Arrow writes it at the driver, as a job of the engine has just written no file.
    made = io.BytesIO()
    pq.write_table(to_arrow_schema(schema, timezone="UTC").empty_table(), made)
    folder.write(f"part-0{ENDING}", made.getvalue())


def read(written: Written, schema: StructType, spark: SparkSession, folder: str = "") -> DataFrame:
    """What was written: all of it, or one of its folders. A folder to which no row went is a table without rows.

    Raises Unusable: not all of it is there any more.
    """
    expected = written.folders.get(folder, 0) if folder else written.rows
    where = f"{written.where}/{folder}" if folder else written.where
    if folder and folder not in written.folders:
        return no_rows(spark, schema)
    return _read({where: expected}, schema, spark)


def read_apart(written: Written, tables: Wide, spark: SparkSession) -> dict[str, DataFrame]:
    """Each of the tables that were written as one. Raises Unusable, as `read`."""
    return {name: read(written, schema, spark, f"{tables.kind}={name}") for name, schema in tables.schemas.items()}


def read_together(tables: Sequence[Written], schema: StructType, spark: SparkSession) -> DataFrame:
    """The rows of several tables, in one scan. Raises Unusable, as `read`."""
    return _read({each.where: each.rows for each in tables}, schema, spark)


def _read(tables: Mapping[str, int], schema: StructType, spark: SparkSession) -> DataFrame:
    # Once more before each read: what was written may have gone since, and lost rows would look like an answer.
    for where, expected in tables.items():
        _demand(where, expected, sum(footers.by_folder(where).values()))
    if not sum(tables.values()):  # an engine may have written no file
        return no_rows(spark, schema)
    # Folders without rows may not exist. The schema is given, so that the engine infers none from a file.
    return spark.read.schema(schema).parquet(*(places.full(where) for where, rows in tables.items() if rows))


SHARE: Final = "name a folder that all workers share, and that nothing else empties, with --work"


def _demand(where: str, expected: int, found: int) -> None:
    if found != expected:
        raise Unusable(f"{where}: {expected:,} rows were written, and {found:,} are there; {SHARE}")
