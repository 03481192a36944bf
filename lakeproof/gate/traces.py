"""A schedule of a real program as a file: what was let go, in which order, how, and what it violates."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from lakeproof.files import write_whole
from lakeproof.gate.classes import Choice, Name
from lakeproof.gate.run import Schedule
from lakeproof.gate.server import COSTS
from lakeproof.words import Unusable

FORMAT: Final = 1


@attrs.frozen(kw_only=True)
class GateTrace:
    """A counterexample of the gate."""

    file: str
    """The user's file, as it was named."""
    scenario: str
    violated: Mapping[str, str]
    choices: tuple[Choice, ...]
    statuses: tuple[int | str, ...] = ()
    """Of the answers: of HTTP, or in a word; 0: none was given."""

    def rows(self) -> list[tuple[str, str, str, str]]:
        """For people, a row a step: its number, the client, the request, and the answer."""
        steps = enumerate(zip(self.choices, self.statuses, strict=True), start=1)
        return [(str(at), each.name.client, each.name.label, _answer(each, status)) for at, (each, status) in steps]


def _answer(choice: Choice, status: int | str) -> str:
    return f"{status or 'no answer'}{'' if choice.mode == 'normal' else f'  ({choice.mode})'}"


def of(schedule: Schedule, scenario: str, file: str) -> GateTrace:
    """The trace of a schedule."""
    return GateTrace(
        file=file,
        scenario=scenario,
        violated=schedule.violated,
        choices=schedule.choices,
        statuses=tuple(each.status for each in schedule.steps),
    )


def write(trace: GateTrace, path: Path) -> None:
    """Write it into a file, as JSON with a line for each step; its folder is made."""
    steps = []
    for choice, status in zip(trace.choices, trace.statuses, strict=True):
        name = choice.name
        steps.append(
            {"client": name.client, "request": name.label, "number": name.number, "mode": choice.mode, "status": status}
        )
    head = {"gate": FORMAT, "file": trace.file, "scenario": trace.scenario, "violated": dict(trace.violated)}
    lines = ",\n".join("  " + json.dumps(step) for step in steps)
    # Without its closing brace, to which the steps are added: a diff of two traces shows the steps, line by line.
    text = json.dumps(head)[:-1] + ', "steps": [\n' + lines + "\n]}\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


def read(path: Path) -> GateTrace:
    """Read one.

    Raises:
        Unusable: it is none.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{path}: no JSON: {error}; name a file that `lakeproof gate run` has written") from None
    if not isinstance(document, dict) or document.get("gate") != FORMAT:
        raise Unusable(f"{path}: no trace of the gate; name a file that `lakeproof gate run` has written")
    try:
        return GateTrace(
            file=str(document["file"]),
            scenario=str(document["scenario"]),
            violated={str(name): str(evidence) for name, evidence in document["violated"].items()},
            choices=_choices(document["steps"]),
            statuses=tuple(_status(each["status"]) for each in document["steps"]),
        )
    # A list in place of an object has no ``items``, which is an AttributeError; Infinity is no integer.
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise Unusable(f"{path}: a part is missing or has another type: {error!r}; record it again") from None


def _status(status: object) -> int | str:
    # JSON's true is an int in Python.
    if isinstance(status, bool) or not isinstance(status, int | str):
        raise TypeError(f"the status is {status!r}, no number and no text")
    return status


def _choices(steps: Sequence[Mapping[str, object]]) -> tuple[Choice, ...]:
    found = []
    for number, step in enumerate(steps, start=1):
        mode = step["mode"]
        if mode not in COSTS:
            raise ValueError(f"step {number}: the mode is {mode!r}, none of {', '.join(COSTS)}")
        name = Name(str(step["client"]), str(step["request"]), int(step["number"]))  # type: ignore[call-overload]
        found.append(Choice(name, str(mode)))
    return tuple(found)
