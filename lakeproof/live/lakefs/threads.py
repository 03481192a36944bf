"""Calls to a service from threads, each recorded with its answer."""

import math
from collections.abc import Callable, Hashable
from functools import partial
from random import Random
from typing import Final, TypeVar

import attrs
import trio

from lakeproof.live.engine import Load
from lakeproof.live.lakefs.api import LakeFS, answer_of
from lakeproof.live.lakefs.calls import LAST, NOT_FOUND, Answer, Call
from lakeproof.live.lakefs.workload import Names, PlannedCall, follow_ups, plan_entry_call, plan_repository_call
from lakeproof.live.recorder import Recorder, Tally
from lakeproof.model.snapshot import Status

CALLS_MAX: Final = 3000
"""Of a round: then the next one begins, so that judging it takes seconds."""
TRIES: Final = 5
"""Where no client is at work."""
REFUSED_SECONDS: Final = 0.01
"""Between two calls of a client that is turned away at once: it need not ask a thousand times a second."""
UNREACHED_SECONDS: Final = 0.1
"""The same where there is no connection: an outage must not use up the calls of a round."""
T = TypeVar("T")


class Unread(Exception):
    """What the service holds in the end could not be read."""


@attrs.define
class Driver:
    """Calls from threads, recorded."""

    service: LakeFS
    load: Load
    tally: Tally
    recorder: Recorder
    limiter: trio.CapacityLimiter
    _threads: trio.CapacityLimiter = attrs.field(factory=lambda: trio.CapacityLimiter(math.inf))
    """Any number: one that is left to itself must not keep others from beginning."""

    async def work(self, client: int, rng: Random, names: Names, until: float, calls: int) -> None:
        """One client. It begins no call later than that, nor when all clients have made so many."""
        # Half of the clients work on each kind of repository.
        plan = plan_repository_call if client % 2 else plan_entry_call
        then: tuple[PlannedCall, ...] = ()
        while trio.current_time() < until and len(self.recorder.calls) < calls:
            following, planned = bool(then), then[0] if then else plan(rng, names)
            call = await self.call(client, *planned)
            # Follow-ups rely on what came before them, and are dropped once a call fails.
            then = () if not call.ok else then[1:] if following else follow_ups(rng, planned, names)
            if call.ok and isinstance(call.value, str):
                names.learn(call.name, call.args, call.value)
            # These three are ordinary answers of a race, and need no pause.
            if not call.ok and call.code not in {404, 409, 412}:
                await trio.sleep(REFUSED_SECONDS if call.code else UNREACHED_SECONDS)

    async def call(self, client: int, name: str, args: tuple[str, ...]) -> Call:
        """Do a call, and record it."""
        call = self.recorder.begin(client, name, args)
        answer = await self.request(partial(self.service.perform, name, args))
        self.recorder.end(call, answer.status, answer.value)
        call.code, call.words, call.server = answer.code, answer.words, answer.server
        self.tally.count(name, answer.status)
        if answer.status is Status.INFO:
            self.tally.trouble(f"{name}: {answer.code or answer.words}")
        return call

    async def request(self, do: Callable[[], Hashable]) -> Answer:
        """What came of something that blocks, in a thread. What takes too long is left to itself, and unknown."""

        def answered() -> Answer:
            # Threads are used again, and the status of an earlier call must not show.
            LAST.code, LAST.server = 0, ""
            try:
                value = do()
                return Answer(Status.OK, LAST.code, value, server=LAST.server)
            except Exception as error:  # noqa: BLE001  # the client raises whatever it meets; `answer_of` knows them
                return attrs.evolve(answer_of(error), server=LAST.server)

        async with self.limiter:  # a call that waits for its turn is not sent yet
            # The request has a deadline of its own. Twice that ends a thread that hangs elsewhere, such as in the
            # lookup of a name.
            with trio.move_on_after(2 * self.load.timeout):
                return await trio.to_thread.run_sync(answered, limiter=self._threads, abandon_on_cancel=True)
        return Answer(Status.INFO, words="no whole answer in time")

    async def read(self, do: Callable[[], T]) -> T | None:
        """Read something when no client is at work; None if it is not there. Raises Unread."""
        found: list[T] = []
        answer = Answer(Status.INFO)
        for _ in range(TRIES):
            # A listing is not hashable, as the value of an answer must be.
            answer = await self.request(lambda: found.append(do()))
            if answer.status is Status.OK:
                return found[-1]
            if answer.code == NOT_FOUND:
                return None
        raise Unread(answer.words)
