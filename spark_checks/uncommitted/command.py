"""``lakeproof spark uncommitted``: mark the objects that nothing refers to."""

from typing import TYPE_CHECKING

import click

from lakeproof.spark_checks.engine.options import (
    PLACE,
    blockstore_option,
    dataset_options,
    dataset_words,
    run_options,
    spark_options,
)
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE

if TYPE_CHECKING:
    from lakeproof.spark_checks.data.dataset import Keys
    from lakeproof.spark_checks.engine.session import Options


@click.command("uncommitted")
@dataset_options
@blockstore_option
@click.option("--older-than", default="24h", show_default=True, metavar="AGE", help="Keep objects younger than this.")
@click.option("--since", type=PLACE, metavar="RUN", help="Folder of the previous run, whose results are reused.")
@click.option("--lenient", is_flag=True, help="Continue if a head or parent has no record; it keeps nothing.")
@run_options
@spark_options
def command(
    options: "Options",
    dataset: str,
    older_than: str,
    now: str | None,
    since: str | None,
    lenient: bool,
    keys: "Keys | None",
    beside: str | None,
    blockstore: str | None,
    as_json: bool,
    run_id: str | None,
    out: str,
) -> int:
    """Mark the objects that no commit and no staged entry refers to. Deletes nothing.

    Writes DIR/RUN/addresses (Parquet) and report.json there; `sweep` deletes what a run has marked.
    Exit code 3 if there was nothing to judge: an empty dataset proves nothing.
    """
    from lakeproof.spark_checks.data.dataset import open_dataset
    from lakeproof.spark_checks.engine import runs
    from lakeproof.spark_checks.engine.folders import folder_at
    from lakeproof.spark_checks.engine.run_folders import run_session
    from lakeproof.spark_checks.uncommitted.marks import MarkOptions, mark

    age = runs.parse_age(older_than)
    if now is not None:
        runs.parse_time(now)
    last = None if since is None else runs.demand_run(folder_at(since), "uncommitted")  # before there is a session
    with run_session(options, out, run_id) as (spark, folder):
        found = open_dataset(spark, dataset, keys, beside, blockstore)
        again = dataset_words(found.where, keys, beside, blockstore)
        settings = MarkOptions(now=runs.time_of(now, found), older_than=age, since=last, lenient=lenient)
        report = mark(found, settings, folder)
    for line in [report.encode(None).rstrip()] if as_json else runs.summary(report, folder, now, again):
        click.echo(line)
    return INCONCLUSIVE if report.lacks else AS_EXPECTED
