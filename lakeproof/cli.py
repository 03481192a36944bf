"""The command line. Results go to stdout, progress and errors to stderr; heavy imports wait for their command."""

import os
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from lakeproof.commands.group import Commands, complain
from lakeproof.commands.options import FORMATS, Seconds, from_option, reports_of
from lakeproof.commands.reports import Reports, check_reports, propose, write_reports
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, UNUSABLE, VIOLATED

if TYPE_CHECKING:
    from lakeproof.scenario import Scenario
    from lakeproof.show.baseline import Baseline
    from lakeproof.verify.cache import Kept
    from lakeproof.verify.loader import Source
    from lakeproof.verify.outputs import TraceFiles
    from lakeproof.verify.tasks import Outcome, Task

MEMORY_SHARE: Final = 0.6
"""So much of the machine's memory the searches may take together, unless --max-memory says otherwise."""


def _print_version(ctx: click.Context, _: click.Parameter, requested: bool) -> None:
    from lakeproof.version import version

    if requested:
        click.echo(f"lakeproof {version()}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Prove or refute metadata protocols on key-value stores by running their real code."""


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
_jobs = click.option("--jobs", type=click.IntRange(1), metavar="N", help="Number of processes. [default: one per core]")


@main.command("scenarios")
@patterns_argument
@from_option
@json_option
def list_scenarios(patterns: tuple[str, ...], file: Path | None, as_json: bool) -> None:
    """List scenarios with their bounds and expected violations.

    A PATTERN is a name, a glob over names, or a part of a name; without any, variants are listed.
    """
    from lakeproof.show.listing import as_json_line, families, listing
    from lakeproof.show.style import console

    _, chosen = chosen_from(patterns, file)
    if as_json:
        for scenario in chosen:
            click.echo(as_json_line(scenario))
    else:
        console().print(listing(chosen) if patterns or file else families(chosen), soft_wrap=True)


@main.command()
@patterns_argument
@from_option
@json_option
@out_option
@click.option("--max-states", type=click.IntRange(1), metavar="N", help="Stop a scenario after N states.")
@click.option("--max-seconds", type=Seconds, metavar="S", help="Stop a scenario after S seconds.")
@click.option(
    "--max-memory",
    type=click.IntRange(1),
    metavar="MIB",
    help="Stop a search that needs more memory. [default: 60% of the machine, divided by the processes]",
)
@_jobs
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    envvar="LAKEPROOF_CACHE",
    metavar="DIR",
    help="Keep verdicts in this folder; the environment names it as LAKEPROOF_CACHE. [default: in the user's cache]",
)
@click.option("--no-cache", is_flag=True, help="Search again what has not changed, and keep nothing.")
@click.option(
    "--table",
    type=click.Choice(["designs", "matrix", "scenarios"]),
    help="Print a row for each variant, invariants by variants, or a row for each scenario. "
    "[default: scenarios, up to 40 of them; else designs]",
)
@click.option("--deep", is_flag=True, help="Also run the scenarios that take minutes.")
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare with an earlier run, written with --json, and list the rows that differ. Exit code 1 if any does.",
)
@click.option("--propose", "propose_", is_flag=True, help="Print violations as Python: expectations of a new design.")
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write an index of all verdicts, and a page for each violation that was not expected, to this folder.",
)
@click.option("--html-all", is_flag=True, help="Write pages of expected violations as well, some 40 kB each.")
@click.option("--format", "format_", type=click.Choice(FORMATS), help="Print the verdicts in a format of other tools.")
@click.option(
    "--report",
    "reports",
    callback=reports_of,
    multiple=True,
    metavar="FORMAT=FILE",
    help="Write the verdicts to a file as well, as json or in a format of --format. May be repeated.",
)
def verify(
    patterns: tuple[str, ...],
    file: Path | None,
    as_json: bool,
    out: Path,
    max_states: int | None,
    max_seconds: float | None,
    max_memory: int | None,
    jobs: int | None,
    cache: Path | None,
    no_cache: bool,
    table: str | None,
    deep: bool,
    baseline: Path | None,
    propose_: bool,
    html: Path | None,
    html_all: bool,
    format_: str | None,
    reports: Reports,
) -> int:
    """Search every schedule of every scenario: proved, violated, or inconclusive.

    A PATTERN is a name, a glob over names, or a part of a name; without any, the whole catalogue is verified. If a
    limit is reached, undecided invariants are inconclusive. Deep scenarios run with --deep, or if the pattern is their
    full name. Verdicts are kept, and reused as long as all that they depend on is the same.
    """
    from lakeproof.verify.outputs import check_writable
    from lakeproof.verify.tasks import Verify
    from lakeproof.verify.witness import WITNESS

    if propose_ and (as_json or baseline or html or format_ or reports):
        others = "--json, --baseline, --html, --format and --report"
        raise click.UsageError(f"--propose prints Python: give none of {others}")
    check_reports(reports)
    if as_json and format_:
        raise click.UsageError(f"--json and --format {format_} both print the verdicts: give one of them")
    if html is not None:
        check_writable(html, "--html")
    elif html_all:
        raise click.UsageError("--html-all says which pages are written; give their folder: --html DIR --html-all")
    before = None
    if baseline is not None:
        from lakeproof.show.baseline import read

        before = read(baseline)
    source, chosen = chosen_from(patterns, file, deep=deep)
    jobs = _processes(jobs, len(chosen))
    _check_memory(max_memory)
    memory = max_memory or int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * MEMORY_SHARE / jobs) >> 20
    limits = {"max_states": max_states, "max_seconds": max_seconds, "max_memory": memory}
    task, kept = Verify(states_max=max_states, seconds_max=max_seconds, memory_bytes_max=memory << 20), None
    if WITNESS.installed and not no_cache:
        from lakeproof.verify.cache import Kept
        from lakeproof.verify.machine import user_cache

        kept = Kept(cache or user_cache() / "verdicts")
        task = kept.recalling(task)
    report = Outputs(out, limits, as_json, table, before, propose_, html, format_, reports, kept, html_all)
    return perform(task, "verifying", source, chosen, jobs, report)


@main.command()
@click.argument("patterns", nargs=-1, required=True, metavar="PATTERN...")
@from_option
@click.option("--strategy", type=click.Choice(["random", "pct"]), default="pct", show_default=True)
@click.option(
    "--executions",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="Number of executions of each scenario.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed; equal seeds give equal results."
)
@click.option(
    "--depth", type=click.IntRange(1), default=3, show_default=True, help="Number of ordering constraints (pct only)."
)
@json_option
@out_option
@_jobs
def walk(
    patterns: tuple[str, ...],
    file: Path | None,
    strategy: str,
    executions: int,
    seed: int,
    depth: int,
    as_json: bool,
    out: Path,
    jobs: int | None,
) -> int:
    """Sample executions where a search is too large. Can refute, cannot prove.

    Exit code 0 if exactly the expected violations were found.
    """
    from lakeproof.verify.tasks import Sample

    source, chosen = chosen_from(patterns, file)
    jobs = _processes(jobs, len(chosen))
    bounds = {"strategy": strategy, "seed": seed, "executions": executions, "depth": depth}
    task = Sample(strategy="pct" if strategy == "pct" else "random", executions=executions, seed=seed, depth=depth)
    return perform(task, "walking", source, chosen, jobs, Outputs(out=out, bounds=bounds, as_json=as_json))


def chosen_from(
    patterns: Sequence[str], file: Path | None, *, deep: bool = True
) -> "tuple[Source, tuple[Scenario, ...]]":
    from lakeproof.verify.loader import LoadError, Source, choose

    source = Source(file)
    try:
        return source, choose(source.load(patterns), patterns, deep=deep)
    except LoadError:
        if file is not None:
            raise
        # Suggestions are made of all names.
        return source, choose(source.load(), patterns, deep=deep)


def _check_memory(max_memory: int | None) -> None:
    """Say at once that a bound cannot be kept. What the process holds is known once the search is loaded."""
    if max_memory is None:
        return
    import resource

    import lakeproof.search.search  # noqa: F401

    unit = 1 if sys.platform == "darwin" else 1 << 10
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit >> 20
    if max_memory <= used:
        raise click.UsageError(f"--max-memory {max_memory}: the process holds {used} MiB before any search; give more")


def _processes(jobs: int | None, scenarios: int) -> int:
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
    quiet = report.as_json or report.propose or report.format_ is not None
    click.echo(f"lakeproof {version()}: scenarios={len(scenarios)} jobs={jobs} {shown}", err=quiet)
    lines = OrderedLines([scenario.name for scenario in scenarios], bounds) if report.as_json else None
    outcomes: dict[str, Outcome] = {}
    started = time.monotonic()
    try:
        with Progress(doing, len(scenarios)) as progress:
            for outcome in run(task, scenarios, source, jobs, progress):
                outcomes[outcome.scenario] = outcome
                traces = files.write(outcome)
                if report.kept is not None:
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
    ordered = [outcomes.get(s.name) or inconclusive_outcome(s, "it has not reported") for s in scenarios]
    for outcome in ordered:
        if outcome.trouble:
            click.echo(outcome.details, err=True, nl=False)
            complain(outcome.trouble)
    if report.kept is not None:
        for line in report.kept.close(ordered):
            click.echo(line, err=True)
    if report.propose:
        return propose(ordered)
    _report(ordered, files, source, time.monotonic() - started, report)
    if report.html is not None:
        from lakeproof.show.pages.index import write

        write(ordered, files.written, scenarios, source, report.html, everything=report.html_all)
        click.echo(f"pages: {report.html / 'index.html'}", err=quiet)
    code = _exit_code(ordered, sampled=doing == "walking")
    if report.baseline is None:
        return code
    differs = _compare(report.baseline, ordered, {scenario.name for scenario in source.load()}, as_json=quiet)
    return VIOLATED if differs else code


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

        click.echo(render_verdicts(report.format_, outcomes, files.written, source), nl=False)
    write_reports(report.reports, outcomes, files, source, report.bounds)
    if report.as_json or report.format_ is not None:
        close_quietly(outcomes, files, elapsed_seconds, console(sys.stderr))
        return
    show(outcomes, files.written, source, console(), report.table)
    close(outcomes, files, elapsed_seconds, console())


def _exit_code(outcomes: "Sequence[Outcome]", *, sampled: bool) -> int:
    verdicts = [verdict for outcome in outcomes for verdict in outcome.verdicts]
    surprises = [verdict for verdict in verdicts if verdict.unexpected]
    if any(verdict.verdict != "inconclusive" for verdict in surprises):
        return VIOLATED
    if any(outcome.trouble for outcome in outcomes):
        return UNUSABLE
    nothing = sampled and not any(verdict.verdict == "violated" for verdict in verdicts)
    return INCONCLUSIVE if surprises or nothing else AS_EXPECTED
