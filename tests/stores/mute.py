"""A store that stops answering, a slow one, and a clock in which nobody waits for them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from trio.testing import MockClock

from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores.base import Answer, Unsent
from lakeproof.model import kv
from lakeproof.stores import Target

ANSWERS = 30


class FallsMute(MemoryStore):
    """seconds: until it is given up, as its driver would. asked: how often, in all."""

    asked = 0

    def __init__(self, seconds: float = 60) -> None:
        super().__init__()
        self.seconds = seconds

    async def perform(self, op: kv.Op) -> Answer:
        self.asked += 1
        if self.asked > ANSWERS:
            with trio.move_on_after(self.seconds):
                await trio.sleep_forever()
            raise kv.OutcomeUnknown("no answer")
        return await super().perform(op)

    def target(self) -> Target:
        return target_of(self)


class GoesAway(MemoryStore):
    """Operations with these numbers find nobody to send them to."""

    def __init__(self, numbers: range) -> None:
        super().__init__()
        self.numbers, self.asked = numbers, 0

    async def perform(self, op: kv.Op) -> Answer:
        self.asked += 1
        if self.asked in self.numbers:
            raise Unsent("connection refused")
        return await super().perform(op)


def target_of(store: Store) -> Target:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        yield store

    return Target(name="mute", open=opened)


class Slow(MemoryStore):
    """Takes a second for each operation."""

    async def perform(self, op: kv.Op) -> Answer:
        await trio.sleep(1)
        return await super().perform(op)


def jumping() -> MockClock:
    """Where everybody waits, it jumps to the first who is done."""
    return MockClock(autojump_threshold=0)


class Silent(MemoryStore):
    """Raises where a predicate is to be compared."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    async def apply(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.SetIf):
            raise self.error
        return await super().apply(op)
