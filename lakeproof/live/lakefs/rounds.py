"""Clients that drive a service, in rounds, and what the service holds when they are done.

Each round has repositories of its own, with fresh random names, and removes them. It lasts twice as long as the one
before, up to a few seconds: what shows at once is found at once, and much shows only when a round has ended.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from random import Random
from typing import Final

import attrs
import trio

from lakeproof.live.lakefs.api import Service
from lakeproof.live.lakefs.calls import Answer, Recorder
from lakeproof.live.lakefs.contents import Held
from lakeproof.live.lakefs.final_state import Look, Round
from lakeproof.live.lakefs.promises import TRUNK
from lakeproof.live.lakefs.threads import CALLS_MAX, TRIES, Driver, Unread
from lakeproof.live.lakefs.workload import FOUNDED, OF_ENTRIES, Names, Wish
from lakeproof.live.traffic import Fault, Load, Tally
from lakeproof.model.snapshot import Status
from lakeproof.words import Unusable

FIRST_SECONDS: Final = 0.5
LONGEST_SECONDS: Final = 4.0
LOOKS: Final = 2
"""A service may go away while it is read, too."""
FOUNDING_TIMEOUTS: Final = 3
REMOVAL_TIMEOUTS: Final = 3
LOOK_TIMEOUTS: Final = 12
"""For all that a round makes in the beginning, has made, or reads in the end: so many times an answer's."""
WAIT_SECONDS: Final = 60.0
"""For a service that has gone away to come back."""
ASK_SECONDS: Final = 0.25
"""Between two questions whether it is back."""
SETTLE_SECONDS: Final = 0.2
"""What was not answered may still be done for a while."""
RESTART_AT: Final = (0.2, 0.6)
"""When in a round the server is restarted, as a part of it."""


@attrs.define
class Traffic:
    """Rounds on a service.

    namespace: a storage namespace that everything lies under. keep: whether repositories stay. wait: seconds for a
    service that has gone away to come back. note: told of it. left: repositories that could not be removed. gone: why
    the service is taken for gone for good; empty: it is not. restart: a fault, once in every round. settle: seconds to
    let caches expire before a round is read. sources: what is imported. often: relative
    frequencies of the kinds of calls on the repository that stays.
    """

    service: Service
    load: Load
    namespace: str
    keep: bool = False
    wait: float = WAIT_SECONDS
    note: Callable[[str], None] = lambda _: None
    tally: Tally = attrs.field(factory=Tally)
    left: list[str] = attrs.field(factory=list)
    gone: str = ""
    restart: Fault | None = None
    settle: float = 0.0
    sources: tuple[str, ...] = ()
    often: Mapping[str, int] = OF_ENTRIES
    _rounds: int = 0

    async def round(self, seconds: float, calls: int = CALLS_MAX) -> Round:
        """One round of traffic, until about so much time has passed or so many calls were made. Raises Unusable if the
        first one cannot even begin."""
        self._rounds += 1
        token = secrets.token_hex(6)
        names = Names(f"lakeproof-{token}", f"{self.namespace.rstrip('/')}/{token}", self.sources, self.often)
        made, recorder = Round(self._rounds, names), Recorder()
        driver = self._driver(recorder)
        try:
            await self._founded(driver, made)
            if not made.unread:
                await self._driven(driver, made, seconds, calls)
                await self._looked(driver, made)
        finally:
            if not self.keep:
                with trio.CancelScope(shield=True):
                    await self._removed(driver, names.used)
        made.entries = [call for call in recorder.calls if call.args[0] == names.lake]
        made.repositories = [call for call in recorder.calls if call.args[0] != names.lake]
        return made

    async def finish(self) -> None:
        """Remove what rounds could not, if the service is there again."""
        if self.left and not self.gone:
            driver, names = self._driver(Recorder()), set(self.left)
            if await self._returned(driver):
                self.left.clear()
                await self._removed(driver, names)

    def _driver(self, recorder: Recorder) -> "Driver":
        return Driver(self.service, self.load, self.tally, recorder, trio.CapacityLimiter(self.load.clients))

    async def _returned(self, driver: "Driver") -> bool:
        """Whether the service answers, by and by. Only a version is an answer: what stands before it may say much."""
        began, answer = trio.current_time(), Answer(Status.INFO, words="no whole answer in time")
        with trio.move_on_after(self.wait):
            while True:
                answer = await driver.ask(self.service.version)
                seconds = trio.current_time() - began
                if answer.status is Status.OK:
                    if seconds > self.load.timeout:
                        self.note(f"it is back after {seconds:.0f} s")
                    return True
                await trio.sleep(ASK_SECONDS)
        self.gone = f"the service was gone, and did not come back within {self.wait:g} s: {answer.words}"
        return False

    async def _looked(self, driver: "Driver", made: Round) -> None:
        """Read what the service holds in the end; once more if it goes away meanwhile."""
        for _ in range(LOOKS):
            if not await self._returned(driver):
                made.unread = self.gone
                return
            unknown = any(call.status is Status.INFO for call in driver.recorder.calls)
            await trio.sleep(max(SETTLE_SECONDS if unknown else 0, self.settle))
            made.held, made.last, made.unread = Held(), {}, ""
            limit = LOOK_TIMEOUTS * self.load.timeout
            with trio.move_on_after(limit) as scope:
                try:
                    await Look(driver, made).all()
                except Unread as error:
                    made.unread = str(error)
                    continue
            if scope.cancelled_caught:
                made.unread = f"what it held in the end could not be read within {limit:g} s"
            return

    async def _founded(self, driver: "Driver", made: Round) -> None:
        lake = made.names.lake
        made.names.used.add(lake)
        wishes: tuple[Wish, ...] = (
            ("create_repository", (lake, made.names.life())),
            *(("create_branch", (lake, branch, TRUNK)) for branch in FOUNDED if branch != TRUNK),
        )
        for name, args in wishes:
            answer = await self._insist(driver, name, args)
            if answer.status is not Status.OK:
                what = f"{name}({', '.join(args)}) was not done: {answer.words}"
                if self._rounds == 1:
                    again = "name another --storage-namespace, or give the key the right to it"
                    raise Unusable(f"{what}; {'is the service still running?' if self.gone else again}")
                made.unread = self.gone or what
                return

    async def _insist(self, driver: "Driver", name: str, args: tuple[str, ...]) -> Answer:
        """A create of what nobody else creates: if it is there after an answer that was lost, it is ours."""
        answer, doubt = Answer(Status.INFO), False
        for again in range(LOOKS):
            if again and (answer.code or not await self._returned(driver)):
                break
            with trio.move_on_after(FOUNDING_TIMEOUTS * self.load.timeout):
                for _ in range(TRIES):
                    answer = await driver.ask(partial(self.service.perform, name, args))
                    if answer.status is Status.OK or (doubt and answer.code == 409):
                        return Answer(Status.OK)
                    doubt = doubt or answer.status is Status.INFO
        return answer

    async def _driven(self, driver: "Driver", made: Round, seconds: float, calls: int) -> None:
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            for client in range(self.load.clients):
                rng = Random(f"{self.load.seed} {self._rounds} {client}")
                nursery.start_soon(driver.work, client, rng, made.names, began + seconds, calls)
            if self.restart is not None:
                rng = Random(f"{self.load.seed} {self._rounds} restart")
                await trio.sleep(seconds * rng.uniform(*RESTART_AT))
                with trio.CancelScope(shield=True):  # once begun, it is done
                    self.tally.faults[await self.restart(rng)] += 1
        made.seconds = trio.current_time() - began

    async def _removed(self, driver: "Driver", names: Iterable[str]) -> None:
        """Delete repositories of ours. Nobody else has these names."""
        left = set(names)
        with trio.move_on_after(REMOVAL_TIMEOUTS * self.load.timeout):
            async with trio.open_nursery() as nursery:
                for name in sorted(left):
                    nursery.start_soon(self._remove, driver, name, left)
        self.left += sorted(left)

    async def _remove(self, driver: "Driver", name: str, left: set[str]) -> None:
        for _ in range(TRIES):
            answer = await driver.ask(partial(self.service.perform, "delete_repository", (name,)))
            if answer.status is Status.OK or answer.code == 404:
                left.discard(name)
                return
