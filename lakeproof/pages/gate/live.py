"""The processes of a program behind the page: one run at a time, and new ones after a program has come to grief."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from lakeproof.explore import describe
from lakeproof.gate.classes import Classes, Diverged
from lakeproof.gate.opening import opened
from lakeproof.gate.running import Chooser, Runner
from lakeproof.gate.scenario import THREADS, GateScenario, Invariant, OnTheWay
from lakeproof.gate.searching import Found, all_classes, searched, tested, verdict_on
from lakeproof.gate.traces import GateTrace, dumps
from lakeproof.pages.gate.paths import Move, moves_of, path_of
from lakeproof.pages.gate.state import Shown
from lakeproof.pages.gate.walk import Known, Walked, walk
from lakeproof.pages.walking import NoSuchMove
from lakeproof.report.style import plural, seconds
from lakeproof.running.tasks import Unusable
from lakeproof.targets.answers import first_of


@attrs.define(eq=False)
class Job:
    """A path to be walked, and what came of it. make: what is wanted of the run."""

    moves: Sequence[Move]
    make: Callable[[Runner, Walked], object]
    onward: bool = False
    over: trio.Event = attrs.field(factory=trio.Event)
    found: object = None
    error: Exception | None = None

    def end(self, found: object = None, error: Exception | None = None) -> None:
        """Only the first end counts: what comes later is none of this job."""
        if not self.over.is_set():
            self.found, self.error = found, error
            self.over.set()


class GateExplorer:
    """A program to walk in. Open it with `exploring`. See `lakeproof.pages.serving.Explored`."""

    def __init__(self, scenario: GateScenario, file: Path, seconds_max: float) -> None:
        self.scenario = scenario
        self.file = file
        self.seconds_max = seconds_max
        self.known = Known()
        self._jobs, self._queue = trio.open_memory_channel[Job](0)

    @property
    def name(self) -> str:
        return self.scenario.name

    @property
    def facts(self) -> str:
        count = len(self.scenario.invariants) + len(self.scenario.always)
        clients = plural(len(self.scenario.clients), "client")
        return f"a program at the gate · {clients} · {plural(count, 'invariant')}"

    async def state(self, path: str) -> dict[str, object]:
        """The state that a path leads to, and all requests that wait there. Cost: see `walk`.

        Raises:
            NoSuchMove: the path cannot be walked.
            Diverged: the program does not ask for what it has asked for after the same steps.
            Unusable: the program or an invariant came to grief.
        """

        def make(runner: Runner, walked: Walked) -> object:
            return Shown(self.scenario, runner.front, walked).told(self.file)

        found = await self._done(Job(moves_of(path), make))
        assert isinstance(found, dict)
        return found

    async def trace(self, path: str, invariant: str) -> str:
        """The trace of a path that violates an invariant, as a file. The schedule is run on to its end.

        Raises:
            NoSuchMove, Diverged, Unusable: as `state`, or the path does not violate it.
        """
        moves = moves_of(path)

        def make(runner: Runner, walked: Walked) -> object:
            violated = Shown(self.scenario, runner.front, walked).violated.get(invariant)
            if violated is None or violated.step > len(moves):
                raise NoSuchMove(f"{describe.brief(invariant)} is not violated on this path")
            trace = GateTrace(
                file=str(self.file),
                scenario=self.scenario.name,
                violated={invariant: violated.evidence},
                choices=walked.choices,
                statuses=tuple(each.status for each in walked.steps),
            )
            return dumps(trace)

        return str(await self._done(Job(moves, make, onward=True)))

    async def search(self) -> dict[str, object]:
        """Run all schedules, within a limit of time, by processes of their own: the verdict on each invariant, with the
        path to its violation.

        Raises:
            Unusable: the program or an invariant came to grief.
        """
        search = all_classes(self.scenario)
        begun = trio.current_time()
        try:
            found = await searched(self.scenario, self.file, search, None, self.seconds_max)
        except BaseExceptionGroup as errors:
            await trio.lowlevel.checkpoint_if_cancelled()
            raise first_of(errors) from None
        return told_of(self.scenario, search, found, trio.current_time() - begun)

    async def _done(self, job: Job) -> object:
        await self._jobs.send(job)
        await job.over.wait()
        if job.error is not None:
            raise job.error
        return job.found

    async def serve_jobs(self) -> None:
        """Start the processes when there is work, and end them when one has come to grief, until it is cancelled."""
        async for job in self._queue:
            await self._begin(job)

    async def _begin(self, job: Job) -> None:
        """One set of processes, from a first job to one that fails."""
        try:
            async with opened(self.scenario, self.file) as runner:
                while await self._try(job, runner):
                    job = await self._queue.receive()
        except (Unusable, BaseExceptionGroup) as errors:
            await trio.lowlevel.checkpoint_if_cancelled()
            error = first_of(errors) if isinstance(errors, BaseExceptionGroup) else errors
            if not isinstance(error, Unusable):
                raise error from None
            job.end(error=error)

    async def _try(self, job: Job, runner: Runner) -> bool:
        """Whether the processes can be used on."""

        def tell(walked: Walked) -> None:
            job.end(job.make(runner, walked))

        try:
            await walk(runner, job.moves, self.known, tell, onward=job.onward)
        except (NoSuchMove, Diverged) as error:
            job.end(error=error)
        except Unusable as error:
            job.end(error=error)
            return False
        return True


@asynccontextmanager
async def exploring(scenario: GateScenario, file: Path, seconds_max: float) -> AsyncIterator[GateExplorer]:
    """A program to walk in; all its processes end with the block. seconds_max: of a search."""
    explorer = GateExplorer(scenario, file, seconds_max)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(explorer.serve_jobs)
        try:
            yield explorer
        finally:
            nursery.cancel_scope.cancel()


def told_of(scenario: GateScenario, search: Chooser, found: Found, elapsed: float) -> dict[str, object]:
    """What a search has found, as plain values."""
    count = f"{plural(search.complete, 'schedule')}, {seconds(elapsed)} s"
    asked: list[Invariant | OnTheWay] = [*scenario.invariants, *scenario.always]
    return {
        "told": f"all schedules were run: {count}" if search.all_run else f"not all schedules were run: {count}",
        "verdicts": {each.__name__: _verdict(scenario, each, found, search) for each in asked},
    }


def _verdict(
    scenario: GateScenario, invariant: Invariant | OnTheWay, found: Found, search: Chooser
) -> dict[str, object]:
    shortest = found.shortest.get(invariant.__name__)
    verdict = verdict_on(invariant, found, search)
    return {
        "verdict": verdict,
        "why": _why(scenario, invariant, found, search) if verdict != "violated" else "",
        "steps": 0 if shortest is None else len(shortest.steps),
        "path": None if shortest is None else path_of(shortest.choices),
    }


def _why(scenario: GateScenario, invariant: Invariant | OnTheWay, found: Found, search: Chooser) -> str:
    """What a verdict does not cover, or what kept it from being one."""
    if found.trouble:
        return found.trouble[0]
    if found.silent:
        return found.silent
    if isinstance(search, Classes) and search.taken_back:
        return search.taken_back
    if not search.all_run:
        return "the time was over"
    if not tested(invariant):
        return "nothing that it speaks of has happened"
    if scenario.parallel == THREADS:
        on_the_way = ", and one order of them on the way" if invariant in scenario.always else ""
        return f"with parallel requests as threads{on_the_way}"
    return "" if scenario.parallel else "with one order of the requests in each client"
