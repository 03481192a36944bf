"""The fields of many messages at once, where they are written as everybody writes them.

One cursor for each message; each step reads one field of all messages that are not at their end. Two messages of the
same kind, "id" = 1 and "date" = 4, as bytes:

    0a 01 61 22 02 08 07        field 1, 1 byte: "a"; field 4, 2 bytes: 08 07
    0a 02 62 62                 field 1, 2 bytes: "bb"

Step 1 finds the tag 0a at both cursors and the lengths 1 and 2: two spans of field 1. Step 2 finds 22 in the first
one alone. No bytes are copied: a span is where a field begins and ends in the buffer, and that of a message is scanned
in the same way.

What is *plain*: fields of known numbers below 16, of the wire type that they are declared with, in any order, those
that are not repeated once; varints without leading zeroes, of at most nine bytes. All else makes a message odd: it
may be valid or not, and one that knows the whole format has to say.
Source: https://protobuf.dev/programming-guides/encoding/
Cost: some twenty operations on arrays a step, and as many steps as the longest message has fields.
"""

from collections.abc import Mapping
from typing import Final, Literal

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa

Octets = npt.NDArray[np.uint8]
Longs = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

Kind = Literal["number", "bytes", "repeated"]
"""A varint; what has a length (bytes, text, a message); the same, any number of times."""
Shape = Mapping[int, Kind]
"""The fields of a message, by number: 1 to 15."""

_VARINT: Final = 0
_LENGTH: Final = 2
_GROUP: Final = 7
"""Bits of a byte of a varint."""
_BITS_MAX: Final = 63


@attrs.frozen
class Spans:
    """Where something begins and ends in the buffer: one for each row, or of some rows. They ascend."""

    starts: Longs
    ends: Longs

    def __len__(self) -> int:
        return len(self.starts)

    def where(self, there: Flags) -> "Spans":
        """The same rows; what is not there is empty."""
        return Spans(self.starts, np.where(there, self.ends, self.starts))


@attrs.frozen
class Several:
    """The spans of a repeated field: the row of each, ascending, those of a row in their order."""

    rows: Longs
    spans: Spans


@attrs.frozen
class Scanned:
    """The fields of messages, row by row. A number that is absent is 0, a span that is absent is empty; where a row is
    odd, none of its fields means anything, and no span leaves the message."""

    odd: Flags
    numbers: Mapping[int, Longs]
    spans: Mapping[int, Spans]
    several: Mapping[int, Several]
    _seen: npt.NDArray[np.int32]

    def has(self, field: int) -> Flags:
        """Whether a field is there."""
        return (self._seen >> field & 1).astype(bool)


def scan(data: Octets, messages: Spans, shape: Shape) -> Scanned:
    """Read all fields of all messages. Raises AssertionError: the shape names a field that has no tag of one byte."""
    assert all(1 <= field <= 15 for field in shape)
    return _Scan(data, messages, shape).run()


class _Scan:
    """The cursors, and what they have met."""

    def __init__(self, data: Octets, messages: Spans, shape: Shape) -> None:
        count = len(messages)
        self.data = data
        self.shape = shape
        self.known = np.zeros(256, np.bool_)
        for field, kind in shape.items():
            self.known[field << 3 | (_VARINT if kind == "number" else _LENGTH)] = True
        self.odd = np.zeros(count, np.bool_)
        self.seen = np.zeros(count, np.int32)
        self.numbers = {field: np.zeros(count, np.int64) for field, kind in shape.items() if kind == "number"}
        self.spans = {
            field: Spans(messages.starts.copy(), messages.starts.copy())
            for field, kind in shape.items()
            if kind == "bytes"
        }
        self.pieces: dict[int, list[tuple[Longs, Longs, Longs]]] = {
            field: [] for field, kind in shape.items() if kind == "repeated"
        }
        self.rows = np.flatnonzero(messages.starts < messages.ends)
        self.at = messages.starts[self.rows]
        self.limit = messages.ends[self.rows]

    def run(self) -> Scanned:
        while len(self.rows):
            self._step()
        several = {field: _sort_pieces(found) for field, found in self.pieces.items()}
        return Scanned(self.odd, self.numbers, self.spans, several, self.seen)

    def _step(self) -> None:
        """One field of each message that has one left."""
        tags = self.data[self.at]
        values, after, plain = varints(self.data, self.at + 1, self.limit)
        measured = tags & 7 == _LENGTH
        plain &= self.known[tags] & ~(measured & (values > self.limit - after))
        if not plain.all():
            self.odd[self.rows[~plain]] = True
            tags, values, after, measured = tags[plain], values[plain], after[plain], measured[plain]
            self.rows, self.limit = self.rows[plain], self.limit[plain]
        ends = after + np.where(measured, values, 0)
        met = np.flatnonzero(np.bincount(tags, minlength=256)).tolist()
        for tag in met:
            mine = slice(None) if len(met) == 1 else np.flatnonzero(tags == tag)
            self._keep(tag >> 3, self.rows[mine], values[mine], after[mine], ends[mine])
        left = ends < self.limit
        self.at = ends
        if not left.all():
            self.rows, self.at, self.limit = self.rows[left], ends[left], self.limit[left]

    def _keep(self, field: int, rows: Longs, values: Longs, starts: Longs, ends: Longs) -> None:
        """What these rows have of one field: which they must not have had before, if it is not repeated."""
        kind = self.shape[field]
        if kind == "repeated":
            self.pieces[field].append((rows, starts, ends))
        else:
            self.odd[rows] |= (self.seen[rows] >> field & 1).astype(bool)
            if kind == "number":
                self.numbers[field][rows] = values
            else:
                self.spans[field].starts[rows] = starts
                self.spans[field].ends[rows] = ends
        self.seen[rows] |= 1 << field


def varints(data: Octets, at: Longs, limit: Longs) -> tuple[Longs, Longs, Flags]:
    """The varints at these places: their values, where each ends, and whether it is plain and ends within the limit.
    Where it is not, the other two mean nothing."""
    plain = at < limit
    byte = data[np.where(plain, at, 0)]
    values = (byte & 0x7F).astype(np.int64)
    after = at + 1
    more = np.flatnonzero(plain & (byte > 0x7F))
    for shift in range(_GROUP, _BITS_MAX, _GROUP):
        if not len(more):
            break
        inside = after[more] < limit[more]
        plain[more[~inside]] = False
        more = more[inside]
        byte = data[after[more]]
        values[more] |= (byte & 0x7F).astype(np.int64) << shift
        after[more] += 1
        plain[more[byte == 0]] = False
        more = more[byte > 0x7F]
    plain[more] = False
    return values, after, plain


def _sort_pieces(pieces: list[tuple[Longs, Longs, Longs]]) -> Several:
    """The pieces of all steps, by row; within a row by step, which is the order of the message."""
    rows, starts, ends = (np.concatenate([np.empty(0, np.int64), *column]) for column in _columns(pieces))
    order = np.argsort(rows, kind="stable")
    return Several(rows[order], Spans(starts[order], ends[order]))


def _columns(pieces: list[tuple[Longs, Longs, Longs]]) -> tuple[list[Longs], list[Longs], list[Longs]]:
    return [each[0] for each in pieces], [each[1] for each in pieces], [each[2] for each in pieces]


def gather(data: Octets, spans: Spans, there: Flags | None = None) -> pa.BinaryArray:
    """The bytes of each span; null where it is not there. By Arrow's own copying, without an index for each byte: the
    boundaries of spans that ascend are the offsets of an array of twice as many pieces, those between the spans among
    them, which needs no copy; every second piece is taken of it."""
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
