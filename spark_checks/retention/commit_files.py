"""The commits of a run as CSV, ``commits/``: a folder for each repository, as engines partition tables."""

from typing import Final

from pyarrow import ArrowException, csv, dataset
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from lakeproof.spark_checks.engine import places
from lakeproof.spark_checks.engine.folders import Folder, refuse
from lakeproof.spark_checks.engine.staging import SHARE
from lakeproof.words import Unusable

COLUMNS: Final = ("commit_id", "expired", "metarange_id")
HOME: Final = "repository_id"
AS_CSV: Final = {
    "header": "true",
    "escape": '"',
    "emptyValue": "",  # as Sail writes it in any case
    "ignoreLeadingWhiteSpace": "false",
    "ignoreTrailingWhiteSpace": "false",
}
AT_ONCE: Final = 4_000_000
"""Commits of one write, about: Sail holds the files of all its repositories in memory until its end, some 300 bytes a
commit."""


def write(rows: DataFrame, folder: Folder, count: int) -> None:
    """Write rows of repository_id and `COLUMNS` to a new folder. ``count``: how many they are.

    Raises Unusable: others are there afterwards.
    """
    folder.make()  # of no rows there is no file
    named, pieces = rows.select(HOME, *COLUMNS), count // AT_ONCE + 1
    for piece in range(pieces):
        # No repository is split, so that none has more files for it.
        some = named.where(f.pmod(f.xxhash64(HOME), f.lit(pieces)) == piece) if pieces > 1 else named
        some.write.mode("append").options(**AS_CSV).partitionBy(HOME).csv(places.full(folder.where))
    found = _count(folder)
    if found != count:
        raise Unusable(f"{folder.where}: {count:,} commits were written, and {found:,} are there; {SHARE}")


def _count(folder: Folder) -> int:
    """The rows that the driver finds: a worker that does not share the folder writes to one of its own."""
    files = [f"{folder.path}/{name}" for name, _ in folder.files() if name.endswith(".csv")]
    if not files:
        return 0
    lines = dataset.CsvFileFormat(csv.ParseOptions(newlines_in_values=True))
    try:
        return int(dataset.dataset(files, format=lines, filesystem=folder.system).count_rows())
    except (ArrowException, OSError) as error:
        raise refuse(folder.where, "read", error) from None
