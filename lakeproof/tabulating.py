"""`lakeproof table`: verdicts that were written with ``--json`` as a Markdown table of invariants and variants."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TextIO

import attrs
import click

from lakeproof.commands import AS_EXPECTED, UNUSABLE, complain
from lakeproof.report.table import variant

SYMBOLS: Final = {"holds": "holds", "violated": "**violated**", "inconclusive": "?"}
FIELDS: Final = ("scenario", "invariant", "verdict")


@attrs.frozen
class Row:
    """One verdict of one invariant in one scenario."""

    scenario: str
    invariant: str
    verdict: str


class Unreadable(ValueError):
    """A line that is no verdict; names its number, what is there, and the repair."""


@click.command()
@click.argument("file", type=click.File("r", encoding="utf-8", errors="replace"), default="-")
def table(file: TextIO) -> int:
    """Tell verdicts as Markdown: a row an invariant, a column a variant.

    FILE holds what `lakeproof verify --json` has written; without it, standard input is read. A number says in how many
    of the variant's scenarios the invariant is violated.
    """
    try:
        rows = list(read(file))
    except Unreadable as error:
        complain(f"{file.name}: {error}")
        return UNUSABLE
    click.echo("\n\n".join(tables(rows)))
    return AS_EXPECTED


def read(lines: Iterable[str]) -> Iterator[Row]:
    """Verdicts, one a line. Raises Unreadable."""
    number = 0
    for number, line in enumerate(lines, start=1):
        try:
            told = json.loads(line)
            values = [told[field] for field in FIELDS]
        except (ValueError, KeyError, TypeError):
            values = []
        if not values or not all(isinstance(value, str) for value in values) or values[2] not in SYMBOLS:
            shown = line.strip()[:60]
            raise Unreadable(f"line {number}: {shown!r} is no verdict; write the file with `lakeproof verify --json`")
        yield Row(*values)
    if not number:
        raise Unreadable("holds no verdicts; write it with `lakeproof verify --json`")


def tables(rows: Sequence[Row]) -> Iterator[str]:
    """A Markdown table for each design: the part of a scenario's name before the first slash."""
    designs: dict[str, list[Row]] = {}
    for row in rows:
        designs.setdefault(row.scenario.partition("/")[0], []).append(row)
    for design, own in designs.items():
        yield _table(design, own)


def _table(design: str, rows: Sequence[Row]) -> str:
    columns: dict[str, dict[str, list[str]]] = {}
    invariants: dict[str, None] = {}
    for row in rows:
        invariants.setdefault(row.invariant)
        name = variant(row.scenario).removeprefix(f"{design}/")
        columns.setdefault(name, {}).setdefault(row.invariant, []).append(row.verdict)
    lines = [f"| {design} | " + " | ".join(f"`{name}`" for name in columns) + " |"]
    lines.append("| --- " * (len(columns) + 1) + "|")
    lines += [
        f"| `{invariant}` | " + " | ".join(_cell(own.get(invariant)) for own in columns.values()) + " |"
        for invariant in invariants
    ]
    return "\n".join(lines)


def _cell(verdicts: Sequence[str] | None) -> str:
    """What is said of one invariant of one variant: a violation anywhere counts."""
    if not verdicts:
        return "-"
    counts: Mapping[str, int] = {verdict: verdicts.count(verdict) for verdict in SYMBOLS}
    if counts["violated"]:
        return f"**violated** in {counts['violated']} of {len(verdicts)}"
    return SYMBOLS["inconclusive" if counts["inconclusive"] else "holds"] + f" ({len(verdicts)})"
