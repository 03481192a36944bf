"""The page of a run that ends with a verdict: the subject, the verdict, what was counted, the evidence."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from lakeproof.files import write_whole
from lakeproof.impl.printable import printable
from lakeproof.show.pages.markup import document, text
from lakeproof.verify.outputs import unwritable
from lakeproof.version import version

WORDS = ("holds", "violated", "inconclusive")
AS_EXPECTED = "as expected"
LONG = 40
"""Characters of a cell that is a sentence."""


@attrs.frozen(kw_only=True)
class SummaryTable:
    """Rows of cells; those of ``numbers``, by position, are numbers. ``notes``: lines above it."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[int] = ()
    notes: Sequence[str] = ()


@attrs.frozen(kw_only=True)
class Summary:
    """What a page tells of a run. All text may come from anywhere: it is escaped."""

    kind: str
    """Of run: ``stress``, say."""
    subject: str
    """What was run."""
    verdict: str
    """One of `WORDS`: its colour."""
    shown: str = ""
    """Words in its place, where it was expected or not."""
    closing: str
    """The sentence with which the command ends."""
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[SummaryTable] = ()
    evidence: Sequence[str] = ()
    """Lines, as the command prints them."""


def summary_page(summary: Summary) -> str:
    """The whole page: one file without a script. Cost: linear in what it tells."""
    # It becomes the name of a class, unescaped.
    assert summary.verdict in WORDS, summary.verdict
    parts = [*_top(summary), *_evidence(summary), *(line for table in summary.tables for line in _table(table))]
    body = "\n".join(['<div class="page summary">', *parts, "</main></div>"])
    return document(f"lakeproof {summary.kind}: {summary.subject}", body, "")


def write_summary(summary: Summary, path: Path) -> None:
    """Write the page.

    Raises:
        Unusable: it cannot be written.
    """
    try:
        write_whole(path, summary_page(summary))
    except OSError as error:
        raise unwritable(path, error.strerror or str(error), "--html") from error


def _top(summary: Summary) -> Iterator[str]:
    word = summary.verdict
    yield '<header class="top">'
    yield f'<p class="brand">lakeproof {text(version())} · {text(summary.kind)}</p>'
    yield f'<h1><span class="verdict is-{word}">{text(summary.shown or word)}</span> {text(summary.subject)}</h1>'
    yield f'<p class="meaning">{text(summary.closing)}</p>'
    yield "</header>\n<main>"
    if summary.facts:
        facts = "".join(f"<dt>{text(name)}</dt><dd>{text(each)}</dd>" for name, each in summary.facts)
        yield f'<dl class="facts">{facts}</dl>'


def _evidence(summary: Summary) -> Iterator[str]:
    if summary.evidence:
        yield '<section class="evidence"><h2>Evidence</h2>'
        yield f'<pre role="region" tabindex="0" aria-label="Evidence">{_lines(summary.evidence)}</pre></section>'


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(text(printable(line)) for line in lines)


def _table(table: SummaryTable) -> Iterator[str]:
    if not table.rows:
        return
    yield f"<h2>{text(table.title)}</h2>"
    if table.notes:
        yield f"<pre>{_lines(table.notes)}</pre>"
    yield f'<div class="scroll" role="region" tabindex="0" aria-label="{text(table.title)}"><table class="verdicts">'
    heads = "".join(f'<th scope="col"{_count(table, at)}>{text(head)}</th>' for at, head in enumerate(table.heads))
    yield f"<thead><tr>{heads}</tr></thead><tbody>"
    for row in table.rows:
        first, *rest = row  # the head of the row
        cells = "".join(f"<td{_kind(table, at, each)}>{text(each)}</td>" for at, each in enumerate(rest, start=1))
        yield f'<tr><th scope="row" class="mono">{text(first)}</th>{cells}</tr>'
    yield "</tbody></table></div>"


def _count(table: SummaryTable, at: int) -> str:
    return ' class="count"' if at in table.numbers else ""


def _kind(table: SummaryTable, at: int, cell: str) -> str:
    """A cell that begins with a verdict has its colour; one that tells of another expectation is a surprise, whatever
    the verdict; what is violated as expected has none. A sentence is not squeezed into a tall, narrow column."""
    verdict, _, rest = cell.partition(" ")
    # A cell is a verdict if it begins with one of these words, as in `violated (expected: holds)`.
    if verdict not in WORDS or rest == AS_EXPECTED:
        return _count(table, at) or (' class="long"' if len(cell) > LONG else "")
    # Holding against expectation is shown in the colour of an alarm.
    return f' class="is-{"violated" if rest and verdict == "holds" else verdict}"'
