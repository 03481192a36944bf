"""What a run of the checks found, told: a table, JSON Lines, and a page that needs nothing but a browser."""

import html
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lakeproof.report.style import is_ascii, plural, seconds
from spark_checks import denominators
from spark_checks.checks.catalogue import PASSES
from spark_checks.checks.running import KINDS, Example, Outcome, Summary

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
    yield Text(denominators.told(summary.rows), overflow="fold")
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
    skipped = f"; {plural(rest, 'check')} not judged, for want of tables" if rest else ""
    nothing = [outcome.check.id for outcome in summary.outcomes if outcome.judged and outcome.inconclusive]
    if nothing:
        skipped += f"; inconclusive, for there was nothing to judge: {', '.join(nothing)}"
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
    yield json.dumps({"rows": dict(summary.rows)})


def write_summary(summary: Summary, out: Path) -> None:
    """``summary.jsonl`` and ``summary.html`` in a folder."""
    out.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{line}\n" for line in as_json_lines(summary))
    (out / "summary.jsonl").write_text(lines, encoding="utf-8", errors="backslashreplace")
    (out / "summary.html").write_text(page(summary), encoding="utf-8", errors="backslashreplace")


_STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1a1a1a;
       background: #fff; }
a { color: inherit; } td:first-child { white-space: nowrap; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .3rem; font-family: ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid #ddd; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.violation { color: #a40000; font-weight: 600; } .garbage { color: #7a5200; } .note { color: #00527a; }
.none { color: #777; } p { margin: .3rem 0; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #161616; } th, td { border-color: #333; }
  .violation { color: #ff7b72; } .garbage { color: #e3b341; } .note { color: #79c0ff; } .none { color: #888; } }
"""


def page(summary: Summary) -> str:
    """HTML with counts and examples. All that comes from the data is escaped, and nothing is loaded from anywhere."""
    rows = "".join(_row(summary, outcome, first) for outcome, first in _with_first(summary))
    parts = "".join(_examples(outcome) for outcome in summary.outcomes if outcome.examples)
    heads = "".join(f'<th class="n">{name}</th>' for name in ("judged", *COLUMNS.values(), "seconds"))
    title = f"Checks of {html.escape(summary.where)}"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<p>{html.escape(verdict(summary))}</p>\n<p>{html.escape(denominators.told(summary.rows))}</p>\n"
        f"<table>\n<thead><tr><th>check</th><th>meaning</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
        f"{parts}</body>\n</html>\n"
    )


def _row(summary: Summary, outcome: Outcome, first: bool) -> str:
    check = outcome.check
    cells = "".join(
        f'<td class="n {kind if outcome.count(kind) else "none"}">'
        f"{f'{outcome.count(kind):,}' if outcome.judged else '-'}</td>"
        for kind in KINDS
    )
    name = f'<a href="#{check.id}">{check.id}</a>' if outcome.examples else check.id
    spent = seconds(summary.seconds[check.part]) if first else ""
    meaning = html.escape(check.meaning)
    things = f'<td class="n">{_things(outcome)}</td>'
    return f'<tr><td><code>{name}</code></td><td>{meaning}</td>{things}{cells}<td class="n">{spent}</td></tr>\n'


def _examples(outcome: Outcome) -> str:
    rows = "".join(
        f'<tr><td class="{each.kind}">{each.kind}</td><td><code>{html.escape(_cut(each.subject))}</code></td>'
        f"<td>{html.escape(_cut(each.evidence))}</td></tr>\n"
        for each in outcome.examples
    )
    total = sum(outcome.counts.values())
    shown = f"{len(outcome.examples):,} of {plural(total, 'finding')}"
    return (
        f'<h2 id="{outcome.check.id}">{outcome.check.id}</h2>\n<p>{shown}</p>\n'
        f"<table>\n<thead><tr><th>kind</th><th>what</th><th>evidence</th></tr></thead>\n<tbody>\n{rows}</tbody></table>\n"
    )
