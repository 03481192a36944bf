"""``lakeproof spark retention``: mark what only expired commits reach."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from spark_checks.session import FOLDER, dataset_options, spark_options

if TYPE_CHECKING:
    from spark_checks.dataset import Keys
    from spark_checks.session import Options


@click.command("retention")
@dataset_options
@click.option(
    "--rules", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Rules, as lakeFS has them."
)
@click.option("--now", metavar="TIME", help="ISO 8601, or microseconds. [default: of the youngest object]")
@click.option("--tags", type=click.Choice(["drop", "keep"]), default="drop", show_default=True, help="Tagged commits.")
@click.option("--lenient", is_flag=True, help="A head without a record keeps nothing, instead of ending the run.")
@click.option("--run", "run_id", metavar="ID", help="Name of the run. [default: a new one]")
@click.option("--out", required=True, type=FOLDER, metavar="DIR", help="Where runs go.")
@spark_options
def command(
    options: "Options",
    dataset: str,
    rules: Path,
    now: str | None,
    tags: str,
    lenient: bool,
    keys: "Keys | None",
    beside: str | None,
    run_id: str | None,
    out: Path,
) -> None:
    """Mark what only expired commits reach, by rules of retention. Deletes nothing.

    Writes DIR/RUN/commits (CSV), addresses (Parquet) and report.json there; `sweep` deletes what a run has marked.
    """
    from spark_checks import runs
    from spark_checks.dataset import open_dataset
    from spark_checks.retention import rulebook
    from spark_checks.retention.marking import Asked, mark
    from spark_checks.session import session

    book = rulebook.read(rules)
    if now is not None:
        runs.parse_time(now)
    folder = runs.new_folder(out, run_id)
    with runs.discarded_if_unusable(folder), session(options, folder) as spark:
        found = open_dataset(spark, dataset, keys, beside)
        asked = Asked(now=runs.time_of(now, found), tags=tags == "keep", lenient=lenient)
        report = mark(found, book, asked, folder)
    for line in runs.summary(report, folder):
        click.echo(line)
