"""`verify --baseline FILE`: what differs from an earlier run, which `verify --json` wrote.

A change that should keep every verdict is checked row by row: verdict, steps of the shortest counterexample, states
and transitions. Seconds, evidence and bounds are not compared.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, cast

import attrs

from lakeproof.verify.tasks import Outcome
from lakeproof.words import Unusable

VERDICTS: Final = ("holds", "violated", "inconclusive")
SHOWN_MAX: Final = 60
"""Characters of a line that cannot be read."""

Key = tuple[str, str]
"""A scenario and an invariant."""


@attrs.frozen
class BaselineRow:
    """What one search found of one invariant. ``steps``: of the shortest counterexample; None where there is none."""

    verdict: str
    steps: int | None
    states: int
    transitions: int


@attrs.frozen
class Baseline:
    """The rows of an earlier run, by scenario and invariant."""

    path: Path
    rows: Mapping[Key, BaselineRow]

    def differences(self, outcomes: Sequence[Outcome], known: Collection[str]) -> Iterator[str]:
        """A line for each row that changed, is new or is gone, in the order of the outcomes.

        known: names of all scenarios that exist. A scenario that exists and was not searched is not compared; of one
        that does not exist any more, all rows are gone.
        """
        searched = {outcome.scenario for outcome in outcomes}
        found = {key: row for outcome in outcomes for key, row in rows_of(outcome)}
        for key, row in found.items():
            if key not in self.rows:
                yield f"new: {_row_name(key)}: {row.verdict}"
            elif row != self.rows[key]:
                yield f"changed: {_row_name(key)}: {_describe_change(self.rows[key], row)}"
        for key, row in self.rows.items():
            # A scenario that was left out of this run on purpose is no change. One that was renamed or removed is.
            if key not in found and (key[0] in searched or key[0] not in known):
                yield f"gone: {_row_name(key)}: {row.verdict}"

    def compared(self, outcomes: Sequence[Outcome]) -> int:
        """How many rows there are in both."""
        return sum(key in self.rows for outcome in outcomes for key, _ in rows_of(outcome))


def rows_of(outcome: Outcome) -> Iterator[tuple[Key, BaselineRow]]:
    """The rows of one search."""
    for verdict in outcome.verdicts:
        steps = None if verdict.trace is None else len(verdict.trace.schedule)
        yield (
            (outcome.scenario, verdict.invariant),
            BaselineRow(verdict.verdict, steps, outcome.states, outcome.transitions),
        )


def _row_name(key: Key) -> str:
    return f"{key[0]} {key[1]}"


def _describe_change(before: BaselineRow, after: BaselineRow) -> str:
    old, new = attrs.asdict(before), attrs.asdict(after)
    return ", ".join(
        f"{name} {_number_text(old[name])} -> {_number_text(new[name])}" for name in old if old[name] != new[name]
    )


def _number_text(value: object) -> str:
    return "none" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def read(path: Path) -> Baseline:
    """The rows of a file of JSON Lines. Raises Unusable: a line that is no verdict, or a row that comes twice."""
    rows: dict[Key, BaselineRow] = {}
    try:
        # Not `splitlines`: it also ends a line at U+2028 and U+0085, which a text in JSON may have as they are.
        with path.open(encoding="utf-8", errors="replace") as file:
            lines = file.readlines()
    except OSError as error:
        raise Unusable(f"{path}: cannot be read ({error.strerror}); name a file of `lakeproof verify --json`") from None
    for number, line in enumerate(lines, start=1):
        key, row = _row(path, number, line)
        if key in rows:
            raise Unusable(f"{path}: line {number}: {_row_name(key)} is there twice; name a file of one run")
        rows[key] = row
    if not rows:
        raise Unusable(f"{path}: has no verdicts; write it with `lakeproof verify --json`")
    return Baseline(path, rows)


def _row(path: Path, number: int, line: str) -> tuple[Key, BaselineRow]:
    try:
        found = cast("dict[str, object]", json.loads(line))
        scenario, invariant, verdict = (found[name] for name in ("scenario", "invariant", "verdict"))
        steps, states, transitions = (found[name] for name in ("steps", "states", "transitions"))
    except (ValueError, KeyError, TypeError):
        # Values that the checks below refuse, so that every malformed line ends in the same error.
        scenario = invariant = verdict = steps = states = transitions = ""
    if (
        isinstance(scenario, str)
        and isinstance(invariant, str)
        and verdict in VERDICTS
        and (steps is None or type(steps) is int)  # not isinstance: true would pass
        and type(states) is int
        and type(transitions) is int
    ):
        return (scenario, invariant), BaselineRow(str(verdict), steps, states, transitions)
    raise Unusable(
        f"{path}: line {number}: {line.strip()[:SHOWN_MAX]!r} is no verdict with its states, transitions and steps; "
        "write the file with `lakeproof verify --json`"
    )
