"""Of jobs that read all of a table: as many rows came from its files as their footers say, or the run ends.

The driver lists files and reads footers; tasks read the rows, wherever they run. Where workers have a folder of their
own under the same name, another dataset, or half of it, is read without an error. So the rows are counted as they leave
the files, in the job that uses them.

A count by the job is not exact in two cases. A stage that was repeated, for its executor was lost, has counted twice;
and where a part of a plan turns out to have no rows, Spark drops it with what it has counted, or does not run it to its
end. So a count that differs is not believed: the files are counted once more, by tasks, file by file, in a job that
does nothing else.
Cost: one addition a row; no filter of the job can skip groups of rows.
"""

from collections.abc import Iterable
from typing import Final

import attrs
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as f

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import footers

_ROWS: Final = "rows"
SHARE: Final = "name a place that the driver and all workers see alike"


@attrs.frozen(eq=False)
class Scan:
    """A table that one job is to read to its end. ``name``: as messages call it. ``rows``: what the job works on.
    ``expected``: how many there are, by the footers."""

    name: str
    table: DataFrame
    rows: DataFrame
    expected: int
    observed: Observation

    @classmethod
    def of(cls, name: str, table: DataFrame) -> "Scan":
        observed = Observation()
        rows = table.observe(observed, f.count(f.lit(1)).alias(_ROWS))
        return cls(name, table, rows, footers.count(table), observed)

    def demand_whole(self) -> None:
        """After the job. Runs another one if the count differs.

        Raises Unusable: tasks do not find all rows.
        """
        found = self._found()
        if found != self.expected:
            found = self._counted_again()
        if found != self.expected:
            raise Unusable(
                f"{self.name}: the footers of its files tell of {self.expected:,} rows, and tasks have read {found:,}; "
                f"{SHARE}"
            )

    def _found(self) -> int:
        """0: the job did not look at the table."""
        told = self.observed._jo  # noqa: SLF001  # `get` waits for ever where nothing was observed
        if told is None or not told.future().isCompleted():
            return 0
        return int(told.getAsJava().get(_ROWS) or 0)

    def _counted_again(self) -> int:
        return sum(row["count"] for row in self.table.groupBy(f.col("_metadata.file_path")).count().collect())


def demand_whole(scans: Iterable[Scan]) -> None:
    """Each of them. Raises Unusable."""
    for each in scans:
        each.demand_whole()
