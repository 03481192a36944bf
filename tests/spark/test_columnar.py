"""Decoding by columns says the same as decoding row by row, of whatever bytes; and it is what decodes nearly all."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import cast

import pyarrow as pa
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lakeproof.impl.codec import graveler_pb2 as pb
from lakeproof.model import catalog_pb2, keys
from lakeproof.spark_checks.data.columnar import batches as reading
from lakeproof.spark_checks.data.dataset import Keys
from lakeproof.spark_checks.data.decoding import decode_batch, decoded_batches, widen

Record = tuple[bytes | None, bytes | None, bytes | None]

texts = st.text(max_size=6)
stamps = st.none() | st.builds(Timestamp, seconds=st.integers(0, 1 << 40), nanos=st.integers(0, 999_999_999))
metadata = st.dictionaries(st.sampled_from(["instance", "a", ""]) | texts, texts, max_size=3)


def _entry(
    address: str, last_modified: Timestamp | None, size: int, e_tag: str, pairs: dict[str, str], kind: int, mime: str
) -> bytes:
    message = catalog_pb2.EntryData(
        address=address, last_modified=last_modified, size=size, e_tag=e_tag, metadata=pairs, content_type=mime
    )
    message.address_type = kind  # type: ignore[assignment]
    return message.SerializeToString()


entries = st.builds(
    _entry,
    st.just("data/") | texts,
    stamps,
    st.integers(0, (1 << 63) - 1),
    texts,
    metadata,
    st.integers(0, 2),
    texts | st.just("x" * 200),
)


def _staged(key: bytes, identity: bytes, data: bytes | None) -> bytes:
    return pb.StagedEntryData(key=key, identity=identity, data=data).SerializeToString()


staged_values = st.builds(_staged, st.binary(max_size=4), st.binary(max_size=4), st.none() | entries)
commit_values = st.builds(
    lambda **fields: pb.CommitData(**fields).SerializeToString(),
    id=texts,
    committer=texts,
    message=texts,
    creation_date=stamps,
    meta_range_id=texts,
    metadata=metadata,
    parents=st.lists(texts, max_size=3),
    version=st.integers(0, (1 << 31) - 1),
    generation=st.integers(0, (1 << 31) - 1),
)
branch_values = st.builds(
    lambda **fields: pb.BranchData(**fields).SerializeToString(), id=texts, commit_id=texts, staging_token=texts
)
"""Of records as everybody writes them."""

plain_records = st.one_of(
    st.tuples(st.just(b"r-main:u.3"), st.just(b"key/a"), staged_values),
    st.tuples(st.just(b"r-u"), st.sampled_from([b"commits/c1", b"commits/C_2.x-"]), commit_values),
)

partitions = st.none() | st.sampled_from(
    [b"r-main:u.3", b"t", b"r-u", b"a/b", b":", b"", b"\xff", b"\xff:", b"a\0b", keys.GRAVELER, keys.DELETED]
)
prefixes = st.sampled_from([b"", b"key/", b"commits/", b"branches/", b"tags/", b"repos/", b"repo/", b"copies/", b"x"])
suffixes = st.sampled_from([b"", b"a", b"a/b", b"\xff", b"a\0", b"a\n", "é".encode(), b"r/u"])
any_keys = st.none() | st.builds(bytes.__add__, prefixes, suffixes)

positions = st.floats(0, 1, exclude_max=True)
FRAGMENTS = (
    b"\x80\x00",  # a varint with a leading zero
    b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\x80" * 11,
    b"\x18\x05",  # field 3: a number
    b"\x30\x03",  # field 6: an address type that is unknown
    b"\x12\x02\x08\x01",  # field 2: a time
    b"\x3a\x01z",  # field 7
    b"\x2a\x00",  # field 5: an entry of a map, empty
    b"\x32\x0c\x0a\x08instance\x12\x00",  # field 6: of a commit
    b"\x32\x04\x12\x00\x0a\x00",  # the value before the key
    b"\x32\x08\x0a\x00\x0a\x00\x12\x00\x12\x00",
    b"\x0b\x0c",  # a group
    b"\x0d\x01\x02\x03\x04",  # fixed32
    b"\x09\x01\x02\x03\x04\x05\x06\x07\x08",  # fixed64
    b"\x78\x01",  # field 15
    b"\x80\x01\x01",  # field 16
    b"\x8a\x00\x00",  # field 1, its tag too long
    b"\x00\x00",  # field 0
    b"\x0a\xff\xff\xff\xff\x0f",
    b"\x0a\x01\xff",  # no UTF-8
    b"\x0a\x03\xed\xa0\x80",  # a surrogate
    b"\x0a\x02\xc0\x80",  # a long NUL
    b"\x1a\x00",  # data, empty
)


def _flip(value: bytes, at: float, bit: int) -> bytes:
    place = int(at * len(value))
    return value[:place] + bytes([value[place] ^ 1 << bit]) + value[place + 1 :] if value else value


def _cut(value: bytes, at: float, count: int) -> bytes:
    place = int(at * len(value))
    return value[:place] + value[place + count :]


def _insert(value: bytes, at: float, fragment: bytes) -> bytes:
    place = int(at * (len(value) + 1))
    return value[:place] + fragment + value[place:]


def _move(value: bytes, at: float, count: int) -> bytes:
    place = int(at * len(value))
    return value[place : place + count] + value[:place] + value[place + count :]


Change = Callable[[bytes], bytes]
fragments = st.sampled_from(FRAGMENTS) | st.binary(min_size=1, max_size=3)
changes: st.SearchStrategy[Change] = st.one_of(
    st.builds(lambda at, bit: lambda value: _flip(value, at, bit), positions, st.integers(0, 7)),
    st.builds(lambda at, count: lambda value: _cut(value, at, count), positions, st.integers(1, 9)),
    st.builds(lambda at, each: lambda value: _insert(value, at, each), positions | st.just(0.999999), fragments),
    st.builds(lambda at, count: lambda value: _move(value, at, count), positions, st.integers(1, 9)),
    st.just(lambda value: value + value),
    st.builds(lambda more: lambda value: value + more, staged_values | commit_values | entries),
)


def _changed(value: bytes, todo: Sequence[Change]) -> bytes:
    for change in todo:
        value = change(value)
    return value


values = st.one_of(staged_values, commit_values, branch_values)
inner_damage = st.builds(
    lambda key, data, todo: _staged(key, b"", _changed(data, todo)),
    st.binary(max_size=2),
    entries,
    st.lists(changes, min_size=1, max_size=3),
)
damaged_values = st.builds(_changed, values, st.lists(changes, max_size=3)) | inner_damage | st.binary(max_size=12)
records = st.one_of(
    plain_records,
    st.tuples(st.sampled_from([b"r-main:u.3", b"r-u"]), st.sampled_from([b"key/a", b"commits/c"]), damaged_values),
    st.tuples(partitions, any_keys, st.none() | damaged_values),
)


def batch_of(rows: Sequence[Record]) -> pa.RecordBatch:
    arrays = [pa.array([row[n] for row in rows], pa.binary()) for n in range(3)]
    return pa.record_batch(arrays, names=["partition_key", "key", "value"])


def told(batches: Sequence[pa.RecordBatch]) -> Counter[str]:
    return Counter(repr(sorted(row.items())) for batch in batches for row in batch.to_pylist())


def row_by_row(batch: pa.RecordBatch, keys_are: Keys) -> list[pa.RecordBatch]:
    return [widen(name, rows) for name, rows in decode_batch(batch, keys_are).items()]


KEYS: tuple[Keys, ...] = ("design", "lakefs")


@pytest.mark.parametrize("keys_are", KEYS)
@given(st.lists(records, max_size=8), st.integers(0, 2))
@settings(max_examples=400)
@example([(b"r-main:u.3", b"key/a", _staged(b"a", b"i", each)) for each in FRAGMENTS], 0)
@example([(b"r-main:u.3", b"key/a", each) for each in FRAGMENTS], 1)
@example([(b"r-u", b"commits/c", each) for each in FRAGMENTS], 0)
def test_columns_say_what_rows_say(keys_are: Keys, rows: list[Record], skipped: int) -> None:
    batch = batch_of(rows).slice(skipped)
    assert told(list(decoded_batches(batch, keys_are))) == told(row_by_row(batch, keys_are))


def nested(tag: bytes, content: bytes) -> bytes:
    return tag + bytes([len(content)]) + content


PAIRS = (
    b"",
    b"\x0a\x08instance",
    b"\x12\x01v",
    b"\x12\x01v\x0a\x08instance",
    b"\x0a\x08instance\x12\x01v\x12\x01w",
    b"\x0a\x01a\x0a\x08instance\x12\x01v",
    b"\x0a\x08instance\x12\x01v\x18\x05",  # an unknown field
    b"\x0a\x08instance\x10\x05",  # a number for a text
    b"\x0a\x08instance\x12\x05v",  # cut
    b"\x0a\x08instance\x12\x02v",
    b"\x0a\x08instance\x12",
    b"\x0a\x01\xff\x12\x01v",  # no UTF-8
    b"\x0a\x08instance\x12\x01\xff",
    b"\x0a\x88\x00instance\x12\x01v",  # a length with a leading zero
)
"""Entries of a map."""
NUMBERS = (
    b"\x03",
    b"\x7f",
    b"\xff\xff\xff\xff\x07",
    b"\x80\x80\x80\x80\x08",
    b"\xff" * 8 + b"\x7f",
    b"\xff" * 9 + b"\x01",
)
COMMIT = pb.CommitData(id="c", meta_range_id="m", parents=["p"], metadata={"instance": "u"}).SerializeToString()
DATA = _entry("data/x", Timestamp(seconds=5), 7, "e", {"a": "b"}, 1, "text/plain")


def odd_ones() -> list[Record]:
    """Staged entries and commits, each with one field that is odd, or seems so."""
    fields = [nested(b"\x2a", pair) for pair in PAIRS]
    fields += [tag + number for tag in (b"\x18", b"\x30") for number in NUMBERS]
    bare = catalog_pb2.EntryData(address="data/x").SerializeToString()
    times = [nested(b"\x12", tag + number) for tag in (b"\x08", b"\x10") for number in NUMBERS]
    entries_ = [DATA + field for field in fields] + [bare + field for field in (*fields, *times)]
    fields = [nested(b"\x32", pair) for pair in PAIRS]
    fields += [tag + number for tag in (b"\x40", b"\x48") for number in NUMBERS]
    fields += [nested(b"\x22", tag + number) for tag in (b"\x08", b"\x10") for number in NUMBERS]
    plain = pb.CommitData(id="c").SerializeToString()
    values_ = [base + field for base in (COMMIT, plain) for field in fields]
    found: list[Record] = [(b"t:1", b"key/%d" % n, _staged(b"a", b"i", each)) for n, each in enumerate(entries_)]
    return found + [(b"r-u", b"commits/%d" % n, each) for n, each in enumerate(values_)]


@pytest.mark.parametrize("keys_are", KEYS)
def test_columns_say_what_rows_say_of_numbers_times_and_maps_at_their_edges(keys_are: Keys) -> None:
    for record in odd_ones():
        batch = batch_of([record])
        assert told(list(decoded_batches(batch, keys_are))) == told(row_by_row(batch, keys_are)), record
    together = batch_of(odd_ones())
    assert told(list(decoded_batches(together, keys_are))) == told(row_by_row(together, keys_are))


@pytest.mark.parametrize("keys_are", KEYS)
@given(rows=st.lists(plain_records, min_size=1, max_size=8))
def test_plain_records_are_read_by_columns_alone(keys_are: Keys, rows: list[Record]) -> None:
    read = reading.read(batch_of(rows), keys_are)
    assert len(read.left) == 0
    assert sum(len(columns["key"]) for columns in read.tables.values()) == len(rows)


STAGED = _staged(b"a", b"i", DATA)


def test_the_arrow_types_that_are_not_known_are_left_to_rows() -> None:
    batch = batch_of([(b"t:1", b"key/a", STAGED)])
    large = pa.record_batch([each.cast(pa.large_binary()) for each in batch.columns], names=batch.schema.names)
    assert len(reading.read(large, "design").left) == 1
    assert told(list(decoded_batches(large, "design"))) == told(row_by_row(cast("pa.RecordBatch", large), "design"))
