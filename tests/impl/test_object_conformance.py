"""The suite for object stores catches stores that do not keep the contract, and names what they break."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from random import Random

import attrs
import pytest
import trio

from lakeproof.impl.stores import Capabilities, MemoryObjectStore, ObjectStore
from lakeproof.impl.stores._object_claims import CLAIMS
from lakeproof.impl.stores._object_races import RACES
from lakeproof.impl.stores.conformance import NotConforming
from lakeproof.impl.stores.object_conformance import (
    OPERATIONS,
    check_object_operations,
    check_object_store,
    random_object_operations,
)
from lakeproof.impl.stores.object_store import ALL, AZURE_LIKE, S3_LIKE, Answer
from lakeproof.model import objects
from lakeproof.model.objects import Copy, DeleteObject, GetObject, HeadObject, ListObjects, Put, SetMetadata


def opens(make: Callable[[], ObjectStore]) -> Callable[[], AbstractAsyncContextManager[ObjectStore]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[ObjectStore]:
        yield make()

    return opened


async def others_go_on() -> None:
    """So long that whatever can come between two steps does, however trio schedules tasks."""
    for _ in range(10):
        await trio.lowlevel.checkpoint()


class PutsInTwoSteps(MemoryObjectStore):
    """Planted: content first, metadata later."""

    async def apply(self, op: objects.Op) -> Answer:
        if isinstance(op, Put) and op.address in self._objects and op.metadata:
            await super().apply(attrs.evolve(op, metadata=self._objects[op.address].metadata))
            await others_go_on()
        return await super().apply(op)


class PutsOverRemains(MemoryObjectStore):
    """Planted: a put goes on counting where the object before it stopped."""

    async def apply(self, op: objects.Op) -> Answer:
        before = self._objects.get(op.address) if isinstance(op, Put) else None
        answer = await super().apply(op)
        if isinstance(op, Put) and before is not None and before.metageneration > 1:
            self._objects[op.address] = attrs.evolve(self._objects[op.address], metageneration=before.metageneration)
        return answer


class CopiesWhateverIsThere(MemoryObjectStore):
    """Planted: ignores the condition of a copy."""

    async def apply(self, op: objects.Op) -> Answer:
        return await super().apply(attrs.evolve(op, if_match=None) if isinstance(op, Copy) else op)


class CopiesInTwoSteps(MemoryObjectStore):
    """Planted: reads, then writes."""

    async def apply(self, op: objects.Op) -> Answer:
        if not isinstance(op, Copy) or op.source == op.destination or op.source not in self._objects:
            return await super().apply(op)
        found = self._objects[op.source]
        if op.if_match is None and op.not_after is None:
            await others_go_on()
            metadata = found.metadata if op.metadata is None else op.metadata
            return await super().apply(Put(op.destination, found.content, metadata))
        return await super().apply(op)


class CopiesNoMetadata(MemoryObjectStore):
    """Planted: takes no metadata for none."""

    async def apply(self, op: objects.Op) -> Answer:
        return await super().apply(attrs.evolve(op, metadata=op.metadata or ()) if isinstance(op, Copy) else op)


class LetsItComeBack(MemoryObjectStore):
    """Planted: a write of metadata reads the object, and writes it whole."""

    async def apply(self, op: objects.Op) -> Answer:
        if isinstance(op, SetMetadata) and op.address in self._objects:
            found = self._objects[op.address]
            await others_go_on()
            self._objects.setdefault(op.address, found)
        return await super().apply(op)


class ListsTheDeleted(MemoryObjectStore):
    """Planted: what is deleted is only hidden from those who ask for it."""

    def __init__(self, capabilities: Capabilities = ALL) -> None:
        super().__init__(capabilities=capabilities)
        self.hidden: set[str] = set()

    async def apply(self, op: objects.Op) -> Answer:
        if isinstance(op, DeleteObject) and op.address in self._objects:
            self.hidden.add(op.address)
            return None
        if isinstance(op, GetObject | HeadObject) and op.address in self.hidden:
            raise objects.ObjectNotFound
        return await super().apply(op)


class SkipsBetweenPages(MemoryObjectStore):
    """Planted: the next page leaves out where the last one ended, and one more."""

    def _page(self, prefix: str, after: str, page_size: int) -> objects.Page:
        page = super()._page(prefix, after, page_size)
        return attrs.evolve(page, heads=page.heads[1:]) if after and len(page.heads) > 1 else page


class LosesItsFooting(MemoryObjectStore):
    """Planted: counts on an object where the last page ended."""

    def _page(self, prefix: str, after: str, page_size: int) -> objects.Page:
        page = super()._page(prefix, after, page_size)
        return page if not after or after in self._objects else attrs.evolve(page, heads=page.heads[1:])


class ListsASnapshot(MemoryObjectStore):
    """Planted: cuts pages from what it read when the listing began."""

    remembered: dict[str, objects.StoredObject]

    def _page(self, prefix: str, after: str, page_size: int) -> objects.Page:
        if not after:
            self.remembered = dict(self._objects)
        remembered = getattr(self, "remembered", dict(self._objects))
        _, page = objects.step(remembered, ListObjects(prefix, after, page_size))
        assert isinstance(page, objects.Page)
        return page


class ListsMetadata(MemoryObjectStore):
    """Planted: tells in a listing what no listing tells."""

    def _page(self, prefix: str, after: str, page_size: int) -> objects.Page:
        page = super()._page(prefix, after, page_size)
        heads = tuple(objects.head_of(head.address, self._objects[head.address]) for head in page.heads)
        return attrs.evolve(page, heads=heads)


class TakesFoldersForPrefixes(MemoryObjectStore):
    """Planted: a prefix is a folder's name."""

    def _page(self, prefix: str, after: str, page_size: int) -> objects.Page:
        whole = prefix if not prefix or prefix.endswith("/") else f"{prefix}/"
        return super()._page(whole, after, page_size)


class FoldsCase(MemoryObjectStore):
    """Planted: as some file systems do."""

    async def apply(self, op: objects.Op) -> Answer:
        return await super().apply(attrs.evolve(op, address=op.address.lower()) if isinstance(op, Put) else op)


class PutsInAnyCase(MemoryObjectStore):
    """Planted: has conditional puts, it says."""

    async def apply(self, op: objects.Op) -> Answer:
        return await super().apply(attrs.evolve(op, if_match=None) if isinstance(op, Put) else op)


class ChecksThenPuts(MemoryObjectStore):
    """Planted: looks whether the ETag matches, and writes in a second step."""

    async def apply(self, op: objects.Op) -> Answer:
        if isinstance(op, Put) and op.if_match is not None and self._matches(op):
            await others_go_on()
            op = attrs.evolve(op, if_match=None)
        return await super().apply(op)

    def _matches(self, op: Put) -> bool:
        return op.address in self._objects and self._objects[op.address].etag == op.if_match


class ChecksThenCreates(MemoryObjectStore):
    """Planted: looks whether nothing is there, and writes in a second step."""

    async def apply(self, op: objects.Op) -> Answer:
        if isinstance(op, Put) and op.if_absent and op.address not in self._objects:
            await others_go_on()
            op = attrs.evolve(op, if_absent=False)
        return await super().apply(op)


class CountsInAnyCase(MemoryObjectStore):
    """Planted: has a condition on the metageneration, it says."""

    async def apply(self, op: objects.Op) -> Answer:
        return await super().apply(attrs.evolve(op, if_metageneration=None) if isinstance(op, SetMetadata) else op)


class VersionIsOfTheContent(MemoryObjectStore):
    """Planted: takes an ETag like that of S3 for a version."""

    async def apply(self, op: objects.Op) -> Answer:
        if isinstance(op, SetMetadata) and op.if_version is not None and op.address in self._objects:
            found = self._objects[op.address]
            same = op.if_version.startswith(found.etag)
            op = attrs.evolve(op, if_version=found.version if same else op.if_version)
        return await super().apply(op)


class ChecksThenCounts(MemoryObjectStore):
    """Planted: looks whether the metageneration is right, and writes in a second step."""

    async def apply(self, op: objects.Op) -> Answer:
        if isinstance(op, SetMetadata) and op.if_metageneration is not None and op.address in self._objects:
            right = self._objects[op.address].metageneration == op.if_metageneration
            await others_go_on()
            op = attrs.evolve(op, if_metageneration=None) if right else op
        return await super().apply(op)


class DoesMoreThanItSays(MemoryObjectStore):
    """Planted: whoever relies on it fails elsewhere."""

    async def perform(self, op: objects.Op) -> Answer:
        await trio.lowlevel.checkpoint()
        return await self.apply(op)


class TakesWhatIsLate(MemoryObjectStore):
    """Planted: never looks at its clock."""

    async def apply(self, op: objects.Op) -> Answer:
        return await super().apply(attrs.evolve(op, not_after=None) if isinstance(op, Put | Copy) else op)


class MindsTheAbsent(MemoryObjectStore):
    """Planted: an absent object is an error to delete."""

    async def apply(self, op: objects.Op) -> Answer:
        if isinstance(op, DeleteObject) and op.address not in self._objects:
            raise objects.ObjectNotFound
        return await super().apply(op)


class TellsAnotherETag(MemoryObjectStore):
    """Planted: the ETag is of the metadata, too."""

    async def apply(self, op: objects.Op) -> Answer:
        answer = await super().apply(op)
        if isinstance(answer, objects.Head):
            return attrs.evolve(answer, etag=objects.etag(repr(answer).encode()))
        return answer


class MaySayMoreThanThereIs(MemoryObjectStore):
    """Allowed: a full page may be followed by an empty one."""

    def _page(self, prefix: str, after: str, page_size: int) -> objects.Page:
        page = super()._page(prefix, after, page_size)
        return attrs.evolve(page, more=page.more or 0 < page_size == len(page.heads))


def backwards() -> ObjectStore:
    """Planted: a clock that goes back."""
    times = count(10**6, -1)
    return MemoryObjectStore(clock=lambda: next(times))


def only(store: type[MemoryObjectStore], capabilities: Capabilities) -> Callable[[], ObjectStore]:
    return lambda: store(capabilities=capabilities)


PLANTED: list[tuple[Callable[[], ObjectStore], str]] = [
    (PutsInTwoSteps, "an object is seen whole or not at all"),
    (PutsOverRemains, "an overwritten object has nothing of the old one"),
    (CopiesWhateverIsThere, "a copy may be conditional on its source"),
    (CopiesInTwoSteps, "a copy is one step"),
    (CopiesNoMetadata, "a copy takes content and metadata"),
    (LetsItComeBack, "an object that is deleted beside other writes of it stays deleted"),
    (ListsTheDeleted, "an absent object is not found"),
    (SkipsBetweenPages, "addresses are any strings"),
    (LosesItsFooting, "a listing is paged"),
    (ListsASnapshot, "a listing is not a snapshot"),
    (ListsMetadata, "a listing tells what head tells but metadata"),
    (TakesFoldersForPrefixes, "a listing is in order within its prefix"),
    (FoldsCase, "addresses are any strings"),
    (PutsInAnyCase, "a put may be conditional or is refused"),
    (ChecksThenPuts, "concurrent puts on a condition are all kept"),
    (ChecksThenCreates, "one of many concurrent creators wins"),
    (CountsInAnyCase, "a write of metadata may be conditional or is refused"),
    (VersionIsOfTheContent, "a write of metadata may be conditional or is refused"),
    (ChecksThenCounts, "concurrent writes of metadata on a condition are all kept"),
    (only(DoesMoreThanItSays, S3_LIKE), "metadata may be written alone or that is refused"),
    (only(DoesMoreThanItSays, AZURE_LIKE), "a write of metadata may be conditional or is refused"),
    (TakesWhatIsLate, "a request that comes too late is refused"),
    (MindsTheAbsent, "what was deleted stays deleted"),
    (TellsAnotherETag, "an object is read as written"),
    (backwards, "last modified does not go back"),
]


@pytest.mark.parametrize(("planted", "claim"), PLANTED)
def test_the_suite_names_the_claim_that_a_broken_store_breaks(planted: Callable[[], ObjectStore], claim: str) -> None:
    with pytest.raises(NotConforming, match=f"^{claim}: "):
        trio.run(check_object_store, opens(planted))


def test_a_full_page_may_say_that_there_is_more_where_there_is_nothing() -> None:
    trio.run(check_object_store, opens(MaySayMoreThanThereIs))


def test_each_claim_has_a_store_that_breaks_it() -> None:
    names = [claim.__name__.replace("_", " ") for claim in (*CLAIMS, *RACES)]
    assert set(names) == {claim for _, claim in PLANTED}


class Forgetful(MemoryObjectStore):
    """Planted: what only the random operations look at: an empty object that is copied is none."""

    async def apply(self, op: objects.Op) -> Answer:
        if isinstance(op, Copy) and self._objects.get(op.source) == objects.StoredObject(b""):
            raise objects.ObjectNotFound
        return await super().apply(op)


def test_random_operations_end_in_the_history_that_led_to_a_wrong_answer() -> None:
    store: ObjectStore = Forgetful()
    ops: list[objects.Op] = [Put("a", b""), Copy("a", "b"), Copy("a", "c")]
    message = r"expected None, found ObjectNotFound\(\) from the last of 2 operations:\n  Put.*\n  Copy"
    with pytest.raises(NotConforming, match=message):
        trio.run(check_object_operations, store, ops)


def test_random_operations_meet_each_other() -> None:
    """Most kinds of operations succeed, fail and are refused in each run."""
    state: objects.Objects = {}
    seen = set()
    for op in random_object_operations(Random(0), OPERATIONS):
        state, reply = objects.step(state, op)
        seen.add((type(op), type(reply)))
    for kind in (Put, Copy, SetMetadata):
        assert {(kind, type(None)), (kind, objects.PreconditionFailed)} <= seen
    assert len({reply for _, reply in seen}) == 6
