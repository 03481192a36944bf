"""Rows of Python as Arrow batches."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import pyarrow as pa

ROWS: Final = 1 << 14
"""Of a batch."""

Row = tuple[object, ...]


def batch(rows: Sequence[Row], schema: pa.Schema) -> pa.RecordBatch:
    """Rows, in the order of the schema's fields, as one batch."""
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def batches(rows: Iterable[Row], schema: pa.Schema, size: int = ROWS) -> Iterator[pa.RecordBatch]:
    """All rows, so many a batch. Memory: one batch."""
    left = iter(rows)
    while some := list(islice(left, size)):
        yield batch(some, schema)
