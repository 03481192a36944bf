"""Iterators over committed data, lazy and with a seek, as lakeFS' are."""

from bisect import bisect_left
from typing import Protocol, TypeVar

from lakeproof.impl.committed.reader import Reader, first_reaching
from lakeproof.impl.effects import Env
from lakeproof.model.committed import Entry, RangeInfo
from lakeproof.model.identifiers import MetaRangeID, StorageNamespace

T_co = TypeVar("T_co", covariant=True)


class Iterator(Protocol[T_co]):
    """Goes through values in ascending order. Stands before the first one until `next` was called."""

    @property
    def value(self) -> T_co:
        """Where it stands. Only after `next` answered True."""

    async def next(self) -> bool:
        """Go to the next value; False if there is none. After an error it stands where it stood; `seek` moves it."""

    async def seek(self, start: bytes) -> None:
        """Stand before the first value at ``start`` or after it, ahead or behind."""

    def __aiter__(self) -> "Iterator[T_co]": ...

    async def __anext__(self) -> T_co: ...


class MetaRangeIterator:
    """The entries of a metarange, by path.

    The first `next` reads the metarange; a range is read when the iterator comes to one of its entries, and those
    that a seek skips are not read. `seek` itself has no effects. Raises MissingObject, DamagedObject from `next`.
    """

    def __init__(self, env: Env, storage_namespace: StorageNamespace, meta_range_id: MetaRangeID) -> None:
        self._reader = Reader(env, storage_namespace)
        self._meta_range_id = meta_range_id
        self._infos: tuple[RangeInfo, ...] | None = None
        self._start = b""  # the next entry is the first one from here on
        self._value: Entry | None = None

    @property
    def value(self) -> Entry:
        assert self._value is not None, "the iterator stands at no entry: ask only after next() answered True"
        return self._value

    async def next(self) -> bool:
        if self._infos is None:
            self._infos = await self._reader.meta_range(self._meta_range_id)
        at = first_reaching(self._infos, self._start)  # found anew each time, so a seek back needs no more
        if at == len(self._infos):
            self._value = None
            return False
        entries = await self._reader.range(self._infos[at])
        # In range: `first_reaching` has chosen a range that ends at the start or after it.
        self._value = entries[bisect_left(entries, self._start, key=lambda entry: entry.path)]
        self._start = self._value.path + b"\0"  # the successor of the path in byte order
        return True

    async def seek(self, start: bytes) -> None:
        self._start = start
        # ``value`` before the next `next` would be an entry from before the seek.
        self._value = None

    def __aiter__(self) -> "MetaRangeIterator":
        return self

    async def __anext__(self) -> Entry:
        if not await self.next():
            raise StopAsyncIteration
        return self.value
