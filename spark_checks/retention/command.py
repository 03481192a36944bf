"""``lakeproof spark retention``: mark what only expired commits reach."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lakeproof.spark_checks.engine.options import blockstore_option, dataset_options, run_options, spark_options

if TYPE_CHECKING:
    from lakeproof.spark_checks.data.dataset import Dataset
    from lakeproof.spark_checks.engine.folders import Folder
    from lakeproof.spark_checks.engine.options import DatasetSource, RunOptions
    from lakeproof.spark_checks.engine.runs import Report
    from lakeproof.spark_checks.engine.session import Options


@click.command("retention")
@dataset_options
@blockstore_option
@click.option(
    "--rules", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Rules, in the format of lakeFS."
)
@click.option("--tags", type=click.Choice(["drop", "keep"]), default="drop", show_default=True, help="Tagged commits.")
@click.option("--lenient", is_flag=True, help="Continue if a head has no record: it keeps nothing.")
@run_options
@spark_options
def command(
    options: "Options", run: "RunOptions", source: "DatasetSource", rules: Path, tags: str, lenient: bool
) -> int:
    """Mark the objects that only expired commits reach, by retention rules. Deletes nothing.

    Writes DIR/RUN/commits (CSV), addresses (Parquet) and report.json there; `sweep` deletes what a run has
    marked. Exit code 3 if there was nothing to judge: an empty dataset proves nothing.
    """
    from lakeproof.spark_checks.engine.run_folders import mark_and_print
    from lakeproof.spark_checks.retention import rulebook
    from lakeproof.spark_checks.retention.marks import MarkOptions, mark

    book = rulebook.read(rules)

    def marked(found: "Dataset", now: int, folder: "Folder") -> "Report":
        return mark(found, book, MarkOptions(now=now, tags=tags == "keep", lenient=lenient), folder)

    return mark_and_print(options, run, source, marked)
