"""A linearizable key-value store in memory, for many tasks of one trio run."""

from collections.abc import Mapping
from itertools import islice
from typing import assert_never

import trio
from sortedcontainers import SortedDict

from lakeproof.impl.stores.base import DELETE_IF, TRANSACT, TTL, Answer, Feed, Store, transact_in_steps
from lakeproof.model import kv, watches


class MemoryStore(Store):
    """Costs: O(log n) for an operation on one key, O(log n + batch) for a batch of a scan, n keys in the partition.

    ``delete_if``: whether it has this capability.
    """

    def __init__(self, contents: Mapping[kv.Address, bytes] | None = None, *, delete_if: bool = False) -> None:
        self.capabilities = frozenset({DELETE_IF, TRANSACT, TTL} if delete_if else {TRANSACT, TTL})
        self._partitions: dict[bytes, SortedDict[bytes, bytes]] = {}
        self._ends: dict[kv.Address, float] = {}  # of keys with a time to live, on the clock of the trio run
        self._feeds: list[_MemoryFeed] = []
        for (partition, key), value in (contents or {}).items():
            self._put(partition, key, value)

    def contents(self) -> dict[kv.Address, bytes]:
        """All that it holds, in order; a key whose time to live is over, until the next operation."""
        return {
            (partition, key): value
            for partition, values in sorted(self._partitions.items())
            for key, value in values.items()
        }

    async def perform(self, op: kv.Op) -> Answer:
        # Here, so that an operation that fails is a schedule point too; before the operation, so that a task that
        # is cancelled has not done it. From here on nothing awaits, which makes each operation atomic.
        await trio.lowlevel.checkpoint()
        return await super().perform(op)

    async def apply(self, op: kv.Op) -> Answer:
        # Before the operation: whether a deleted key was there decides if its deletion is a change. Published after it
        # has succeeded.
        changes = self._changes(op)
        answer = self._execute(op)
        self._publish(changes)
        return answer

    async def open_watch(self, partition: bytes, prefix: bytes) -> Feed:
        await trio.lowlevel.checkpoint()
        self._expire()
        found = self._scan(partition, prefix, 0).entries
        entries = tuple(entry for entry in found if entry.key.startswith(prefix))
        self._feeds.append(_MemoryFeed(partition, prefix, entries, self._feeds))
        return self._feeds[-1]

    def _changes(self, op: kv.Op | kv.Transact) -> tuple[tuple[bytes, watches.Change], ...]:
        self._expire()
        return watches.changes_of(op, lambda at: self._find(*at) is not None) if self._feeds else ()

    def _publish(self, changes: tuple[tuple[bytes, watches.Change], ...]) -> None:
        for feed in self._feeds if changes else ():
            feed.append(changes)

    def _expire(self) -> None:
        # A list first: `_remove` changes the dictionary.
        for at in [at for at, end in self._ends.items() if end <= trio.current_time()]:
            self._publish(((at[0], watches.Change(at[1], None)),))
            self._remove(*at)

    def _execute(self, op: kv.Op) -> Answer:
        answer = self._do(op)
        if isinstance(op, kv.Expiring):
            # After the write, which has taken the old end away.
            self._ends[op.partition, op.key] = trio.current_time() + op.ttl / 1_000_000
        return answer

    def _do(self, op: kv.Op) -> Answer:
        match op:
            case kv.Get(partition, key):
                value = self._find(partition, key)
                if value is None:
                    raise kv.NotFound
                return kv.ValueWithPredicate(value, value)
            case kv.Set(partition, key, value):
                self._put(partition, key, value)
            case kv.SetIf(partition, key, value, predicate):
                if not kv.predicate_holds(self._find(partition, key), predicate):
                    raise kv.PredicateFailed
                self._put(partition, key, value)
            case kv.Delete(partition, key):
                self._remove(partition, key)
            case kv.DeleteIf(partition, key, predicate):
                if self._find(partition, key) != predicate:
                    raise kv.PredicateFailed
                self._remove(partition, key)
            case kv.ScanBatch(partition, start, batch_size):
                return self._scan(partition, start, batch_size)
            case _:
                assert_never(op)
        return None

    async def perform_all(self, op: kv.Transact) -> None:
        await trio.lowlevel.checkpoint()
        await super().perform_all(op)

    async def apply_all(self, op: kv.Transact) -> None:
        changes = self._changes(op)
        transact_in_steps(op, self._execute)
        self._publish(changes)

    def _find(self, partition: bytes, key: bytes) -> bytes | None:
        values = self._partitions.get(partition)
        return None if values is None else values.get(key)

    def _put(self, partition: bytes, key: bytes, value: bytes) -> None:
        self._partitions.setdefault(partition, SortedDict())[key] = value
        self._ends.pop((partition, key), None)  # a plain write makes the key live on

    def _remove(self, partition: bytes, key: bytes) -> None:
        values = self._partitions.get(partition, SortedDict())
        values.pop(key, None)
        self._ends.pop((partition, key), None)
        if not values:  # no empty partitions, so that `contents` shows equal stores alike
            self._partitions.pop(partition, None)

    def _scan(self, partition: bytes, start: bytes, batch_size: int) -> kv.Batch:
        values = self._partitions.get(partition, SortedDict())
        found = values.irange(start)
        entries = tuple(kv.Entry(key, values[key]) for key in islice(found, batch_size or None))  # no bound for 0
        # What is left of the iterator is behind the batch.
        return kv.Batch(entries, more=next(found, None) is not None)


class _MemoryFeed(Feed):
    def __init__(
        self, partition: bytes, prefix: bytes, entries: tuple[kv.Entry, ...], feeds: "list[_MemoryFeed]"
    ) -> None:
        self.entries = entries
        self._of = (partition, prefix)
        self._queue = watches.NEW
        self._feeds = feeds
        self._changed = trio.Event()

    def append(self, changes: tuple[tuple[bytes, watches.Change], ...]) -> None:
        self._queue = watches.append(self._queue, *self._of, changes)
        if self._queue:
            # Set while there is something: a receiver that comes later need not wait.
            self._changed.set()

    async def receive(self) -> watches.Changes:
        await self._changed.wait()
        found, self._queue = self._queue[0], self._queue[1:]
        if not self._queue:
            self._changed = trio.Event()
        return found

    def close(self) -> None:
        if self in self._feeds:
            self._feeds.remove(self)
