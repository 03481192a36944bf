"""A writer of SSTables as lakeFS has them: small blocks, so that small tables have many, and an index of two levels
where it is asked for. It shares nothing with the reader but the names of values."""

import hashlib
import struct
from collections.abc import Sequence

import attrs
import google_crc32c
import pyarrow as pa

from lakeproof.model.catalog import ObjectEntry, encode_object_entry, identity_of

Record = tuple[bytes, bytes]
SEQUENCE = b"\x01" + bytes(7)
"""What ends each key: kind 1 (set), sequence number 0."""
INDEX = b"rocksdb.block.based.table.index.type"


def varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def handle(place: tuple[int, int]) -> bytes:
    return varint(place[0]) + varint(place[1])


def block(records: Sequence[Record], interval: int = 16) -> bytes:
    """Records with shared prefixes, and restarts."""
    found, restarts, last = bytearray(), [0], b""
    for number, (key, value) in enumerate(records):
        shared = 0
        if number % interval == 0:
            if number:
                restarts.append(len(found))
        else:
            while shared < min(len(key), len(last)) and key[shared] == last[shared]:
                shared += 1
        found += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        last = key
    return bytes(found) + b"".join(struct.pack("<I", each) for each in (*restarts, len(restarts)))


def checksum(packed: bytes, kind: int) -> bytes:
    crc = google_crc32c.value(packed + bytes([kind]))
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


@attrs.define
class File:
    """A table in the making. compression: None, "snappy" or "zstd"."""

    compression: str | None = "snappy"
    data: bytearray = attrs.field(factory=bytearray)

    def add(self, raw: bytes, *, plain: bool = False) -> tuple[int, int]:
        """Append a block with its trailer; returns its place."""
        kind, packed = 0, raw
        if self.compression and not plain:
            packed = pa.compress(raw, codec=self.compression, asbytes=True)
            kind = 1
            if self.compression == "zstd":
                kind, packed = 7, varint(len(raw)) + packed
        place = (len(self.data), len(packed))
        self.data += packed + bytes([kind]) + checksum(packed, kind)
        return place


def table(
    records: Sequence[Record],
    properties: dict[bytes, bytes],
    *,
    block_records: int = 7,
    compression: str | None = "snappy",
    two_levels: bool = False,
    first_says: bytes | None = None,
    stray: str | None = None,
) -> bytes:
    """A whole file. properties: those that are lakeFS'. first_says: what the index says at its top of what is first in
    it, if not the last key. stray: a block behind the data, which the metaindex knows by this name; "": not at all."""
    file = File(compression)
    chunks = [records[at : at + block_records] for at in range(0, len(records), block_records)] or [[]]
    index = []
    for chunk in chunks:
        place = file.add(block([(key + SEQUENCE, value) for key, value in chunk], interval=3))
        index.append(((chunk[-1][0] if chunk else b"") + SEQUENCE, handle(place)))
    beside = [] if stray is None else [(stray.encode(), handle(file.add(b"?", plain=True)))]
    if two_levels:
        parts = [index[at : at + 2] for at in range(0, len(index), 2)]
        index = [(part[-1][0], handle(file.add(block(part, interval=1)))) for part in parts]
    if first_says is not None:
        index[0] = (first_says + SEQUENCE, index[0][1])
    top = file.add(block(index, interval=1))
    own = {
        b"rocksdb.num.entries": varint(len(records)),
        b"rocksdb.num.data.blocks": varint(len(chunks)),
        b"rocksdb.raw.key.size": varint(sum(len(key) + 8 for key, _ in records)),
        b"rocksdb.raw.value.size": varint(sum(len(value) for _, value in records)),
        b"rocksdb.comparator": b"leveldb.BytewiseComparator",
        INDEX: struct.pack("<I", 2 if two_levels else 0),
    }
    said = file.add(block(sorted((own | properties).items()), interval=100), plain=True)
    known = [each for each in beside if each[0]] + [(b"rocksdb.properties", handle(said))]
    meta = file.add(block(sorted(known)), plain=True)
    places = handle(meta) + handle(top)
    footer = b"\x01" + places.ljust(40, b"\0") + struct.pack("<I", 2) + bytes.fromhex("f7cff485b741e288")
    return bytes(file.data) + footer


def named(records: Sequence[Record], kind: str, **how: object) -> tuple[str, bytes]:
    """A table of lakeFS, and its id: SHA-256 of its records and of its type."""
    digest = hashlib.sha256()
    for key, value in records:
        digest.update(str(len(key)).encode() + key + b"|" + str(len(value)).encode() + value + b"|")
    digest.update(b"\x04" + _length(1) + b"\x01" + _length(4) + b"type" + b"\x01" + _length(len(kind)) + kind.encode())
    properties = {
        b"type": kind.encode(),
        b"count": str(len(records)).encode(),
        b"min_key": records[0][0] if records else b"",
        b"max_key": records[-1][0] if records else b"",
        b"estimated_size_bytes": b"1",
    }
    return digest.hexdigest(), table(records, properties, **how)  # type: ignore[arg-type]


def _length(number: int) -> bytes:
    return b"\x02\x08" + struct.pack(">Q", number)


def pair(identity: bytes, data: bytes) -> bytes:
    """A value: the lengths are zigzag varints."""
    return varint(2 * len(identity)) + identity + varint(2 * len(data)) + data


def range_of(entries: Sequence[tuple[str, ObjectEntry]], **how: object) -> tuple[str, bytes]:
    """A range of entries by path, in order."""
    records = []
    for path, entry in entries:
        data = encode_object_entry(entry)
        records.append((path.encode(), pair(identity_of(data), data)))
    return named(records, "ranges", **how)


@attrs.frozen
class Part:
    """A range in a metarange."""

    id: str
    first: str
    last: str
    count: int


def metarange_of(parts: Sequence[Part], **how: object) -> tuple[str, bytes]:
    records = []
    for part in parts:
        first, last = part.first.encode(), part.last.encode()
        data = b"\x0a" + varint(len(first)) + first + b"\x12" + varint(len(last)) + last + b"\x18\x07"
        data += b"\x20" + varint(part.count)
        records.append((last, pair(part.id.encode(), data)))
    return named(records, "metaranges", **how)
