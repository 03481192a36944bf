"""What the processes do: run scenarios as they are and note what they execute, or judge one mutant.

Nothing here imports a flow, or anything that does, before the mutant is planted.

Example: what `judge_outcome` says of a mutant, by what a search of one scenario finds. All is expected to hold.

    an invariant                   no-unhandled-exception    the search stopped    the mutant
    holds                          holds                     no                    None: the next scenario judges it
    violated                       violated                  no                    killed, by the invariant
    inconclusive, never reached    holds                     no                    killed
    inconclusive                   holds                     30 s have passed      timed-out
    holds                          violated                  no                    unusable: a type error, say
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Final, Protocol

import attrs

from lakeproof.mutation.injection import module_of, plant
from lakeproof.search.board import die_with_parent  # loads the board, which has no mutants for that reason
from lakeproof.verify.witness import WITNESS

if TYPE_CHECKING:
    from lakeproof.scenario import Scenario
    from lakeproof.verify.tasks import Outcome

Lines = tuple[tuple[str, tuple[int, ...]], ...]
"""By file: numbers of lines that were executed, in order."""


@attrs.frozen(kw_only=True)
class Bounds:
    """When the search of one scenario stops: so many states for each state of the design as it is, but not fewer than
    ``states_min``; so many seconds; so much memory."""

    factor: int = 10
    states_min: int = 100_000
    seconds: float = 30.0
    memory_bytes: int = 2 << 30

    def states(self, as_it_is: int) -> int:
        """How many states a mutant may have, of a scenario with so many as it is."""
        return max(self.states_min, self.factor * as_it_is)


@attrs.frozen
class Origin:
    """Where a scenario comes from: the name of its module in the catalogue, or the user's file."""

    module: str = ""
    file: Path | None = None

    def scenarios(self, code: CodeType | None = None) -> "dict[str, Scenario]":
        """By name. code: what to execute instead of the user's file."""
        if self.file is not None:
            from lakeproof.verify.loader import load_file

            found = {each.name: each for each in load_file(self.file, code)}
            WITNESS.running = True  # what flows import now, the process that makes the keys has not loaded
            return found
        from importlib import import_module

        from lakeproof.designs import scenarios_of

        return {each.name: each for each in scenarios_of(import_module(self.module))}


@attrs.frozen(kw_only=True)
class Reach:
    """What a scenario does as it is."""

    scenario: str
    origin: Origin
    states: int
    lines: Lines
    wrong: str = ""
    """Why no mutant can be judged by it: a verdict that is not as expected already."""


@attrs.frozen(kw_only=True)
class JudgeStep:
    """A scenario that judges, and how far its search goes."""

    scenario: str
    origin: Origin
    states_max: int
    states: int = 0
    """Kills a mutant of the engine that finds another number of them; 0: any number will do."""


@attrs.frozen
class Killer:
    """What noticed a mutant."""

    judge: str
    """A scenario."""
    invariant: str


def _killers(given: Sequence[Killer | Mapping[str, str]]) -> tuple[Killer, ...]:
    return tuple(each if isinstance(each, Killer) else Killer(**each) for each in given)


@attrs.frozen(kw_only=True)
class MutantResult:
    """What became of one mutant."""

    fate: str  # killed, survived, timed-out, unusable
    scenario: str = ""
    """Which one killed it, could not be run, or did not end first."""
    invariant: str = ""
    why: str = ""
    ran: int = 0
    """How many scenarios were run."""
    seconds: float = 0.0
    killers: tuple[Killer, ...] = attrs.field(default=(), converter=_killers)
    """All of them, of the judges that ran: the first judge that kills, or, thoroughly, every judge."""


KILLED: Final = "killed"
SURVIVED: Final = "survived"
TIMED_OUT: Final = "timed-out"
UNUSABLE: Final = "unusable"


class Work(Protocol):
    """What one process does. Can be sent to it. What it yields is sent back as it comes."""

    def done(self) -> Iterator[object]: ...


@attrs.frozen
class Began:
    """A process is still alive: it has begun another scenario."""

    scenario: str


@attrs.frozen(kw_only=True)
class Reaching:
    """Run scenarios as they are: a `Reach` for each."""

    origin: Origin
    names: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    """Path and name of each file that has mutants."""
    seconds: float

    def done(self) -> Iterator[object]:
        from lakeproof.mutation.mutants import noting
        from lakeproof.mutation.stand_ins import LINES

        files = {module_of(name): (Path(path), name) for path, name in self.files}
        if self.origin.file is None:
            # Before `scenarios` imports any of them: a module that is loaded is not compiled again.
            plant({module: path for module, (path, _) in files.items()}, lambda module: noting(*files[module]))
            known = self.origin.scenarios()
        else:
            known = self.origin.scenarios(noting(self.origin.file, self.origin.file.name))
        for name in self.names:
            yield Began(name)
            LINES.clear()  # of the scenario before, and of building designs
            _forget_calls([path for path, _ in self.files])
            outcome = _search_scenario(known[name], self.origin, None, Bounds(seconds=self.seconds))
            wrong = [f"{each.invariant} is {each.verdict}" for each in outcome.verdicts if each.unexpected]
            by: dict[str, list[int]] = {}
            for file, line in sorted(LINES):
                by.setdefault(file, []).append(line)
            yield Reach(  # at once: an interrupt loses no scenario that is done
                scenario=name,
                origin=self.origin,
                states=outcome.states,
                lines=tuple((file, tuple(lines)) for file, lines in by.items()),
                wrong=outcome.trouble or "; ".join(wrong),
            )


def _forget_calls(files: Sequence[str]) -> None:
    """Empty the caches of the functions of modules: a scenario executes what another one before it has."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) in files:
            for each in vars(module).values():
                if isinstance(each, _CACHED):
                    each.cache_clear()


_CACHED: Final = type(lru_cache(abs))


@attrs.frozen(kw_only=True)
class Judging:
    """Judge a mutant by scenarios, in this order, until one of them kills it. Thoroughly: by all of them."""

    file: str
    path: Path
    code: bytes
    steps: tuple[JudgeStep, ...]
    bounds: Bounds
    thorough: bool = False

    def done(self) -> Iterator[object]:
        import marshal

        code: CodeType = marshal.loads(self.code)  # noqa: S302  # ours
        started = time.monotonic()
        # With a user's file, all scenarios are of it: `Campaign.of` mixes no origins.
        user_file = self.steps[0].origin.file
        if user_file is None:
            plant({module_of(self.file): self.path}, lambda _: code)
        loaded: dict[Origin, dict[str, Scenario]] = {}
        open_: MutantResult | None = None
        first: MutantResult | None = None
        killers: list[Killer] = []
        ran = 0
        for step in self.steps:
            if killers and not self.thorough:
                break
            ran += 1
            yield Began(step.scenario)
            try:
                if step.origin not in loaded:
                    loaded[step.origin] = step.origin.scenarios(None if user_file is None else code)
                scenario = loaded[step.origin][step.scenario]
            except Exception as error:  # noqa: BLE001  # whatever the mutant does while its design is built
                why = f"the design cannot be built: {type(error).__name__}: {error}"
                found: MutantResult | None = MutantResult(fate=UNUSABLE, scenario=step.scenario, why=why)
            else:
                found = judge_outcome(
                    _search_scenario(scenario, step.origin, step.states_max, self.bounds), step.states
                )
            if found is not None and found.fate == KILLED:
                killers += found.killers
                first = first or found
            # An unusable one says more than one that has timed out: it replaces that.
            elif found is not None and (open_ is None or open_.fate == TIMED_OUT):
                open_ = found
        last = first or open_ or MutantResult(fate=SURVIVED)
        yield attrs.evolve(last, ran=ran, seconds=round(time.monotonic() - started, 3), killers=killers)


def judge_outcome(outcome: "Outcome", states: int = 0) -> MutantResult | None:
    """What one scenario says of a mutant; None: all is as expected.

    It is killed by a verdict of an invariant: also by the answer that its situation never occurred. Timed out where the
    search stopped first. Unusable where the scenario cannot be run, or where nothing differs but
    that a flow raises what no flow may raise: a type error, say. states: see `JudgeStep`.
    """
    from lakeproof.scenario import NO_UNHANDLED_EXCEPTION

    if outcome.trouble:
        return MutantResult(fate=UNUSABLE, scenario=outcome.scenario, why=outcome.trouble)
    differs = [each for each in outcome.verdicts if each.unexpected]
    certain = [
        each
        for each in differs
        # An invariant that is inconclusive kills only at the end of the search: then its situation never arose.
        if (each.invariant != NO_UNHANDLED_EXCEPTION or each.verdict == "holds")
        and not (each.verdict == "inconclusive" and outcome.stopped)
    ]
    for each in certain[:1]:
        return MutantResult(
            fate=KILLED,
            scenario=outcome.scenario,
            invariant=each.invariant,
            why=f"{each.verdict}, expected {each.expected}",
            killers=[Killer(outcome.scenario, other.invariant) for other in certain],
        )
    for each in differs:
        fate = TIMED_OUT if each.verdict == "inconclusive" else UNUSABLE
        return MutantResult(
            fate=fate, scenario=outcome.scenario, invariant=each.invariant, why=each.why or each.verdict
        )
    if states and outcome.states != states:
        why = f"{outcome.states:,} states, expected {states:,}"
        killers = [Killer(outcome.scenario, "states")]
        return MutantResult(fate=KILLED, scenario=outcome.scenario, invariant="states", why=why, killers=killers)
    return None


def _search_scenario(scenario: "Scenario", origin: Origin, states_max: int | None, bounds: Bounds) -> "Outcome":
    from lakeproof.verify.loader import Source
    from lakeproof.verify.tasks import Verify, carried_out

    task = Verify(states_max=states_max, seconds_max=bounds.seconds, memory_bytes_max=bounds.memory_bytes, traced=False)
    return carried_out(task, scenario, Source(origin.file), lambda *_: None)


def run(pipe: "Connection[object, object]", work: Work) -> None:
    """The whole life of a process: what the work yields goes into the pipe; an error of ours as its text."""
    die_with_parent()
    WITNESS.install()
    WITNESS.noting = True
    os.dup2(2, 1)  # stdout is the report; prints of a flow go to stderr
    sys.stdout = sys.stderr
    try:
        for message in work.done():
            pipe.send((message, bool(WITNESS.strange)))
    except (BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        return  # the parent is gone, or ends all
    except BaseException as error:  # noqa: BLE001  # the parent says it
        pipe.send((Failed(f"{type(error).__name__}: {error}"), False))


@attrs.frozen
class Failed:
    """A process could not do its work."""

    why: str
    ended: bool = False
    """A signal has ended it: it was silent for too long, say, or took the memory of others. No answer is known."""
