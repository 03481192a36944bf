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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, cast

import attrs

from lakeproof.files import write_whole
from lakeproof.impl.printable import printable
from lakeproof.scenario import Faults, ScenarioError
from lakeproof.search.faults import Mode
from lakeproof.words import Unusable, program, replay_command

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
    """Checks a file field by field; every refusal names the place."""

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
        version = data["trace"]
        # True == 1 in Python.
        if version != FORMAT or isinstance(version, bool):
            raise self.fail(
                "trace",
                f"format {version!r}, of lakeproof {data.get('lakeproof', '?')}; this one reads format {FORMAT}",
                f"use that version, or {_AGAIN}",
            )
        fields = self.fields(data, "the trace", ("trace", *_HEAD, "schedule"), ("recover", "loop"))
        schedule = self.items(fields["schedule"], "schedule")
        return Trace(
            lakeproof=self.text(fields["lakeproof"], "lakeproof"),
            scenario=self.text(fields["scenario"], "scenario"),
            file=self.maybe(fields["file"], "file"),
            faults=self.faults(fields["bounds"]),
            clients=tuple(self.texts(calls, f"clients[{i}]") for i, calls in self.each(fields["clients"], "clients")),
            recover=tuple(
                self.texts(calls, f"recover[{i}]") for i, calls in self.each(fields.get("recover", []), "recover")
            ),
            initially=tuple(self.pair(p, f"initially[{i}]") for i, p in self.each(fields["initially"], "initially")),
            schedule=tuple(self.step(step, f"schedule[{number}]") for number, step in enumerate(schedule)),
            afterwards=self.texts(fields["afterwards"], "afterwards"),
            invariant=self.text(fields["invariant"], "invariant"),
            meaning=self.text(fields["meaning"], "meaning"),
            evidence=self.text(fields["evidence"], "evidence"),
            loop=self.loop(fields["loop"], len(schedule)) if "loop" in fields else None,
        )

    def loop(self, data: object, steps: int) -> int:
        number = self.number(data, "loop")
        # A loop has one step at least.
        if not 0 <= number < steps:
            raise self.fail("loop", f"{number}: expected how many steps come before it, less than {steps}")
        return number

    def step(self, data: object, place: str) -> TraceStep:
        fields = {**_STEP_DEFAULTS, **self.fields(data, place, _STEP_REQUIRED, tuple(_STEP_DEFAULTS))}
        mode = self.text(fields["mode"], f"{place}.mode")
        if mode not in MODES:
            raise self.fail(f"{place}.mode", f"{mode!r}: expected one of {', '.join(map(repr, MODES))}")
        words = {
            name: self.text(fields[name], f"{place}.{name}")
            for name in ("client", "call", "effect", "key", "value", "condition", "reply", "exact", "at", "task")
        }
        at = f"{place}.changes"
        return TraceStep(
            mode=MODES[mode],
            changes=tuple(self.change(c, f"{at}[{i}]") for i, c in self.each(fields["changes"], at)),
            returned=self.texts(fields["returned"], f"{place}.returned"),
            **words,
        )

    def change(self, data: object, place: str) -> KeyChange:
        parts = self.items(data, place)
        if len(parts) != 3:
            raise self.fail(place, f"{len(parts)} parts: expected key, before, after")
        return KeyChange(
            key=self.text(parts[0], f"{place}[0]"),
            before=self.maybe(parts[1], f"{place}[1]"),
            after=self.maybe(parts[2], f"{place}[2]"),
        )

    def faults(self, data: object) -> Faults:
        required = tuple(name for name in BOUNDS if name not in LEFT_OUT)
        # What an older version did not know was not allowed in its traces: 0 of each.
        fields = {**dict.fromkeys(LEFT_OUT, 0), **self.fields(data, "bounds", required, LEFT_OUT)}
        clocks = {
            name: tuple(self.number(n, f"bounds.{name}[{i}]") for i, n in self.each(fields[name], f"bounds.{name}"))
            for name in ("clock_jumps", "clock_skew")
        }
        budgets = {name: self.number(fields[name], f"bounds.{name}") for name in BOUNDS if name not in clocks}
        try:
            return Faults(**budgets, **clocks)  # type: ignore[arg-type]  # names and types are checked above
        # `Faults` checks ranges, which a file may exceed; its message becomes one about the file.
        except ScenarioError as error:
            raise self.fail("bounds", str(error)) from error

    def fields(
        self, data: object, place: str, names: tuple[str, ...], optional: tuple[str, ...] = ()
    ) -> Mapping[str, object]:
        """An object with exactly these fields."""
        if not isinstance(data, dict):
            raise self.fail(place, f"{_short_repr(data)}: expected an object")
        # Refused, not passed over: a field of a later version may change what the others mean.
        unknown = sorted(data.keys() - {*names, *optional})
        if unknown:
            raise self.fail(place, f"unknown field {unknown[0]!r}", f"take it out, or {_AGAIN}")
        missing = [name for name in names if name not in data]
        if missing:
            raise self.fail(place, f"field {missing[0]!r} is missing")
        return data

    def items(self, data: object, place: str) -> list[object]:
        if not isinstance(data, list):
            raise self.fail(place, f"{_short_repr(data)}: expected a list")
        return cast("list[object]", data)

    def each(self, data: object, place: str) -> Iterator[tuple[int, object]]:
        return enumerate(self.items(data, place))

    def text(self, data: object, place: str) -> str:
        if not isinstance(data, str):
            raise self.fail(place, f"{_short_repr(data)}: expected a string")
        return printable(data)  # a terminal is left alone: traces come from anywhere

    def maybe(self, data: object, place: str) -> str | None:
        return None if data is None else self.text(data, place)

    def texts(self, data: object, place: str) -> tuple[str, ...]:
        return tuple(self.text(part, f"{place}[{number}]") for number, part in self.each(data, place))

    def pair(self, data: object, place: str) -> tuple[str, str]:
        parts = self.texts(data, place)
        if len(parts) != 2:
            raise self.fail(place, f"{len(parts)} parts: expected a key and what it holds")
        return parts[0], parts[1]

    def number(self, data: object, place: str) -> int:
        if not isinstance(data, int) or isinstance(data, bool):
            raise self.fail(place, f"{_short_repr(data)}: expected an integer")
        return data


_HEAD: Final = (
    "lakeproof",
    "scenario",
    "file",
    "invariant",
    "meaning",
    "evidence",
    "bounds",
    "clients",
    "initially",
    "afterwards",
)


_STEP_REQUIRED: Final = ("client", "mode", "exact")
_STEP_DEFAULTS: Final[Mapping[str, object]] = {
    "call": "",
    "effect": "",
    "key": "",
    "value": "",
    "condition": "",
    "reply": "",
    "changes": [],
    "returned": [],
    "at": "",
    "task": "",
}


def _short_repr(data: object) -> str:
    shown = json.dumps(data)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."
