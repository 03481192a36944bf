"""Verdicts for programs: JSON Lines, one object for each invariant of each scenario."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from lakeproof.verify.tasks import Outcome


def lines(outcome: Outcome, traces: Mapping[str, Path], limits: Mapping[str, object]) -> str:
    """The verdicts on one scenario. ``traces``: by invariant id, where its trace was written."""
    bounds = {"clients": outcome.clients, "calls": outcome.calls, **attrs.asdict(outcome.faults), **limits}
    return "".join(
        json.dumps(
            {
                "scenario": outcome.scenario,
                "invariant": verdict.invariant,
                "expected": verdict.expected,
                "verdict": verdict.verdict,
                "why": verdict.why,
                "evidence": verdict.trace.evidence if verdict.trace else verdict.example,
                "reached": verdict.reached,
                "symmetric": verdict.symmetric,
                "states": outcome.states,
                "transitions": outcome.transitions,
                "depth": outcome.depth,
                "steps": len(verdict.trace.schedule) if verdict.trace else None,
                "seconds": round(outcome.seconds, 3),
                "bounds": bounds,
                "unspent": outcome.unspent,
                "trace": str(traces[verdict.invariant]) if verdict.invariant in traces else None,
            }
        )
        + "\n"
        for verdict in outcome.verdicts
    )


class OrderedLines:
    """Puts the lines of scenarios into the order of the scenarios, however they come in."""

    def __init__(self, names: Sequence[str], limits: Mapping[str, object]) -> None:
        self._names = names
        self._limits = limits
        self._waiting: dict[str, str] = {}
        self._printed = 0

    def next(self, outcome: Outcome, traces: Mapping[str, Path]) -> Iterator[str]:
        """What can be printed now that this scenario is done."""
        self._waiting[outcome.scenario] = lines(outcome, traces, self._limits)
        # Processes finish in any order. The output of two equal runs must be equal, so each waits for those before it.
        while self._printed < len(self._names) and self._names[self._printed] in self._waiting:
            yield self._waiting.pop(self._names[self._printed])
            self._printed += 1

    def rest(self) -> Iterator[str]:
        """What still waits, where nothing more will come."""
        for name in self._names[self._printed :]:
            if name in self._waiting:
                yield self._waiting.pop(name)
