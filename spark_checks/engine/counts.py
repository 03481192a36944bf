"""Rows that are counted as they pass, by the tasks that hand them on.

Classic Spark and Connect observe them. Sail observes nothing, and its tasks are threads of this process: there each
batch is counted on its way, by a function that goes to no other process. Cost: one addition a row, or a batch.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as f

from lakeproof.spark_checks.engine.engines import engine_of

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS: Final = "rows"
_counts: Final[dict[str, list[int]]] = {}


def counted(rows: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """The same rows, and what tells after the job how many have passed. To be asked once."""
    if engine_of(rows.sparkSession).observes:
        observed = Observation()
        return rows.observe(observed, f.count(f.lit(1)).alias(_ROWS)), lambda: int(observed.get[_ROWS])
    name = uuid4().hex
    _counts[name] = []

    def passing(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        for batch in batches:
            add(name, batch.num_rows)
            yield batch

    return rows.mapInArrow(passing, rows.schema), lambda: sum(_counts.pop(name))


def add(name: str, rows: int) -> None:
    """To a count of this process: tasks import this module, and do not get a copy of it."""
    _counts[name].append(rows)
