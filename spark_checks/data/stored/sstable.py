"""Sorted string tables: RocksDB's block-based format, version 2, as Pebble writes it for lakeFS. Every byte is checked.

A file is blocks, one after the other, and a footer of 53 bytes. Of a table with two records::

    0    data block     records in the order of their keys, in groups ("restarts") that share prefixes
    141  trailer        1 byte: 0 plain, 1 Snappy, 7 Zstandard; 4 bytes: CRC-32C of the block and that byte, masked
    146  index          for each data block a key that is not less than its last one, and where it lies
    187  properties     counts and sizes, and what lakeFS says of the table: type, min_key, max_key, count
    ...  metaindex      where the properties lie
    ...  footer         the kind of checksum, where metaindex and index lie, version, magic number

A record in a block is three varints (bytes shared with the last key, bytes of its own, bytes of the value), the rest of
the key, and the value. A key ends in eight bytes: the kind of record (1: set), and a sequence number. Behind the
records stand the places of the restarts, four bytes each, and their number.

Blocks must tile the file, agree with their checksums, and be in order; counts must agree with the properties. So a
byte that is flipped, or a block that is lost, is found. An index of two levels (RocksDB's type 2), as tables of some
hundred blocks have, is followed.
Source: RocksDB, table/format.cc and "Rocksdb BlockBasedTable Format"; Pebble, sstable/table.go; lakeFS, pkg/graveler/
sstable/writer.go. Cost: two microseconds a record; memory for the file, and for its records.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

import attrs
import google_crc32c
import pyarrow as pa

FOOTER_BYTES: Final = 53
TRAILER_BYTES: Final = 5
MAGIC: Final = bytes.fromhex("f7cff485b741e288")
PEBBLE_MAGIC: Final = bytes.fromhex("f09faab3f09faab3")
VERSION: Final = 2
CRC32C: Final = 1
SET: Final = 1
_VERSIONS: Final = range(7)
_CHECKSUMS: Final = range(5)
"""Of RocksDB's tables: what is none of them was never written."""
_SUFFIX: Final = 8
"""Bytes of a key that are no user's: kind and sequence number."""
_CODECS: Final = {1: "snappy", 7: "zstd"}
_BLOCK_BYTES_MAX: Final = 1 << 30
_PROPERTIES: Final = b"rocksdb.properties"
_OWN: Final = (b"rocksdb.", b"pebble.")
"""How the properties begin that are the format's."""
_TWO_LEVELS: Final = 2

Record = tuple[bytes, bytes]
"""A user's key, and the value."""


class NotATable(ValueError):
    """The bytes are no whole table. Says where, and what was expected."""


class Unsupported(ValueError):
    """A table, perhaps a sound one, of a kind that lakeFS does not write."""


@attrs.frozen
class Table:
    """A table whose every byte was checked. ``properties``: those that are not the format's."""

    records: tuple[Record, ...]
    properties: Mapping[bytes, bytes]


@attrs.frozen
class _Handle:
    """Where a block lies, without its trailer."""

    offset: int
    length: int

    @property
    def end(self) -> int:
        return self.offset + self.length + TRAILER_BYTES


_Entry = tuple[bytes, bytes]
"""A record as a block has it: the whole key, and the value."""


def read(file: bytes) -> Table:
    """All of a table.

    Raises NotATable, Unsupported.
    """
    # Backwards, as the format is meant to be read: footer, metaindex, properties, index, and the data blocks last.
    footer = _Footer.of(file)
    blocks = {key: _handle(value, "the metaindex") for key, value in _entries(file, footer.metaindex, "the metaindex")}
    if _PROPERTIES not in blocks:
        raise NotATable("the metaindex names no properties")
    # A block of range deletions, for example, would take back records.
    if unknown := sorted(blocks.keys() - {_PROPERTIES}):
        raise Unsupported(f"it has a block {unknown[0]!r}, which lakeFS does not write")
    raw = dict(_entries(file, blocks[_PROPERTIES], "the properties"))
    index, reach, parts = _index(file, footer.index, _number(raw, b"rocksdb.block.based.table.index.type", 4))
    handles = [_handle(value, "the index") for _, value in index]
    # All blocks that anything leads to. A gap between them is a block that an index has lost.
    _demand_tiled([*handles, *parts, footer.index, *blocks.values(), footer.metaindex], len(file))
    records = tuple(_records(file, index, reach, handles))
    _demand_counts(raw, records, len(handles))
    return Table(records, {name: value for name, value in raw.items() if not name.startswith(_OWN)})


@attrs.frozen
class _Footer:
    metaindex: _Handle
    index: _Handle

    @classmethod
    def of(cls, file: bytes) -> "_Footer":
        if len(file) < FOOTER_BYTES:
            raise NotATable(f"it has {len(file)} bytes, expected at least the {FOOTER_BYTES} of a footer")
        footer = file[-FOOTER_BYTES:]
        magic = footer[-8:]
        if magic == PEBBLE_MAGIC:
            raise Unsupported("it is in a format of Pebble's own, expected RocksDB's version 2, which lakeFS writes")
        if magic != MAGIC:
            raise NotATable(f"it ends in {magic.hex()}, expected the magic number {MAGIC.hex()}")
        # A byte for the checksum, two places as varints, zeros up to byte 41; 4 bytes version, 8 bytes magic.
        (version,) = struct.unpack_from("<I", footer, FOOTER_BYTES - 12)
        if version != VERSION or footer[0] != CRC32C:
            # A version that exists is another writer's; any other number is damage.
            known = version in _VERSIONS and footer[0] in _CHECKSUMS
            raise (Unsupported if known else NotATable)(
                f"its footer says version {version} and checksum {footer[0]}, expected {VERSION} and {CRC32C} (CRC-32C)"
            )
        at, numbers = 1, []
        for _ in range(4):
            number, at = varint(footer, at, "the footer")
            numbers.append(number)
        if at > FOOTER_BYTES - 12 or any(footer[at : FOOTER_BYTES - 12]):
            raise NotATable("its footer has more than two places")
        return cls(_Handle(numbers[0], numbers[1]), _Handle(numbers[2], numbers[3]))


def _index(file: bytes, top: _Handle, kind: int) -> tuple[list[_Entry], list[bytes], list[_Handle]]:
    """The entries of the index, one for each data block; of each the last key that a search looks for there; and the
    blocks that the index has below its top."""
    entries = _entries(file, top, "the index")
    if kind == 0:
        return entries, [key for key, _ in entries], []
    if kind != _TWO_LEVELS:
        raise Unsupported(f"its index is of type {kind}, expected 0 (sorted) or {_TWO_LEVELS} (two levels)")
    parts = [_handle(value, "the index") for _, value in entries]
    below: list[_Entry] = []
    reach: list[bytes] = []
    for (last, _), part in zip(entries, parts, strict=True):
        found = _entries(file, part, "a part of the index")
        # An empty part, or one with a greater key, would hide data blocks from a search.
        if not found or _split(found[-1][0], "the index") > _split(last, "the index"):
            raise NotATable("a part of the index goes beyond what the index says of it")
        below.extend(found)
        reach += [*(key for key, _ in found[:-1]), last]
    return below, reach, parts


def _records(
    file: bytes, index: Sequence[_Entry], reach: Sequence[bytes], handles: Sequence[_Handle]
) -> Iterator[Record]:
    last = b""
    first = True
    for number, ((of_index, _), up_to, handle) in enumerate(zip(index, reach, handles, strict=True)):
        name = f"data block {number}"
        bound = _split(of_index, "the index")
        found = _entries(file, handle, name)
        if not found and len(handles) > 1:  # a table without records has one block, without records
            raise NotATable(f"{name} has no record")
        for whole, value in found:
            key = _split(whole, name)
            if whole[len(key)] != SET:  # little-endian: the kind is the first byte of the suffix
                raise Unsupported(f"{name} has a record of kind {whole[len(key)]}, expected {SET} (set)")
            if not first and key <= last:
                raise NotATable(f"{name} has {key!r} after {last!r}: keys are not in order")
            last, first = key, False
            yield key, value
        # A search by this key would look in the next block, and not find the record.
        if last > bound:
            raise NotATable(f"{name} ends with {last!r}, and the index says {bound!r}")
        # Of the next block, too: a search for its first key must not look in this one.
        last = _split(up_to, "the index")


def _split(key: bytes, where: str) -> bytes:
    """The user's part of a key."""
    if len(key) < _SUFFIX:
        raise NotATable(f"{where} has a key of {len(key)} bytes, expected at least {_SUFFIX}")
    return key[:-_SUFFIX]


def _entries(file: bytes, handle: _Handle, name: str) -> list[_Entry]:
    """The entries of a block whose checksum is right."""
    block = _block(file, handle, name)
    if len(block) < 4:
        raise NotATable(f"{name} has {len(block)} bytes, expected at least 4")
    (count,) = struct.unpack_from("<I", block, len(block) - 4)  # a block ends with the number of its restarts
    end = len(block) - 4 - 4 * count
    if not count or end < 0:
        raise NotATable(f"{name} says that it has {count} restarts")
    restarts = struct.unpack_from(f"<{count}I", block, end)
    # The first record is always a restart, as there is no key before it that it could share with.
    if restarts[0] != 0 or any(one >= other for one, other in pairwise(restarts)):
        raise NotATable(f"{name} has restarts that are not in order")
    expected, at, key = set(restarts), 0, b""
    found: list[_Entry] = []
    while at < end:
        # A restart shares nothing with the key before it: a reader may begin there.
        is_restart = at in expected
        expected.discard(at)
        shared, at = varint(block, at, name)
        own, at = varint(block, at, name)
        length, at = varint(block, at, name)
        if at + own + length > end or shared > len(key) or (is_restart and shared):
            raise NotATable(f"{name} has a record that does not fit")
        key = key[:shared] + block[at : at + own]
        at += own
        found.append((key, block[at : at + length]))
        at += length
    # A restart that no record begins at. 0 remains where the block has no record.
    if expected - {0}:
        raise NotATable(f"{name} has a restart within a record")
    return found


def _block(file: bytes, handle: _Handle, name: str) -> bytes:
    if handle.end > len(file) - FOOTER_BYTES:
        raise NotATable(f"{name} should end at byte {handle.end}, and the file has {len(file)}")
    packed = file[handle.offset : handle.offset + handle.length]
    kind = file[handle.offset + handle.length]
    (stated,) = struct.unpack_from("<I", file, handle.offset + handle.length + 1)
    crc = google_crc32c.value(packed + bytes([kind]))
    # The mask of RocksDB: a CRC of data that contains CRCs would otherwise be a weak one.
    if stated != (((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF):
        raise NotATable(f"{name}, at byte {handle.offset}, does not agree with its checksum")
    if kind == 0:
        return packed
    if kind not in _CODECS:
        raise Unsupported(f"{name} is compressed by method {kind}, expected 0 (none), 1 (Snappy) or 7 (Zstandard)")
    size, at = varint(packed, 0, name)
    # The length is the file's own claim: memory must not depend on a damaged one.
    if size > _BLOCK_BYTES_MAX:
        raise NotATable(f"{name} says that it unpacks to {size:,} bytes, expected at most {_BLOCK_BYTES_MAX:,}")
    try:
        # Snappy has the length as its own beginning; before Zstandard's, Pebble puts it.
        return bytes(pa.Codec(_CODECS[kind]).decompress(packed if kind == 1 else packed[at:], size, asbytes=True))
    except (pa.ArrowException, OSError) as error:
        raise NotATable(f"{name} cannot be unpacked ({' '.join(str(error).split())[:80]})") from None


def _handle(value: bytes, name: str) -> _Handle:
    offset, at = varint(value, 0, name)
    length, at = varint(value, at, name)
    if at != len(value):
        raise NotATable(f"{name} has {len(value)} bytes where the place of a block was expected")
    return _Handle(offset, length)


def varint(data: bytes, at: int, name: str) -> tuple[int, int]:
    """A number of at most 64 bits, and where the rest begins."""
    number = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7
    raise NotATable(f"{name} ends within a number")


def _demand_tiled(handles: Sequence[_Handle], size: int) -> None:
    """Blocks lie one after the other, from the first byte to the footer: none is lost, and nothing is between them."""
    at = 0
    # Overlaps show as well: then the next block begins before the end of this one.
    for each in sorted(handles, key=lambda handle: handle.offset):
        if each.offset != at:
            raise NotATable(f"a block ends at byte {at}, and the next one begins at {each.offset}")
        at = each.end
    if at != size - FOOTER_BYTES:
        raise NotATable(f"the last block ends at byte {at}, and the footer begins at {size - FOOTER_BYTES}")


def _number(raw: Mapping[bytes, bytes], name: bytes, width: int = 0) -> int:
    """A property that is a number: a varint, or so many bytes."""
    value = raw.get(name)
    if value is None or (width and len(value) != width):
        raise NotATable(f"the properties lack {name.decode()}")
    return int.from_bytes(value, "little") if width else varint(value, 0, name.decode())[0]


def _demand_counts(raw: Mapping[bytes, bytes], records: Sequence[Record], blocks: int) -> None:
    found = {
        b"rocksdb.num.entries": len(records),
        b"rocksdb.num.data.blocks": blocks,
        b"rocksdb.raw.key.size": sum(len(key) + _SUFFIX for key, _ in records),
        b"rocksdb.raw.value.size": sum(len(value) for _, value in records),
    }
    for name, number in found.items():
        stated = _number(raw, name)
        if stated != number:
            raise NotATable(f"the properties say {name.decode()} {stated:,}, and it has {number:,}")
