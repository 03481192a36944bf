"""Sums that do not overflow: where Spark raises, Sail wraps around in silence. The halves of each number are summed
apart, and put together as Python's numbers. Up to 2³¹ rows.
"""

from typing import Final

from pyspark.sql import Column, Row
from pyspark.sql import functions as f

_BITS: Final = 32
_HALVES: Final = ("high", "low")
_LOW: Final = (1 << _BITS) - 1


def halves(name: str) -> list[Column]:
    """Of a whole number of 64 bits: two columns, to be summed by `sums`."""
    value = f.col(name)
    return [f.shiftright(value, _BITS).alias(f"{name}_high"), value.bitwiseAND(f.lit(_LOW)).alias(f"{name}_low")]


def sums(name: str) -> list[Column]:
    """Of the columns of `halves`, or of such sums: two sums of the same names."""
    return [f.sum(f"{name}_{each}").alias(f"{name}_{each}") for each in _HALVES]


def total(row: Row, name: str) -> int:
    """What two sums come to; 0 where there was no row."""
    return ((row[f"{name}_high"] or 0) << _BITS) + (row[f"{name}_low"] or 0)
