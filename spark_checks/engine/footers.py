"""What the footers of Parquet files say: answers that need neither a job nor the rows.

All of it is for tables as they are read, row for row.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import unquote

from pyarrow import ArrowException
from pyarrow.parquet import FileMetaData, Statistics
from pyspark.sql import DataFrame

from lakeproof.spark_checks.engine import folders, layout
from lakeproof.spark_checks.engine.layout import AT_ONCE
from lakeproof.words import Unusable


def count(table: DataFrame) -> int:
    """How many rows a table has. Where footers do not tell, the engine counts."""
    found = _footers(table)
    return table.count() if not found else sum(each.num_rows for each in found)


def by_folder(where: str) -> Mapping[str, int]:
    """How many rows the files of a table have that an engine has written, by folder: "" is the table's own. Raises
    Unusable: a file cannot be read."""
    files = [each for each in folders.files(where) or () if each.relative.endswith(".parquet")]
    # What engines pass over when they read the table must not be counted: logs, marks, files of tasks that failed.
    files = [each for each in files if not any(part.startswith(("_", ".")) for part in each.relative.split("/"))]
    found: Counter[str] = Counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for file, rows in zip(files, pool.map(_rows, (each.full for each in files)), strict=True):
            found[file.relative.rpartition("/")[0]] += rows
    return found


def _rows(file: str) -> int:
    try:
        return int(layout.footer(file).num_rows)
    except (ArrowException, OSError) as error:
        why = " ".join(str(error).split())[:160]
        raise Unusable(f"{file}: cannot be read any more ({why}); run the command once more") from None


def nulls(table: DataFrame, columns: Collection[str]) -> dict[str, int]:
    """In how many rows each column is null, of those of which all footers tell it; of lists they never do."""
    footers, found = _footers(table), {}
    for column in columns:
        groups = [each for footer in footers for each in _statistics(footer, column)]
        counts = [each.null_count for each in groups if each is not None and each.has_null_count]
        # One group without a count could have nulls, so that the column is left out, and its caller scans it.
        if footers and len(counts) == len(groups):
            found[column] = sum(counts)
    return found


def _statistics(footer: FileMetaData, column: str) -> Iterator[Statistics | None]:
    """One for each group of rows."""
    for group in range(footer.num_row_groups):
        columns = (footer.row_group(group).column(i) for i in range(footer.num_columns))
        # None stands for a column that the file lacks: a column of a list, say, has another path in the schema.
        yield next((each.statistics for each in columns if each.path_in_schema == column), None)


def _footers(table: DataFrame) -> list[FileMetaData]:
    """Of all its files, or of none."""
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            # Spark names its files as URLs, in which a space is %20, and "=" of a folder may be encoded, too.
            return list(pool.map(layout.footer, map(unquote, input_files(table))))
    except (ArrowException, OSError, Unusable):
        return []


def input_files(table: DataFrame) -> list[str]:
    """The files that the engine reads of a table: of those that it lists it passes over some."""
    return [name for name in table.inputFiles() if not layout.is_hidden(unquote(name.rpartition("/")[2]))]
