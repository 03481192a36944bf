"""What lakeFS keeps in its SSTables: ranges hold entries by path, metaranges hold ranges by their last path.

A table is named by its content: SHA-256 of its records, each as ``<length>key|<length>value|``, and of the properties
that it had before it was closed, its type as a rule. So a whole table of other content, under this name, is found too.
A value is two lengths (zigzag varints) with what follows them: an identity, and data. The data of an entry is a message
of the catalog; that of a range its message of the committed package, and the identity is the id of the range.
Source: lakeFS, pkg/graveler/sstable/writer.go, pkg/graveler/committed/value.go and committed.proto, pkg/ident/ident.go.
"""

import hashlib
from collections.abc import Mapping
from typing import Final, Literal

import attrs
from google.protobuf.message import DecodeError

from lakeproof.model import catalog_pb2
from lakeproof.model.catalog import AddressType
from lakeproof.spark_checks.data.stored import sstable
from lakeproof.spark_checks.data.stored.sstable import NotATable, Record, Table

Type = Literal["ranges", "metaranges"]

_TYPES: Final[dict[bytes, Type]] = {b"ranges": "ranges", b"metaranges": "metaranges"}
_AT_CLOSE: Final = (b"min_key", b"max_key", b"count", b"estimated_size_bytes")
"""Properties that are added after the name is made."""
_ADDRESS_TYPES: Final = frozenset(kind.value for kind in AddressType)


@attrs.frozen
class Entry:
    """An object at a path. ``address``: as the catalog says it; ``address_type``: how it is meant."""

    path: bytes
    address: str
    address_type: int
    checksum: str
    size_bytes: int


@attrs.frozen
class RangeOf:
    """A range as a metarange tells of it."""

    range_id: str
    first: bytes
    last: bytes
    count: int


@attrs.frozen
class Stored:
    """A table of lakeFS: one of the two is empty."""

    type: Type
    entries: tuple[Entry, ...] = ()
    ranges: tuple[RangeOf, ...] = ()


def read(file: bytes, name: str) -> Stored:
    """A range or a metarange. ``name``: the id under which it lies.

    Raises NotATable: it is none, or not the one of this name. Unsupported.
    """
    table = sstable.read(file)
    kind = _TYPES.get(table.properties.get(b"type", b""))
    if kind is None:
        raise NotATable(f"its type is {table.properties.get(b'type')!r}, expected ranges or metaranges")
    # The properties that were added at the end are not in the name, so they are compared with the records.
    _demand_properties(table)
    found = content_id(table.records, table.properties)
    if found != name:
        raise NotATable(f"its content is that of {found}")
    if kind == "ranges":
        return Stored(kind, entries=tuple(map(_entry, table.records)))
    ranges = tuple(map(_range, table.records))
    _demand_apart(ranges)
    return Stored(kind, ranges=ranges)


def _demand_apart(ranges: tuple[RangeOf, ...]) -> None:
    """Each begins behind the last one, and not behind its own end."""
    end: bytes | None = None
    for each in ranges:
        if each.first > each.last or (end is not None and each.first <= end):
            raise NotATable(f"the range up to {each.last!r} begins with {each.first!r}, and another ends with {end!r}")
        end = each.last


def content_id(records: tuple[Record, ...], properties: Mapping[bytes, bytes]) -> str:
    """The name that lakeFS gives to a table with these."""
    digest = hashlib.sha256()
    for record in records:
        for each in record:
            # The length in decimal digits, as Go's `strconv.Itoa` writes it.
            digest.update(b"%d%b|" % (len(each), each))
    named = sorted((name, value) for name, value in properties.items() if name not in _AT_CLOSE)
    # As `ident.MarshalStringMap`: type 4 is a map, 1 a string, 2 an integer, sorted by name.
    digest.update(b"\x04" + _pack(len(named)))
    for pair in named:
        for each in pair:
            digest.update(b"\x01" + _pack(len(each)) + each)
    return digest.hexdigest()


def _pack(number: int) -> bytes:
    return b"\x02\x08" + number.to_bytes(8, "big")  # type, bytes, the number


def _demand_properties(table: Table) -> None:
    """What the properties say of first and last key, and of how many there are."""
    keys = [key for key, _ in table.records]
    expected = {
        b"min_key": keys[0] if keys else b"",
        b"max_key": keys[-1] if keys else b"",
        b"count": b"%d" % len(keys),
    }
    for name, value in expected.items():
        stated = table.properties.get(name)
        if stated != value:
            raise NotATable(f"the properties say {name.decode()} {stated!r}, and it is {value!r}")


def _entry(record: Record) -> Entry:
    path, value = record
    _, data = _parts(value, path)
    try:
        message = catalog_pb2.EntryData.FromString(data)
    except (DecodeError, UnicodeDecodeError):
        raise NotATable(f"the entry of {path!r} is no message of the catalog") from None
    if message.address_type not in _ADDRESS_TYPES:
        raise NotATable(f"the entry of {path!r} has address type {message.address_type}")
    return Entry(path, message.address, message.address_type, message.e_tag, message.size)


def _range(record: Record) -> RangeOf:
    last, value = record
    identity, data = _parts(value, last)
    try:
        message = catalog_pb2.RangeData.FromString(data)
    except DecodeError:
        raise NotATable(f"the range up to {last!r} is no message of a range") from None
    if message.max_key != last:
        raise NotATable(f"the range up to {last!r} says that it ends with {message.max_key!r}")
    try:
        return RangeOf(identity.decode("ascii"), message.min_key, last, message.count)
    except UnicodeDecodeError:
        raise NotATable(f"the range up to {last!r} has the id {identity!r}, expected text") from None


def _parts(value: bytes, key: bytes) -> tuple[bytes, bytes]:
    """Identity and data; as lakeFS has it, what follows them is passed over."""
    found, at = [], 0
    for _ in range(2):
        raw, at = sstable.varint(value, at, f"the value of {key!r}")
        length = (raw >> 1) ^ -(raw & 1)  # zigzag: even numbers are positive
        if length < 0 or at + length > len(value):
            raise NotATable(f"the value of {key!r} has {len(value) - at} bytes where {length} were expected")
        found.append(value[at : at + length])
        at += length
    return found[0], found[1]
