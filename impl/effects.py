"""Effects: the only way in which a flow touches the world, and the only place where it suspends.

A flow is ``async def flow(env: Env, ...)``. Whoever drives its coroutine receives each effect as a frozen
value and sends the reply back: live under trio (`lakeproof.impl.live`), step by step (`lakeproof.explore.world`), or
compiled by the exhaustive search. Errors are sent as values and raised here.
"""

import types
from collections.abc import AsyncIterator, Generator
from typing import Protocol, cast

import attrs

from lakeproof.model import kv, objects


@attrs.frozen(cache_hash=True)
class Now:
    """Read the clock. The reply is an integer: microseconds since 1970."""


Effect = kv.Op | objects.Op | Now


@types.coroutine
def perform(effect: Effect) -> Generator[Effect, object, object]:
    """Hand one effect to the driver. The only place where a flow suspends.

    Raises:
        TypeError: the effect is none that a store understands; nothing has happened. Drivers see to that.
        Whatever else the driver answers with.
    """
    reply = yield effect
    if isinstance(reply, Exception):
        # A fresh instance: raising a shared one would chain tracebacks of unrelated executions.
        raise type(reply)(*reply.args)
    return reply


class Unique(Protocol):
    """Gives fresh identifiers of a kind; the same ones on every re-run of the same client."""

    def __call__(self, kind: str, /) -> str: ...


class KVEffects:
    """The store as a flow sees it: `get`, `set`, `set_if`, `delete`, `scan`; and `delete_if` for those who may."""

    async def get(self, partition: bytes, key: bytes) -> kv.ValueWithPredicate:
        """Raises NotFound if there is no value."""
        return cast("kv.ValueWithPredicate", await perform(kv.Get(partition, key)))

    async def set(self, partition: bytes, key: bytes, value: bytes) -> None:
        await perform(kv.Set(partition, key, value))

    async def set_if(self, partition: bytes, key: bytes, value: bytes, predicate: kv.Predicate) -> None:
        """Raises PredicateFailed if the key's value is not what the predicate says."""
        await perform(kv.SetIf(partition, key, value, predicate))

    async def delete(self, partition: bytes, key: bytes) -> None:
        await perform(kv.Delete(partition, key))

    async def delete_if(self, partition: bytes, key: bytes, predicate: bytes) -> None:
        """The capability ``delete_if``: raises PredicateFailed as `set_if` does."""
        await perform(kv.DeleteIf(partition, key, predicate))

    async def scan(self, partition: bytes, start: bytes = b"", batch_size: int = 0) -> AsyncIterator[kv.Entry]:
        """Entries in ascending order. Not a snapshot: writes may fall between two batches."""
        while True:
            batch = cast("kv.Batch", await perform(kv.ScanBatch(partition, start, batch_size)))
            for entry in batch.entries:
                yield entry
            if not batch.more:
                return
            start = batch.entries[-1].key + b"\0"


class ClockEffects:
    """The clock as a flow sees it."""

    async def now(self) -> int:
        """Microseconds since 1970. A schedule point only where a scenario lets the clock move."""
        return cast("int", await perform(Now()))


@attrs.frozen
class Ids:
    """Fresh identifiers. No schedule point."""

    unique: Unique


class ObjectEffects:
    """The object store as a flow sees it."""

    async def put(
        self,
        address: str,
        content: bytes,
        metadata: objects.Metadata = (),
        *,
        if_absent: bool = False,
        if_match: str | None = None,
        not_after: int | None = None,
    ) -> None:
        """Raises PreconditionFailed if something is there (``if_absent``) or has another ETag (``if_match``); Expired
        if the store's clock is past ``not_after``."""
        await perform(objects.Put(address, content, metadata, if_absent, if_match, not_after))

    async def get(self, address: str) -> bytes:
        """Raises ObjectNotFound."""
        return cast("bytes", await perform(objects.GetObject(address)))

    async def head(self, address: str) -> objects.Head:
        """Raises ObjectNotFound."""
        return cast("objects.Head", await perform(objects.HeadObject(address)))

    async def copy(
        self,
        source: str,
        destination: str,
        metadata: objects.Metadata | None = None,
        *,
        if_match: str | None = None,
        not_after: int | None = None,
    ) -> None:
        """Raises ObjectNotFound if the source is not there, PreconditionFailed if it has another ETag, Expired if the
        store's clock is past ``not_after``."""
        await perform(objects.Copy(source, destination, metadata, if_match, not_after))

    async def set_metadata(
        self,
        address: str,
        metadata: objects.Metadata,
        *,
        if_metageneration: int | None = None,
        if_version: str | None = None,
    ) -> None:
        """Raises ObjectNotFound; PreconditionFailed if the metadata was written since."""
        await perform(objects.SetMetadata(address, metadata, if_metageneration, if_version))

    async def delete(self, address: str) -> None:
        await perform(objects.DeleteObject(address))

    async def list(self, prefix: str = "", page_size: int = 0) -> AsyncIterator[objects.Head]:
        """Heads in ascending order of address. Not a snapshot: writes may fall between two pages."""
        after = ""
        while True:
            page = cast("objects.Page", await perform(objects.ListObjects(prefix, after, page_size)))
            for head in page.heads:
                yield head
            if not page.more:
                return
            after = page.heads[-1].address


@attrs.frozen
class Env:
    """All that a flow may touch."""

    ids: Ids
    store: KVEffects = attrs.field(factory=KVEffects)
    objects: ObjectEffects = attrs.field(factory=ObjectEffects)
    clock: ClockEffects = attrs.field(factory=ClockEffects)

    @classmethod
    def with_unique(cls, unique: Unique) -> "Env":
        """An environment whose identifiers come from ``unique``."""
        return cls(ids=Ids(unique=unique))
