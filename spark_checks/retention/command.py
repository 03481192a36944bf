"""``lakeproof spark retention``: mark what only expired commits reach."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lakeproof.spark_checks.engine.options import (
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


@click.command("retention")
@dataset_options
@blockstore_option
@click.option(
    "--rules", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Rules, in the format of lakeFS."
)
@click.option("--tags", type=click.Choice(["drop", "keep"]), default="drop", show_default=True, help="Tagged commits.")
@click.option(
    "--lenient",
    is_flag=True,
    help="Continue if a head has no record (it keeps nothing) or a commit id is duplicated (if one is kept, all are).",
)
@run_options
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
    blockstore: str | None,
    as_json: bool,
    run_id: str | None,
    out: str,
) -> int:
    """Mark the objects that only expired commits reach, by retention rules. Deletes nothing.

    Writes DIR/RUN/commits (CSV), addresses (Parquet) and report.json there; `sweep` deletes what a run has
    marked. Exit code 3 if there was nothing to judge: an empty dataset proves nothing.
    """
    from lakeproof.spark_checks.data.dataset import open_dataset
    from lakeproof.spark_checks.engine import runs
    from lakeproof.spark_checks.engine.run_folders import run_session
    from lakeproof.spark_checks.retention import rulebook
    from lakeproof.spark_checks.retention.marks import MarkOptions, mark

    book = rulebook.read(rules)
    if now is not None:
        runs.parse_time(now)
    with run_session(options, out, run_id) as (spark, folder):
        found = open_dataset(spark, dataset, keys, beside, blockstore)
        again = dataset_words(found.where, keys, beside, blockstore)
        settings = MarkOptions(now=runs.time_of(now, found), tags=tags == "keep", lenient=lenient)
        report = mark(found, book, settings, folder)
    for line in [report.encode(None).rstrip()] if as_json else runs.summary(report, folder, now, again):
        click.echo(line)
    return INCONCLUSIVE if report.lacks else AS_EXPECTED
