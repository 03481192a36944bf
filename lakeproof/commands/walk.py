"""The command ``walk``."""

from pathlib import Path

import click

from lakeproof.commands.options import from_option
from lakeproof.commands.runs import (
    Outputs,
    choose_from,
    jobs_option,
    json_option,
    out_option,
    patterns_argument,
    perform,
    processes,
)


@click.command("walk")
@patterns_argument
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
@jobs_option
def command(
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

    if not patterns and file is None:
        raise click.UsageError("name a PATTERN ('*' for the whole catalogue), or --from FILE")
    source, chosen = choose_from(patterns, file)
    jobs = processes(jobs, len(chosen))
    bounds = {"strategy": strategy, "seed": seed, "executions": executions, "depth": depth}
    # Spelled out for the type checker: a choice of click is any text to it.
    task = Sample(strategy="pct" if strategy == "pct" else "random", executions=executions, seed=seed, depth=depth)
    return perform(task, "walking", source, chosen, jobs, Outputs(out=out, bounds=bounds, as_json=as_json))
