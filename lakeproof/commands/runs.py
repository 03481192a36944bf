"""A run of scenarios by a command: which are chosen, how they are run, what is printed and written, the exit code."""

import os
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from lakeproof.commands.group import complain
from lakeproof.files import write_whole
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, UNUSABLE, VIOLATED, Unusable

if TYPE_CHECKING:
    from lakeproof.scenario import Scenario
    from lakeproof.show.baseline import Baseline
    from lakeproof.verify.cache import Kept
    from lakeproof.verify.loader import Source
    from lakeproof.verify.outputs import TraceFiles
    from lakeproof.verify.tasks import Outcome, Task

Reports = Sequence[tuple[str, Path]]
"""Formats, and the file that each is written to."""

patterns_argument = click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("out/traces"),
    show_default=True,
    metavar="DIR",
    help="Write traces to this folder.",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1), metavar="N", help="Number of processes. [default: one per core]"
)


def choose_from(
    patterns: Sequence[str], file: Path | None, *, deep: bool = True
) -> "tuple[Source, tuple[Scenario, ...]]":
    """The scenarios that these name, of the catalogue or of a file, and where they come from. Raises LoadError."""
    from lakeproof.verify.loader import LoadError, Source, choose

    source = Source(file)
    try:
        return source, choose(source.load(patterns), patterns, deep=deep)
    except LoadError:
        if file is not None:
            raise
        # Suggestions are made of all names.
        return source, choose(source.load(), patterns, deep=deep)


def processes(jobs: int | None, scenarios: int) -> int:
    """How many a run takes: as many as are given, or as there are cores, and never more than scenarios."""
    from lakeproof.verify.machine import cores

    return min(jobs or cores(), scenarios)


class Outputs(NamedTuple):
    """What a run prints, and where its traces go."""

    out: Path
    bounds: Mapping[str, object]
    as_json: bool
    table: str | None = "scenarios"
    baseline: "Baseline | None" = None
    propose: bool = False
    html: Path | None = None
    format_: str | None = None
    reports: Reports = ()
    kept: "Kept | None" = None
    html_all: bool = False


def perform(
    task: "Task", doing: str, source: "Source", scenarios: "Sequence[Scenario]", jobs: int, report: Outputs
) -> int:
    """Run a task on scenarios, write traces as they come, report, and give the exit code."""
    from lakeproof.show.progress import Progress
    from lakeproof.show.verdicts import OrderedLines
    from lakeproof.verify.outputs import TraceFiles
    from lakeproof.verify.processes import run
    from lakeproof.verify.tasks import inconclusive_outcome
    from lakeproof.version import version
    from lakeproof.words import plural

    files = TraceFiles(report.out, scenarios, kind="" if doing == "verifying" else "walk")
    bounds = report.bounds
    shown = " ".join(f"{name.replace('_', '-')}={'none' if value is None else value}" for name, value in bounds.items())
    # Where stdout is for programs, everything else goes to stderr.
    quiet = report.as_json or report.propose or report.format_ is not None
    click.echo(f"lakeproof {version()}: scenarios={len(scenarios)} jobs={jobs} {shown}", err=quiet)
    lines = OrderedLines([scenario.name for scenario in scenarios], report.bounds) if report.as_json else None
    outcomes: dict[str, Outcome] = {}
    started = time.monotonic()
    try:
        with Progress(doing, len(scenarios)) as progress:
            for outcome in run(task, scenarios, source, jobs, progress):
                outcomes[outcome.scenario] = outcome
                # Written as they come, so that an interrupted run keeps its counterexamples.
                traces = files.write(outcome)
                if report.kept is not None:  # at once: an interrupted run goes on from there
                    report.kept.keep(outcome)
                if lines:
                    click.echo("".join(lines.next(outcome, traces)), nl=False)
    except KeyboardInterrupt as error:
        if lines:
            click.echo("".join(lines.rest()), nl=False)
        count = len(files.written)
        kept = f"; {plural(count, 'trace is', 'traces are')} in {report.out}" if count else ""
        complain(f"interrupted after {len(outcomes)} of {len(scenarios)} scenarios{kept}")
        raise click.Abort from error
    # A process that died takes its scenario with it, which must not be missing from the report.
    ordered = [outcomes.get(s.name) or inconclusive_outcome(s, "it has not reported") for s in scenarios]
    for outcome in ordered:
        if outcome.trouble:
            click.echo(outcome.details, err=True, nl=False)
            complain(outcome.trouble)
    if report.kept is not None:
        for line in report.kept.close(ordered):
            click.echo(line, err=True)
    if report.propose:
        code = _propose(ordered)
    else:
        _report(ordered, files, source, time.monotonic() - started, report)
        if report.html is not None:
            from lakeproof.show.pages.index import write

            write(ordered, files.found, scenarios, source, report.html, everything=report.html_all)
            click.echo(f"pages: {report.html / 'index.html'}", err=quiet)
        code = exit_code(ordered, sampled=doing == "walking")
        if report.baseline is not None:
            known = {scenario.name for scenario in source.load()}
            if _compare(report.baseline, ordered, known, as_json=quiet):
                code = VIOLATED  # also if all is as expected
    # Only now: what cannot be written takes no verdict from the screen.
    if files.unwritten is not None:
        raise files.unwritten
    return code


def _compare(baseline: "Baseline", outcomes: "Sequence[Outcome]", known: Collection[str], *, as_json: bool) -> bool:
    """Print what differs from the baseline, and whether anything does."""
    lines = list(baseline.differences(outcomes, known))
    for line in lines:
        click.echo(line, err=as_json)
    rows = f"{baseline.compared(outcomes):,} of its {len(baseline.rows):,} rows were searched again"
    counts = {word: sum(line.startswith(word) for line in lines) for word in ("changed", "new", "gone")}
    summary = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count) or "none differs"
    click.echo(f"baseline {baseline.path}: {rows}; {summary}", err=as_json)
    return bool(lines)


def _report(
    outcomes: "Sequence[Outcome]", files: "TraceFiles", source: "Source", elapsed_seconds: float, report: Outputs
) -> None:
    from lakeproof.show.conclusion import close, close_quietly, show
    from lakeproof.show.style import console

    if report.format_ is not None:
        from lakeproof.show.formats import render_verdicts

        click.echo(render_verdicts(report.format_, outcomes, files.found, source), nl=False)
    try:
        _write_reports(report.reports, outcomes, files, source, report.bounds)
    except Unusable as error:
        files.unwritten = files.unwritten or error
    if report.as_json or report.format_ is not None:
        close_quietly(outcomes, files, elapsed_seconds, console(sys.stderr))
    else:
        show(outcomes, files.found, source, console(), report.table)
        close(outcomes, files, elapsed_seconds, console())


def exit_code(outcomes: "Sequence[Outcome]", *, sampled: bool) -> int:
    """Whether all is as expected. ``sampled``: nothing is proved, and what holds is inconclusive."""
    verdicts = [verdict for outcome in outcomes for verdict in outcome.verdicts]
    surprises = [verdict for verdict in verdicts if verdict.unexpected]
    # In order of weight: a wrong verdict, then a scenario that could not be run, then one that is open.
    if any(verdict.verdict != "inconclusive" for verdict in surprises):
        return VIOLATED
    if any(outcome.trouble for outcome in outcomes):
        return UNUSABLE
    # A sample that violates nothing proves nothing, even if no violation was expected.
    nothing = sampled and not any(verdict.verdict == "violated" for verdict in verdicts)
    return INCONCLUSIVE if surprises or nothing else AS_EXPECTED


def check_reports(reports: Reports) -> None:
    """Say at the beginning of a long run what would fail at its end. Raises Unusable: a file cannot be written."""
    from lakeproof.verify.outputs import check_writable, unwritable

    for _, path in reports:
        if not os.access(path, os.W_OK):  # what is there may be written where nothing else may, such as /dev/stdout
            check_writable(path.parent, "--report")
        if path.is_dir():
            raise unwritable(path, "it is a folder", "--report")


def _write_reports(
    reports: Reports,
    outcomes: "Sequence[Outcome]",
    files: "TraceFiles",
    source: "Source",
    bounds: Mapping[str, object],
) -> None:
    """Write each report. Raises Unusable: it cannot be written."""
    if not reports:
        return
    from lakeproof.show.formats import render_verdicts
    from lakeproof.show.verdicts import lines
    from lakeproof.verify.outputs import unwritable

    for format_, path in reports:
        if format_ == "json":
            written = files.written
            traces = [{name: at for (of, name), at in written.items() if of == each.scenario} for each in outcomes]
            text = "".join(lines(each, found, bounds) for each, found in zip(outcomes, traces, strict=True))
        else:
            text = render_verdicts(format_, outcomes, files.found, source)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text)
        except OSError as error:
            raise unwritable(path, error.strerror or str(error), "--report") from error


def _propose(outcomes: "Sequence[Outcome]") -> int:
    """Print the expectations that the outcomes speak for."""
    from lakeproof.show.proposal import proposal

    click.echo(proposal(outcomes))
    if any(found.trouble for found in outcomes):
        return UNUSABLE
    undecided = any(each.verdict == "inconclusive" and each.named for found in outcomes for each in found.verdicts)
    return INCONCLUSIVE if undecided else AS_EXPECTED
