"""Committed data: entries, what changes them, how two sets differ and merge, and the immutable objects that hold them.

Entries are sorted by path and cut into *ranges*; a *metarange* lists its ranges. Both are objects named by the SHA-256
of their content, so equal entries have equal ids. A metarange without entries has no object: its id is "".
Where to cut is a matter of content (`Splitting`), which keeps the effect of an edit local. The format, byte by byte:
docs/schemas/README.md. Source: graveler-on-kv.md, "Commit"; lakeFS' ``pkg/graveler/committed``.

An entry's identity stands for its data: entries with equal identities are taken to be equal.

Example: an entry is put in at c. Ranges end after f, i and j, whose hashes say so, as before: three of four keep their
ids, and only the first one is written anew.

>>> def ranges(paths):
...     entries = [Entry(path=bytes([byte]), identity=b"1", data=b"") for byte in paths]
...     return [bytes(entry.path[0] for entry in each) for each in split(entries, Splitting(min_bytes=0, one_in=3))]
>>> ranges(b"abdefghijklmn")
[b'abdef', b'ghi', b'j', b'klmn']
>>> ranges(b"abcdefghijklmn")
[b'abcdef', b'ghi', b'j', b'klmn']

Example of a merge: the base has x=1 and y=1, the source x=2 and y=1, the destination x=1 and y=3. The result has x=2
and y=3: each side wins where it alone has changed. If the destination had x=4, x would be a conflict.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import attrs

from lakeproof.model.identifiers import MetaRangeID
from lakeproof.model.records import StagedEntry

RANGE_FORMAT: Final = b"lakeproof range 1\n"
META_RANGE_FORMAT: Final = b"lakeproof metarange 1\n"
STRATEGIES: Final = (None, "source-wins", "destination-wins")
_NUMBER: Final = 8  # bytes of a number and of a field's length
_CACHE: Final = 1 << 12
_SMALL: Final = 1 << 12  # bytes; searches decode the same few small objects again and again


class Unsorted(ValueError):
    """Paths that do not ascend. A mistake of the caller."""


class MalformedObject(ValueError):
    """Bytes that are no range, or no metarange."""


@attrs.frozen(kw_only=True, cache_hash=True)
class Entry:
    """What a commit holds at one path."""

    path: bytes
    identity: bytes
    data: bytes


@attrs.frozen(kw_only=True, cache_hash=True)
class Difference:
    """What became of one path between two sets of entries."""

    path: bytes
    before: Entry | None
    after: Entry | None


def change_to(path: bytes, entry: Entry | None) -> StagedEntry:
    """The change that leaves this entry at a path; None: a tombstone."""
    if entry is None:
        return StagedEntry(key=path, identity=b"", data=None)
    return StagedEntry(key=path, identity=entry.identity, data=entry.data)


def entry_after(before: Entry | None, change: StagedEntry) -> Entry | None:
    """What is at a path after a change of it. A change to the identity that is there already is none."""
    # A tombstone: no data, and an empty identity.
    if change.data is None:
        return None
    # Its data may differ all the same: the identity decides.
    if before is not None and before.identity == change.identity:
        return before
    return Entry(path=change.key, identity=change.identity, data=change.data)


def same(one: Entry | None, other: Entry | None) -> bool:
    """Whether a path is unchanged: both are absent, or have one identity."""
    if one is None or other is None:
        return one is other  # both None, or one of them
    return one.identity == other.identity


def check_strategy(strategy: str | None) -> None:
    """Raises ValueError for anything that is not in `STRATEGIES`."""
    if strategy not in STRATEGIES:
        raise ValueError(f"merge strategy {strategy!r}: expected one of {STRATEGIES}; None reports conflicts")


def merged_entry(
    base: Entry | None, source: Entry | None, destination: Entry | None, strategy: str | None = None
) -> tuple[Entry | None, bool]:
    """What a merge leaves at one path, and whether that is a conflict.

    The side that changed wins; the same change on both sides is none. Both changed, differently: a conflict, unless
    the strategy says whose side to take. A conflict leaves what the destination has.
    """
    # The destination first: where both sides made the same change, its entry stays, with its data.
    if same(source, base) or same(source, destination):
        return destination, False
    if same(destination, base) or strategy == "source-wins":
        return source, False
    return destination, strategy is None


@attrs.frozen(kw_only=True, cache_hash=True)
class RangeInfo:
    """What a metarange tells of one range. ``size``: bytes of its object."""

    range_id: str
    min_path: bytes
    max_path: bytes
    count: int
    size: int


@attrs.frozen(kw_only=True, cache_hash=True)
class Splitting:
    """Where to cut: after an entry whose path has a hash divisible by ``one_in``, once the range's object has
    ``min_bytes``; and wherever it has ``max_bytes`` (it may exceed them by one entry).

    Whether a range may end after an entry depends on that entry's path and on the size so far, and on nothing
    else: two ranges that begin alike go on alike. Ids are equal where entries and splittings are.
    """

    min_bytes: int = 1 << 16
    max_bytes: int = 1 << 22
    one_in: int = 1 << 11

    def __attrs_post_init__(self) -> None:
        if not 0 <= self.min_bytes <= self.max_bytes or self.one_in < 1:
            raise ValueError(f"{self!r}: expected 0 <= min_bytes <= max_bytes, 1 <= one_in; choose such numbers")

    def ends(self, size: int, path: bytes) -> bool:
        """Whether a range of this size ends after this path, its last one so far."""
        # Below the minimum no hash is computed: most entries of a large range end here.
        if size < self.min_bytes:
            return False
        # The path alone decides, and not the identity: a change of an entry's value moves no boundary.
        return size >= self.max_bytes or int.from_bytes(hashlib.sha256(path).digest()[:8]) % self.one_in == 0


DEFAULT_SPLITTING: Final = Splitting()


def split(entries: Iterable[Entry], splitting: Splitting = DEFAULT_SPLITTING) -> Iterator[tuple[Entry, ...]]:
    """Sorted entries, cut into ranges."""
    current: list[Entry] = []
    size = len(RANGE_FORMAT)  # sizes are those of the encoded object, its header included
    for entry in entries:
        current.append(entry)
        size += entry_size(entry)
        if splitting.ends(size, entry.path):
            yield tuple(current)
            current = []
            size = len(RANGE_FORMAT)
    if current:
        yield tuple(current)


@attrs.frozen
class Written:
    """A set of entries as objects: content by id. The metarange is one of them, unless its id is ""."""

    meta_range_id: MetaRangeID
    objects: dict[str, bytes]


def write(entries: Iterable[Entry], splitting: Splitting = DEFAULT_SPLITTING) -> Written:
    """The objects that hold sorted entries. Raises Unsorted."""
    infos: list[RangeInfo] = []
    made: dict[str, bytes] = {}
    for piece in split(entries, splitting):
        content = encode_range(piece)
        infos.append(describe(content_id(content), piece))
        made[infos[-1].range_id] = content
    if not infos:
        # An empty set has no range, and `decode_meta_range` takes at least one.
        return Written(MetaRangeID(""), {})
    content = encode_meta_range(infos)
    made[content_id(content)] = content
    return Written(MetaRangeID(content_id(content)), made)


def describe(range_id: str, entries: Sequence[Entry]) -> RangeInfo:
    """A range's line in its metarange. At least one entry."""
    return RangeInfo(
        range_id=range_id,
        min_path=entries[0].path,
        max_path=entries[-1].path,
        count=len(entries),
        size=len(RANGE_FORMAT) + sum(map(entry_size, entries)),
    )


def object_address(storage_namespace: str, object_id: str) -> str:
    """Where a range or metarange lives."""
    return f"{storage_namespace}/_lakefs/{object_id}"


def content_id(content: bytes) -> str:
    """The id of an object: 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def entry_size(entry: Entry) -> int:
    """Bytes that an entry adds to its range's object."""
    # Three length-prefixed fields, see `_join_fields`.
    return 3 * _NUMBER + len(entry.path) + len(entry.identity) + len(entry.data)


def encode_range(entries: Iterable[Entry]) -> bytes:
    """Raises Unsorted."""
    fields: list[bytes] = []
    last: bytes | None = None
    for entry in entries:
        # Unsorted entries would get another id than the same entries in order.
        if last is not None and entry.path <= last:
            raise Unsorted(f"{entry.path!r} comes after {last!r}: expected ascending paths, each one once; sort them")
        last = entry.path
        fields += entry.path, entry.identity, entry.data
    return _join_fields(RANGE_FORMAT, fields)


def decode_range(content: bytes) -> tuple[Entry, ...]:
    """At least one entry, by path. Raises MalformedObject."""
    return _small_range(content) if len(content) <= _SMALL else _range(content)


def encode_meta_range(infos: Iterable[RangeInfo]) -> bytes:
    """The ranges ascend; `decode_meta_range` checks that they do."""
    fields: list[bytes] = []
    for info in infos:
        numbers = (number.to_bytes(_NUMBER) for number in (info.count, info.size))
        fields += info.range_id.encode(), info.min_path, info.max_path, *numbers
    return _join_fields(META_RANGE_FORMAT, fields)


def decode_meta_range(content: bytes) -> tuple[RangeInfo, ...]:
    """At least one range, by path. Raises MalformedObject."""
    return _small_meta_range(content) if len(content) <= _SMALL else _meta_range(content)


def _range(content: bytes) -> tuple[Entry, ...]:
    fields = iter(_fields("range", RANGE_FORMAT, content, 3))
    entries = tuple(
        Entry(path=path, identity=identity, data=data)
        # One iterator three times: it yields the fields in groups of three.
        for path, identity, data in zip(fields, fields, fields, strict=True)
    )
    for one, other in pairwise(entries):
        if one.path >= other.path:
            raise MalformedObject(f"no range: {other.path!r} comes after {one.path!r}, expected ascending paths")
    return entries


def _meta_range(content: bytes) -> tuple[RangeInfo, ...]:
    fields = _fields("metarange", META_RANGE_FORMAT, content, 5)
    infos = tuple(_info(*fields[at : at + 5]) for at in range(0, len(fields), 5))
    for one, other in pairwise(infos):
        if one.max_path >= other.min_path:  # a path in two ranges would have two entries
            raise MalformedObject(
                f"no metarange: a range from {other.min_path!r} on follows one up to {one.max_path!r}, "
                "expected ranges that ascend without overlap"
            )
    return infos


# Large objects are decoded anew: a cache of thousands of them would fill the memory.
_small_range = lru_cache(_CACHE)(_range)
_small_meta_range = lru_cache(_CACHE)(_meta_range)


def _info(range_id: bytes, min_path: bytes, max_path: bytes, count: bytes, size: bytes) -> RangeInfo:
    # The id becomes part of an object's address: nothing else than a SHA-256 in hexadecimal may.
    if len(range_id) != 64 or range_id.strip(b"0123456789abcdef"):
        raise MalformedObject(f"no metarange: range id {range_id[:80]!r}, expected 64 hexadecimal digits")
    if len(count) != _NUMBER or len(size) != _NUMBER:
        raise MalformedObject(f"no metarange: numbers {count[:16]!r} and {size[:16]!r}, expected {_NUMBER} bytes each")
    info = RangeInfo(
        range_id=range_id.decode(),
        min_path=min_path,
        max_path=max_path,
        count=int.from_bytes(count),
        size=int.from_bytes(size),
    )
    # One entry has one path; two have two.
    fits = min_path == max_path if info.count == 1 else info.count > 1 and min_path < max_path
    if not fits:
        raise MalformedObject(f"no metarange: {info.count} entries from {min_path!r} to {max_path!r}")
    return info


def _join_fields(magic: bytes, fields: list[bytes]) -> bytes:
    # Lengths in front: fields may contain any byte, and no two lists of fields have one encoding.
    return magic + b"".join(len(field).to_bytes(_NUMBER) + field for field in fields)


def _fields(what: str, magic: bytes, content: bytes, group: int) -> list[bytes]:
    """The fields of an object: at least one group of this many, and no broken one."""
    if not content.startswith(magic):
        raise MalformedObject(f"no {what}: begins with {content[: len(magic)]!r}, expected {magic!r}")
    found: list[bytes] = []
    at = len(magic)
    while at < len(content):
        start = at + _NUMBER
        # Where the content ends within the length itself, `start` is past the end already.
        end = start + int.from_bytes(content[at:start])
        if end > len(content):
            raise MalformedObject(f"no {what}: the field at byte {at} goes on behind the last of {len(content)} bytes")
        found.append(content[start:end])
        at = end
    if not found or len(found) % group:
        raise MalformedObject(f"no {what}: {len(found)} fields, expected a multiple of {group} and at least {group}")
    return found
