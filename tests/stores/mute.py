"""A store that stops answering, a slow one, and a clock in which nobody waits for them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from trio.testing import MockClock

from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.model import kv
from lakeproof.stores import Target

ANSWERS = 30
SECONDS = 60
"""Until it is given up, as its driver would."""


class FallsMute(MemoryStore):
    """asked: how often, in all."""

    asked = 0

    async def perform(self, op: kv.Op) -> Answer:
        self.asked += 1
        if self.asked > ANSWERS:
            with trio.move_on_after(SECONDS):
                await trio.sleep_forever()
            raise kv.OutcomeUnknown("no answer")
        return await super().perform(op)

    def target(self) -> Target:
        @asynccontextmanager
        async def opened() -> AsyncIterator[Store]:
            yield self

        return Target(name="mute", open=opened)


class Slow(MemoryStore):
    """Takes a second for each operation."""

    async def perform(self, op: kv.Op) -> Answer:
        await trio.sleep(1)
        return await super().perform(op)


def jumping() -> MockClock:
    """Where everybody waits, it jumps to the first who is done."""
    return MockClock(autojump_threshold=0)
