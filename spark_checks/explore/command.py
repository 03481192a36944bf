"""The command ``explore``: `lakeproof verify` for spaces that are larger than one machine's memory."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lakeproof.commands.options import Seconds, from_option
from lakeproof.commands.runs import Outputs, choose_from, json_option, out_option, perform
from lakeproof.spark_checks.engine.options import spark_options

if TYPE_CHECKING:
    from lakeproof.spark_checks.engine.session import Options


@click.command("explore")
@click.argument("patterns", nargs=-1, required=True, metavar="PATTERN...")
@from_option
@json_option
@out_option
@click.option("--max-states", type=click.IntRange(1), metavar="N", help="Stop a scenario after N states.")
@click.option("--max-seconds", type=Seconds, metavar="S", help="Stop a scenario after S seconds.")
@click.option(
    "--driver-states",
    type=click.IntRange(0),
    default=1 << 18,  # as `search.DRIVER_STATES`, which needs PySpark
    show_default=True,
    metavar="N",
    help="A level with more states goes to Spark.",
)
@click.option("--raw", is_flag=True, help="Do not merge histories: more states, no restarts.")
@spark_options
def command(
    options: "Options",
    patterns: tuple[str, ...],
    file: Path | None,
    as_json: bool,
    out: Path,
    max_states: int | None,
    max_seconds: float | None,
    driver_states: int,
    raw: bool,
) -> int:
    """Search every schedule, level by level, the levels on Spark: proved, violated, or inconclusive.

    Gives the same verdicts as `lakeproof verify`, and the same traces. Use it if a level does not fit into memory.
    Levels are kept in a folder of the session: with several machines, name one that all of them share with --work.
    """
    from lakeproof.search.search import Options as How
    from lakeproof.spark_checks.engine.session import session
    from lakeproof.spark_checks.explore.levels import SparkLevels
    from lakeproof.spark_checks.explore.task import Explore

    source, chosen = choose_from(patterns, file)
    bounds = {"max_states": max_states, "max_seconds": max_seconds}
    with session(options) as spark:
        task = Explore(
            states_max=max_states,
            seconds_max=max_seconds,
            engine=SparkLevels(spark),
            driver_states=driver_states,
            options=How(merge=not raw),
        )
        # One job at a time: the task holds the session, which cannot be sent to another process.
        return perform(task, "verifying", source, chosen, 1, Outputs(out=out, bounds=bounds, as_json=as_json))
