"""Traces: a counterexample as one small file that anybody can read, show and replay.

A trace says everything in words, so that it can be shown without the code that it came from; and it holds a fingerprint
per step, so that a replay notices any difference, down to the byte.

Example: the last of the four steps in which two clients add one to a counter, and one update is lost; one line of the
file. What is empty is left out: ``condition``, ``task``, and ``changes``, as the counter was 1 already. ::

    {"client": "b", "call": "add_one()", "mode": "normal", "effect": "set", "key": "counters/n", "value": "1",
     "reply": "ok", "returned": ["add_one() succeeds"], "exact": "76cf4a600c4ce40f", "at": "counter.py:8"}

The step before it has the same words, and ``"changes": [["counters/n", null, "1"]]``, as the counter was absent then;
so its fingerprint is another, "031908d73ff712c7".
"""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar, get_args, get_origin

import attrs

from lakeproof.files import write_whole
from lakeproof.impl.printable import printable
from lakeproof.scenario import Faults, ScenarioError
from lakeproof.search.faults import Mode
from lakeproof.words import Unusable, program, replay_command

R = TypeVar("R", bound=attrs.AttrsInstance)

FORMAT: Final = 1
"""The version of the format. A change that an older reader would misread raises it."""

BOUNDS: Final = tuple(field.name for field in attrs.fields(Faults))
# Kinds of faults that were added later: a trace without them has the bytes that it had before.
LEFT_OUT: Final = BOUNDS[BOUNDS.index("restarts") :]
"""Bounds that are left out where they are 0."""
MODES: Final = {mode.value: mode for mode in Mode}


class TraceError(Unusable):
    """A trace that cannot be used; one line that names the file, the place in it and the repair."""


@attrs.frozen(kw_only=True)
class KeyChange:
    """What one step did to one key, in words; None where it holds nothing."""

    key: str
    before: str | None
    after: str | None


@attrs.frozen(kw_only=True)
class TraceStep:
    """One transition, in words."""

    client: str
    """The label of the client that moves, or whose late write arrives; empty for the clock."""
    call: str = ""
    mode: Mode
    effect: str = ""
    key: str = ""
    value: str = ""
    condition: str = ""
    reply: str = ""
    """The reply that the client got."""
    changes: tuple[KeyChange, ...] = ()
    returned: tuple[str, ...] = ()
    """The calls that this step ended, and how."""
    exact: str = ""
    """A fingerprint of effect, reply and changes."""
    at: str = ""
    """``FILE:LINE`` of the flow that performs the effect. Not compared by a replay: lines move."""
    task: str = ""
    """Which of the client's open effects it is: the path of its task, see `lakeproof.impl.parallel`. Empty: that of the
    main task."""


@attrs.frozen(kw_only=True)
class Trace:
    """A schedule that violates an invariant, with all that a reader needs to follow it."""

    lakeproof: str
    """The version that recorded it."""
    scenario: str
    file: str | None
    """The name of the user's file that holds the scenario; None: the catalogue."""
    faults: Faults
    clients: tuple[tuple[str, ...], ...]
    """For each client its calls."""
    recover: tuple[tuple[str, ...], ...] = ()
    """For each client what it runs after a restart; empty where there can be none."""
    initially: tuple[tuple[str, str], ...]
    """Keys and what they hold when the clients start."""
    schedule: tuple[TraceStep, ...]
    afterwards: tuple[str, ...]
    """The calls of the aftermath, if the violation is one of those, and how they ended."""
    invariant: str
    meaning: str
    evidence: str
    loop: int | None = None
    """How many steps lead to a loop: those after them repeat for ever. None: there is no loop."""

    @property
    def programs(self) -> tuple[str, ...]:
        """What each client runs, in a line."""
        recover = self.recover or ((),) * len(self.clients)
        return tuple(
            ", then ".join(calls) + (f"; when it starts again: {', then '.join(first)}" if first else "")
            for calls, first in zip(self.clients, recover, strict=False)
        )


def write(trace: Trace, path: Path) -> None:
    """Write a trace; no reader sees half a file. Equal traces have equal bytes.

    Raises:
        OSError: the folder cannot be made or written to, or the disk is full.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, dumps(trace))


def dumps(trace: Trace) -> str:
    """A trace as JSON: one line a field, one line a step."""
    head: dict[str, object] = {
        "trace": FORMAT,
        "lakeproof": trace.lakeproof,
        "scenario": trace.scenario,
        "file": trace.file,
        "invariant": trace.invariant,
        "meaning": trace.meaning,
        "evidence": trace.evidence,
        "bounds": {name: left for name, left in attrs.asdict(trace.faults).items() if left or name not in LEFT_OUT},
        "clients": trace.clients,
        **({"recover": trace.recover} if trace.recover else {}),
        "initially": trace.initially,
        "afterwards": trace.afterwards,
        **({} if trace.loop is None else {"loop": trace.loop}),
    }
    # By hand and not with indent=: a step on one line makes a diff of two traces readable.
    lines = [f" {json.dumps(name)}: {_compact(content)}" for name, content in head.items()]
    steps = [f"  {_compact(_step_fields(step))}" for step in trace.schedule]
    lines.append(' "schedule": [\n' + ",\n".join(steps) + "\n ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _compact(content: object) -> str:
    return json.dumps(content, ensure_ascii=False)


def _step_fields(step: TraceStep) -> dict[str, object]:
    """Only what is not the default: most steps have no fault, and many change nothing."""
    changes = [[change.key, change.before, change.after] for change in step.changes]
    fields = {**attrs.asdict(step, recurse=False), "mode": step.mode.value, "changes": changes}
    # "client" is empty for the network and the clock, and is written all the same: it is required.
    return {name: content for name, content in fields.items() if content or name in _STEP_REQUIRED}


def read(path: Path) -> Trace:
    """Read a trace.

    Raises:
        TraceError: there is no such file, or it is no trace that this version reads.
    """
    try:
        content = path.read_text(encoding="utf-8")
    except OSError as error:
        raise TraceError(f"{path}: cannot be read: {error.strerror}; name a file that `verify` has written") from error
    except UnicodeDecodeError as error:
        raise TraceError(f"{path}: byte {error.start}: not UTF-8, so no trace; {_AGAIN}") from error
    try:
        data = json.loads(content)
    except json.JSONDecodeError as error:
        raise TraceError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}; {_AGAIN}") from error
    except RecursionError as error:
        raise TraceError(f"{path}: nested too deeply for a trace; {_AGAIN}") from error
    except ValueError as error:  # Python refuses to read integers of thousands of digits
        raise TraceError(f"{path}: no trace: {str(error).partition(';')[0]}; {_AGAIN}") from error
    return _Reader(path).trace(data)


_PROBLEM_MAX: Final = 300

_AGAIN: Final = "record it again with `lakeproof verify`"


class _Reader:
    """Checks a file against the types that the fields of `Trace` have; every refusal names the place."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fail(self, place: str, problem: str, repair: str = _AGAIN) -> TraceError:
        what = printable(f"{place}: {problem}")  # both may hold what the file says, at any length
        # A file may hold a text of a megabyte where a number is expected.
        short = what if len(what) <= _PROBLEM_MAX else f"{what[: _PROBLEM_MAX - 3]}..."
        return TraceError(f"{self.path}: {short}; {repair}")

    def trace(self, data: object) -> Trace:
        # Before the check for "trace", which those of the gate lack: the message can name the command that reads it.
        if isinstance(data, dict) and "gate" in data:
            line = replay_command(self.path, "FILE", f"{program()} gate")
            raise TraceError(f"{self.path}: a trace of the gate; run it with `{line}`")
        if not isinstance(data, dict) or "trace" not in data:
            raise TraceError(f'{self.path}: no trace: expected a JSON object with a field "trace"; {_AGAIN}')
        version = data.pop("trace")
        # True == 1 in Python.
        if version != FORMAT or isinstance(version, bool):
            raise self.fail(
                "trace",
                f"format {version!r}, of lakeproof {data.get('lakeproof', '?')}; this one reads format {FORMAT}",
                f"use that version, or {_AGAIN}",
            )
        trace = self.record(Trace, data, "")
        # A loop has one step at least.
        steps = len(trace.schedule)
        if trace.loop is not None and not 0 <= trace.loop < steps:
            raise self.fail("loop", f"{trace.loop}: expected how many steps come before it, less than {steps}")
        return trace

    def record(self, kind: type[R], data: object, place: str) -> R:
        """An object with the fields of a class; those that are not required may be missing."""
        here = place or "the trace"
        if not isinstance(data, dict):
            raise self.fail(here, f"{_short_repr(data)}: expected an object")
        fields = {_BOUNDS if each.type is Faults else each.name: each for each in attrs.fields(kind)}
        # Refused, not passed over: a field of a later version may change what the others mean.
        unknown = sorted(data.keys() - fields.keys())
        if unknown:
            raise self.fail(here, f"unknown field {unknown[0]!r}", f"take it out, or {_AGAIN}")
        missing = [name for name in fields if name not in data and name not in _OPTIONAL[kind]]
        if missing:
            raise self.fail(here, f"field {missing[0]!r} is missing")
        inner = f"{place}." if place else ""
        values = {fields[name].name: self.value(fields[name].type, data[name], f"{inner}{name}") for name in data}
        try:
            return kind(**values)
        # `Faults` checks ranges, which a file may exceed; its message becomes one about the file.
        except ScenarioError as error:
            raise self.fail(place, str(error)) from error

    def value(self, kind: object, data: object, place: str) -> object:
        """A value of the type of a field."""
        if kind is Faults or kind is TraceStep:
            return self.record(kind, data, place)
        if kind is KeyChange:
            names = [each.name for each in attrs.fields(KeyChange)]
            return KeyChange(**dict(zip(names, self.parts(kind, _CHANGE, data, place), strict=True)))  # type: ignore[arg-type]
        if get_origin(kind) is tuple:
            return self.parts(kind, get_args(kind), data, place)
        if kind is int or kind == (int | None):  # None is left out
            if not isinstance(data, int) or isinstance(data, bool):
                raise self.fail(place, f"{_short_repr(data)}: expected an integer")
            return data
        if data is None and kind == (str | None):
            return None
        if not isinstance(data, str):
            raise self.fail(place, f"{_short_repr(data)}: expected a string")
        if kind is not Mode:
            return printable(data)  # a terminal is left alone: traces come from anywhere
        if data not in MODES:
            raise self.fail(place, f"{data!r}: expected one of {', '.join(map(repr, MODES))}")
        return MODES[data]

    def parts(self, kind: object, kinds: Sequence[object], data: object, place: str) -> tuple[object, ...]:
        """A list with parts of these types; of one type, if ... follows."""
        if not isinstance(data, list):
            raise self.fail(place, f"{_short_repr(data)}: expected a list")
        if kinds[-1] is ...:
            kinds = [kinds[0]] * len(data)
        if len(data) != len(kinds):
            raise self.fail(place, f"{len(data)} parts: expected {_IN_WORDS[kind]}")
        pairs = enumerate(zip(kinds, data, strict=True))
        return tuple(self.value(part, content, f"{place}[{number}]") for number, (part, content) in pairs)


_BOUNDS: Final = "bounds"
_CHANGE: Final = [each.type for each in attrs.fields(KeyChange)]
_IN_WORDS: Final[Mapping[object, str]] = {
    KeyChange: "key, before, after",
    tuple[str, str]: "a key and what it holds",
}
_STEP_REQUIRED: Final = ("client", "mode", "exact")
_OPTIONAL: Final[Mapping[type, Collection[str]]] = {
    Trace: ("recover", "loop"),
    Faults: LEFT_OUT,  # what an older version did not know was not allowed in its traces
    TraceStep: {each.name for each in attrs.fields(TraceStep)} - {*_STEP_REQUIRED},
}


def _short_repr(data: object) -> str:
    shown = json.dumps(data)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."
