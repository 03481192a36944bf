"""`lakeproof table`: verdicts that were written with ``--json`` as a Markdown table of invariants and variants."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TextIO

import attrs
import click

from lakeproof.commands.group import complain
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from lakeproof.show.table import variant
from lakeproof.words import AS_EXPECTED, UNUSABLE

SYMBOLS: Final = {"holds": "holds", "violated": "**violated**", "inconclusive": "?"}
FIELDS: Final = ("scenario", "invariant", "verdict")


@attrs.frozen
class VerdictRow:
    """One verdict of one invariant in one scenario."""

    scenario: str
    invariant: str
    verdict: str


class UnreadableTable(ValueError):
    """A line that is no verdict; names its number, what is there, and the repair."""


@click.command()
@click.argument("file", type=click.File("r", encoding="utf-8", errors="replace"), default="-")
@click.option("--families", is_flag=True, help="Print one table per family of variants: `x`, `x-this` and `x-that`.")
def table(file: TextIO, families: bool) -> int:
    """Render verdicts as Markdown: a row for each variant, a column for each invariant.

    FILE is the output of `lakeproof verify --json`; without it, standard input is read. Numbers count
    the scenarios of the variant in which the invariant was judged.
    """
    try:
        rows = list(read(file))
    except UnreadableTable as error:
        complain(f"{file.name}: {error}")
        return UNUSABLE
    click.echo("\n\n".join(tables(rows, families=families)))
    return AS_EXPECTED


def read(lines: Iterable[str]) -> Iterator[VerdictRow]:
    """Verdicts, one a line. Raises UnreadableTable."""
    number = 0
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
            values = [row[field] for field in FIELDS]
        except (ValueError, KeyError, TypeError):
            values = []
        if not values or not all(isinstance(value, str) for value in values) or values[2] not in SYMBOLS:
            shown = line.strip()[:60]
            raise UnreadableTable(
                f"line {number}: {shown!r} is no verdict; write the file with `lakeproof verify --json`"
            )
        yield VerdictRow(*values)
    if not number:
        raise UnreadableTable("holds no verdicts; write it with `lakeproof verify --json`")


def tables(rows: Sequence[VerdictRow], *, families: bool = False) -> Iterator[str]:
    """Markdown tables under headings, one for each design (the part of a name before the first slash) or family. What
    is checked of every scenario has a column only where it does not hold."""
    groups: dict[str, list[VerdictRow]] = {}
    for row in rows:
        if row.invariant == NO_UNHANDLED_EXCEPTION and row.verdict == "holds":
            continue
        design, _, name = variant(row.scenario).partition("/")
        family = f"{design}/{name.partition('-')[0]}" if name else design
        groups.setdefault(family if families else design, []).append(row)
    for name, own in groups.items():
        yield f"## {name}\n\n{_table(own)}"


def _table(rows: Sequence[VerdictRow]) -> str:
    variants: dict[str, dict[str, list[str]]] = {}
    invariants: dict[str, None] = {}
    for row in rows:
        invariants.setdefault(row.invariant)
        variants.setdefault(variant(row.scenario), {}).setdefault(row.invariant, []).append(row.verdict)
    head = ["| | " + " | ".join(f"`{invariant}`" for invariant in invariants) + " |"]
    head.append("| --- " * (len(invariants) + 1) + "|")
    body = (
        f"| `{name.partition('/')[2] or name}` | " + " | ".join(_cell(own.get(each)) for each in invariants) + " |"
        for name, own in variants.items()
    )
    return "\n".join([*head, *body])


def _cell(verdicts: Sequence[str] | None) -> str:
    """The verdict on one invariant of one variant: a violation anywhere counts."""
    if not verdicts:
        return "-"
    counts: Mapping[str, int] = {verdict: verdicts.count(verdict) for verdict in SYMBOLS}
    if counts["violated"]:
        return f"**violated** in {counts['violated']} of {len(verdicts)}"
    return SYMBOLS["inconclusive" if counts["inconclusive"] else "holds"] + f" ({len(verdicts)})"
