"""The command ``walk``: `lakeproof walk` with many seeds at once."""

from pathlib import Path

import click

from lakeproof.cli import Report, chosen_from, from_option, json_option, out_option, perform
from lakeproof.spark_checks.session import Options, spark_options


@click.command("walk")
@click.argument("patterns", nargs=-1, required=True, metavar="PATTERN...")
@from_option
@click.option("--seeds", type=click.IntRange(1), required=True, metavar="N", help="Number of seeds.")
@click.option("--first-seed", type=click.IntRange(0), default=0, show_default=True, metavar="N")
@click.option("--executions", type=click.IntRange(1), default=1_000, show_default=True, help="Executions per seed.")
@click.option("--strategy", type=click.Choice(["random", "pct"]), default="pct", show_default=True)
@click.option(
    "--depth", type=click.IntRange(1), default=3, show_default=True, help="Number of ordering constraints (pct only)."
)
@click.option("--block", type=click.IntRange(1), default=16, show_default=True, metavar="N", help="Seeds per task.")
@json_option
@out_option
@spark_options
def command(
    options: Options,
    patterns: tuple[str, ...],
    file: Path | None,
    seeds: int,
    first_seed: int,
    executions: int,
    strategy: str,
    depth: int,
    block: int,
    as_json: bool,
    out: Path,
) -> int:
    """Run random walks with many seeds; the first failure cancels the rest. Can refute, cannot prove.

    The seed that is reported is the smallest one that violates something, and `lakeproof walk --seed` repeats it.
    """
    from lakeproof.spark_checks.exploring.sweeping import SweepSeeds
    from lakeproof.spark_checks.session import session

    source, chosen = chosen_from(patterns, file)
    bounds = {
        "strategy": strategy,
        "first_seed": first_seed,
        "seeds": seeds,
        "executions": executions,
        "depth": depth,
    }
    with session(options) as spark:
        task = SweepSeeds(
            spark=spark,
            strategy="pct" if strategy == "pct" else "random",
            executions=executions,
            seeds=range(first_seed, first_seed + seeds),
            depth=depth,
            block=block,
        )
        return perform(task, "walking", source, chosen, 1, Report(out=out, bounds=bounds, as_json=as_json))
