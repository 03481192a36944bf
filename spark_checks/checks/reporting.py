"""What a run of the checks found, told: a table, JSON Lines, and a page that needs nothing but a browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lakeproof.report.style import is_ascii, plural, seconds
from lakeproof.running.outputs import unwritable
from lakeproof.spark_checks import denominators, manifest, pages
from lakeproof.spark_checks.checks.catalogue import PASSES
from lakeproof.spark_checks.checks.running import KINDS, Example, Outcome, Summary
from lakeproof.spark_checks.folders import Folder
from lakeproof.spark_checks.pages import text

COLUMNS: Final = {"violation": "violations", "garbage": "garbage", "note": "notes"}
_STYLES: Final = {"violation": "red", "garbage": "yellow", "note": "cyan"}
SHOWN_MAX: Final = 300
"""Characters of an evidence in a table or on a page; the JSON and the Parquet have all of it."""


def table(summary: Summary, console: Console) -> Iterator[Table | Text]:
    """A row a check; below, an example of each kind that was found; then the verdict."""
    found = Table(box=box.ASCII_DOUBLE_HEAD if is_ascii(console) else box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    found.add_column("check", no_wrap=True)
    for name in ("judged", *COLUMNS.values(), "seconds"):
        found.add_column(name, justify="right", no_wrap=True)
    for outcome, first in _with_first(summary):
        counts = [Text(f"{outcome.count(kind):,}", _STYLES[kind] if outcome.count(kind) else "dim") for kind in KINDS]
        if not outcome.judged:
            counts = [Text("-", "dim") for _ in KINDS]
        spent = seconds(summary.seconds[outcome.check.part]) if first and outcome.judged else ""
        things = Text(_things(outcome), "yellow" if outcome.inconclusive else "")
        found.add_row(outcome.check.id, things, *counts, spent)
    yield found
    for outcome in summary.outcomes:
        for kind in KINDS:
            example = next((each for each in outcome.examples if each.kind == kind), None)
            if example is not None:
                more = outcome.count(kind) - 1
                rest = f" (and {more:,} more)" if more else ""
                yield Text.assemble(
                    (kind, _STYLES[kind]), f" {outcome.check.id}: {_line(example)}{rest}", overflow="fold"
                )
    for line in (denominators.told(summary.rows), *map(manifest.note, summary.unsealed)):
        yield Text(line, overflow="fold")
    yield Text(verdict(summary))


def _things(outcome: Outcome) -> str:
    return f"{outcome.things:,}" if outcome.judged else "-"


def verdict(summary: Summary) -> str:
    """One sentence or two."""
    broken = sum(1 for outcome in summary.outcomes if outcome.count("violation"))
    violations = sum(outcome.count("violation") for outcome in summary.outcomes)
    judged = sum(outcome.judged for outcome in summary.outcomes)
    told = f"{plural(violations, 'violation')} of {broken} of {plural(judged, 'check')}"
    rest = len(summary.outcomes) - judged
    lacks = "tables are missing" if summary.rows.get("repositories", 1) else "tables, or all repositories, are missing"
    skipped = f"; {plural(rest, 'check')} not judged: {lacks}" if rest else ""
    nothing = [outcome.check.id for outcome in summary.outcomes if outcome.judged and outcome.inconclusive]
    if nothing:
        skipped += f"; inconclusive, for there was nothing to judge: {', '.join(nothing)}"
    if summary.version:
        skipped += f"; {summary.version}"
    return f"{told}{skipped}; {seconds(sum(summary.seconds.values()))} s"


def _with_first(summary: Summary) -> Iterator[tuple[Outcome, bool]]:
    """The outcomes, and whether each is the first of its pass that was judged."""
    seen: set[str] = set()
    for outcome in sorted(summary.outcomes, key=lambda outcome: PASSES.index(outcome.check.part)):
        yield outcome, outcome.check.part not in seen and outcome.judged
        if outcome.judged:
            seen.add(outcome.check.part)


def _line(example: Example) -> str:
    return f"{_cut(example.subject)} {_cut(example.evidence)}"


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= SHOWN_MAX else f"{flat[:SHOWN_MAX]}..."


def as_json_lines(summary: Summary) -> Iterator[str]:
    """An object a check; ``seconds`` are those of its pass, which other checks may share. Then one with the rows of
    each table that was read."""
    for outcome in summary.outcomes:
        yield json.dumps(
            {
                "id": outcome.check.id,
                "judged": outcome.judged,
                "things": outcome.things,
                "inconclusive": outcome.inconclusive,
                **{COLUMNS[kind]: outcome.count(kind) for kind in KINDS},
                "pass": outcome.check.part,
                "seconds": round(summary.seconds.get(outcome.check.part, 0.0), 3) if outcome.judged else None,
                "examples": [
                    {"kind": each.kind, "subject": each.subject, "evidence": each.evidence} for each in outcome.examples
                ],
            },
            ensure_ascii=False,
        )
    yield json.dumps({"rows": dict(summary.rows), "unsealed": summary.unsealed, "version": summary.version})


def write_summary(summary: Summary, out: Folder) -> None:
    """``summary.jsonl`` and ``summary.html`` in a folder. Raises Unusable."""
    lines = "".join(f"{line}\n" for line in as_json_lines(summary))
    out.write("summary.jsonl", lines.encode(errors="backslashreplace"))
    out.write("summary.html", page(summary).encode(errors="backslashreplace"))


def write_page(summary: Summary, path: Path) -> None:
    """The page alone, to a file of this machine. Raises Unusable."""
    try:
        path.write_text(page(summary), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise unwritable(path, error.strerror or str(error), "--html") from error


def page(summary: Summary) -> str:
    """HTML with counts and examples. All that comes from the data is escaped, and nothing is loaded from anywhere."""
    read = pages.read(summary.rows.items(), map(manifest.note, summary.unsealed))
    parts = (read, _checks(summary), *_all_examples(summary), _pointer())
    return pages.document(f"Checks of {summary.where}", parts)


def _checks(summary: Summary) -> str:
    heads = ("check", "judged", *COLUMNS.values(), "seconds")
    rows = (_row(summary, outcome, first) for outcome, first in _with_first(summary))
    told = pages.paragraph(text(verdict(summary)))
    return (
        pages.heading(2, "What was found") + told + pages.table("Checks, and how many things each judged", heads, rows)
    )


def _row(summary: Summary, outcome: Outcome, first: bool) -> list[str]:
    check = outcome.check
    name = pages.code(check.id)
    name = pages.link(name, f"#{check.id}") if outcome.examples else name
    counts = (pages.styled(f"{outcome.count(kind):,}", kind if outcome.count(kind) else "") for kind in KINDS)
    return [
        f"{name}<small>{text(check.meaning)}</small>",
        pages.styled(_things(outcome), "garbage" if outcome.inconclusive else ""),
        *(counts if outcome.judged else ("-" for _ in KINDS)),
        seconds(summary.seconds[check.part]) if first else "",
    ]


def _all_examples(summary: Summary) -> Iterator[str]:
    found = [outcome for outcome in summary.outcomes if outcome.examples]
    if found:
        yield pages.heading(2, "Examples")
    for outcome in found:
        total = plural(sum(outcome.counts.values()), "finding")
        caption = f"{len(outcome.examples):,} of {total}: {outcome.check.meaning}"
        rows = (
            [pages.code(_cut(each.subject)), pages.styled(text(each.kind), each.kind), text(_cut(each.evidence))]
            for each in outcome.examples
        )
        yield pages.heading(3, text(outcome.check.id), outcome.check.id)
        yield pages.table(caption, ("what", "kind", "evidence"), rows)


def _pointer() -> str:
    where = pages.link(pages.code("findings/"), "findings/")
    counts = pages.link(pages.code("summary.jsonl"), "summary.jsonl")
    return pages.heading(2, "Files") + pages.paragraph(
        f"All findings, as Parquet, are in {where}; the counts in {counts}."
    )
