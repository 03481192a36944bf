"""What the footers of Parquet files say: answers that need neither a job nor the rows.

All of it is for tables as they are read, row for row; where a file does not lie on this machine, nobody knows.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pyarrow import ArrowException
from pyarrow.parquet import FileMetaData, read_metadata
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import layout
from lakeproof.spark_checks.places import local

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def count(table: DataFrame) -> int:
    """How many rows a table has. Where footers do not tell, Spark counts."""
    found = _footers(table)
    return table.count() if not found else sum(each.num_rows for each in found)


def by_folder(spark: SparkSession, where: str) -> Mapping[str, int]:
    """How many rows the files of a table have that Spark has written, by folder: "" is the table's own. Where the
    table does not lie on this machine, Spark counts all together. Raises Unusable: a file cannot be read."""
    path = local(where)
    if path is None:
        return _counted(spark, where)
    found: Counter[str] = Counter()
    for file in path.rglob("*.parquet"):
        relative = file.relative_to(path)
        if not any(part.startswith(("_", ".")) for part in relative.parts):
            folder = str(relative.parent)
            found["" if folder == "." else folder] += _rows(file)
    return found


def _counted(spark: SparkSession, where: str) -> Mapping[str, int]:
    """A job: each file's footer says to a task how many rows there are."""
    try:
        rows = spark.read.schema("nothing int").parquet(where).groupBy("_metadata.file_path").count().collect()
    except AnalysisException as error:
        if "PATH_NOT_FOUND" not in str(error):
            raise
        return {}
    found: Counter[str] = Counter()
    for file, count in rows:
        folder = unquote(file).rpartition("/")[0].rpartition("/")[2]
        found[folder if "=" in folder and not where.endswith(folder) else ""] += count
    return found


def _rows(file: Path) -> int:
    try:
        return int(read_metadata(file).num_rows)
    except (ArrowException, OSError) as error:
        why = " ".join(str(error).split())[:160]
        raise Unusable(f"{file}: cannot be read any more ({why}); run the command once more") from None


def youngest(table: DataFrame, column: str) -> int | None:
    """The latest time in a column, microseconds since 1970. None: footers do not tell, or there is no time."""
    told = [each for footer in _footers(table) for each in _latest(footer, column)]
    return None if None in told else max((each for each in told if each is not None), default=None)


def nulls(table: DataFrame, columns: Collection[str]) -> dict[str, int]:
    """In how many rows each column is null, of those of which all footers tell it; of lists they never do."""
    footers = _footers(table)
    counts = {column: [each for footer in footers for each in _null_counts(footer, column)] for column in columns}
    return {
        column: sum(each for each in told if each is not None)
        for column, told in counts.items()
        if footers and None not in told
    }


def _null_counts(footer: FileMetaData, column: str) -> Iterator[int | None]:
    """One for each group of rows."""
    for group in range(footer.num_row_groups):
        columns = (footer.row_group(group).column(i) for i in range(footer.num_columns))
        told = next((each.statistics for each in columns if each.path_in_schema == column), None)
        yield told.null_count if told is not None and told.has_null_count else None


def _footers(table: DataFrame) -> list[FileMetaData]:
    """Of all its files, or of none."""
    try:
        return [read_metadata(name) for name in _local(table)]
    except (ArrowException, OSError, _Elsewhere):
        return []


def input_files(table: DataFrame) -> list[str]:
    """The files that Spark reads of a table: of those that it lists it passes over some."""
    return [name for name in table.inputFiles() if not layout.is_hidden(unquote(name.rpartition("/")[2]))]


class _Elsewhere(Exception):
    """A file that does not lie on this machine."""


def _local(table: DataFrame) -> Iterator[str]:
    for name in input_files(table):
        if not name.startswith("file:"):
            raise _Elsewhere
        yield unquote(urlsplit(name).path)


def _latest(footer: FileMetaData, column: str) -> Iterator[int | None]:
    """One for each group of rows."""
    for group in range(footer.num_row_groups):
        columns = (footer.row_group(group).column(i) for i in range(footer.num_columns))
        told = next((each.statistics for each in columns if each.path_in_schema == column), None)
        if told is None or not told.has_min_max or not isinstance(told.max, datetime) or not told.max.tzinfo:
            yield None
        else:
            yield microseconds(told.max)


def microseconds(moment: datetime) -> int:
    """Since 1970."""
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
