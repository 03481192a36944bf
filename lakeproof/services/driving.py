"""Clients that drive a service, in rounds, and what the service holds when they are done.

Each round has repositories of its own, with fresh random names, and removes them. It lasts twice as long as the one
before, up to a few seconds: what shows at once is found at once, and much shows only when a round has ended.
"""

import math
import secrets
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from random import Random
from typing import Final, TypeVar

import attrs
import trio

from lakeproof.model.snapshot import Status
from lakeproof.running.tasks import Unusable
from lakeproof.services.api import Answer, Service, told
from lakeproof.services.calls import Call, Recorder
from lakeproof.services.judging import TRUNK, Content, Held, Last
from lakeproof.services.wishes import MERGED, Names, Wish, entry_wish, follow_ups, repository_wish
from lakeproof.targets.traffic import Load, Tally

FIRST_SECONDS: Final = 0.5
LONGEST_SECONDS: Final = 4.0
CALLS_MAX: Final = 3000
"""Of a round: then the next one begins, so that judging it takes seconds."""
TRIES: Final = 5
"""Where nobody else is at work."""
FOUNDED: Final = (TRUNK, MERGED)
"""The branches that a round begins with, and that nobody deletes."""
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
T = TypeVar("T")


class Unread(Exception):
    """What the service holds in the end could not be read."""


@attrs.define
class Round:
    """One round: the calls, and what is there in the end. unread: why that is not known."""

    number: int
    names: Names
    entries: list[Call] = attrs.field(factory=list)
    repositories: list[Call] = attrs.field(factory=list)
    held: Held = attrs.field(factory=Held)
    last: dict[str, Last] = attrs.field(factory=dict)
    unread: str = ""
    seconds: float = 0.0


@attrs.define
class Traffic:
    """Rounds on a service.

    namespace: a storage namespace that everything lies under. keep: whether repositories stay. wait: seconds for a
    service that has gone away to come back. note: told of it. left: repositories that could not be removed. gone: why
    the service is taken for gone for good; empty: it is not.
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
    _rounds: int = 0

    async def round(self, seconds: float) -> Round:
        """One round of traffic, about so long. Raises Unusable if the first one cannot even begin."""
        self._rounds += 1
        token = secrets.token_hex(6)
        names = Names(f"lakeproof-{token}", f"{self.namespace.rstrip('/')}/{token}")
        made, recorder = Round(self._rounds, names), Recorder()
        driver = self._driver(recorder)
        try:
            await self._founded(driver, made)
            if not made.unread:
                await self._driven(driver, made, seconds)
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

    def _driver(self, recorder: Recorder) -> "_Driver":
        return _Driver(self.service, self.load, self.tally, recorder, trio.CapacityLimiter(self.load.clients))

    async def _returned(self, driver: "_Driver") -> bool:
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

    async def _looked(self, driver: "_Driver", made: Round) -> None:
        """Read what the service holds in the end; once more if it goes away meanwhile."""
        for _ in range(LOOKS):
            if not await self._returned(driver):
                made.unread = self.gone
                return
            unknown = any(call.status is Status.INFO for call in driver.recorder.calls)
            await trio.sleep(SETTLE_SECONDS if unknown else 0)
            made.held, made.last, made.unread = Held(), {}, ""
            limit = LOOK_TIMEOUTS * self.load.timeout
            with trio.move_on_after(limit) as scope:
                try:
                    await _Look(driver, made).all()
                except Unread as error:
                    made.unread = str(error)
                    continue
            if scope.cancelled_caught:
                made.unread = f"what it held in the end could not be read within {limit:g} s"
            return

    async def _founded(self, driver: "_Driver", made: Round) -> None:
        lake = made.names.lake
        made.names.used.add(lake)
        wishes: tuple[Wish, ...] = (
            ("create_repository", (lake, made.names.life())),
            ("create_branch", (lake, MERGED, TRUNK)),
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

    async def _insist(self, driver: "_Driver", name: str, args: tuple[str, ...]) -> Answer:
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

    async def _driven(self, driver: "_Driver", made: Round, seconds: float) -> None:
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            for client in range(self.load.clients):
                rng = Random(f"{self.load.seed} {self._rounds} {client}")
                nursery.start_soon(driver.work, client, rng, made.names, began + seconds)
        made.seconds = trio.current_time() - began

    async def _removed(self, driver: "_Driver", names: Iterable[str]) -> None:
        """Delete repositories of ours. Nobody else has these names."""
        left = set(names)
        with trio.move_on_after(REMOVAL_TIMEOUTS * self.load.timeout):
            async with trio.open_nursery() as nursery:
                for name in sorted(left):
                    nursery.start_soon(self._remove, driver, name, left)
        self.left += sorted(left)

    async def _remove(self, driver: "_Driver", name: str, left: set[str]) -> None:
        for _ in range(TRIES):
            answer = await driver.ask(partial(self.service.perform, "delete_repository", (name,)))
            if answer.status is Status.OK or answer.code == 404:
                left.discard(name)
                return


_THREADS: Final = trio.lowlevel.RunVar[trio.CapacityLimiter]("threads")


def _threads() -> trio.CapacityLimiter:
    """As many as are asked for: one that is left to itself must not keep others from beginning."""
    try:
        return _THREADS.get()
    except LookupError:
        _THREADS.set(trio.CapacityLimiter(math.inf))
        return _THREADS.get()


@attrs.define
class _Driver:
    """Calls from threads, recorded."""

    service: Service
    load: Load
    tally: Tally
    recorder: Recorder
    limiter: trio.CapacityLimiter

    async def work(self, client: int, rng: Random, names: Names, until: float) -> None:
        wish_of = repository_wish if client % 2 else entry_wish
        then: tuple[Wish, ...] = ()
        while trio.current_time() < until and len(self.recorder.calls) < CALLS_MAX:
            following, wish = bool(then), then[0] if then else wish_of(rng, names)
            call = await self.call(client, *wish)
            then = () if not call.ok else then[1:] if following else follow_ups(rng, wish)
            if not call.ok and call.code not in {404, 409, 412}:
                await trio.sleep(0.01)  # who is turned away at once need not ask a thousand times a second

    async def call(self, client: int, name: str, args: tuple[str, ...]) -> Call:
        """Do a call, and record it."""
        call = self.recorder.begin(client, name, args)
        answer = await self.ask(partial(self.service.perform, name, args))
        self.recorder.end(call, answer.status, answer.code, answer.value, answer.words)
        how = {Status.OK: "ok", Status.FAIL: "refused"}.get(answer.status, "unknown")
        self.tally.answers[name, how] += 1
        if answer.status is Status.INFO:
            self.tally.trouble(LookupError(f"{name}: {answer.code or answer.words}"))
        return call

    async def ask(self, do: Callable[[], Hashable]) -> Answer:
        """What came of something that blocks, in a thread. What takes too long is left to itself, and unknown."""

        def answered() -> Answer:
            try:
                return Answer(Status.OK, value=do())
            except Exception as error:  # noqa: BLE001  # the client raises whatever it meets; `told` knows them
                return told(error)

        async with self.limiter:  # who waits for a turn has not asked yet
            with trio.move_on_after(2 * self.load.timeout):
                return await trio.to_thread.run_sync(answered, limiter=_threads(), abandon_on_cancel=True)
        return Answer(Status.INFO, words="no whole answer in time")

    async def read(self, do: Callable[[], T]) -> T | None:
        """Read something when nobody is at work; None if it is not there. Raises Unread."""
        found: list[T] = []
        answer = Answer(Status.INFO)
        for _ in range(TRIES):
            answer = await self.ask(lambda: found.append(do()))
            if answer.status is Status.OK:
                return found[-1]
            if answer.code == 404:
                return None
        raise Unread(answer.words)


@attrs.define
class _Look:
    """Reads what a service holds in the end."""

    driver: _Driver
    made: Round
    contents: dict[str, str] = attrs.field(factory=dict)
    """What lies at a physical address: nothing is ever written there again."""
    seen: set[str] = attrs.field(factory=set)
    """The addresses of which it was read, not only written."""

    async def all(self) -> None:
        """Raises Unread."""
        calls = list(self.driver.recorder.calls)
        try:
            async with trio.open_nursery() as nursery:
                for name in sorted(self.made.names.used - {self.made.names.lake}):
                    nursery.start_soon(self._repository, name)
                await self._lake(calls)
        except BaseExceptionGroup as group:
            unread, others = group.split(Unread)
            if others is not None or unread is None:
                raise
            raise Unread(str(_first(unread))) from None

    async def _repository(self, name: str) -> None:
        service = self.driver.service
        before = await self.driver.call(0, "get_repository", (name,))
        if not before.ok:
            return
        branches = await self.driver.read(partial(service.branches, name))
        listed = await self.driver.read(partial(service.listing, name, TRUNK))
        after = await self.driver.call(0, "get_repository", (name,))
        if branches is not None and listed is not None and after.ok and after.value == before.value:
            self.made.last[name] = Last(str(before.value), frozenset(branches), frozenset(listed))

    async def _lake(self, calls: list[Call]) -> None:
        lake, service = self.made.names.lake, self.driver.service
        mine = [call for call in calls if call.ok and call.args[0] == lake]
        for call in mine:
            if call.name in {"set_entry", "create_entry"}:
                self.contents[str(call.value)] = call.args[3]
        come_and_go = {call.args[1] for call in calls if call.name == "create_branch" and call.args[0] == lake}
        async with trio.open_nursery() as nursery:
            for branch in sorted(come_and_go):
                nursery.start_soon(self.driver.call, 0, "get_branch", (lake, branch))
            for branch in await self.driver.read(partial(service.branches, lake)) or ():
                nursery.start_soon(self._branch, branch)
        async with trio.open_nursery() as nursery:
            for call in mine:
                if call.name == "commit":
                    nursery.start_soon(self._commit, str(call.value))
                elif call.name == "merge":
                    nursery.start_soon(self._ancestors, str(call.value))

    async def _branch(self, branch: str) -> None:
        lake, held = self.made.names.lake, self.made.held
        content = await self._content(branch, trusted=False)
        line = await self.driver.read(partial(self.driver.service.log, lake, branch, first_parent=True))
        if content is not None and line is not None:
            held.branches[branch], held.logs[branch] = content, line

    async def _commit(self, commit_id: str) -> None:
        content = await self._content(commit_id, trusted=True)
        if content is not None:
            self.made.held.commits[commit_id] = content

    async def _ancestors(self, commit_id: str) -> None:
        lake = self.made.names.lake
        found = await self.driver.read(partial(self.driver.service.log, lake, commit_id, first_parent=False))
        if found is not None:
            self.made.held.ancestors[commit_id] = frozenset(found)

    async def _content(self, ref: str, *, trusted: bool) -> Content | None:
        """The values of a branch or commit. trusted: an address has what was written there; else it is read."""
        lake, service = self.made.names.lake, self.driver.service
        listed = await self.driver.read(partial(service.listing, lake, ref))
        if listed is None:
            return None
        async with trio.open_nursery() as nursery:
            for path, at in listed.items():
                if at not in (self.contents if trusted else self.seen):
                    nursery.start_soon(self._read, ref, path, at)
        return {path: self.contents[at] for path, at in listed.items()}

    async def _read(self, ref: str, path: str, at: str) -> None:
        lake, service = self.made.names.lake, self.driver.service
        value = await self.driver.read(partial(service.perform, "get_entry", (lake, ref, path)))
        self.seen.add(at)
        self.contents[at] = value if isinstance(value, str) else ""


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
