"""Verdicts as a table for people and as JSON Lines for programs."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from lakeproof.verification import Verdict, Verification

STYLES: Mapping[str, str] = {"holds": "green", "violated": "yellow", "inconclusive": "magenta"}


def json_lines(done: Verification, traces: Mapping[tuple[str, str], str]) -> list[str]:
    """One object a verdict, as docs/reference/cli.md describes them."""
    return [
        json.dumps(
            {
                "scenario": verdict.scenario,
                "invariant": verdict.invariant,
                "expected": verdict.expected,
                "verdict": verdict.verdict,
                "states": done.states,
                "transitions": done.transitions,
                "seconds": round(done.seconds, 3),
                "bounds": done.bounds,
                "trace": traces.get((verdict.scenario, verdict.invariant)),
                "depth": done.depth,
                "reached": verdict.reached,
                "why": verdict.why,
            }
        )
        for verdict in done.verdicts
    ]


def verdict_table(done: Sequence[Verification]) -> Table:
    """A row a race: what holds, what is violated and after how many steps; the unexpected in red."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("scenario", overflow="fold")
    table.add_column("holds", justify="right")
    table.add_column("violated (steps of the shortest schedule)", overflow="fold")
    table.add_column("states", justify="right")
    table.add_column("transitions", justify="right")
    table.add_column("s", justify="right")
    for each in sorted(done, key=lambda v: v.scenario):
        holds = sum(verdict.verdict == "holds" for verdict in each.verdicts)
        rest = [_cell(verdict) for verdict in each.verdicts if verdict.verdict != "holds" or not verdict.as_expected]
        shown = Text(", ").join(rest) if rest else Text()
        counts = (f"{each.states:,}", f"{each.transitions:,}", f"{each.seconds:.2f}")
        table.add_row(each.scenario, str(holds), shown, *counts)
    return table


def _cell(verdict: Verdict) -> Text:
    steps = f" ({verdict.steps})" if verdict.steps is not None else ""
    if verdict.as_expected:
        return Text(f"{verdict.invariant}{steps}", style=STYLES[verdict.verdict])
    return Text(f"{verdict.invariant}: {verdict.verdict}{steps}, expected {verdict.expected}", style="bold red")


def matrix(done: Sequence[Verification]) -> Table:
    """Invariants by variants: in how many scenarios each holds, or in how many of them it is violated."""
    variants = sorted({_variant(each.scenario) for each in done})
    counts: dict[tuple[str, str], Counter[str]] = {}
    order: list[str] = []
    for each in done:
        for verdict in each.verdicts:
            if verdict.invariant not in order:
                order.append(verdict.invariant)
            counts.setdefault((verdict.invariant, _variant(each.scenario)), Counter())[verdict.verdict] += 1
    caption = "✓ holds in so many scenarios   ✗ violated in so many of them   ? inconclusive"
    table = Table(box=box.SIMPLE_HEAD, caption=caption, caption_justify="left")
    table.add_column("invariant", no_wrap=True)
    for variant in variants:
        table.add_column(variant.replace("-", " "), justify="right")
    for invariant in sorted(order):
        cells = [_count(counts.get((invariant, variant))) for variant in variants]
        table.add_row(invariant, *cells)
    return table


def _variant(name: str) -> str:
    parts = name.split("/")
    return "/".join(parts[1:2]) if len(parts) > 2 else parts[0]


def _count(count: Counter[str] | None) -> Text:
    if count is None:
        return Text("")
    total = count.total()
    if count["violated"]:
        return Text(f"✗ {count['violated']}/{total}", style=STYLES["violated"])
    if count["inconclusive"]:
        return Text(f"? {count['inconclusive']}/{total}", style=STYLES["inconclusive"])
    return Text(f"✓ {total}", style=STYLES["holds"])
