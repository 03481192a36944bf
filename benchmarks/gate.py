"""Schedules of a real program at the gate: how many a second, with one gate and with several side by side.

Beside them, as a limit: the same calls of the same program at a gate that holds nothing, all clients at once. What a
schedule costs beyond that is the price of holding each request until the program is quiet.

Each of the gates has the program running and warm before the time is taken, and repeats all classes of schedules until
the time is over. Run: ``python -m benchmarks.gate FILE SCENARIO [--seconds S] [--jobs N,...] [--json FILE]``, for
example on ``examples/gate/delta.py delta/append-append``, or ``examples/lakefs/repositories.py lakefs/delete-create``.
"""

import argparse
import json
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import attrs
import trio

from benchmarks.search import machine
from lakeproof.gate.classes import Classes
from lakeproof.gate.parallel import Other, join_process
from lakeproof.gate.run import OPEN, Runner
from lakeproof.gate.scenario import GateCall, GateScenario
from lakeproof.gate.scenario_files import choose_scenarios
from lakeproof.gate.search import all_classes
from lakeproof.gate.startup import open_runner, prepare_setup

WARM_SCHEDULES = 10
WARM_SECONDS = 2.0
IDLE_SECONDS = 0.005


@attrs.define
class Rate:
    """What was run until the time was over."""

    scenario: GateScenario
    until: float
    search: Classes = attrs.field(init=False)
    schedules: int = 0
    steps: int = 0

    def __attrs_post_init__(self) -> None:
        self.search = all_classes(self.scenario)

    def goes_on(self) -> bool:
        """Whether there is time; a search that is over begins again."""
        if self.search.repeated:
            raise SystemExit(f"{self.scenario.name}: a schedule did not repeat its beginning; such a rate says nothing")
        if self.search.over and not self.search.waits:
            self.search = all_classes(self.scenario)
        return time.monotonic() < self.until

    def add(self, steps: int) -> None:
        self.schedules += 1
        self.steps += steps


async def here(runner: Runner, rate: Rate) -> None:
    """Schedules of the gate of this process."""
    while rate.goes_on():
        if rate.search.begin():
            rate.add(len((await runner.schedule(rate.search)).steps))
        else:
            await trio.sleep(IDLE_SECONDS)


async def elsewhere(other: Other, rate: Rate) -> None:
    """Schedules of the gate of another process."""
    while rate.goes_on():
        search = rate.search
        beginning = search.hand_out()
        if beginning is None:
            await trio.sleep(IDLE_SECONDS)
            continue
        ran = await other.ran(beginning)
        search.take_in(ran.walked)
        rate.add(len(ran.walked.steps))


async def held(scenario: GateScenario, file: Path, seconds: float, jobs: int) -> Rate:
    """With so many gates, each of which has run some schedules before."""
    async with AsyncExitStack() as stack:
        runner = await stack.enter_async_context(open_runner(scenario, file))
        begins = prepare_setup(runner)
        others = [await stack.enter_async_context(join_process(scenario, file, begins)) for _ in range(jobs - 1)]
        for other in others:
            warm = all_classes(scenario)
            for _ in range(WARM_SCHEDULES):
                if beginning := warm.hand_out():
                    warm.take_in((await other.ran(beginning)).walked)
        await here(runner, Rate(scenario, time.monotonic() + min(WARM_SECONDS, seconds)))
        rate = Rate(scenario, time.monotonic() + seconds)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(here, runner, rate)
            for other in others:
                nursery.start_soon(elsewhere, other, rate)
        return rate


async def free(scenario: GateScenario, file: Path, seconds: float) -> Rate:
    """The calls of the clients at once, again and again, each time with the store of the setup; nothing is held."""
    async with open_runner(scenario, file) as runner:
        gate, rate = runner.gate, Rate(scenario, time.monotonic() + seconds)
        names = [name for name in runner.children if name != OPEN]
        gate.hold(frozenset())
        while rate.goes_on():
            gate.state, before = runner.fresh, gate.server.seen
            async with trio.open_nursery() as nursery:
                for name, calls in zip(names, scenario.clients, strict=True):
                    nursery.start_soon(_called, runner, name, calls)
            rate.add(gate.server.seen - before)
            for each in scenario.after:
                await runner.children[OPEN].call(each.name, each.args)
        return rate


async def _called(runner: Runner, name: str, calls: Sequence[GateCall]) -> None:
    for each in calls:
        await runner.children[name].call(each.name, each.args)


def main() -> None:
    """Print a line for each measurement."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", type=Path)
    options.add_argument("scenario")
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--jobs", default="1,2,3")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    [scenario] = choose_scenarios(given.file, [given.scenario])
    rows = []
    print("gates", "schedules/s", "steps/s", sep="\t")
    measured = [("none holds", partial(free, scenario, given.file, given.seconds))] + [
        (jobs, partial(held, scenario, given.file, given.seconds, int(jobs))) for jobs in given.jobs.split(",")
    ]
    for gates, work in measured:
        rate = trio.run(work)
        found = (gates, round(rate.schedules / given.seconds, 1), round(rate.steps / given.seconds))
        rows.append(dict(zip(("gates", "schedules_per_second", "steps_per_second"), found, strict=True)))
        print(*found, sep="\t", flush=True)
    if given.json:
        told = {"machine": machine(), "scenario": scenario.name, "rows": rows}
        given.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
