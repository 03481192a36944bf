"""Tables that the pipeline writes for itself: as many rows are read as were written, or the run ends.

Spark lists the files of a table on the driver, and tasks write them wherever they run. A table whose folder the workers
do not share looks empty, and so does one whose files are gone. So each row that goes to a file is counted by the task
that writes it, and the footers that the driver finds must add up to that: after the table was written, and again before
it is read. What goes after that ends the job that looks for it.
Cost: one addition a row; two looks at each footer.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import footers, scanned
from lakeproof.spark_checks.scanned import Scan
from lakeproof.spark_checks.tables import no_rows

_ROWS: Final = "rows"


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
    scans: Iterable[Scan] = (),
) -> Written:
    """Write rows as Parquet. ``by``: into a folder for each value of this column. ``to``: append to what was written
    there. ``scans``: the tables that this job reads to their ends. Runs a job.

    Raises Unusable: not all that tasks have written is there; not all of a table was read.
    """
    observed = Observation()
    writer = rows.observe(observed, f.count(f.lit(1)).alias(_ROWS)).write.options(**(options or {}))
    if by is not None:
        writer = writer.partitionBy(by)
    if to is not None:
        writer = writer.mode("append")
    writer.parquet(where)
    expected = int(observed.get[_ROWS]) + (0 if to is None else to.rows)
    found = Written(where, footers.by_folder(rows.sparkSession, where))
    _demand(where, expected, found.rows)
    scanned.demand_whole(scans)
    return found


def read(written: Written, schema: StructType, spark: SparkSession, folder: str = "") -> DataFrame:
    """What was written: all of it, or one of its folders. A folder to which no row went is a table without rows.

    Raises Unusable: not all of it is there any more.
    """
    expected = written.folders.get(folder, 0) if folder else written.rows
    where = f"{written.where}/{folder}" if folder else written.where
    if folder and folder not in written.folders:
        return no_rows(spark, schema)
    _demand(where, expected, sum(footers.by_folder(spark, where).values()))
    return spark.read.schema(schema).parquet(where)


def read_together(tables: Sequence[Written], schema: StructType, spark: SparkSession) -> DataFrame:
    """The rows of several tables, in one scan. Raises Unusable, as `read`."""
    for each in tables:
        _demand(each.where, each.rows, sum(footers.by_folder(spark, each.where).values()))
    return spark.read.schema(schema).parquet(*(each.where for each in tables))


def demand_file(path: Path, size: int) -> None:
    """A file that a task has written by itself. Raises Unusable: it is not there as it was written."""
    try:
        found = path.stat().st_size
    except OSError:
        found = -1
    if found != size:
        there = "is not there" if found < 0 else f"has {found:,} bytes"
        raise Unusable(f"{path}: a task wrote {size:,} bytes, and the file {there}; {SHARE}")


SHARE: Final = "name a folder that all workers share, and that nothing else empties, with --work"


def _demand(where: str, expected: int, found: int) -> None:
    if found != expected:
        raise Unusable(f"{where}: {expected:,} rows were written, and {found:,} are there; {SHARE}")
