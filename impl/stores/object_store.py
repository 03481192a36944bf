"""The contract of a live object store, and one in memory. The meaning of each operation is `model.objects.step`."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from itertools import islice, takewhile
from typing import assert_never, cast

import trio
from sortedcontainers import SortedDict

from model import objects

Answer = bytes | objects.Head | objects.Page | None


class ObjectStore(ABC):
    """An object store that many tasks use at once. Each operation is atomic; a listing is one operation per page."""

    @abstractmethod
    async def perform(self, op: objects.Op) -> Answer:
        """Any operation as a value. A schedule point, also where it fails. Raises ObjectError."""

    async def put(self, address: str, content: bytes, metadata: objects.Metadata = ()) -> None:
        """Write, whatever was there."""
        await self.perform(objects.Put(address, content, metadata))

    async def get(self, address: str) -> bytes:
        """Raises ObjectNotFound."""
        return cast("bytes", await self.perform(objects.GetObject(address)))

    async def head(self, address: str) -> objects.Head:
        """Raises ObjectNotFound."""
        return cast("objects.Head", await self.perform(objects.HeadObject(address)))

    async def copy(self, source: str, destination: str) -> None:
        """Raises ObjectNotFound if the source is not there."""
        await self.perform(objects.Copy(source, destination))

    async def delete(self, address: str) -> None:
        """Remove an object; an absent one is no error."""
        await self.perform(objects.DeleteObject(address))

    async def list(self, prefix: str = "", page_size: int = 0) -> AsyncIterator[objects.Head]:
        """Heads in ascending order of address. Not a snapshot: writes may fall between two pages."""
        after, more = "", True
        while more:
            page = cast("objects.Page", await self.perform(objects.ListObjects(prefix, after, page_size)))
            for head in page.heads:
                yield head
                after = head.address
            more = page.more


class MemoryObjectStore(ObjectStore):
    """Costs: O(log n) for an operation on one object, O(log n + page) for a page."""

    def __init__(self, contents: Mapping[str, bytes] | None = None, clock: Callable[[], int] = lambda: 0) -> None:
        self._clock = clock
        held = {address: objects.StoredObject(content) for address, content in (contents or {}).items()}
        self._objects: SortedDict[str, objects.StoredObject] = SortedDict(held)

    def contents(self) -> dict[str, objects.StoredObject]:
        """All that it holds, in order."""
        return dict(self._objects)

    async def perform(self, op: objects.Op) -> Answer:
        # Before the operation: a task that is cancelled has not done it. Nothing awaits after it: it is atomic.
        await trio.lowlevel.checkpoint()
        match op:
            case objects.ListObjects(prefix, after, page_size):
                return self._page(prefix, after, page_size)
            case objects.Put() | objects.GetObject() | objects.HeadObject() | objects.DeleteObject():
                return self._at(op.address, op)
            case objects.SetMetadata():
                return self._at(op.address, op)
            case objects.Copy():
                return self._copy(op)
            case _:
                assert_never(op)

    def _at(self, address: str, op: objects.Op) -> Answer:
        near = {address: self._objects[address]} if address in self._objects else {}
        after, answer = objects.step(near, op, self._clock())
        if isinstance(answer, objects.ObjectError):
            raise answer
        if address in after:
            self._objects[address] = after[address]
        else:
            self._objects.pop(address, None)
        return answer

    def _copy(self, op: objects.Copy) -> Answer:
        source = self._find(op.source)
        after, answer = objects.step({op.source: source}, op, self._clock())
        if isinstance(answer, objects.ObjectError):
            raise answer
        self._objects[op.destination] = after[op.destination]
        return answer

    def _find(self, address: str) -> objects.StoredObject:
        if address not in self._objects:
            raise objects.ObjectNotFound
        return self._objects[address]

    def _page(self, prefix: str, after: str, page_size: int) -> objects.Page:
        # All addresses with one prefix are neighbours.
        found = self._objects.irange(max(prefix, after), inclusive=(prefix > after, True))
        listed = takewhile(lambda address: address.startswith(prefix), found)
        heads = tuple(objects.listed(at, self._objects[at]) for at in islice(listed, page_size or None))
        return objects.Page(heads, more=next(listed, None) is not None)
