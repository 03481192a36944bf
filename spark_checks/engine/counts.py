"""Rows that are counted as they pass, by the tasks that hand them on.

Classic Spark and Connect observe them. Sail observes nothing, and its tasks are threads of this process: there each
batch is counted on its way, by a function that goes to no other process. Cost: one addition a row, or a batch.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from pyspark.sql import Column, DataFrame, Observation, Row
from pyspark.sql import functions as f

from lakeproof.spark_checks.engine.engines import engine_of

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS: Final = "rows"
_counts: Final[dict[str, list[int]]] = {}


def count_passing(rows: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """The same rows, and a function that returns after the job how many have passed. To be called once."""
    if engine_of(rows.sparkSession).name != "embedded":
        observed = Observation()
        return rows.observe(observed, f.count(f.lit(1)).alias(_ROWS)), lambda: int(observed.get[_ROWS])
    # Under a fresh name: several writes run at once, each with a count of its own.
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


_BITS: Final = 32
_HALVES: Final = ("high", "low")
_LOW: Final = (1 << _BITS) - 1


def halves(name: str) -> list[Column]:
    """For sums that do not overflow: where Spark raises, Sail wraps around in silence. The halves of each number are
    summed apart, and put together as Python's numbers. Up to 2³¹ rows. Of a whole number of 64 bits: two columns, to be
    summed by `sums`."""
    value = f.col(name)
    # The shift keeps the sign, and the low half is never negative: high * 2³² + low is the value, below 0 too.
    return [f.shiftright(value, _BITS).alias(f"{name}_high"), value.bitwiseAND(f.lit(_LOW)).alias(f"{name}_low")]


def sums(name: str) -> list[Column]:
    """Of the columns of `halves`, or of such sums: two sums of the same names."""
    return [f.sum(f"{name}_{each}").alias(f"{name}_{each}") for each in _HALVES]


def total(row: Row, name: str) -> int:
    """What two sums come to; 0 where there was no row."""
    return ((row[f"{name}_high"] or 0) << _BITS) + (row[f"{name}_low"] or 0)  # a sum over no rows is null
