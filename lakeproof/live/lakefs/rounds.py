"""Clients that drive a service, in rounds, and what the service holds when they are done.

Each round has repositories of its own, with fresh random names, and removes them. It lasts twice as long as the one
before, up to a few seconds: what shows at once is found at once, and much shows only when a round has ended.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import ClassVar, Final

import attrs
import trio

from lakeproof.live.engine import SETTLE_SECONDS, Fault, Plan, Workload, run_rounds
from lakeproof.live.lakefs.api import LakeFS
from lakeproof.live.lakefs.calls import NOT_FOUND, Answer, lines
from lakeproof.live.lakefs.contents import FinalState
from lakeproof.live.lakefs.final_state import FinalStateReader, LakeFSRound
from lakeproof.live.lakefs.judge import NO_ISSUES, judge_entries, judge_initial_branches, judge_repositories
from lakeproof.live.lakefs.known_issues import KnownIssues
from lakeproof.live.lakefs.promises import IDS, TRUNK
from lakeproof.live.lakefs.threads import CALLS_MAX, TRIES, Driver, Unread
from lakeproof.live.lakefs.workload import INITIAL_BRANCHES, OF_ENTRIES, Names, PlannedCall
from lakeproof.live.recorder import Recorder
from lakeproof.live.report import NotJudged, Report
from lakeproof.model.snapshot import Status
from lakeproof.words import Unusable

LOOKS: Final = 2
"""A service may go away while it is read, too."""
FOUNDING_TIMEOUTS: Final = 3
REMOVAL_TIMEOUTS: Final = 3
LOOK_TIMEOUTS: Final = 12
"""For all that a round makes in the beginning, has made, or reads in the end: so many times an answer's."""
WAIT_SECONDS: Final = 60.0
"""For a service that has gone away to come back."""
CONFLICT: Final = 409
ASK_SECONDS: Final = 0.25
"""Between two questions whether it is back."""
RESTART_AT: Final = (0.2, 0.6)
"""When in a round the server is restarted, as a part of it."""


class ServiceReport(Report):
    """The sum of the rounds on a service."""

    def as_object(self) -> dict[str, object]:
        return {**super().as_object(), "known": dict(sorted(self.suppressed.items()))}

    @property
    def what_holds(self) -> str:
        rest = f" of {len(IDS)}" if len(self.judged_ids) < len(IDS) else ""
        aside = ", ".join(f"{cause} {count:,}" for cause, count in sorted(self.suppressed.items()))
        return f"{super().what_holds}{rest}{f'; set aside: {aside}' if aside else ''}"


@attrs.define
class Traffic(Workload):
    """Rounds on a service.

    namespace: a storage namespace that everything lies under. keep: whether repositories stay. wait: seconds for a
    service that has gone away to come back. left: repositories that could not be removed. restart: a fault, once in
    every round. sources: what is imported. often: relative frequencies of the kinds of calls on the repository that
    stays. judged_ids: the invariants that are judged. issues: the issues that are set aside.
    """

    kind: ClassVar[str] = "service"
    longest: ClassVar[float] = 4.0
    service: LakeFS
    namespace: str
    keep: bool = False
    wait: float = WAIT_SECONDS
    restart: Fault | None = None
    sources: tuple[str, ...] = ()
    often: Mapping[str, int] = OF_ENTRIES
    judged_ids: tuple[str, ...] = IDS
    issues: KnownIssues = NO_ISSUES
    last: LakeFSRound | None = None

    async def round(self, duration: float, calls: int | None = None) -> LakeFSRound:
        """Raises Unusable if the first one cannot even begin."""
        self.rounds += 1
        token = secrets.token_hex(6)
        names = Names(f"lakeproof-{token}", f"{self.namespace.rstrip('/')}/{token}", self.sources, self.often)
        made, recorder = LakeFSRound(number=self.rounds, names=names), Recorder()
        driver = self._driver(recorder)
        try:
            await self._create_initial(driver, made)
            if not made.unread:
                await self._run_clients(driver, made, duration, calls or CALLS_MAX)
                await self._read_final_state(driver, made)
        finally:
            if not self.keep:
                # On Ctrl-C, too: the repositories are removed, for a bounded time.
                with trio.CancelScope(shield=True):
                    await self._remove_all(driver, names.used)
        made.entries = [call for call in recorder.calls if call.args[0] == names.lake]
        made.repositories = [call for call in recorder.calls if call.args[0] != names.lake]
        made.calls, self.last = len(recorder.calls), made
        if not made.unread:
            self._judge(made)
        return made

    def _judge(self, made: LakeFSRound) -> None:
        issues = attrs.evolve(self.issues, judged_ids=frozenset(self.judged_ids))
        judged = (
            *judge_initial_branches(made.names.lake, INITIAL_BRANCHES, made.final),
            *judge_entries(made.entries, made.final, issues),
            *judge_repositories(made.repositories, made.last, issues),
        )
        made.judged = [(name, each) for name, each in judged if name in self.judged_ids]
        for shown in made.unanswered[:1]:  # whatever it is about may have been lost
            made.judged += [(name, NotJudged(f"not answered in the end: {shown}")) for name in self.judged_ids]
        made.files = {"history.jsonl": lines([*made.entries, *made.repositories]), "held.txt": _state(made)}

    async def finish(self) -> None:
        """Remove what rounds could not, if the service is there again."""
        if self.left and not self.gone:
            driver, names = self._driver(Recorder()), set(self.left)
            if await self._await_service(driver):
                self.left.clear()
                await self._remove_all(driver, names)

    def _driver(self, recorder: Recorder) -> Driver:
        return Driver(self.service, self.load, self.tally, recorder, trio.CapacityLimiter(self.load.clients))

    async def _await_service(self, driver: Driver) -> bool:
        """Whether the service answers, by and by. Only a version is an answer: what stands before it may say much."""
        began, answer = trio.current_time(), Answer(Status.INFO, words="no whole answer in time")
        with trio.move_on_after(self.wait):
            while True:
                answer = await driver.request(self.service.version)
                seconds = trio.current_time() - began
                if answer.status is Status.OK:
                    if seconds > self.load.timeout:
                        self.note(f"it is back after {seconds:.0f} s")
                    return True
                await trio.sleep(ASK_SECONDS)
        self.gone = f"the service was gone, and did not come back within {self.wait:g} s: {answer.words}"
        return False

    async def _read_final_state(self, driver: Driver, made: LakeFSRound) -> None:
        """Read what the service holds in the end; once more if it goes away meanwhile."""
        for _ in range(LOOKS):
            if not await self._await_service(driver):
                made.unread = self.gone
                return
            unknown = any(call.status is Status.INFO for call in driver.recorder.calls)
            # A call without an answer may take effect yet; and with the known issue, a cache may show what was before.
            await trio.sleep(max(SETTLE_SECONDS if unknown else 0, self.issues.settle))
            # A second try must not keep parts of the first one.
            made.final, made.last, made.unanswered, made.unread = FinalState(), {}, [], ""
            limit = LOOK_TIMEOUTS * self.load.timeout
            # A service that answers each read slowly, or lists more and more, would keep a round for ever.
            with trio.move_on_after(limit) as scope:
                try:
                    await FinalStateReader(driver, made).all()
                except Unread as error:
                    made.unread = str(error)
                    continue
            if scope.cancelled_caught:
                made.unread = f"its final state could not be read within {limit:g} s"
            return

    async def _create_initial(self, driver: Driver, made: LakeFSRound) -> None:
        lake = made.names.lake
        made.names.used.add(lake)
        planned_calls: tuple[PlannedCall, ...] = (
            ("create_repository", (lake, made.names.life())),
            *(("create_branch", (lake, branch, TRUNK)) for branch in INITIAL_BRANCHES if branch != TRUNK),
        )
        for name, args in planned_calls:
            answer = await self._create_idempotently(driver, name, args)
            if answer.status is not Status.OK:
                what = f"{name}({', '.join(args)}) was not done: {answer.words}"
                # At the beginning it is a matter of the input: the namespace or the rights. Later the service has
                # changed, and the round is not judged.
                if self.rounds == 1:
                    again = "name another --storage-namespace, or give the key the right to it"
                    raise Unusable(f"{what}; {'is the service still running?' if self.gone else again}")
                made.unread = self.gone or what
                return

    async def _create_idempotently(self, driver: Driver, name: str, args: tuple[str, ...]) -> Answer:
        """A create of what no other client creates: if it is there after an answer that was lost, it is ours."""
        answer, doubt = Answer(Status.INFO), False
        for again in range(LOOKS):
            # Any status is an answer, and is not waited out. Without one the service may be away for a while.
            if again and (answer.code or not await self._await_service(driver)):
                break
            with trio.move_on_after(FOUNDING_TIMEOUTS * self.load.timeout):
                for _ in range(TRIES):
                    answer = await driver.request(partial(self.service.perform, name, args))
                    # 409 after a lost answer: the first try has created it, for the name is random.
                    if answer.status is Status.OK or (doubt and answer.code == CONFLICT):
                        return Answer(Status.OK)
                    doubt = doubt or answer.status is Status.INFO
        return answer

    async def _run_clients(self, driver: Driver, made: LakeFSRound, seconds: float, calls: int) -> None:
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            for client in range(self.load.clients):
                nursery.start_soon(driver.work, client, self.rng(client), made.names, began + seconds, calls)
            if self.restart is not None:
                rng = self.rng("restart")
                # Neither at the very beginning nor at the end: calls before, during and after it are all of interest.
                await trio.sleep(seconds * rng.uniform(*RESTART_AT))
                with trio.CancelScope(shield=True):  # once begun, it is done
                    self.tally.faults[await self.restart(rng)] += 1
        made.seconds = trio.current_time() - began

    async def _remove_all(self, driver: Driver, names: Iterable[str]) -> None:
        """Delete repositories of this run, whose names are its own."""
        left = set(names)
        try:
            with trio.move_on_after(REMOVAL_TIMEOUTS * self.load.timeout):
                async with trio.open_nursery() as nursery:
                    for name in sorted(left):
                        nursery.start_soon(self._remove, driver, name, left)
        finally:  # after a second Ctrl-C, too
            self.left += sorted(left)

    async def _remove(self, driver: Driver, name: str, left: set[str]) -> None:
        for _ in range(TRIES):
            answer = await driver.request(partial(self.service.perform, "delete_repository", (name,)))
            if answer.status is Status.OK or answer.code == NOT_FOUND:
                left.discard(name)
                return


async def drive(traffic: Traffic, plan: Plan) -> ServiceReport:
    """Rounds on a service as planned. Raises Unusable."""
    report = ServiceReport(traffic.judged_ids, traffic.tally, traffic.left, causes=traffic.issues.causes)
    await run_rounds(traffic, report, plan)
    return report


def _state(made: LakeFSRound) -> Iterator[str]:
    """The final state of the service, for people."""
    for branch, content in sorted(made.final.branches.items()):
        yield f"{made.names.lake} branch {branch}: {dict(sorted(content.items()))}"
        yield f"{made.names.lake} branch {branch}, commits, newest first: {list(made.final.logs[branch])}"
    for commit_id, content in made.final.commits.items():
        yield f"{made.names.lake} commit {commit_id}: {dict(sorted(content.items()))}"
    for name, last in sorted(made.last.items()):
        yield f"{name} in {last.life}: branches {sorted(last.branches)}, paths {sorted(last.paths)}"
