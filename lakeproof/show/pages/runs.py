"""The pages of the commands that run real stores, services and programs, from what they print for programs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, cast

import click

from lakeproof.show.pages.summary import Summary, SummaryTable

HOW: Final = ("ok", "refused", "unknown")
"""How an operation can end."""

html_option: Final = click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page for browsers: the verdict, what was counted, the evidence.",
)

Report = Mapping[str, object]
"""What a command prints with --json."""


def of_answers(kind: str, subject: str, report: Report, closing: str, evidence: Sequence[str]) -> Summary:
    """The page of `stress` and `service`, which put clients to a real thing and count its answers."""
    facts = [
        (name, f"{report[name]:,}" if name != "seed" and isinstance(report[name], int) else str(report[name]))
        for name in ("version", "seed", "clients", "rounds", "seconds", "calls")
        if name in report
    ]
    answers = cast("dict[str, dict[str, int]]", report["answers"])
    troubles = cast("dict[str, int]", report["troubles"])
    faults = cast("dict[str, int]", report["faults"])
    counts = [(f, *(f"{counted[how]:,}" for how in HOW)) for f, counted in answers.items()]
    invariants = cast("list[dict[str, object]]", report.get("invariants", []))
    rows = [(str(one["invariant"]), str(one["verdict"]), f"{one['checks']:,}") for one in invariants]
    left = cast("list[str]", report["left"])
    return Summary(
        kind=kind,
        subject=subject,
        verdict=str(report["verdict"]),
        closing=closing,
        facts=[*facts, *(("left behind", each) for each in left)],
        tables=[
            SummaryTable(title="Invariants", heads=("invariant", "verdict", "checks"), rows=rows, numbers=(2,)),
            SummaryTable(title="Answers", heads=("operation", *HOW), rows=counts, numbers=(1, 2, 3)),
            _times("Faults", "fault", faults),
            _times("What went wrong", "words", troubles),
        ],
        evidence=evidence,
    )


def _times(title: str, head: str, counts: Mapping[str, int]) -> SummaryTable:
    rows = [(each, f"{count:,}") for each, count in counts.items()]
    return SummaryTable(title=title, heads=(head, "times"), rows=rows, numbers=(1,))
