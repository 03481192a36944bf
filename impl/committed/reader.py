"""Reading metaranges and ranges: every object is checked against its id, a range against its metarange, too."""

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeVar

from lakeproof.impl.committed.errors import DamagedObject, MissingObject
from lakeproof.impl.effects import Env
from lakeproof.model import objects
from lakeproof.model.committed import (
    Entry,
    MalformedObject,
    RangeInfo,
    content_id,
    decode_meta_range,
    decode_range,
    describe,
    object_address,
)
from lakeproof.model.identifiers import MetaRangeID, StorageNamespace

T = TypeVar("T")

RANGES_KEPT = 8


class Reader:
    """Reads the committed data of one operation. Keeps the ranges that it read last; a later operation sees the world
    afresh. All methods raise MissingObject and DamagedObject."""

    def __init__(self, env: Env, storage_namespace: StorageNamespace) -> None:
        self.env = env
        self.storage_namespace = storage_namespace
        self._kept: OrderedDict[str, tuple[Entry, ...]] = OrderedDict()

    async def meta_range(self, meta_range_id: MetaRangeID) -> tuple[RangeInfo, ...]:
        """The ranges, by path. 1 effect; none for the empty metarange."""
        return await self._read(meta_range_id, decode_meta_range) if meta_range_id else ()

    async def range(self, info: RangeInfo) -> tuple[Entry, ...]:
        """The entries of a range, by path. 1 effect, unless it is one of the last ones read."""
        # Put back below: the order of the dictionary is that of the last use.
        entries = self._kept.pop(info.range_id, None)
        if entries is None:
            entries = await self._read(info.range_id, decode_range)
            # The hash vouches for the content, but not that the metarange places it rightly: a wrong bound would hide
            # entries.
            found = describe(info.range_id, entries)
            if found != info:
                address = object_address(self.storage_namespace, info.range_id)
                raise DamagedObject(
                    f"{address}: is {found!r}, the metarange expects {info!r}; write the metarange again"
                )
        self._kept[info.range_id] = entries
        if len(self._kept) > RANGES_KEPT:
            self._kept.popitem(last=False)
        return entries

    async def entry_in(self, infos: Sequence[RangeInfo], path: bytes) -> Entry | None:
        """The entry at a path of a metarange. 1 effect at most; none if no range covers the path."""
        at = first_reaching(infos, path)
        if at == len(infos) or infos[at].min_path > path:  # a gap: the path lies before the range that reaches it
            return None
        entries = await self.range(infos[at])
        at = bisect_left(entries, path, key=lambda entry: entry.path)
        # In range, since the range ends at the path or after it.
        return entries[at] if entries[at].path == path else None

    async def entries(self, infos: Sequence[RangeInfo]) -> AsyncIterator[Entry]:
        """The entries of ranges, by path; a range is read when its first entry is needed."""
        for info in infos:
            for entry in await self.range(info):
                yield entry

    async def _read(self, object_id: str, decode: Callable[[bytes], T]) -> T:
        address = object_address(self.storage_namespace, object_id)
        try:
            content = await self.env.objects.get(address)
        except objects.ObjectNotFound:
            raise MissingObject(f"{address}: no such object, and committed data needs it; restore it") from None
        # Also what was written under a right address is checked: a store may return other bytes.
        found = content_id(content)
        if found != object_id:
            raise DamagedObject(f"{address}: the content's SHA-256 is {found}, expected the id; restore the object")
        try:
            return decode(content)
        except MalformedObject as error:
            raise DamagedObject(f"{address}: {error}; its writer must write it again") from None


async def get_entry(
    env: Env, storage_namespace: StorageNamespace, meta_range_id: MetaRangeID, path: bytes
) -> Entry | None:
    """The entry at a path; None if there is none. 2 effects; 1 if no range covers the path; 0 if the id is "".

    Raises:
        MissingObject, DamagedObject.
    """
    reader = Reader(env, storage_namespace)
    return await reader.entry_in(await reader.meta_range(meta_range_id), path)


async def read_entries(
    env: Env, storage_namespace: StorageNamespace, meta_range_id: MetaRangeID, start: bytes = b""
) -> AsyncIterator[Entry]:
    """The entries of a metarange by path, from ``start`` on. 1 effect for the metarange, and 1 for each range, when its
    first entry is needed. Raises MissingObject, DamagedObject."""
    reader = Reader(env, storage_namespace)
    infos = await reader.meta_range(meta_range_id)
    async for entry in reader.entries(infos[first_reaching(infos, start) :]):
        if entry.path >= start:
            yield entry


def first_reaching(infos: Sequence[RangeInfo], path: bytes) -> int:
    """Index of the first range that ends at a path or after it."""
    return bisect_left(infos, path, key=lambda info: info.max_path)
