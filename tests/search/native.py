"""Flows without lakeproof: trio's own clock and time-outs, and a store at the other end of a slow network.

What such a run ends with, the search must have found. Requests, answers and sleeps take random times of a clock that
jumps; no two moments are one, so equal seeds give equal runs. A write that was given up goes on, or is lost; at most
one of them is on its way, as in the search.
"""

from random import Random
from types import TracebackType
from typing import cast

import trio
import trio.testing

from lakeproof import Env, Scenario, kv
from lakeproof.impl.operations import KVOperations
from lakeproof.impl.parallel import WRITES
from lakeproof.model.identity import Exact
from lakeproof.model.snapshot import CallView, Status

SECOND = 1_000_000
LATE = 0.5  # how many of the writes that were given up arrive


class _Request:
    def __init__(self, op: kv.Op) -> None:
        self.op = op
        self.answered = trio.Event()
        self.arrived = self.lost = False
        self.reply: object = None


class _Store(KVOperations):
    def __init__(self, random: Random, nursery: trio.Nursery) -> None:
        self.held: kv.Store = {}
        self._random = random
        self._nursery = nursery
        self._given_up: list[_Request] = []

    async def perform(self, op: kv.Op) -> object:
        request = _Request(op)
        self._nursery.start_soon(self._travel, request)
        try:
            await request.answered.wait()
        except trio.Cancelled:
            if not request.arrived and isinstance(op, WRITES):
                busy = any(not each.arrived for each in self._given_up)
                request.lost = busy or self._random.random() > LATE
                self._given_up += [] if request.lost else [request]
            raise
        if isinstance(request.reply, kv.KVError):
            raise request.reply
        return request.reply

    async def _travel(self, request: _Request) -> None:
        await trio.sleep(self._random.expovariate(2))
        request.arrived = True
        if not request.lost:
            self.held, request.reply = kv.step(self.held, request.op)
            await trio.sleep(self._random.expovariate(2))
            request.answered.set()


class _Clock:
    def __init__(self, random: Random) -> None:
        self._random = random

    async def sleep(self, microseconds: int) -> None:
        await trio.sleep(microseconds / SECOND + self._random.random() / 1000)


class _Timeout:
    def __init__(self, seconds: float) -> None:
        self._scope = trio.move_on_after(seconds)

    async def __aenter__(self) -> None:
        self._scope.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        passed = self._scope.__exit__(kind, error, trace)
        if self._scope.cancelled_caught:
            raise TimeoutError
        return bool(passed)


class _Native:
    def __init__(self, random: Random, nursery: trio.Nursery) -> None:
        self.store = _Store(random, nursery)
        self.clock = _Clock(random)
        self._random = random

    def timeout(self, microseconds: int) -> _Timeout:
        return _Timeout(microseconds / SECOND + self._random.random() / 1000)


def native_end(scenario: Scenario, seed: int) -> Exact:
    """The end of one run, as `PlainResult.finals` has it."""
    return trio.run(_run, scenario, Random(seed), clock=trio.testing.MockClock(autojump_threshold=0))


async def _run(scenario: Scenario, random: Random) -> Exact:
    views: list[tuple[CallView, ...]] = [()] * len(scenario.clients)
    async with trio.open_nursery() as network:
        env = _Native(random, network)

        async def client(number: int) -> None:
            await trio.sleep(random.random())
            for call in scenario.clients[number]:
                value = await call.start(cast("Env", env))
                views[number] += (CallView(call.name, call.args, Status.OK, value=value),)

        async with trio.open_nursery() as clients:
            for number in range(len(scenario.clients)):
                clients.start_soon(client, number)
        if random.random() < LATE:
            network.cancel_scope.cancel()
    return Exact((frozenset((("kv", *at), value) for at, value in env.store.held.items()), tuple(views)))
