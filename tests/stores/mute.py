"""Stores in trouble, of which one stops answering, and a clock in which nobody waits for them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import trio
from trio.testing import MockClock

from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.model import kv
from lakeproof.stores import Target

ANSWERS = 30


class Troubled(MemoryStore):
    """trouble: what happens before an operation; their numbers begin with 1. asked: how many there were."""

    def __init__(self, trouble: Callable[[kv.Op, int], Awaitable[object]]) -> None:
        super().__init__()
        self.trouble, self.asked = trouble, 0

    async def perform(self, op: kv.Op) -> Answer:
        self.asked += 1
        await self.trouble(op, self.asked)
        return await super().perform(op)


def raising(error: BaseException, when: Callable[[kv.Op, int], bool]) -> Troubled:
    async def trouble(op: kv.Op, number: int) -> None:
        if when(op, number):
            raise error

    return Troubled(trouble)


def raising_at_predicates(error: Exception) -> Troubled:
    return raising(error, lambda op, number: isinstance(op, kv.SetIf))


def falling_mute(seconds: float = 60) -> Troubled:
    """seconds: until it is given up, as its driver would."""

    async def trouble(op: kv.Op, number: int) -> None:
        if number > ANSWERS:
            with trio.move_on_after(seconds):
                await trio.sleep_forever()
            raise kv.OutcomeUnknown("no answer")

    return Troubled(trouble)


def slow() -> Troubled:
    """Takes a second for each operation."""

    async def trouble(op: kv.Op, number: int) -> None:
        await trio.sleep(1)

    return Troubled(trouble)


def target_of(store: Store) -> Target:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        yield store

    return Target(name="mute", open=opened)


def jumping() -> MockClock:
    """Where everybody waits, it jumps to the first who is done."""
    return MockClock(autojump_threshold=0)
