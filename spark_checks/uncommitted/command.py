"""``lakeproof spark uncommitted``: mark the objects that nothing refers to."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from spark_checks.session import FOLDER, dataset_options, spark_options

if TYPE_CHECKING:
    from spark_checks.dataset import Keys
    from spark_checks.session import Options


@click.command("uncommitted")
@dataset_options
@click.option("--older-than", default="24h", show_default=True, metavar="AGE", help="Younger objects are kept.")
@click.option("--now", metavar="TIME", help="ISO 8601, or microseconds. [default: of the youngest object]")
@click.option(
    "--since", type=click.Path(path_type=Path), metavar="RUN", help="The folder of the last run: go on from there."
)
@click.option(
    "--lenient", is_flag=True, help="A head or parent without a record keeps nothing, instead of ending the run."
)
@click.option("--run", "run_id", metavar="ID", help="Name of the run. [default: a new one]")
@click.option("--out", required=True, type=FOLDER, metavar="DIR", help="Where runs go.")
@spark_options
def command(
    options: "Options",
    dataset: str,
    older_than: str,
    now: str | None,
    since: Path | None,
    lenient: bool,
    keys: "Keys | None",
    beside: str | None,
    run_id: str | None,
    out: Path,
) -> None:
    """Mark the objects that no commit and no staged entry refers to. Deletes nothing.

    Writes DIR/RUN/addresses (Parquet) and report.json there; `sweep` deletes what a run has marked.
    """
    from spark_checks import runs
    from spark_checks.dataset import open_dataset
    from spark_checks.session import session
    from spark_checks.uncommitted.marking import Asked, mark

    age = runs.parse_age(older_than)
    if now is not None:
        runs.parse_time(now)
    last = None if since is None else runs.demand_run(since, "uncommitted")
    folder = runs.new_folder(out, run_id)
    with runs.discarded_if_unusable(folder), session(options, folder) as spark:
        found = open_dataset(spark, dataset, keys, beside)
        asked = Asked(now=runs.time_of(now, found), older_than=age, since=last, lenient=lenient)
        report = mark(found, asked, folder)
    for line in runs.summary(report, folder):
        click.echo(line)
