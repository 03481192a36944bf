"""The command ``walk``: `lakeproof walk` with many seeds at once."""

from pathlib import Path

import click

from spark_checks.session import Options, spark_options


@click.command("walk")
@click.argument("patterns", nargs=-1, required=True, metavar="PATTERN...")
@click.option(
    "--from", "file", type=click.Path(path_type=Path), metavar="FILE", help="Scenarios from a Python file of yours."
)
@click.option("--seeds", type=click.IntRange(1), required=True, metavar="N", help="How many seeds.")
@click.option("--first-seed", type=click.IntRange(0), default=0, show_default=True, metavar="N")
@click.option("--executions", type=click.IntRange(1), default=1_000, show_default=True, help="Of each seed.")
@click.option("--strategy", type=click.Choice(["random", "pct"]), default="pct", show_default=True)
@click.option("--depth", type=click.IntRange(1), default=3, show_default=True, help="For pct: ordering constraints.")
@click.option("--block", type=click.IntRange(1), default=16, show_default=True, metavar="N", help="Seeds of one task.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, for programs.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("out/traces"),
    show_default=True,
    metavar="DIR",
    help="Where traces go.",
)
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
    """Walk scenarios at random with many seeds; the first failure cancels the rest.

    The seed that is reported is the smallest one that violates something, and `lakeproof walk --seed` repeats it.
    Proves nothing, may refute a lot.
    """
    from lakeproof.cli import chosen_from, perform
    from spark_checks.exploring.sweeping import SweepSeeds
    from spark_checks.session import session

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
        return perform(task, "walking", source, chosen, out, 1, bounds, as_json=as_json, full=True)
