"""The command ``verify``."""

import os
import sys
from pathlib import Path
from typing import Final

import click

from lakeproof.commands.options import FORMATS, Seconds, from_option, reports_of
from lakeproof.commands.runs import (
    Outputs,
    Reports,
    check_reports,
    choose_from,
    jobs_option,
    json_option,
    out_option,
    patterns_argument,
    perform,
    processes,
)

MEMORY_SHARE: Final = 0.6
"""So much of the machine's memory the searches may take together, unless --max-memory says otherwise."""


@click.command("verify")
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
@jobs_option
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
def command(
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
    source, chosen = choose_from(patterns, file, deep=deep)
    jobs = processes(jobs, len(chosen))
    _check_memory(max_memory)
    # In MiB, for each process; the rest of the machine is for the system and the parent.
    memory = max_memory or int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * MEMORY_SHARE / jobs) >> 20
    limits = {"max_states": max_states, "max_seconds": max_seconds, "max_memory": memory}
    task, kept = Verify(states_max=max_states, seconds_max=max_seconds, memory_bytes_max=memory << 20), None
    # Without the witness it is not known which files a verdict depends on, so none may be reused.
    if WITNESS.installed and not no_cache:
        from lakeproof.verify.cache import Kept
        from lakeproof.verify.machine import user_cache

        kept = Kept(cache or user_cache() / "verdicts")
        task = kept.recalling(task)
    report = Outputs(out, limits, as_json, table, before, propose_, html, format_, reports, kept, html_all)
    return perform(task, "verifying", source, chosen, jobs, report)


def _check_memory(max_memory: int | None) -> None:
    """Say at once that a bound cannot be kept. Raises UsageError."""
    if max_memory is None:
        return
    import resource

    # What the process holds before a search is known once the search is loaded.
    import lakeproof.search.search  # noqa: F401

    unit = 1 if sys.platform == "darwin" else 1 << 10  # getrusage counts bytes on macOS, KiB on Linux
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit >> 20
    if max_memory <= used:
        raise click.UsageError(f"--max-memory {max_memory}: the process holds {used} MiB before any search; give more")
