"""``lakeproof spark uncommitted``: mark the objects that nothing refers to."""

from typing import TYPE_CHECKING

import click

from lakeproof.spark_checks.engine.options import PLACE, blockstore_option, dataset_options, run_options, spark_options

if TYPE_CHECKING:
    from lakeproof.spark_checks.data.dataset import Dataset
    from lakeproof.spark_checks.engine.folders import Folder
    from lakeproof.spark_checks.engine.options import DatasetSource, RunOptions
    from lakeproof.spark_checks.engine.runs import Report
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
    run: "RunOptions",
    source: "DatasetSource",
    older_than: str,
    since: str | None,
    lenient: bool,
) -> int:
    """Mark the objects that no commit and no staged entry refers to. Deletes nothing.

    Writes DIR/RUN/addresses (Parquet) and report.json there; `sweep` deletes what a run has marked.
    Exit code 3 if there was nothing to judge: an empty dataset proves nothing.
    """
    from lakeproof.spark_checks.engine import runs
    from lakeproof.spark_checks.engine.folders import folder_at
    from lakeproof.spark_checks.engine.run_folders import mark_and_print
    from lakeproof.spark_checks.uncommitted.marks import MarkOptions, mark

    age = runs.parse_age(older_than)
    last = None if since is None else runs.demand_run(folder_at(since), "uncommitted")  # before there is a session

    def marked(found: "Dataset", now: int, folder: "Folder") -> "Report":
        return mark(found, MarkOptions(now=now, older_than=age, since=last, lenient=lenient), folder)

    return mark_and_print(options, run, source, marked)
