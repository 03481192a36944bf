"""An object store in memory, for many tasks of one trio run."""

from collections.abc import Mapping
from itertools import islice, takewhile
from typing import assert_never

import trio
from sortedcontainers import SortedDict

from lakeproof.impl.stores.object_store import Answer, Clock, ObjectStore
from lakeproof.model import objects


class MemoryObjectStore(ObjectStore):
    """Costs: O(log n) for an operation on one object, O(log n + page) for a page.

    contents: objects to begin with; bytes are an object without metadata.
    clock: the store's own; without one it is always 1970.
    """

    def __init__(
        self,
        contents: Mapping[str, bytes | objects.StoredObject] | None = None,
        clock: Clock = lambda: 0,
        capabilities: frozenset[str] = objects.ALL,
    ) -> None:
        self.capabilities = capabilities
        self._clock = clock
        stored = {
            address: objects.StoredObject(found, last_modified=clock()) if isinstance(found, bytes) else found
            for address, found in (contents or {}).items()
        }
        self._objects: SortedDict[str, objects.StoredObject] = SortedDict(stored)

    def contents(self) -> dict[str, objects.StoredObject]:
        """All that it holds, in order."""
        return dict(self._objects)

    async def perform(self, op: objects.Op) -> Answer:
        # Here, so that an operation that fails is a schedule point too; before the operation, so that a task that
        # is cancelled has not done it. From here on nothing awaits, which makes each operation atomic.
        await trio.lowlevel.checkpoint()
        return await super().perform(op)

    async def apply(self, op: objects.Op) -> Answer:
        match op:
            case objects.ListObjects(prefix, after, page_size):
                return self._page(prefix, after, page_size)
            case objects.Copy():
                return self._step(op, op.source, op.destination)
            case (
                objects.Put()
                | objects.GetObject()
                | objects.HeadObject()
                | objects.SetMetadata()
                | objects.DeleteObject()
            ):
                return self._step(op, op.address)
            case _:
                assert_never(op)

    def _step(self, op: objects.Op, *touched: str) -> Answer:
        """Do what the specification says, with the objects that the operation touches."""
        # The specification takes whole stores. Given only what is touched, it costs the same for a large one.
        near = {address: self._objects[address] for address in touched if address in self._objects}
        after, answer = objects.step(near, op, self._clock())
        if isinstance(answer, objects.ObjectError):
            raise answer
        for address in touched:
            if address not in after:
                self._objects.pop(address, None)
            # By identity: an object that was not written is the very one that was passed in.
            elif after[address] is not near.get(address):
                self._objects[address] = after[address]
        return answer

    def _page(self, prefix: str, after: str, page_size: int) -> objects.Page:
        # All addresses with one prefix are neighbours.
        found = self._objects.irange(max(prefix, after), inclusive=(prefix > after, True))
        listed = takewhile(lambda address: address.startswith(prefix), found)
        heads = tuple(objects.listing_head(at, self._objects[at]) for at in islice(listed, page_size or None))
        return objects.Page(heads, more=next(listed, None) is not None)
