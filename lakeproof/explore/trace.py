"""Traces: a counterexample as a small JSON file, and its replay on the real flows.

A trace names its scenario, its bounds and its invariant, and tells every step: who moves, with which effect, what it
is answered, what goes wrong. Replay follows the moves on a `World` and compares everything that the trace says with
what the code does now.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from impl.effects import Effect, Now
from lakeproof.explore.execution import label
from lakeproof.explore.faults import Mode, Move
from lakeproof.explore.plain import Referee, Verdicts
from lakeproof.explore.setting import prepare
from lakeproof.explore.world import Step, World
from lakeproof.scenario import Faults, Scenario, ScenarioError
from model import kv, objects
from model.invariants import Violation

FORMAT: Final = "lakeproof-trace"
VERSION: Final = 1
ENVIRONMENT: Final = "-"
"""Who moves when the network or the clock does."""


class TraceError(Exception):
    """A trace file that cannot be used. Names the file, the place in it and the repair."""


class ReplayDiverged(Exception):
    """The code no longer does what a trace tells. Names the step, what was told and what happens now."""


@attrs.frozen(kw_only=True)
class TraceStep:
    """One step, in words: what replay compares."""

    client: str
    call: str
    mode: str
    effect: str
    reply: str


@attrs.frozen(kw_only=True)
class Trace:
    """A counterexample."""

    scenario: str
    source: str  # the name of the user's file; empty for the catalogue
    invariant: str
    evidence: str
    faults: tuple[tuple[str, object], ...]
    steps: tuple[TraceStep, ...]

    @property
    def moves(self) -> tuple[Move, ...]:
        """The schedule."""
        return tuple(Move(_client(step.client), Mode(step.mode)) for step in self.steps)


@attrs.frozen
class Execution:
    """An execution of a scenario that has been re-run on the real flows."""

    steps: tuple[Step, ...]
    violations: tuple[Violation, ...]


def execute(scenario: Scenario, moves: Sequence[Move]) -> Execution:
    """Run the moves on a `World`, judging every state and transition.

    Raises:
        ScenarioError: a move is not possible.
    """
    verdicts = Verdicts()
    referee = Referee(scenario, verdicts)
    world, monitors = World(prepare(scenario)), referee.start()
    steps = []
    try:
        referee.state(world)
        for move in moves:
            before = world.cells
            step = world.step(move)
            monitors = referee.step(world, step, before, monitors)
            referee.state(world)
            steps.append(step)
    finally:
        world.close()
    return Execution(tuple(steps), tuple(violation for violation, _ in verdicts.violations.values()))


def record(scenario: Scenario, invariant_id: str, moves: Sequence[Move], *, source: str = "") -> Trace:
    """A trace of these moves, after they have been seen to violate the invariant on the real flows.

    Raises:
        AssertionError: they do not. The search would be wrong: such a counterexample must never be reported.
    """
    execution = execute(scenario, moves)
    found = [violation for violation in execution.violations if violation.invariant == invariant_id]
    assert found, f"{scenario.name}: the counterexample for {invariant_id} does not replay; please report this"
    return Trace(
        scenario=scenario.name,
        source=source,
        invariant=invariant_id,
        evidence=found[0].evidence,
        faults=_bounds(scenario.faults),
        steps=tuple(_told(step) for step in execution.steps),
    )


def replay(trace: Trace, scenario: Scenario) -> Execution:
    """Execute a trace on the flows as they are now.

    Raises:
        ReplayDiverged: an effect, a reply, the violation or the bounds are not what the trace says.
    """
    if _bounds(scenario.faults) != trace.faults:
        now = dict(_bounds(scenario.faults))
        raise ReplayDiverged(f"{trace.scenario} now has the faults {now}, the trace has {dict(trace.faults)}")
    done: list[Step] = []
    for number, told in enumerate(trace.steps, 1):
        try:
            done = list(execute(scenario, trace.moves[:number]).steps)
        except ScenarioError as error:
            raise ReplayDiverged(f"step {number}: {error}") from error
        does = _told(done[-1])
        for part in ("call", "effect", "reply"):
            if getattr(does, part) != getattr(told, part):
                raise ReplayDiverged(
                    f"step {number}, {part}: the trace says {getattr(told, part)!r}, "
                    f"the code now does {getattr(does, part)!r}"
                )
    execution = execute(scenario, trace.moves)
    if not any(violation.invariant == trace.invariant for violation in execution.violations):
        raise ReplayDiverged(f"every step is the same, and {trace.invariant} is not violated any more")
    return execution


def write(trace: Trace, path: Path) -> None:
    """Write a trace file; whole or not at all. Raises OSError."""
    content = {"format": FORMAT, "version": VERSION, **attrs.asdict(trace), "faults": dict(trace.faults)}
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".tmp")
    unfinished.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    unfinished.replace(path)


def read(path: str | os.PathLike[str]) -> Trace:
    """Read a trace file. Raises TraceError."""
    try:
        content = json.loads(Path(path).read_text())
    except OSError as error:
        raise TraceError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise TraceError(f"{path}: not JSON: {error}; expected a trace that lakeproof has written") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise TraceError(f"{path}: not a lakeproof trace; expected an object with format {FORMAT!r}")
    if content.get("version") != VERSION:
        raise TraceError(
            f"{path}: trace version {content.get('version')!r}; this lakeproof reads version {VERSION}: "
            "make the trace again with `lakeproof verify`"
        )
    return _parse(path, {key: value for key, value in content.items() if key not in ("format", "version")})


def _parse(path: object, content: dict[str, object]) -> Trace:
    fields = {field.name for field in attrs.fields(Trace)}
    if content.keys() != fields:
        odd = sorted(content.keys() ^ fields)
        raise TraceError(f"{path}: fields {odd} are missing or unknown; expected just {sorted(fields)}")
    steps, faults = content["steps"], content["faults"]
    if not isinstance(steps, list) or not isinstance(faults, dict):
        raise TraceError(f"{path}: `steps` must be a list and `faults` an object")
    for name in ("scenario", "source", "invariant", "evidence"):
        if not isinstance(content[name], str):
            raise TraceError(f"{path}: `{name}` is {content[name]!r}; expected a string")
    return Trace(
        scenario=str(content["scenario"]),
        source=str(content["source"]),
        invariant=str(content["invariant"]),
        evidence=str(content["evidence"]),
        faults=tuple((key, _frozen(value)) for key, value in faults.items()),
        steps=tuple(_parse_step(path, number, step) for number, step in enumerate(steps, 1)),
    )


def _parse_step(path: object, number: int, step: object) -> TraceStep:
    fields = {field.name for field in attrs.fields(TraceStep)}
    where = f"{path}: step {number}"
    if not isinstance(step, dict) or step.keys() != fields or not all(isinstance(v, str) for v in step.values()):
        raise TraceError(f"{where}: expected an object with the strings {sorted(fields)}, found {step!r}")
    if step["mode"] not in {mode.value for mode in Mode}:
        raise TraceError(f"{where}: unknown mode {step['mode']!r}; known: {', '.join(m.value for m in Mode)}")
    try:
        _client(step["client"])
    except ValueError as error:
        raise TraceError(f"{where}: unknown client {step['client']!r}; expected a letter or {ENVIRONMENT!r}") from error
    return TraceStep(**step)


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _bounds(faults: Faults) -> tuple[tuple[str, object], ...]:
    """The budgets that are not empty."""
    return tuple((key, value) for key, value in attrs.asdict(faults).items() if value)


def _client(name: str) -> int:
    if name == ENVIRONMENT:
        return -1
    labels = [label(client) for client in range(64)]
    return labels.index(name)


def _told(step: Step) -> TraceStep:
    return TraceStep(
        client=label(step.move.client) if step.move.client >= 0 else ENVIRONMENT,
        call="" if step.call is None else f"{step.call.name}({', '.join(map(repr, step.call.args))})",
        mode=step.move.mode.value,
        effect="" if step.op is None else describe(step.op),
        reply=_reply(step),
    )


def _reply(step: Step) -> str:
    if step.op is None:
        return ""
    if isinstance(step.reply, Exception):
        return f"{type(step.reply).__name__}: {step.reply}" if str(step.reply) else type(step.reply).__name__
    return "ok" if step.reply is None else repr(step.reply)


def describe(op: Effect) -> str:
    """An effect in words, exactly: values as they are."""
    match op:
        case Now():
            return "now"
        case kv.ScanBatch():
            return f"scan {op.partition!r} from {op.start!r}, {op.batch_size or 'all'}"
        case kv.Get() | kv.Delete():
            return f"{type(op).__name__.lower()} {op.partition!r} {op.key!r}"
        case kv.Set():
            return f"set {op.partition!r} {op.key!r} = {op.value!r}"
        case kv.SetIf():
            return f"set_if {op.partition!r} {op.key!r} = {op.value!r} if {op.predicate!r}"
        case kv.DeleteIf():
            return f"delete_if {op.partition!r} {op.key!r} if {op.predicate!r}"
        case objects.Put() | objects.GetObject() | objects.HeadObject() | objects.Copy():
            return repr(op)
        case objects.DeleteObject() | objects.ListObjects():
            return repr(op)
