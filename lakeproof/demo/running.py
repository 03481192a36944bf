"""All clients at once, in rounds: traffic, a moment in which nobody does anything, judgement, and on."""

import math
import signal
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from itertools import count
from random import Random
from types import TracebackType

import attrs
import trio

from lakeproof.demo.clients import REPOSITORY, Calls, Doing, Settings
from lakeproof.demo.judging import Judge
from lakeproof.demo.measuring import Measured
from lakeproof.demo.watching import World
from lakeproof.impl.graveler.founding import found
from lakeproof.impl.live import run

GRACE_SECONDS = 60.0
"""How long a round waits for calls under way. Who takes longer has crashed, and there are no more rounds."""


class Gate(AbstractAsyncContextManager[None]):
    """Clients pass it for every call. Whoever closes it can wait until nobody is inside."""

    def __init__(self) -> None:
        self._inside = 0
        self._opened = trio.Event()
        self._opened.set()
        self._emptied = trio.Event()

    async def pause(self, seconds: float) -> None:
        """Sleep so long while it is open: whoever it closes on sleeps again, so that not all rush in together."""
        await trio.sleep(seconds)
        while not self._opened.is_set():
            await self._opened.wait()
            await trio.sleep(seconds)

    async def __aenter__(self) -> None:
        assert self._opened.is_set(), "the gate is closed: pause() first, and do nothing else in between"
        self._inside += 1

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inside -= 1
        if not self._inside:
            self._emptied.set()

    async def close(self) -> None:
        """Let nobody in, and wait until everybody is out."""
        self._opened = trio.Event()
        self._emptied = trio.Event()
        if self._inside:
            await self._emptied.wait()

    def open(self) -> None:
        self._opened.set()


@attrs.define
class Demo:
    """One run. What it has measured and judged so far can be looked at at any time."""

    settings: Settings
    world: World = attrs.field(init=False)
    judge: Judge = attrs.field(init=False)
    calls: Calls = attrs.field(init=False)
    interrupted: bool = False
    stage: str = "staging"
    _began: float | None = None
    """Since when there is traffic that is not counted yet; None: nobody does anything, or only staging in bulk."""
    _long: trio.Event = attrs.field(factory=trio.Event)
    """The first commit has ended."""

    def __attrs_post_init__(self) -> None:
        rng = Random(self.settings.seed)
        self.world = World(rng, self.settings.jitter_seconds, self.settings.objects_jitter_seconds)
        self.judge = Judge(self.settings, self.world)
        self.calls = Calls(self.settings, rng)

    @property
    def measured(self) -> Measured:
        return self.world.measured

    async def run(self, watch: Callable[["Demo"], None], every: float) -> None:
        """Run to the end, or to the first Ctrl-C; ``watch`` is called every so many seconds."""
        async with trio.open_nursery() as helpers:
            helpers.start_soon(self._watched, watch, every)
            with trio.CancelScope() as scope:
                helpers.start_soon(self._interruptible, scope)
                await self._traffic()
            self.interrupted = scope.cancelled_caught
            self._pause()
            self.judge.end_round(last=True)
            watch(self)
            helpers.cancel_scope.cancel()

    async def _watched(self, watch: Callable[["Demo"], None], every: float) -> None:
        while True:
            await trio.sleep(every)
            self._count()
            watch(self)

    async def _interruptible(self, scope: trio.CancelScope) -> None:
        with trio.open_signal_receiver(signal.SIGINT) as signals:
            async for _ in signals:
                if scope.cancel_called:
                    raise KeyboardInterrupt
                scope.cancel()

    async def _traffic(self) -> None:
        settings, gate = self.settings, Gate()
        await run(found(self.world.env, REPOSITORY), self.world.store, self.world.objects, self.world.now)
        await self._stage_bulk()
        ends = trio.current_time() + settings.seconds
        self._began = trio.current_time()
        async with trio.open_nursery() as clients:
            for client in range(settings.writers + settings.readers):
                next_call = self.calls.of_writer if client < settings.writers else self.calls.of_reader
                clients.start_soon(self._client, client, gate, next_call)
            for committer in range(settings.committers):
                clients.start_soon(self._committer, settings.writers + settings.readers + committer, gate)
            if not settings.committers:
                self._long.set()
            await self._rounds(gate, ends)
            clients.cancel_scope.cancel()

    async def _stage_bulk(self) -> None:
        """All folders of the bulk, at once."""
        async with trio.open_nursery() as stagers:
            for number, folder in enumerate(self.settings.bulk_names):
                names = self.settings.names_in(folder)
                filled = self.calls.fill(tuple((name, self.calls.identity()) for name in names))
                stagers.start_soon(self.world.call, -2 - number, filled)

    async def _rounds(self, gate: Gate, ends: float) -> None:
        """The first round lasts until the long commit has ended. The judgement after the last one is the caller's."""
        self.stage = "the long commit"
        with trio.move_on_at(ends):
            await self._long.wait()
        while True:
            left = ends - trio.current_time()
            with trio.move_on_after(GRACE_SECONDS) as grace:
                await gate.close()
            if grace.cancelled_caught or left <= 0:
                return
            self._pause()
            self.judge.end_round()
            self.stage = "commits again and again"
            gate.open()
            self._began = trio.current_time()
            await trio.sleep(min(self.settings.round_seconds, max(ends - trio.current_time(), 0)))

    def _count(self) -> None:
        """Count the seconds of traffic so far."""
        if self._began is not None:
            now = trio.current_time()
            self.measured.seconds += now - self._began
            self._began = now

    def _pause(self) -> None:
        self._count()
        self._began = None

    async def _client(self, client: int, gate: Gate, next_call: Callable[[], Doing]) -> None:
        rng, mean = self.world.rng, self.settings.pause_seconds
        while True:
            await gate.pause(-math.log(1 - rng.random()) * mean)
            async with gate:
                await self.world.call(client, next_call())

    async def _committer(self, client: int, gate: Gate) -> None:
        """Whoever seals first makes the long commit."""
        for number in count():
            await gate.pause(self.settings.commit_pause_seconds * 2 * self.world.rng.random())
            async with gate:
                await self.world.call(client, self.calls.commit(f"{client}.{number}"))
            self._long.set()
