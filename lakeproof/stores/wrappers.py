"""Stores around stores: partitions with a prefix of their own, predicates by value, several connections as one."""

import math
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import attrs
import trio

from lakeproof.impl.stores.base import DELETE_IF, NO_ANSWER, OPAQUE, TRANSACT, Answer, Feed, Store
from lakeproof.model import kv

FAILURES_MAX: Final = 3
"""In a row: then a store is given up."""
TRIES: Final = 20
"""How often `ByValue` looks again at a key that is written with equal values while it looks."""


T = TypeVar("T")


class PrefixedStore(Store):
    """The partitions of another store whose names begin with ``prefix``: the rest of it is neither read nor written.

    It remembers where it wrote, so that `clear` can take all of it away again. Of an operation that takes longer than
    ``most`` seconds, the outcome is unknown.
    """

    def __init__(self, store: Store, prefix: bytes, most: float = math.inf) -> None:
        self.store, self.prefix, self.most = store, prefix, most
        self.capabilities = store.capabilities
        self._written: set[kv.Address] = set()

    @property
    def partitions(self) -> frozenset[bytes]:
        """Where anything was written, as they are called inside."""
        return frozenset(partition for partition, _ in self._written)

    @property
    def written(self) -> int:
        """How many keys may have been written, and were not taken away again."""
        return len(self._written)

    def remember(self, partition: bytes, key: bytes) -> None:
        """This may be written otherwise than through this store, and is to be taken away again."""
        self._written.add((partition, key))

    async def apply(self, op: kv.Op) -> Answer:
        return await self.perform(op)

    async def perform(self, op: kv.Op) -> Answer:
        # What is wrong with an operation, the store itself is to find out: so an empty partition stays empty.
        # Noted before it is sent: a write whose answer is lost, or that is cancelled, must be cleared, too.
        if isinstance(op, kv.Set | kv.SetIf) and op.partition and op.key:
            self._written.add((op.partition, op.key))
        inner = attrs.evolve(op, partition=self.prefix + op.partition) if op.partition else op
        return await self._in_time(self.store.perform(inner))

    async def perform_all(self, op: kv.Transact) -> None:
        self._written.update((part, key) for part, key, value in op.writes if part and key and value is not None)
        sides = [
            tuple((self.prefix + part if part else part, key, what) for part, key, what in side)
            for side in (op.checks, op.writes)
        ]
        await self._in_time(self.store.perform_all(kv.Transact(*sides)))  # type: ignore[arg-type]  # of the same types

    async def _in_time(self, answer: Awaitable[T]) -> T:
        with trio.move_on_after(self.most):
            return await answer
        raise kv.OutcomeUnknown(f"no answer within {self.most:g} s")

    async def open_watch(self, partition: bytes, prefix: bytes) -> Feed:
        return await self.store.open_watch(self.prefix + partition, prefix)

    async def clear(self) -> list[kv.Address]:
        """Delete all that was written, up to `FAILURES_MAX` failures in a row; what could not be is returned."""
        failures = 0
        for at in sorted(self._written):  # a copy, for keys are discarded below
            try:
                await self.delete(*at)
            except kv.KVError:
                failures += 1
                if failures == FAILURES_MAX:  # each may take a timeout of ten seconds
                    break
            else:
                failures = 0
                self._written.discard(at)
        return sorted(self._written)


class ByValue(Store):
    """A store of opaque predicates as one whose predicates are values: it looks for the token first.

    Costs one ``get`` more for each ``set_if`` that names a value. A store that gives equal values several tokens makes
    it look again; it says PredicateFailed after `TRIES` such meetings.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.capabilities = store.capabilities - {OPAQUE, TRANSACT}

    async def apply(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.Get):
            found = await self.store.perform(op)
            assert isinstance(found, kv.ValueWithPredicate)
            return kv.ValueWithPredicate(found.value, found.value)
        if not isinstance(op, kv.SetIf) or not isinstance(op.predicate, bytes):
            return await self.store.perform(op)
        for _ in range(TRIES):
            try:
                found = await self.store.perform(kv.Get(op.partition, op.key))
            except kv.NotFound:
                raise kv.PredicateFailed from None
            assert isinstance(found, kv.ValueWithPredicate)
            if found.value != op.predicate:
                # The value at this moment differs, so the predicate is false at a moment within the operation: that is
                # linearizable.
                raise kv.PredicateFailed
            try:
                return await self.store.perform(attrs.evolve(op, predicate=found.predicate))
            # Another write came between. It may have written the same value under a new token, so the predicate may
            # still be true.
            except kv.PredicateFailed:
                continue
        raise kv.PredicateFailed


def by_value(store: Store) -> Store:
    """The store itself, if its predicates are values."""
    return ByValue(store) if OPAQUE in store.capabilities else store


class StorePool(Store):
    """Several stores that are views of one: each operation takes whichever is free."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self.capabilities = stores[0].capabilities & frozenset({DELETE_IF, TRANSACT})
        self._free = list(stores)
        self._limiter = trio.CapacityLimiter(len(stores))

    async def apply(self, op: kv.Op) -> Answer:
        async with self._taken() as store:
            return await store.apply(op)

    async def apply_all(self, op: kv.Transact) -> None:
        async with self._taken() as store:
            await store.apply_all(op)

    @asynccontextmanager
    async def _taken(self) -> AsyncIterator[Store]:
        async with self._limiter:
            store = self._free.pop(0)  # never empty: there are as many tokens as stores
            try:
                yield store
            finally:
                self._free.append(store)


async def answers(store: Store, most: float) -> bool:
    """Whether there is any answer at all in so many seconds."""
    with trio.move_on_after(most):
        try:
            await store.perform(kv.Get(b"lakeproof", b"awake"))
        except kv.KVError as error:
            return not isinstance(error, NO_ANSWER)  # any other error is an answer
        return True
    return False
