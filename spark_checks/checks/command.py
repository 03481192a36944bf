"""The command ``lakeproof spark check``."""

from typing import TYPE_CHECKING

import click

from lakeproof.spark_checks.checks.catalogue import EVERY
from lakeproof.spark_checks.engine.options import PLACE, blockstore_option, dataset_options, spark_options
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, VIOLATED

if TYPE_CHECKING:
    from lakeproof.spark_checks.engine.options import DatasetSource
    from lakeproof.spark_checks.engine.session import Options


def _parse_ids(_: click.Context, __: click.Parameter, only: tuple[str, ...]) -> tuple[str, ...]:
    # A dictionary keeps the order of the command line, and each id once.
    ids = tuple(dict.fromkeys(part for each in only for part in each.split(",") if part))
    for each in ids:
        if each not in EVERY:
            raise click.BadParameter(f"no check is called {each!r}; there are {', '.join(EVERY)}")
    return ids


@click.command("check")
@dataset_options
@blockstore_option
@click.option("--only", multiple=True, metavar="ID", callback=_parse_ids, help="Run only this check. Repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("--out", type=PLACE, metavar="DIR", help="Findings as Parquet, and a summary; a new folder or URL.")
@spark_options
def command(
    options: "Options",
    source: "DatasetSource",
    only: tuple[str, ...],
    as_json: bool,
    out: str | None,
) -> int:
    """Check the invariants over a dataset: counts, examples, and every finding with its evidence.

    DATASET is a folder of Parquet tables, a file with lakeFS' store (a dump of `lakefs kv dump`, or JSON Lines), or an
    address: postgresql://..., dynamodb+https://HOST/TABLE. With --blockstore also ranges, metaranges and objects of a
    lakeFS are read. Exit code 1 if an invariant is violated, else 3 if a check judged nothing, or the store has
    a schema version that is not known; garbage and notes are reported, but do not count.
    """
    # Imported late: help and errors of the command line need neither rich nor Spark.
    from rich.text import Text

    from lakeproof.show.style import console
    from lakeproof.spark_checks.checks.report import as_json_lines, ending, table, write_summary
    from lakeproof.spark_checks.checks.run import run
    from lakeproof.spark_checks.engine.run_folders import session_for
    from lakeproof.spark_checks.engine.workspace import fresh

    # Inside are only jobs and the files of `--out`: what is printed afterwards needs no session.
    with session_for(options, out) as (spark, folder):
        opened = source.open(spark)
        target = fresh(spark, "findings") if folder is None else folder.child("findings").where
        summary = run(opened, only, target)
        if folder is not None:
            write_summary(summary, folder)
    if as_json:
        for line in as_json_lines(summary):
            click.echo(line)
    else:
        screen = console()
        for each in table(summary, screen):
            screen.print(each, soft_wrap=isinstance(each, Text))
        for line in ending(summary, None if folder is None else folder.where, source.words(opened.where)):
            click.echo(line)
    # A violation counts more than what was not judged.
    if summary.violated:
        return VIOLATED
    return INCONCLUSIVE if summary.inconclusive or summary.version else AS_EXPECTED
