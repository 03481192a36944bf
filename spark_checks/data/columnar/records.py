"""Staged entries and commits as columns, where their values are plain: `scanning` says what that is.

What is not plain, or holds what the records' own decoder (`lakeproof.spark_checks.data.decoding`) would refuse or
bend, is odd, and left to it: text that is not UTF-8, numbers that are negative or larger than their field, unknown
address types.
"""

from collections.abc import Mapping
from typing import Final

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakeproof.model.catalog import AddressType
from lakeproof.spark_checks.data.columnar.scan import (
    Flags,
    Longs,
    Octets,
    Scanned,
    Several,
    Shape,
    Spans,
    gather,
    invalid,
    scan,
)

STAGED: Final[Shape] = {1: "bytes", 2: "bytes", 3: "bytes"}
ENTRY: Final[Shape] = {1: "bytes", 2: "bytes", 3: "number", 4: "bytes", 5: "repeated", 6: "number", 7: "bytes"}
COMMIT: Final[Shape] = {
    1: "bytes",
    2: "bytes",
    3: "bytes",
    4: "bytes",
    5: "bytes",
    6: "repeated",
    7: "repeated",
    8: "number",
    9: "number",
}
TIMESTAMP: Final[Shape] = {1: "number", 2: "number"}
PAIR: Final[Shape] = {1: "bytes", 2: "bytes"}
"""An entry of a map of texts."""

MICROSECONDS: Final = 1_000_000
INT_MAX: Final = np.iinfo(np.int32).max
SECONDS_MAX: Final = np.iinfo(np.int64).max // MICROSECONDS - INT_MAX
"""So many can be told in microseconds."""
ADDRESS_TYPES: Final = max(kind.value for kind in AddressType)
assert {kind.value for kind in AddressType} == set(range(ADDRESS_TYPES + 1))

Columns = Mapping[str, pa.Array]


@attrs.frozen
class Read:
    """Columns of a table, and the rows that are odd, in whose place the columns hold anything of their types."""

    columns: Columns
    odd: Flags


class _Reading:
    """The values of a batch, and which of them turned out to be odd."""

    def __init__(self, data: Octets, count: int) -> None:
        self.data = data
        self.odd = np.zeros(count, np.bool_)

    def scanned(self, spans: Spans, shape: Shape) -> Scanned:
        found = scan(self.data, spans.where(~self.odd), shape)
        self.odd |= found.odd
        return found

    def text(self, spans: Spans, there: Flags | None = None) -> pa.BinaryArray:
        found = gather(self.data, spans, there)
        self.odd |= invalid(found)
        return found

    def texts(self, found: Several) -> pa.BinaryArray:
        """All that are there, one after the other."""
        content = gather(self.data, found.spans)
        self.odd[found.rows[invalid(content)]] = True
        return content

    def pairs(self, found: Several) -> tuple[pa.BinaryArray, Scanned]:
        """The keys of maps, and the fields of each entry."""
        inner = scan(self.data, found.spans, PAIR)
        self.odd[found.rows[inner.odd]] = True
        names = self.texts(Several(found.rows, inner.spans[1]))
        self.texts(Several(found.rows, inner.spans[2]))
        return names, inner

    def number(self, values: Longs, most: int) -> Longs:
        self.odd |= values > most
        return values

    def microseconds(self, spans: Spans) -> Longs:
        fields = self.scanned(spans, TIMESTAMP)
        seconds = self.number(fields.numbers[1], SECONDS_MAX)
        nanos = self.number(fields.numbers[2], INT_MAX)
        return np.where(self.odd, 0, seconds) * MICROSECONDS + nanos // 1000

    def int32(self, values: Longs, there: Flags | None = None) -> pa.Array:
        fits = np.where(self.odd, 0, self.number(values, INT_MAX)).astype(np.int32)
        return pa.array(fits, mask=None if there is None else ~there)


def staged_entries(data: Octets, values: Spans) -> Read:
    """The columns of ``staged`` that a value tells. Texts are bytes."""
    reading = _Reading(data, len(values))
    change = reading.scanned(values, STAGED)
    there = change.has(3)
    entry = reading.scanned(change.spans[3], ENTRY)
    modified = reading.microseconds(entry.spans[2])
    reading.pairs(entry.several[5])
    reading.text(entry.spans[7])
    kinds = reading.number(entry.numbers[6], ADDRESS_TYPES)
    columns = {
        "path": gather(data, change.spans[1]),
        "identity": gather(data, change.spans[2]),
        "tombstone": pa.array(~there),
        "address": reading.text(entry.spans[1], there),
        "address_type": reading.int32(kinds, there),
        "size_bytes": pa.array(entry.numbers[3], mask=~there),
        "last_modified": pa.array(modified, mask=~there),
        "e_tag": reading.text(entry.spans[4], there),
    }
    return Read(columns, reading.odd)


def commits(data: Octets, values: Spans) -> Read:
    """The columns of ``commits`` that a value tells. Texts are bytes."""
    reading = _Reading(data, len(values))
    commit = reading.scanned(values, COMMIT)
    created = reading.microseconds(commit.spans[4])
    reading.text(commit.spans[2])
    reading.text(commit.spans[3])
    columns = {
        "commit_id": reading.text(commit.spans[1]),
        "creation_date": pa.array(created),
        "meta_range_id": reading.text(commit.spans[5]),
        "parents": _lists(commit.several[7].rows, reading.texts(commit.several[7]), len(values)),
        "version": reading.int32(commit.numbers[8]),
        "generation": reading.int32(commit.numbers[9]),
        "instance": _instance(reading, values, commit.several[6]),
    }
    return Read(columns, reading.odd)


def _instance(reading: _Reading, values: Spans, found: Several) -> pa.BinaryArray:
    """What the metadata of each commit calls its instance; null where it does not. Of two the last would count: such
    a commit is odd."""
    names, pairs = reading.pairs(found)
    mine = np.asarray(pc.equal(names, pa.scalar(b"instance", pa.binary())).to_numpy(zero_copy_only=False), np.bool_)
    rows = found.rows[mine]
    times = np.bincount(rows, minlength=len(values))
    reading.odd |= times > 1
    starts, ends = values.starts.copy(), values.starts.copy()
    starts[rows], ends[rows] = pairs.spans[2].starts[mine], pairs.spans[2].ends[mine]
    return gather(reading.data, Spans(starts, ends), times > 0)


def _lists(rows: Longs, content: pa.BinaryArray, count: int) -> pa.ListArray:
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), content)
