"""``lakeproof spark generate``: a dataset, sound or with planted violations."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import click

from lakeproof.spark_checks.engine.options import FOLDER, spark_options
from lakeproof.spark_checks.generate.sizes import COUNTS, PROFILES
from lakeproof.words import Unusable

if TYPE_CHECKING:
    from lakeproof.spark_checks.engine.session import Options

_HELP: Final = {
    "repositories": "Number of accessible repositories.",
    "branches": "Branches of all repositories, at least one of each.",
    "tags": "Tags of all repositories.",
    "commits": "Commits of all repositories, at least one of each.",
    "objects": "Objects of users in the listing: committed, staged and stale ones.",
    "staged": "Objects among them with a staged entry.",
    "stale": "Objects among them without a reference.",
    "deleted": "Deleted instances, most with leftovers.",
    "ranges": "Maximum ranges per metarange.",
    "versions": "Number of commits whose objects a range has: its own, and earlier ones in the same position.",
    "seed": "Seed; equal seeds and sizes give equal datasets.",
}


def _counts(command: click.decorators.FC) -> click.decorators.FC:
    # Decorators apply from the inside out: reversed, help lists the options in this order.
    for name in reversed(COUNTS):
        command = click.option(f"--{name}", type=int, default=None, metavar="N", help=_HELP[name])(command)
    return command


@click.command("generate")
@click.argument("out", type=FOLDER)
@click.option("--profile", type=click.Choice(list(PROFILES)), default="small", show_default=True, help="Preset sizes.")
@_counts
@click.option(
    "--skew",
    type=float,
    default=None,
    metavar="X",
    help="Exponent of Zipf's law for the sizes of repositories, 0 to 4. 0: equal sizes; 1: the second is half as large "
    "as the first; 2: one has most of the data.",
)
@click.option("--now", default=None, metavar="TIME", help="ISO 8601 or microseconds. [default: 2026-01-01]")
@click.option(
    "--violations", type=click.Path(path_type=Path), metavar="FILE", help="Numbers of violations to plant, as JSON."
)
@click.option("--partitions", type=click.IntRange(1), default=None, metavar="N", help="Files of a large table.")
@spark_options
def command(
    options: "Options",
    /,
    out: Path,
    profile: str,
    skew: float | None,
    now: str | None,
    violations: Path | None,
    partitions: int | None,
    **counts: int | None,
) -> None:
    """Write a dataset to the folder OUT: kv/, metaranges/, ranges/ and objects/, as Parquet."""
    from lakeproof.spark_checks.engine.engines import cores
    from lakeproof.spark_checks.engine.runs import parse_time
    from lakeproof.spark_checks.engine.session import session
    from lakeproof.spark_checks.generate.mistakes import parse
    from lakeproof.spark_checks.generate.writer import DatasetPlan, check_target, whole, write

    given: dict[str, int] = {name: value for name, value in counts.items() if value is not None}
    if now is not None:
        given["now"] = parse_time(now)
    begin = PROFILES[profile]
    # Sizes are checked here, so that a wrong one costs no session.
    sizes = attrs.evolve(begin, skew=begin.skew if skew is None else skew, **given)  # type: ignore[arg-type]
    planted_ = {} if violations is None else parse(_text(violations), str(violations))
    check_target(out)
    request = DatasetPlan(sizes, planted_)
    # In this order: the folder is in its place, or gone, before the session ends.
    with session(options) as spark, whole(out) as part:
        write(spark, request, partitions or 2 * cores(spark), part)
    count = sum(planted_.values())
    click.echo(
        f"{out}: {sizes.repositories} repositories, {sizes.commits} commits, {sizes.objects} objects; "
        f"violations planted: {count}"
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(f"{path}: cannot be read ({error}); name a JSON file") from None
