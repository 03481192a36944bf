"""Spans of a buffer as Arrow arrays, by Arrow's own copying: no index for each byte.

The boundaries of spans that ascend are the offsets of an array of twice as many pieces, those between the spans among
them, which needs no copy; every second piece is taken of it.
"""

import numpy as np
import pyarrow as pa

from lakeproof.spark_checks.data.columnar.scan import Flags, Octets, Spans


def gathered(data: Octets, spans: Spans, there: Flags | None = None) -> pa.BinaryArray:
    """The bytes of each span; null where it is not there."""
    if not len(spans):
        return pa.array([], pa.binary())
    offsets = np.empty(2 * len(spans), np.int32)
    offsets[0::2], offsets[1::2] = spans.starts, spans.ends
    pieces = pa.BinaryArray.from_buffers(
        pa.binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    )
    every_second = np.arange(0, len(offsets), 2)
    return pieces.take(pa.array(every_second, mask=None if there is None else ~there))


def invalid(found: pa.BinaryArray) -> Flags:
    """Which values are no UTF-8. Cost: one pass where all are; some twenty for each that is not."""
    wrong = np.zeros(len(found), np.bool_)
    todo = [(0, len(found))]
    while todo:
        start, count = todo.pop()
        if _is_text(found.slice(start, count)):
            continue
        if count == 1:
            wrong[start] = True
        else:
            half = count // 2
            todo += [(start, half), (start + half, count - half)]
    return wrong


def _is_text(found: pa.BinaryArray) -> bool:
    try:
        found.cast(pa.string())
    except pa.ArrowInvalid:
        return False
    return True
