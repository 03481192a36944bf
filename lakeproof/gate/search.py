"""A search over the schedules of a real program: what violates an invariant, and what kept it from being whole."""

import signal
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final, TypeVar

import attrs
import click
import trio

from lakeproof.gate.classes import Choice, Classes
from lakeproof.gate.parallel import JOIN_SECONDS, LOOK_SECONDS, join
from lakeproof.gate.run import Chooser, Runner, Schedule
from lakeproof.gate.scenario import THREADS, GateScenario, Invariant, OnTheWay
from lakeproof.gate.server import COSTS, Bell
from lakeproof.gate.shortest import fewest_switches, switches
from lakeproof.gate.startup import open_runner, prepare_setup
from lakeproof.gate.strategies import Replayed
from lakeproof.words import first_of, plural

TELL_SECONDS: Final = 5.0
LATE_SECONDS: Final = 0.25
"""How long after the first schedule a search lasts that is to say *all*: a program may write by a timer of its own."""
LATE_LOOK_SECONDS: Final = 0.01
ENDED_BY: Final = (signal.SIGTERM, signal.SIGHUP)

Result = TypeVar("Result")


@attrs.define
class SearchProgress:
    """What came of a scenario so far."""

    shortest: dict[str, Schedule] = attrs.field(factory=dict)
    """By invariant: the shortest schedule that violates it."""
    counted: dict[str, int] = attrs.field(factory=dict)
    trouble: list[str] = attrs.field(factory=list)
    unreal: int = 0
    """So many schedules were run that no store has, and were not judged."""
    reached: bool = False
    """Whether any schedule has a call of a client that has done what it is for."""
    raised: str = ""
    """The first that a call has raised, of ``after`` if one of these has."""
    unproved: str = ""
    """Why a schedule proves nothing, if one does not: then nothing is proved."""
    spent: set[str] = attrs.field(factory=set)
    """The budgets that any schedule spends from."""
    round: int = 1
    """Of the search: what is counted is of this one."""

    def add(self, schedule: Schedule, search: Chooser) -> None:
        if isinstance(search, Classes) and search.rounds > self.round:
            self.round, self.unreal, self.counted = search.rounds, 0, {}
        self.trouble += [schedule.trouble] if schedule.trouble else []
        self.unproved = self.unproved or schedule.unproved
        self.unreal += bool(schedule.unreal)
        self.reached |= schedule.reached
        self.spent.update(*(COSTS[step.mode] for step in schedule.steps))
        if schedule.outcome and not self.raised:
            made = [each for calls in schedule.outcome.results.values() for _, each in calls]
            raised = (each for each in (*schedule.outcome.after, *made) if each.error)
            self.raised = next((f"{each.error}: {each.message}" for each in raised), "")
        for name in schedule.violated:
            self.counted[name] = self.counted.get(name, 0) + 1
            known = self.shortest.get(name)
            if known is None or _length(schedule) < _length(known):
                self.shortest[name] = schedule


def _length(schedule: Schedule) -> tuple[int, int]:
    """Fewest changes from client to client first, then fewest steps."""
    return switches(schedule.steps), len(schedule.steps)


def is_tested(invariant: Invariant | OnTheWay) -> bool:
    """Whether anything happened that an invariant speaks of, where it counts that."""
    return getattr(invariant, "reached", 1) > 0  # without a count, every schedule is what it speaks of


def verdict_on(invariant: Invariant | OnTheWay, found: SearchProgress, search: Chooser) -> str:
    """``violated``; ``holds``: in all classes of schedules, and it was tested; else ``inconclusive``."""
    if invariant.__name__ in found.shortest:
        return "violated"
    proved = search.all_run and not found.unproved and found.reached and is_tested(invariant)
    return "holds" if proved else "inconclusive"


def all_classes(scenario: GateScenario) -> Classes:
    """A search of all its classes, with requests as threads if it says so."""
    return Classes(threads=scenario.parallel == THREADS)


async def run_search(
    scenario: GateScenario,
    file: Path,
    search: Chooser,
    schedules: int | None,
    limit: float | None,
    jobs: int = 1,
    found: SearchProgress | None = None,
) -> SearchProgress:
    """Run the schedules that a search chooses, at most so many, for at most ``limit`` seconds. jobs: how many sets of
    processes run them, if it is a search of all classes; see `lakeproof.gate.parallel`. found: where to put what is
    found; it stays there if the search does not come to its end.

    Raises (in a group): Unusable: the program or an invariant failed. KeyboardInterrupt.
    """
    found, bell = SearchProgress() if found is None else found, Bell()
    deadline = None if limit is None else time.monotonic() + limit

    def goes_on() -> bool:
        return (deadline is None or time.monotonic() < deadline) and (schedules is None or search.runs < schedules)

    async with open_runner(scenario, file) as runner:
        async with trio.open_nursery() as others:
            if isinstance(search, Classes):
                work = partial(join, scenario, file, search, prepare_setup(runner), found.add, bell, goes_on)
                for _ in range(jobs - 1):
                    others.start_soon(_later, work)
            await _alone(runner, search, found, bell, goes_on)
            # Nothing is left, or the time is over: what others still run is not waited for.
            others.cancel_scope.cancel()
        # A replay shows the schedule of its trace, which was shortened when it was written.
        if not isinstance(search, Replayed):
            for name, schedule in sorted(found.shortest.items()):
                found.shortest[name] = await shorten_schedule(runner, schedule, name)
    return found


async def _later(work: Callable[[], Awaitable[None]]) -> None:
    await trio.sleep(JOIN_SECONDS)
    await work()


async def _alone(
    runner: Runner, search: Chooser, found: SearchProgress, bell: Bell, goes_on: Callable[[], bool]
) -> None:
    """Run here what the search chooses; others may run some of it meanwhile."""
    last, late = time.monotonic(), 0.0
    while goes_on():
        if search.begin():
            found.add(await runner.schedule(search), search)
            bell.ring()  # one that waits may have a branch to run now
            late = late or time.monotonic() + LATE_SECONDS
        # What is under way elsewhere may show that more is to be run.
        elif isinstance(search, Classes) and search.waits:
            await bell.wait(LOOK_SECONDS)
        else:
            break
        if time.monotonic() - last > TELL_SECONDS:
            last = time.monotonic()
            click.echo(f"{runner.scenario.name}: {plural(search.complete, 'schedule')} so far", err=True)
    # Also where a bound has ended the search with its last run. A longer search needs no wait: what is late then asks
    # within another schedule, which it did not at first.
    while search.all_run and time.monotonic() < late and not runner.gate.belated:  # noqa: ASYNC110  # no event
        await trio.sleep(LATE_LOOK_SECONDS)
    found.unproved = found.unproved or runner.gate.belated


async def shorten_schedule(runner: Runner, schedule: Schedule, invariant: str) -> Schedule:
    """An equivalent schedule with the fewest changes from client to client, if the program confirms it."""
    steps = schedule.on_the_way.get(invariant) or fewest_switches(schedule.steps)
    # An order that is no shorter is worth a run only if it passes through a violation on the way.
    if steps == schedule.steps or (switches(steps) == switches(schedule.steps) and not schedule.on_the_way):
        return schedule
    search = Replayed([Choice(each.name, each.mode) for each in steps])
    search.begin()
    shorter = await runner.schedule(search)
    return shorter if invariant in shorter.violated else schedule


def complete_work(work: Callable[[], Awaitable[Result]]) -> Result:
    """The result of work with a program behind the gate; of several errors in it, the first. Who ends this process by
    SIGTERM or SIGHUP ends the program, too: it is as Ctrl-C."""
    # A signal that is ignored, as SIGHUP under nohup, stays so.
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], object]]
    handlers = {number: _as_ctrl_c for number in ENDED_BY if signal.getsignal(number) != signal.SIG_IGN}
    # But for SIGINT, which a shell has its background jobs ignore: the others come as it.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        handlers[signal.SIGINT] = signal.default_int_handler
    # Python lets only its main thread set handlers.
    in_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, handler) for number, handler in handlers.items() if in_main}
    try:
        found: Result = trio.run(work)
        return found
    except BaseExceptionGroup as errors:
        raise first_of(errors) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _as_ctrl_c(number: int, frame: FrameType | None) -> None:
    # Trio raises KeyboardInterrupt for it inside of `trio.run`, so that every cleanup is run.
    signal.raise_signal(signal.SIGINT)
