"""The engine of `stress` and `service`: rounds of clients on something real, until the time is up or a round violates
an invariant.

A `Workload` is what differs: keys of a store (`traffic`), flows on a store (`flows`), a lakeFS (`lakefs.rounds`). Each
does a round, and judges it. Each round lasts twice as long as the one before: what shows at once is found at once, and
what comes late is found, too.
"""

import math
import random
import shlex
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import ClassVar, Final

import attrs
import click
import trio

from lakeproof.live.recorder import Tally
from lakeproof.live.report import Report, Round
from lakeproof.stores.wrappers import PrefixedStore
from lakeproof.words import Unusable, first_of, plural, seconds

FIRST_SECONDS: Final = 0.5
UNJUDGED_MAX: Final = 3
"""Rounds, one after the other: more would not be judged either."""
FAULT_SECONDS: Final = (0.05, 0.45)
"""Between two faults. The longest is shorter than the first round."""
SETTLE_SECONDS: Final = 0.2
"""A call without an answer may still be done, some time after its connection was lost."""
CLEAR_TIMEOUTS: Final = 12
"""For all keys of a round: so many times an answer's."""
INTERRUPTED: Final = "interrupted"
RESTARTED: Final = "the server restarted"
SEED_END: Final = 1 << 32

Fault = Callable[[random.Random], Awaitable[str]]
"""Does something to a server, and returns what."""


@attrs.frozen(kw_only=True)
class Load:
    """clients: tasks at once. keys: of a round. seconds: of traffic, in all. timeout: seconds for an answer."""

    clients: int = 16
    keys: int = 8
    seconds: float = 30.0
    seed: int = 0
    timeout: float = 10.0


@attrs.frozen
class Plan:
    """When a run ends. rounds: so many at most; None: as many as there is time for. calls: of a round, about, whatever
    time it takes; None: rounds are measured in time."""

    keep_going: bool = False
    rounds: int | None = None
    calls: int | None = None


@attrs.define
class Workload(ABC):
    """What clients do. left: what could not be removed. gone: why no answer is expected any more; empty: they are."""

    kind: ClassVar[str]
    unit: ClassVar[str] = "call"
    longest: ClassVar[float] = math.inf
    """Seconds of a round."""
    load: Load
    tally: Tally = attrs.field(factory=Tally, kw_only=True)
    left: list[str] = attrs.field(factory=list, kw_only=True)
    gone: str = attrs.field(default="", kw_only=True)
    rounds: int = attrs.field(default=0, kw_only=True)

    @abstractmethod
    async def round(self, duration: float, calls: int | None = None) -> Round:
        """One round, until about so much time has passed or so many calls were made."""

    async def finish(self) -> None:  # noqa: B027  # most have nothing to do
        """Remove what rounds could not."""

    @asynccontextmanager
    async def clear_after(self, store: PrefixedStore, name: bytes) -> AsyncIterator[None]:
        """Delete what is written until it is left, after Ctrl-C, too; what stays is named in ``left``."""
        try:
            yield
        finally:
            # Shielded, so that it is done, and bounded, so that it ends.
            deadline = trio.current_time() + CLEAR_TIMEOUTS * self.load.timeout
            try:
                with trio.CancelScope(deadline=deadline, shield=True):
                    await store.clear()
            finally:
                if store.written:
                    self.left.append(name.decode())

    def rng(self, *who: object) -> random.Random:
        """The choices of one client in this round."""
        return random.Random(" ".join(map(str, (self.load.seed, self.rounds, *who))))

    def note(self, words: str) -> None:
        click.echo(f"{self.kind}: {words}", err=True)


async def run_rounds(workload: Workload, report: Report, plan: Plan = Plan()) -> None:  # frozen
    """Rounds until the time is up, or, unless it is to go on, an invariant is violated; or until Ctrl-C, which is in
    the report. Raises Unusable."""
    length, unjudged = FIRST_SECONDS, 0
    try:
        while (
            # Time is that of traffic alone. Judging a round may take longer than the round itself.
            (plan.keep_going or not report.violations)
            and not (workload.gone or unjudged == UNJUDGED_MAX or report.rounds == plan.rounds)
            and report.seconds < workload.load.seconds
        ):
            duration = math.inf if plan.calls else min(length, workload.load.seconds - report.seconds)
            made = await workload.round(duration, plan.calls)
            length = min(2 * length, workload.longest)  # doubled from the plan, whatever time the round took
            report.add(made)
            open_ = f"not judged: {made.unread}" if made.unread else "inconclusive" if made.open else "holds"
            verdict = "violated" if made.violations else open_
            calls = plural(made.calls, workload.unit)
            workload.note(f"round {workload.rounds}: {calls} in {seconds(made.seconds)} s: {verdict}")
            # An inconclusive round was judged, and says that the store answers: only rounds without any verdict end the
            # run.
            unjudged = unjudged + 1 if made.unread else 0
        await workload.finish()
    # Trio wraps what a nursery raises, even a single Ctrl-C or Unusable.
    except (KeyboardInterrupt, Unusable, BaseExceptionGroup) as raised:
        error = first_of(raised) if isinstance(raised, BaseExceptionGroup) else raised
        if isinstance(error, KeyboardInterrupt):
            report.interrupted = click.Abort()
        elif isinstance(error, Unusable) and report.violations:
            report.interrupted = error
        else:
            raise error from None
        # What was found before stands. The round that was cut off may have violated anything.
        report.add(Round(unread=INTERRUPTED))


@asynccontextmanager
async def inject_faults(faults: Sequence[Fault], rng: random.Random, tally: Tally) -> AsyncIterator[None]:
    """Faults again and again, until it is left. One that has begun is done to its end."""

    async def disturb() -> None:
        while faults:  # no faults: ends at once
            await trio.sleep(rng.uniform(*FAULT_SECONDS))
            # A restart that is cut off would leave the server down, and the final reads of the round would fail.
            with trio.CancelScope(shield=True):
                tally.faults[await rng.choice(faults)(rng)] += 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(disturb)
        yield
        nursery.cancel_scope.cancel()


def restarting(command: str) -> Fault:
    """A fault that runs a command to its end, without a shell.

    Raises Unusable if its quotes are unbalanced; the fault does if the program is not there or fails.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise Unusable(f"--restart-with {command}: {error}; quote it as in a shell") from error

    async def restart(rng: random.Random) -> str:
        # A file, not a pipe: a server that the command leaves in the background keeps a pipe open for ever.
        with tempfile.TemporaryFile() as errors:
            try:
                done = await trio.run_process(words, check=False, stdout=subprocess.DEVNULL, stderr=errors)
            except (OSError, ValueError, IndexError) as error:  # IndexError: an empty command
                why = getattr(error, "strerror", None) or error
                raise Unusable(f"--restart-with {command}: {why}; name a program") from error
            if done.returncode:
                errors.seek(0)
                message = " ".join(errors.read().decode(errors="replace").split())[-200:]
                raise Unusable(f"--restart-with {command}: ended with {done.returncode}: {message}; mend it")
        return RESTARTED

    return restart
