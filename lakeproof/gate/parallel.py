"""A search over the schedules of a real program, with several gates and sets of processes side by side.

The first gate runs the setup. When the search has gone on for `JOIN_SECONDS`, others join it, each in a process of its
own, begin with the store that the setup has left, and run what the search hands out:

    search         -- Beginning -->   a process: gate, program
                   <-- Ran --------

What travels is pickled, between processes of one machine and one owner. A process that joins ends with its stdin.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import attrs
import trio

from lakeproof.gate.classes import Classes
from lakeproof.gate.run import Schedule
from lakeproof.gate.scenario import GateScenario
from lakeproof.gate.server import Bell
from lakeproof.gate.startup import Prepared
from lakeproof.gate.walks import Beginning, Walked
from lakeproof.words import Unusable

JOIN_SECONDS: Final = 3.0
"""After so long the other processes join: what is over before would have waited for their start."""
CLOSING_SECONDS: Final = 10.0
"""For a process to end its program, and itself."""
HEAD_BYTES: Final = 8  # of the length before each value
READ_BYTES: Final = 1 << 16
LOOK_SECONDS: Final = 0.5
"""How often one that has nothing to run looks whether the time is over."""


@attrs.frozen(kw_only=True)
class Ran:
    """What a process has found."""

    walked: Walked
    schedule: Schedule
    """Without its outcome."""
    reached: Mapping[str, int]
    """How often an invariant, by its name, has met what it speaks of in this process so far, where it counts that."""


@attrs.frozen
class Failed:
    """Why a process cannot go on; one line."""

    why: str


def pack_value(value: object) -> bytes:
    """A value as it travels."""
    content = pickle.dumps(value)
    return len(content).to_bytes(HEAD_BYTES, "big") + content


class Values:
    """What arrives on a stream."""

    def __init__(self, stream: trio.abc.ReceiveStream) -> None:
        self._stream = stream
        self._found = bytearray()

    async def next(self) -> object | None:
        """The next value; None: the stream has ended."""
        while (value := self._whole()) is None:
            more = await self._stream.receive_some(READ_BYTES)
            if not more:
                return None
            self._found += more
        return value

    def _whole(self) -> object | None:
        found = self._found
        end = HEAD_BYTES + int.from_bytes(found[:HEAD_BYTES], "big")
        # Of less than a whole head ``end`` is computed from a part of the length, and may be too small.
        if len(found) < max(HEAD_BYTES, end):
            return None
        content = bytes(found[HEAD_BYTES:end])
        del found[:end]
        value: object = pickle.loads(content)  # noqa: S301  # from a process that this one has started
        return value


class Other:
    """A process that runs schedules for a search. Open it with `joined`."""

    def __init__(self, process: trio.Process, name: str) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._name = name
        self._input = process.stdin
        self._answers = Values(process.stdout)

    async def tell(self, value: object) -> None:
        try:
            await self._input.send_all(pack_value(value))
        except trio.BrokenResourceError:
            raise Unusable(await self._ended()) from None

    async def ran(self, beginning: Beginning) -> Ran:
        """Run a schedule that begins so.

        Raises:
            Unusable: the program or an invariant failed, or the process has died.
        """
        await self.tell(beginning)
        answer = await self._answers.next()
        if answer is None:
            raise Unusable(await self._ended())
        if isinstance(answer, Failed):
            raise Unusable(answer.why)
        assert isinstance(answer, Ran)
        return answer

    async def _ended(self) -> str:
        code = await self._process.wait()
        return f"{self._name}: a process of the search ended with code {code}; --jobs 1 runs all in this one"


@asynccontextmanager
async def join_process(scenario: GateScenario, file: Path, begins: Prepared) -> AsyncIterator[Other]:
    """A process that begins with what a setup has left. It ends with the block, and its program with it."""
    process = await trio.lowlevel.open_process(
        [sys.executable, "-m", "lakeproof.gate.worker", str(file), scenario.name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the first process, which ends the others
        env=os.environ,
    )
    try:
        other = Other(process, scenario.name)
        await other.tell(begins)  # the first value; all others are beginnings
        yield other
    finally:
        # Also when this block is cancelled: a process that is left would run its program on.
        with trio.CancelScope(shield=True):
            assert process.stdin is not None
            await process.stdin.aclose()  # the end of its stdin ends it, in the middle of a schedule, too
            with trio.move_on_after(CLOSING_SECONDS) as scope:
                await process.wait()
            if scope.cancelled_caught:  # the user's file is still being loaded, and does not end
                process.kill()
                await process.wait()


def _add_reached(scenario: GateScenario, reached: Mapping[str, int], before: Mapping[str, int]) -> None:
    """Add what its invariants have counted in another process since its last report: it reports totals."""
    for each in (*scenario.invariants, *scenario.always):
        if hasattr(each, "reached"):
            each.reached += reached.get(each.__name__, 0) - before.get(each.__name__, 0)


def count_reached(scenario: GateScenario) -> dict[str, int]:
    """What its invariants have counted in this process."""
    checks = (*scenario.invariants, *scenario.always)
    return {each.__name__: each.reached for each in checks if hasattr(each, "reached")}


async def join(
    scenario: GateScenario,
    file: Path,
    search: Classes,
    begins: Prepared,
    report: Callable[[Schedule, Classes], None],
    bell: Bell,
    goes_on: Callable[[], bool],
) -> None:
    """Help with a search until it is over, or does not go on. report: receives each schedule that was run here. bell:
    rung after each.

    Raises:
        Unusable: as `Other.ran`.
    """
    reached: Mapping[str, int] = {}
    async with join_process(scenario, file, begins) as other:
        while goes_on():
            beginning = search.hand_out()
            if beginning is not None:
                ran = await other.ran(beginning)
                complete = search.complete
                changed = search.take_in(ran.walked)
                _add_reached(scenario, ran.reached, reached)
                reached = ran.reached
                schedule = ran.schedule
                if search.complete <= complete:  # it does not count
                    schedule = attrs.evolve(schedule, violated={}, unreal="")
                report(schedule if changed is None else attrs.evolve(schedule, trouble=str(changed)), search)
                bell.ring()
            # What is under way elsewhere may show that more is to be run.
            elif search.waits:
                await bell.wait(LOOK_SECONDS)
            else:
                return
