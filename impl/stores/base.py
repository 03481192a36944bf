"""The contract of a live key-value store.

The meaning of each operation is `lakeproof.model.kv.step`; `lakeproof.impl.stores.conformance` holds drivers to it.
Source: lakeFS design/accepted/metadata_kv/index.md and lakeFS' ``pkg/kv``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final

from lakeproof.impl.operations import KVOperations
from lakeproof.model import kv, watches

DELETE_IF: Final = "delete_if"
"""The capability to delete a key if its value is a given one, in one atomic step."""

TRANSACT: Final = "transact"
"""The capability to check and write several keys in one atomic step."""

TTL: Final = "ttl"
"""The capability to write a key that is gone after a time, to the millisecond or better."""

OPAQUE: Final = "opaque_predicates"
"""That the predicates of ``get`` are tokens of the store's own. Elsewhere a predicate is the value itself, and may be
passed without having been got."""

Answer = kv.ValueWithPredicate | kv.Batch | None


class Unsent(kv.Refused):
    """Nothing was sent: there is no connection to be had, say. Or the server does nothing at present: it is full, say,
    or a replica. It is definite, and says nothing of the contract."""


NO_ANSWER: Final = (kv.OutcomeUnknown, Unsent)


class Feed(ABC):
    """A watch that is open. ``entries``: the keys as they were when it began."""

    entries: tuple[kv.Entry, ...]

    @abstractmethod
    async def receive(self) -> watches.Changes:
        """What the next write has changed; waits for it. Raises WatchLost."""

    @abstractmethod
    def close(self) -> None:
        """End it."""


class Store(KVOperations):
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
        refused = kv.validate(op)  # first: an invalid operation has the contract's own error in every store
        if refused is None and isinstance(op, kv.DeleteIf) and DELETE_IF not in self.capabilities:
            refused = kv.Refused(f"{op!r}: {type(self).__name__} has no {DELETE_IF}; use the five operations")
        if refused is None and isinstance(op, kv.Expiring) and TTL not in self.capabilities:
            refused = kv.Refused(f"{op!r}: {type(self).__name__} has no {TTL}; write the key without, and delete it")
        if refused is not None:
            raise refused
        return await self.apply(op)

    async def open_watch(self, partition: bytes, prefix: bytes) -> Feed:
        """Begin a watch. Raises KVError: Refused where the store has none."""
        raise kv.Refused(f"watch({partition!r}, {prefix!r}): {type(self).__name__} has no watch; poll with scan")

    async def apply_all(self, op: kv.Transact) -> None:
        """Do a valid `kv.Transact` atomically. Comes only to those who name the capability. Raises KVError."""
        await super().perform_all(op)  # raises Refused: a driver that names the capability has its own

    async def perform_all(self, op: kv.Transact) -> None:
        refused = kv.validate(op)
        if refused is not None:
            raise refused
        # Raises Refused, in the words of `KVOperations`.
        if TRANSACT not in self.capabilities:
            await super().perform_all(op)
        await self.apply_all(op)


def transact_in_steps(op: kv.Transact, execute: Callable[[kv.Op], Answer]) -> None:
    """Check and write key by key, where nothing can come between the steps. Raises CheckFailed."""
    for number, (partition, key, predicate) in enumerate(op.checks):
        try:
            found = execute(kv.Get(partition, key))
        except kv.NotFound:
            found = None
        # By value: only for a driver whose predicates are values.
        if not kv.predicate_holds(found.value if isinstance(found, kv.ValueWithPredicate) else None, predicate):
            raise kv.CheckFailed(number)
    for partition, key, value in op.writes:
        execute(kv.Delete(partition, key) if value is None else kv.Set(partition, key, value))
