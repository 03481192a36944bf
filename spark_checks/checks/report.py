"""Reports of a run of the checks: a table, JSON Lines, and a page."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lakeproof.show.pages import summary as pages
from lakeproof.show.style import is_ascii
from lakeproof.spark_checks.checks.catalogue import PASSES
from lakeproof.spark_checks.checks.run import KINDS, Outcome, Summary
from lakeproof.spark_checks.data import denominators, manifest
from lakeproof.spark_checks.data.dataset import is_folder
from lakeproof.spark_checks.engine.folders import Folder
from lakeproof.words import plural, seconds, show_time

COLUMNS: Final = {"violation": "violations", "garbage": "garbage", "note": "notes"}
_STYLES: Final = {"violation": "red", "garbage": "yellow", "note": "cyan"}
SHOWN_MAX: Final = 300
"""Characters of an evidence in a table or on a page; the JSON and the Parquet have all of it."""


def table(summary: Summary, console: Console) -> Iterator[Table | Text]:
    """A row a check; below, how many of each kind were found, and the first."""
    found = Table(box=box.ASCII_DOUBLE_HEAD if is_ascii(console) else box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    found.add_column("check", no_wrap=True)
    for name in ("judged", *COLUMNS.values(), "seconds"):
        found.add_column(name, justify="right", no_wrap=True)
    for outcome, first in _with_first(summary):
        counts = [Text(f"{outcome.count(kind):,}", _STYLES[kind] if outcome.count(kind) else "dim") for kind in KINDS]
        if not outcome.judged:  # a dash, so that it does not look like a count of 0
            counts = [Text("-", "dim") for _ in KINDS]
        spent = seconds(summary.seconds[outcome.check.part]) if first and outcome.judged else ""
        things = Text(_things(outcome), "yellow" if outcome.inconclusive else "")
        found.add_row(outcome.check.id, things, *counts, spent)
    yield found
    for outcome in summary.outcomes:
        for kind in KINDS:
            # The first one of each kind: the rest is in the files.
            example = next((each for each in outcome.examples if each.kind == kind), None)
            if example is not None:
                count = outcome.count(kind)
                counted = plural(count, *_NOUNS.get(outcome.check.id, ("record",)))
                first_ = ", the first" if count > 1 else ""
                line = f"{_cut(example.subject)} {_cut(example.evidence)}"
                yield Text.assemble((kind, _STYLES[kind]), f" {outcome.check.id}, {counted}{first_}: {line}")


def ending(summary: Summary, out: str | None, again: Sequence[str]) -> Iterator[str]:
    """The last lines: what was read, until when; the verdict; where the rest is; the next command, if one helps.
    again: `options.DatasetSource.words`."""
    yield denominators.describe_rows(summary.rows)
    yield from map(manifest.note, summary.unsealed)
    newest = "there is no commit" if summary.until is None else f"the newest commit is of {show_time(summary.until)}"
    yield f"until: {newest}; no check depends on the clock"
    yield verdict(summary)
    if out is not None:
        yield f"files: {out}/summary.html, a page; {out}/findings, all of them (Parquet); {out}/summary.jsonl"
    # One command only: the one that helps most with this outcome.
    if summary.violated and out is None:
        yield _next("all of them in a folder", "spark", "check", *again, "--out", "checked")
    elif summary.violated and not is_folder(summary.where):
        yield _next("to show it to others", "diagnose", again[0], "--out", "diagnosis.zip")
    elif not (summary.rows.get("repositories") or is_folder(summary.where)):
        yield "next: the whole store: its table's address, or JSON Lines (`lakefs kv dump` writes no repositories)"
    elif "objects" not in summary.rows:
        yield _next("the objects, too", "spark", "check", *again, "--blockstore", "STORE")
    elif summary.violated or summary.inconclusive:
        return
    elif any(outcome.count("garbage") for outcome in summary.outcomes):
        words = ("spark", "uncommitted", *again, "--older-than", "24h", "--out", "runs")
        yield _next("mark what can be deleted", *words)


def _next(what: str, *words: str) -> str:
    return f"next, {what}: {shlex.join(('lakeproof', *words))}"


_NOUNS: Final[Mapping[str, tuple[str, ...]]] = {
    "active-is-complete": ("repository", "repositories"),
    "head-exists": ("branch or tag", "branches or tags"),
    "parents-exist": ("commit",),
    "generation-is-right": ("commit",),
    "child-is-not-older": ("commit",),
    "commits-have-no-cycle": ("commit",),
    "meta-range-exists": ("commit",),
    "commit-is-reachable": ("commit",),
    "token-has-one-owner": ("staging token",),
    "staged-has-owner": ("staging token",),
    "committed-data-is-kept": ("object or commit", "objects or commits"),
    "staged-data-is-kept": ("object",),
    "object-is-whole": ("object",),
    "object-is-referred-to": ("object",),
    "address-has-one-entry": ("address", "addresses"),
    "table-is-sound": ("metarange or range", "metaranges or ranges"),
}
"""Of what is found, by id; of all others it is a record."""


def _things(outcome: Outcome) -> str:
    return f"{outcome.things:,}" if outcome.judged else "-"


def verdict(summary: Summary) -> str:
    """One sentence or two."""
    broken = sum(1 for outcome in summary.outcomes if outcome.count("violation"))
    violations = sum(outcome.count("violation") for outcome in summary.outcomes)
    judged = sum(outcome.judged for outcome in summary.outcomes)
    where = f"{broken} of {plural(judged, 'check')}" if broken else plural(judged, "check")
    counted = f"{plural(violations, 'violation')} in {where}"
    rest = len(summary.outcomes) - judged
    # Without a record of a repository nothing says what can be reached.
    lacks = "tables are missing" if summary.rows.get("repositories", 1) else "tables, or all repositories, are missing"
    skipped = f"; {plural(rest, 'check')} not judged: {lacks}" if rest else ""
    nothing = [outcome.check.id for outcome in summary.outcomes if outcome.judged and outcome.inconclusive]
    if nothing:
        skipped += f"; inconclusive, for there was nothing to judge: {', '.join(nothing)}"
    if summary.version:
        skipped += f"; {summary.version}"
    return f"{counted}{skipped}; {seconds(sum(summary.seconds.values()))} s; {summary.engine}"


def _with_first(summary: Summary) -> Iterator[tuple[Outcome, bool]]:
    """The outcomes, and whether each is the first of its pass that was judged."""
    # The seconds are those of a whole pass, and stand at the first of its checks.
    seen: set[str] = set()
    for outcome in sorted(summary.outcomes, key=lambda outcome: PASSES.index(outcome.check.part)):
        yield outcome, outcome.check.part not in seen and outcome.judged
        if outcome.judged:
            seen.add(outcome.check.part)


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
            }
        )
    yield json.dumps(
        {"rows": dict(summary.rows), "unsealed": summary.unsealed, "version": summary.version, "engine": summary.engine}
    )


def write_summary(summary: Summary, out: Folder) -> None:
    """``summary.jsonl`` and ``summary.html`` in a folder. Raises Unusable."""
    lines = "".join(f"{line}\n" for line in as_json_lines(summary))
    # A path may have lone surrogates, for which there is no encoding.
    out.write("summary.jsonl", lines.encode(errors="backslashreplace"))
    out.write("summary.html", pages.summary_page(page(summary)).encode(errors="backslashreplace"))


def page(summary: Summary) -> pages.Summary:
    """With counts and examples."""
    return pages.Summary(
        kind="spark check",
        subject=summary.where,
        verdict="violated" if summary.violated else "inconclusive" if summary.inconclusive else "holds",
        closing=verdict(summary),
        facts=[("dataset", manifest.note(each)) for each in summary.unsealed],
        tables=[
            pages.SummaryTable(
                title="What was found",
                heads=("check", "judged", *COLUMNS.values(), "seconds", "meaning"),
                rows=[_row(summary, outcome, first) for outcome, first in _with_first(summary)],
                numbers=range(1, len(COLUMNS) + 3),
            ),
            pages.SummaryTable(
                title="Examples",
                heads=("check", "kind", "what", "evidence"),
                rows=[
                    (outcome.check.id, each.kind, _cut(each.subject), _cut(each.evidence))
                    for outcome in summary.outcomes
                    for each in outcome.examples
                ],
            ),
            pages.SummaryTable(
                title="What was read",
                heads=("table", "rows"),
                rows=[(name, f"{count:,}") for name, count in summary.rows.items()],
                numbers=(1,),
            ),
        ],
    )


def _row(summary: Summary, outcome: Outcome, first: bool) -> list[str]:
    counts = (f"{outcome.count(kind):,}" if outcome.judged else "-" for kind in KINDS)
    spent = seconds(summary.seconds[outcome.check.part]) if first else ""
    return [outcome.check.id, _things(outcome), *counts, spent, outcome.check.meaning]
