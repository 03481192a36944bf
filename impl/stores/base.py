"""The contract of a live key-value store.

The meaning of each operation is `lakeproof.model.kv.step`; `lakeproof.impl.stores.conformance` holds drivers to it.
Source: lakeFS design/accepted/metadata_kv/index.md and lakeFS' ``pkg/kv``.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import Final, cast

from lakeproof.model import kv

DELETE_IF: Final = "delete_if"
"""The capability to delete a key if its value is a given one, in one atomic step."""

OPAQUE: Final = "opaque_predicates"
"""That the predicates of ``get`` are tokens of the store's own. Elsewhere a predicate is the value itself, and may be
passed without having been got."""

Answer = kv.ValueWithPredicate | kv.Batch | None


class Store(ABC):
    """A store that many tasks use at once. Each operation is atomic and linearizable; a scan is one operation per
    batch, and so no snapshot.

    A driver implements `apply`; all the rest is here, once. Errors are those of `lakeproof.model.kv`: a driver must
    raise `kv.OutcomeUnknown` wherever it cannot know whether a write happened (a lost connection, a timeout), and
    `kv.Refused` where it knows that it did not.
    """

    capabilities: frozenset[str] = frozenset()
    """What it can do beyond the five operations."""

    @abstractmethod
    async def apply(self, op: kv.Op) -> Answer:
        """Do one valid operation atomically. `kv.DeleteIf` comes only to those who name the capability.

        Raises:
            KVError: NotFound and PredicateFailed as `lakeproof.model.kv.step` says; Refused; OutcomeUnknown.
        """

    async def perform(self, op: kv.Op) -> Answer:
        """Any operation as a value. A schedule point, also where it fails.

        Raises:
            KVError: as `apply`; MissingPartition, MissingKey, MissingValue; Refused for an operation that this
                store does not have.
        """
        refused = kv.validate(op)
        if refused is None and isinstance(op, kv.DeleteIf) and DELETE_IF not in self.capabilities:
            refused = kv.Refused(f"{op!r}: {type(self).__name__} has no {DELETE_IF}; use the five operations")
        if refused is not None:
            raise refused
        return await self.apply(op)

    async def get(self, partition: bytes, key: bytes) -> kv.ValueWithPredicate:
        """Raises NotFound if there is no value."""
        return cast("kv.ValueWithPredicate", await self.perform(kv.Get(partition, key)))

    async def set(self, partition: bytes, key: bytes, value: bytes) -> None:
        """Write, whatever was there."""
        await self.perform(kv.Set(partition, key, value))

    async def set_if(self, partition: bytes, key: bytes, value: bytes, predicate: kv.Predicate) -> None:
        """Raises PredicateFailed if the key's value is not what the predicate says; nothing is written then."""
        await self.perform(kv.SetIf(partition, key, value, predicate))

    async def delete(self, partition: bytes, key: bytes) -> None:
        """Remove a key; an absent one is no error."""
        await self.perform(kv.Delete(partition, key))

    async def delete_if(self, partition: bytes, key: bytes, predicate: bytes) -> None:
        """Raises PredicateFailed as `set_if`; Refused without the capability."""
        await self.perform(kv.DeleteIf(partition, key, predicate))

    async def scan(self, partition: bytes, start: bytes = b"", batch_size: int = 0) -> AsyncIterator[kv.Entry]:
        """Entries from ``start`` on, in ascending byte order. Not a snapshot: writes may fall between two batches."""
        more = True
        while more:
            batch = cast("kv.Batch", await self.perform(kv.ScanBatch(partition, start, batch_size)))
            for entry in batch.entries:
                yield entry
                start = entry.key + b"\0"
            more = batch.more
