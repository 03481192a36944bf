"""What can be done with a scenario: search it exhaustively, or sample it. The outcome is a plain value.

Example: what one line of a user's file makes of a scenario that is searched. A flow answers, and may be wrong; what an
invariant raises, or what is awaited beside ``env``, is a mistake in the file, and nothing is established.

    in a flow: raise ValueError("no")     no-unhandled-exception is violated, with a trace
    in a flow: raise SystemExit(1)        the same: a flow may raise anything
    in a flow: await asyncio.sleep(0)     trouble: "FILE:LINE: NAME: the flow awaits asyncio.sleep; a flow may ..."
    in a flow: while True: pass           all that is undecided is inconclusive: "FILE:LINE: runs on without ..."
    in an invariant: raise KeyError("x")  trouble: "NAME: invariant 'i': raised KeyError: 'x' (at FILE:LINE)"
    in an invariant: raise MemoryError    inconclusive: "no memory is left; fewer --jobs or less ..."
"""

import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, Protocol

import attrs

from lakeproof.impl.printable import printable
from lakeproof.scenario import Faults, Scenario
from lakeproof.search.trace import Trace
from lakeproof.verify.loader import Source, place_in_file
from lakeproof.verify.machine import rare_collections
from lakeproof.version import version
from lakeproof.words import Progress, Unusable

if TYPE_CHECKING:
    from lakeproof.search.faults import Move
    from lakeproof.search.search import Limits, Result


@attrs.frozen(kw_only=True)
class Verdict:
    """What is known of one invariant in one scenario."""

    invariant: str
    expected: str
    verdict: str  # holds, violated, inconclusive
    why: str = ""  # for inconclusive: what is missing
    reached: int = 0
    example: str = ""
    trace: Trace | None = None
    sampled: bool = False
    symmetric: bool = False
    """Whether a state stood for all that differ from it by an exchange of clients with the same program."""
    named: bool = True
    """Whether the scenario names it; what is checked of every scenario it need not name."""

    @property
    def unexpected(self) -> bool:
        """Whether the verdict differs from what is expected. A sample cannot do better than find no violation; and what
        the scenario does not name is left open wherever the rest is."""
        # The limit that left it open left the rest open, too: that is reported once.
        if not self.named and self.verdict == "inconclusive":
            return False
        if self.sampled and self.verdict == "inconclusive":
            # "holds" cannot be sampled, so only a violation that was expected and not found is news.
            return self.expected == "violated"
        return self.verdict != self.expected


@attrs.frozen(kw_only=True)
class Outcome:
    """What has become of one scenario. Counts are of distinct states and of transitions."""

    scenario: str
    clients: int
    calls: int
    faults: Faults
    verdicts: tuple[Verdict, ...]
    states: int = 0
    transitions: int = 0
    depth: int = 0
    """Every schedule was covered up to this many steps; 0 for samples, which cover none."""
    complete: bool = False
    seconds: float = 0.0
    stopped: str = ""
    unspent: Sequence[str] = ()
    """Budgets of faults that no schedule has: what the verdicts say of them holds of anything."""
    collision: float = 0.0
    trouble: str = ""
    """Why nothing is established: the scenario cannot be run. One line that names the place and the repair."""
    details: str = ""
    """With trouble that may be lakeproof's own: the traceback."""
    key: str = ""
    """What the outcome was made from (`lakeproof.verify.keys`), if it may be reused."""
    recalled: bool = False
    """Whether it comes from the cache."""
    unkept: str = ""
    """Why it may not be reused."""


class Task(Protocol):
    """One thing to do with scenarios. Can be sent to another process, unless it has an ``engine``."""

    def run(self, scenario: Scenario, source: Source, progress: Progress) -> Outcome:
        """Raises Unusable."""


@attrs.frozen(kw_only=True)
class Verify:
    """Search every schedule, within limits. None: no limit."""

    states_max: int | None = None
    seconds_max: float | None = None
    memory_bytes_max: int | None = None
    traced: bool = True
    """Whether a violation comes with its trace, the shortest schedule with few changes between clients."""

    def run(self, scenario: Scenario, source: Source, progress: Progress) -> Outcome:
        from lakeproof.search.liveness import is_liveness
        from lakeproof.search.minimise import reduce_preemptions
        from lakeproof.search.search import Counterexample, Limits

        def traced(name: str, found: Counterexample | None) -> Trace | None:
            if found is None or not self.traced:
                return None
            # Not made simpler: a lasso with fewer changes between clients may be no longer fair.
            if is_liveness(scenario, name):
                return make_trace(scenario, source, name, found.moves, found.loop)
            # A search takes the first shortest schedule that it meets; another one may interrupt fewer calls.
            return make_trace(scenario, source, name, reduce_preemptions(scenario, found.moves, name))

        limits = Limits(
            states_max=self.states_max, seconds_max=self.seconds_max, memory_bytes_max=self.memory_bytes_max
        )
        # Around the traces, too: they run the flows once more.
        with blame(scenario, source):
            result = self.search(scenario, limits, progress)
            # Where all that is named is decided, an undecided `NO_UNHANDLED_EXCEPTION` is news; else one limit left
            # both open.
            undecided = any(
                each.verdict == "inconclusive" for each in result.findings if each.id in scenario.sought_ids
            )
            verdicts = tuple(
                Verdict(
                    invariant=finding.id,
                    expected=scenario.expected(finding.id),
                    verdict=finding.verdict,
                    why=finding.why,
                    reached=finding.reached,
                    example=printable(finding.example),
                    symmetric=result.symmetric,
                    named=finding.id in scenario.sought_ids or not undecided,
                    trace=traced(finding.id, finding.counterexample),
                )
                for finding in result.findings
            )
        return attrs.evolve(
            outcome_of(scenario, verdicts),
            states=result.states,
            transitions=result.transitions,
            depth=result.depth,
            complete=result.complete,
            seconds=result.seconds,
            stopped=result.stopped,
            unspent=result.unspent,
            collision=result.collision,
        )

    def search(self, scenario: Scenario, limits: "Limits", progress: Progress) -> "Result":
        """Who searches: this process, unless a subclass knows better."""
        from lakeproof.search.search import search

        return search(scenario, limits, progress=progress)


@attrs.frozen(kw_only=True)
class Sample:
    """Sample schedules. What is not violated is inconclusive: sampling proves nothing."""

    strategy: Literal["random", "pct"]
    executions: int
    seed: int
    depth: int

    def run(self, scenario: Scenario, source: Source, progress: Progress) -> Outcome:
        from lakeproof.search.liveness import is_liveness
        from lakeproof.search.minimise import minimise
        from lakeproof.search.sampling import sample

        def traced(name: str) -> Trace:
            return make_trace(scenario, source, name, minimise(scenario, found.violations[name].moves, name))

        started = time.perf_counter()
        with blame(scenario, source):
            found = sample(
                scenario, strategy=self.strategy, executions=self.executions, seed=self.seed, depth=self.depth
            )
            nothing = found.stopped or f"{found.executions} executions did not violate it, which proves nothing"
            verdicts = tuple(
                Verdict(
                    invariant=name,
                    expected=scenario.expected(name),
                    verdict="violated" if name in found.violations else "inconclusive",
                    why="" if name in found.violations else NO_LIVENESS if is_liveness(scenario, name) else nothing,
                    trace=traced(name) if name in found.violations else None,
                    sampled=True,
                )
                # `NO_UNHANDLED_EXCEPTION` is there only if it is violated: a sample cannot say more of it.
                for name in (*scenario.named_ids, *(id_ for id_ in found.violations if id_ not in scenario.named_ids))
            )
        seconds = time.perf_counter() - started
        return attrs.evolve(
            outcome_of(scenario, verdicts), transitions=found.steps, seconds=seconds, stopped=found.stopped
        )


def make_trace(
    scenario: Scenario, source: Source, name: str, moves: "Sequence[Move]", loop: int | None = None
) -> Trace:
    """The trace of moves that violate an invariant: they are made, on the real flows. Raises NotReproduced."""
    from lakeproof.search.replay import record

    return record(scenario, name, moves, version=version(), file=source.name, loop=loop)


def inconclusive_outcome(scenario: Scenario, why: str) -> Outcome:
    """The outcome of a scenario of which nothing is known."""
    verdicts = tuple(
        Verdict(
            invariant=name,
            expected=scenario.expected(name),
            verdict="inconclusive",
            why=why,
            named=name in scenario.sought_ids,
        )
        for name in scenario.ids
    )
    return attrs.evolve(outcome_of(scenario, verdicts), stopped=why)


def unusable(scenario: Scenario, why: str, details: str = "") -> Outcome:
    """The outcome of a scenario that cannot be run."""
    return attrs.evolve(inconclusive_outcome(scenario, why), trouble=why, details=details)


def carried_out(task: Task, scenario: Scenario, source: Source, progress: Progress) -> Outcome:
    """The outcome of a task, whatever the scenario's code does: one bad scenario costs no other one its verdict.

    Raises:
        KeyboardInterrupt: Ctrl-C. OSError: the command's own output cannot be written. NoProtobuf.
    """
    from lakeproof.model.messages import NoProtobuf
    from lakeproof.search.fence import CALL_SECONDS_MAX, FORGOTTEN, INTERRUPTS, WATCH, Undecided

    # A sample has no limit of its own.
    seconds = getattr(task, "seconds_max", None)
    try:
        # No stretch of code may outlast the search. Never below a second: the watch counts ticks of 0.2 s.
        limit = max(1.0, min(CALL_SECONDS_MAX, seconds or CALL_SECONDS_MAX))
        with INTERRUPTS.noticed(), FORGOTTEN.noticed(), WATCH.set_up(limit), rare_collections():
            return task.run(scenario, source, progress)
    except Unusable as error:
        return unusable(scenario, str(error))
    except Undecided as error:
        return inconclusive_outcome(scenario, str(error))
    except MemoryError:
        return inconclusive_outcome(scenario, "no memory is left; fewer --jobs or less --max-memory may help")
    # Not the user's: those are outcomes of calls, or `blame` has made them Unusable. What is not installed is missed by
    # all scenarios alike.
    except (OSError, NoProtobuf):
        raise
    except BaseException as error:
        # One that a flow has raised by itself is a mistake in its file.
        if isinstance(error, KeyboardInterrupt) and INTERRUPTS.came:
            raise
        return unusable(scenario, f"{scenario.name}: {MISTAKE}", traceback.format_exc())


NO_LIVENESS: Final = "what must happen at last is not judged in samples; lakeproof verify judges it"

MISTAKE: Final = (
    "nothing is established: either its file uses values of wrong types, or this is a mistake of lakeproof's own; "
    "then please report it"
)


def outcome_of(scenario: Scenario, verdicts: tuple[Verdict, ...]) -> Outcome:
    """What is known before anything is counted."""
    return Outcome(
        scenario=scenario.name,
        clients=len(scenario.clients),
        calls=sum(map(len, scenario.clients)),
        faults=scenario.faults,
        verdicts=verdicts,
    )


@contextmanager
def blame(scenario: Scenario, source: Source) -> Iterator[None]:
    """Says of an error whether the scenario is to blame: then it becomes Unusable, with the place if it is known."""
    try:
        yield
    except BaseException as error:
        from lakeproof.impl.codec import Undecodable
        from lakeproof.model.identity import NoIdentity
        from lakeproof.model.messages import NoProtobuf
        from lakeproof.scenario import ScenarioError
        from lakeproof.search.execution import NondeterministicFlow
        from lakeproof.search.fence import NotAnEffect, is_ours, message_of
        from lakeproof.search.replay import NotReproduced

        # Unusable has its place already.
        if is_ours(error) or isinstance(error, Unusable | NoProtobuf):
            raise
        where = None if source.file is None else place_in_file(error, source.file)
        # An error of an invariant arrives as a ScenarioError that was raised in lakeproof: its cause has the line.
        cause = error.__cause__
        if where is None and isinstance(cause, Exception) and source.file is not None:
            where = place_in_file(cause, source.file)
        message = message_of(error) or "no message"
        ours = (ScenarioError, NondeterministicFlow, NotAnEffect, NotReproduced, NoIdentity, Undecodable)
        # What lakeproof raises about a scenario. Of anything else the file is to blame only if a line of it ran.
        if isinstance(error, ours):
            place = error.place if isinstance(error, NotAnEffect) else where or source.file
            # Some messages begin with the name of the scenario already.
            named = message if message.startswith(scenario.name) else f"{scenario.name}: {message}"
            raise Unusable(f"{place}: {named}" if place else named) from error
        if where is not None:
            raise Unusable(f"{where}: {scenario.name}: {type(error).__name__}: {message}") from error
        raise
