"""The operations of the two stores, by name: the same for flows and for live stores.

Each is a value, handed to `perform`: that of a flow is in `lakeproof.impl.effects`, that of a live store in
`lakeproof.impl.stores`. Meanings and errors are those of `lakeproof.model.kv` and `lakeproof.model.objects`.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from typing import TypeVar, cast

from lakeproof.model import kv, objects

T = TypeVar("T")


class KVOperations(ABC):
    """`get`, `set`, `set_if`, `delete`, `scan`; and `delete_if` for those who may."""

    @abstractmethod
    async def perform(self, op: kv.Op) -> object:
        """Any operation as a value. A schedule point, also where it fails. Raises KVError."""

    async def get(self, partition: bytes, key: bytes) -> kv.ValueWithPredicate:
        """Raises NotFound if there is no value."""
        return cast("kv.ValueWithPredicate", await self.perform(kv.Get(partition, key)))

    async def find(self, partition: bytes, key: bytes) -> kv.ValueWithPredicate | None:
        """`get`; None if there is no value."""
        try:
            return await self.get(partition, key)
        except kv.NotFound:
            return None

    async def set(self, partition: bytes, key: bytes, value: bytes, *, ttl: int | None = None) -> None:
        """Write, whatever was there. ``ttl``: the key is gone after so many microseconds, unless it is written again;
        the capability ``ttl``, and Refused without it."""
        plain = kv.Set(partition, key, value)
        await self.perform(plain if ttl is None else kv.ExpiringSet(partition, key, value, ttl))

    async def set_if(
        self, partition: bytes, key: bytes, value: bytes, predicate: kv.Predicate, *, ttl: int | None = None
    ) -> None:
        """Raises PredicateFailed if the key's value is not what the predicate says; nothing is written then.
        ``ttl``: as of `set`."""
        plain = kv.SetIf(partition, key, value, predicate)
        await self.perform(plain if ttl is None else kv.ExpiringSetIf(partition, key, value, predicate, ttl))

    async def try_set_if(
        self, partition: bytes, key: bytes, value: bytes, predicate: kv.Predicate, *, ttl: int | None = None
    ) -> bool:
        """`set_if`; False: the predicate failed."""
        try:
            await self.set_if(partition, key, value, predicate, ttl=ttl)
        except kv.PredicateFailed:
            return False
        return True

    async def delete(self, partition: bytes, key: bytes) -> None:
        """Remove a key; an absent one is no error."""
        await self.perform(kv.Delete(partition, key))

    async def delete_if(self, partition: bytes, key: bytes, predicate: bytes) -> None:
        """The capability ``delete_if``. Raises PredicateFailed as `set_if`; Refused without the capability."""
        await self.perform(kv.DeleteIf(partition, key, predicate))

    async def transact(self, *, checks: Sequence[kv.Check] = (), writes: Sequence[kv.Write] = ()) -> None:
        """Several keys in one atomic step: all writes, if all checks hold. The capability ``transact``.

        checks: (partition, key, predicate), as of `set_if`. writes: (partition, key, value); None removes the key.

        Raises:
            CheckFailed: a PredicateFailed, with the number of the first check that did not hold; nothing is written.
            Refused: without the capability; or a key is written twice.
        """
        await self.perform_all(kv.Transact(tuple(map(_triple, checks)), tuple(map(_triple, writes))))

    async def perform_all(self, op: kv.Transact) -> object:
        """The same as a value. Raises KVError."""
        raise kv.Refused(f"{op!r}: {type(self).__name__} has no transact; use the five operations")

    async def scan(
        self, partition: bytes, start: bytes = b"", batch_size: int = 0, *, prefix: bytes = b""
    ) -> AsyncIterator[kv.Entry]:
        """Entries in ascending byte order: from ``start`` on, or from ``prefix`` on if that is later, up to the last
        key that begins with ``prefix``. Not a snapshot: writes may fall between two batches. One effect per batch;
        none after the batch that shows a key beyond the prefix. Raises ScanInterrupted where a store goes back."""
        # The prefix itself is the first key that begins with it.
        start, more = max(start, prefix), True
        while more:
            batch = cast("kv.Batch", await self.perform(kv.ScanBatch(partition, start, batch_size)))
            for entry in batch.entries:
                if entry.key < start:  # a store that ignores ``start`` would return the same batch again and again
                    raise kv.ScanInterrupted(f"expected a key from {start!r} on, found {entry.key!r}")
                if not entry.key.startswith(prefix):
                    return  # keys are in byte order: no later one begins with the prefix
                yield entry
                start = entry.key + b"\0"  # the successor in byte order: nothing lies between a key and this
            more = batch.more
            # The next request would be this one again.
            if more and not batch.entries:
                raise kv.ScanInterrupted(f"expected a key from {start!r} on in a batch that others follow, found none")


def _triple(given: T) -> T:
    """A list as a tuple; what is neither as it is: the driver names it."""
    # The search hashes effects, so a list of the flow's cannot go on as it is.
    return cast("T", tuple(given)) if isinstance(given, list) else given


class ObjectOperations(ABC):
    """The operations of an object store."""

    @abstractmethod
    async def perform(self, op: objects.Op) -> object:
        """Any operation as a value. A schedule point, also where it fails. Raises ObjectError; Unsupported for an
        operation or a condition that the store does not have."""

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
        """Write content and metadata, whatever was there.

        Raises:
            PreconditionFailed: something is there (``if_absent``), or not with this ETag (``if_match``).
            Expired: the store's clock is past ``not_after``, in microseconds since 1970.
            Unsupported: the store lacks a condition: see `lakeproof.model.objects.ALL`.
        """
        await self.perform(objects.Put(address, content, metadata, if_absent, if_match, not_after))

    async def get(self, address: str) -> bytes:
        """Raises ObjectNotFound."""
        return cast("bytes", await self.perform(objects.GetObject(address)))

    async def head(self, address: str) -> objects.Head:
        """Raises ObjectNotFound."""
        return cast("objects.Head", await self.perform(objects.HeadObject(address)))

    async def copy(
        self,
        source: str,
        destination: str,
        metadata: objects.Metadata | None = None,
        *,
        if_match: str | None = None,
        if_absent: bool = False,
        if_destination_match: str | None = None,
        not_after: int | None = None,
    ) -> None:
        """Copy content and metadata, or content with other ``metadata``.

        Raises:
            ObjectNotFound: the source is not there.
            PreconditionFailed: the source has not the ETag ``if_match``; or something is at the destination
                (``if_absent``), or not with this ETag (``if_destination_match``).
            Expired, Unsupported: as in `put`.
        """
        copy = objects.Copy(source, destination, metadata, if_match, not_after, if_absent, if_destination_match)
        await self.perform(copy)

    async def set_metadata(
        self,
        address: str,
        metadata: objects.Metadata,
        *,
        if_metageneration: int | None = None,
        if_version: str | None = None,
    ) -> None:
        """Replace the metadata.

        Raises:
            ObjectNotFound.
            PreconditionFailed: the metadata were written since.
            Unsupported: as in `put`; also without a condition, where metadata are not written alone.
        """
        await self.perform(objects.SetMetadata(address, metadata, if_metageneration, if_version))

    async def delete(self, address: str, *, if_match: str | None = None) -> None:
        """Remove an object; an absent one is no error.

        Raises:
            PreconditionFailed: there is no object with this ETag.
            Unsupported: as in `put`.
        """
        await self.perform(objects.DeleteObject(address, if_match))

    async def list(self, prefix: str = "", page_size: int = 0) -> AsyncIterator[objects.Head]:
        """Heads in ascending order of address, code point by code point, as Python compares strings. Not a snapshot:
        writes may fall between two pages."""
        after, more = "", True
        while more:
            page = cast("objects.Page", await self.perform(objects.ListObjects(prefix, after, page_size)))
            for head in page.heads:
                yield head
                after = head.address  # exclusive, unlike the start of a scan
            more = page.more
