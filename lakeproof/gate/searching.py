"""A search over the schedules of a real program: what violates an invariant, and what kept it from being whole."""

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeVar

import attrs
import click
import trio

from lakeproof.gate.classes import Choice, Classes
from lakeproof.gate.running import Chooser, Runner, Schedule, opened
from lakeproof.gate.scenario import THREADS, GateScenario, Invariant, OnTheWay
from lakeproof.gate.shortest import fewest_switches, switches
from lakeproof.gate.strategies import Replayed
from lakeproof.report.style import plural
from lakeproof.targets.answers import first_of

TELL_SECONDS: Final = 5.0

Result = TypeVar("Result")


@attrs.define
class Found:
    """What came of a scenario so far."""

    shortest: dict[str, Schedule] = attrs.field(factory=dict)
    """By invariant: the shortest schedule that violates it."""
    counted: dict[str, int] = attrs.field(factory=dict)
    trouble: list[str] = attrs.field(factory=list)
    silent: str = ""
    """A call that sent no request, if there was one: then nothing is proved."""

    def add(self, schedule: Schedule) -> None:
        self.trouble += [schedule.trouble] if schedule.trouble else []
        self.silent = self.silent or schedule.silent
        for name in schedule.violated:
            self.counted[name] = self.counted.get(name, 0) + 1
            known = self.shortest.get(name)
            if known is None or _length(schedule) < _length(known):
                self.shortest[name] = schedule


def _length(schedule: Schedule) -> tuple[int, int]:
    """Fewest changes from client to client first, then fewest steps."""
    return switches(schedule.steps), len(schedule.steps)


def tested(invariant: Invariant | OnTheWay) -> bool:
    """Whether anything happened that an invariant speaks of, where it counts that."""
    return getattr(invariant, "reached", 1) > 0


def verdict_on(invariant: Invariant | OnTheWay, found: Found, search: Chooser) -> str:
    """``violated``; ``holds``: in all classes of schedules, and it was tested; else ``inconclusive``."""
    if invariant.__name__ in found.shortest:
        return "violated"
    return "holds" if search.all_run and not found.silent and tested(invariant) else "inconclusive"


def all_classes(scenario: GateScenario) -> Classes:
    """A search of all its classes, with requests as threads if it says so."""
    return Classes(threads=scenario.parallel == THREADS)


async def searched(
    scenario: GateScenario, file: Path, search: Chooser, schedules: int | None, limit: float | None
) -> Found:
    """Run the schedules that a search chooses, at most so many, for at most ``limit`` seconds.

    Raises (in a group): Unusable: the program or an invariant came to grief.
    """
    found = Found()
    deadline = None if limit is None else time.monotonic() + limit
    told = time.monotonic()
    async with opened(scenario, file) as runner:
        while (deadline is None or time.monotonic() < deadline) and (schedules is None or search.runs < schedules):
            if not search.begin():
                break
            found.add(await runner.schedule(search))
            if time.monotonic() - told > TELL_SECONDS:
                told = time.monotonic()
                click.echo(f"{scenario.name}: {plural(search.complete, 'schedule')} so far", err=True)
        if not isinstance(search, Replayed):
            for name, schedule in sorted(found.shortest.items()):
                found.shortest[name] = await shortened(runner, schedule, name)
    return found


async def shortened(runner: Runner, schedule: Schedule, invariant: str) -> Schedule:
    """An equivalent schedule with the fewest changes from client to client, if the program confirms it."""
    steps = schedule.on_the_way.get(invariant) or fewest_switches(schedule.steps)
    if steps == schedule.steps or (switches(steps) == switches(schedule.steps) and not schedule.on_the_way):
        return schedule
    search = Replayed([Choice(each.name, each.mode) for each in steps])
    search.begin()
    shorter = await runner.schedule(search)
    return shorter if invariant in shorter.violated else schedule


def completed(work: Callable[[], Awaitable[Result]]) -> Result:
    """The result of work with a program behind the gate; of several errors in it, the first."""
    try:
        found: Result = trio.run(work)
        return found
    except BaseExceptionGroup as errors:
        raise first_of(errors) from None
