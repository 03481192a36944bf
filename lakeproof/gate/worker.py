"""A process that runs schedules for a search in another process. See `lakeproof.gate.parallel`.

python -m lakeproof.gate.worker FILE.py SCENARIO
"""

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import attrs
import trio

from lakeproof.gate.parallel import Failed, Ran, Values, count_reached, pack_value
from lakeproof.gate.scenario import THREADS, GateScenario
from lakeproof.gate.scenario_files import load_scenarios
from lakeproof.gate.startup import Prepared, open_runner
from lakeproof.gate.walks import Beginning, RandomRun
from lakeproof.words import Unusable, first_of


async def serve(
    scenario: GateScenario, file: Path, requests: trio.abc.ReceiveStream, answers: trio.abc.SendStream
) -> None:
    """Run the schedules that are requested until the input ends, even in the middle of a schedule."""
    arriving = Values(requests)
    received, queue = trio.open_memory_channel[object](1)

    async def listen() -> None:
        while (value := await arriving.next()) is not None:
            await received.send(value)
        # The search is over, or its process is gone: a schedule under way is given up, and the program is ended.
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        # A task of its own, so that the end of the input is seen while a schedule is run.
        nursery.start_soon(listen)
        await _run(scenario, file, queue, answers)


async def _run(scenario: GateScenario, file: Path, queue: AsyncIterator[object], answers: trio.abc.SendStream) -> None:
    begins = await anext(queue)
    assert isinstance(begins, Prepared)
    async with open_runner(scenario, file, begins) as runner:
        async for beginning in queue:
            assert isinstance(beginning, Beginning)
            walk = RandomRun(beginning, scenario.parallel == THREADS)
            # The outcome has the whole store in it. It was judged here, and need not travel.
            schedule = attrs.evolve(await runner.schedule(walk), outcome=None)
            await answers.send_all(
                pack_value(Ran(walked=walk.walked, schedule=schedule, reached=count_reached(scenario)))
            )


async def main(file: Path, name: str) -> None:
    """Serve stdin; what the user's file prints goes to stderr."""
    answers = trio.lowlevel.FdStream(os.dup(1))
    os.dup2(2, 1)
    try:
        scenario = next(each for each in load_scenarios(file) if each.name == name)
        await serve(scenario, file, trio.lowlevel.FdStream(os.dup(0)), answers)
    except (Unusable, BaseExceptionGroup) as errors:
        error = first_of(errors) if isinstance(errors, BaseExceptionGroup) else errors
        # A mistake of ours ends this process with its traceback; the search reports the exit code.
        if not isinstance(error, Unusable):
            raise error from None
        try:
            await answers.send_all(pack_value(Failed(str(error))))
        except trio.BrokenResourceError:
            return  # the reader is gone


if __name__ == "__main__":
    trio.run(main, Path(sys.argv[1]), sys.argv[2])
