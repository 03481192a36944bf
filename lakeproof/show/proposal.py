"""`verify --propose`: what a run has refuted, as Python to paste into the module of a design."""

import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from lakeproof.verify.tasks import Outcome

WIDTH: Final = 100


def proposal(outcomes: Sequence[Outcome]) -> str:
    """For each design the ``refuted`` that the outcomes speak for; for a scenario whose name has fewer than three parts
    its ``expect``. Reasons are for the author to give."""
    found: dict[str, dict[str, list[str]]] = {}
    undecided: dict[str, list[str]] = {}
    searched: dict[str, int] = {}
    alone: list[str] = []
    for outcome in outcomes:
        if outcome.scenario.count("/") < 2:  # of a user's file: it is of no design
            alone += _expect_lines(outcome)
            continue
        area, variant, race = outcome.scenario.split("/", 2)
        design = f"{area}/{variant}"
        searched[design] = searched.get(design, 0) + 1
        refuted = found.setdefault(design, {})
        for verdict in outcome.verdicts:
            if verdict.verdict == "violated":
                refuted.setdefault(verdict.invariant, []).append(race)
            # Invariants that a scenario has without naming them may be inconclusive in it: no expectation is written
            # for them.
            elif verdict.verdict == "inconclusive" and verdict.named:
                undecided.setdefault(design, []).append(f"{verdict.invariant} in {race}: {verdict.why}")
    designs = [line for design in found for line in _lines(design, searched, found[design], undecided)]
    return "\n".join([*alone, *designs])


def _expect_lines(outcome: Outcome) -> Iterator[str]:
    """The ``expect`` of one scenario."""
    violated = [verdict.invariant for verdict in outcome.verdicts if verdict.verdict == "violated"]
    yield f"# {outcome.scenario}"
    for verdict in outcome.verdicts:
        if verdict.verdict == "inconclusive" and verdict.named:
            yield f"# inconclusive: {verdict.invariant}: {verdict.why}"
    yield f"expect={json.dumps(dict.fromkeys(violated, 'violated'))},"


def _lines(
    design: str, searched: dict[str, int], refuted: dict[str, list[str]], undecided: dict[str, list[str]]
) -> Iterator[str]:
    races = len({race for violated in refuted.values() for race in violated})
    yield f"# {design}: {races} of {searched[design]} scenarios violate something"
    for each in undecided.get(design, []):
        yield f"# inconclusive: {each}"
    if not refuted:
        yield "refuted=HOLDS,"
        return
    yield "refuted={"
    for invariant, violated in refuted.items():
        yield f'    "{invariant}": Refuted('
        yield '        "why",'
        lines = textwrap.wrap(" ".join(violated), WIDTH, break_long_words=False, break_on_hyphens=False)
        for number, line in enumerate(lines, start=1):
            # Adjacent literals are one string in Python.
            yield f'        "{line}",' if number == len(lines) else f'        "{line} "'
        yield "    ),"
    yield "},"
