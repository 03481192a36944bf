"""``lakeproof spark sweep``: look again at what a run has marked, and delete it."""

from typing import TYPE_CHECKING

import click

from lakeproof.commands.group import complain
from lakeproof.spark_checks.engine.options import DatasetSource, blockstore_option, spark_options
from lakeproof.words import UNUSABLE, Unusable, plural

if TYPE_CHECKING:
    from lakeproof.spark_checks.data.dataset import Keys
    from lakeproof.spark_checks.engine.session import Options
    from lakeproof.spark_checks.sweep.marks import Marked
    from lakeproof.spark_checks.sweep.sweep import Again


@click.command("sweep")
@click.argument("out", metavar="OUT")
@click.option("--run", "run_id", required=True, metavar="ID", help="The run whose marked objects are deleted.")
@click.option(
    "--objects",
    metavar="WHERE",
    help="Where the objects are: s3://bucket, gs://bucket, az://account/container, or a folder of plain files.",
)
@click.option("--delete", is_flag=True, help="Delete the objects. Default: a dry run.")
@click.option("--dataset", metavar="DATASET", help="Search for references again, in this dataset.")
@click.option("--keys", type=click.Choice(["design", "lakefs"]), help="The key schema of --dataset.")
@click.option("--beside", metavar="DIR", help="Folder with the tables that a dump or database does not have.")
@blockstore_option
@click.option("--instead-of", metavar="URL", help="The name of --objects in the addresses of the run.")
@click.option("--endpoint", metavar="URL", help="Endpoint of an S3-compatible store.")
@click.option("--no-if-match", is_flag=True, help="For an S3-compatible store that refuses conditional deletes.")
@click.option("--require-engine", metavar="ENGINE", help="Refuse a run that another engine has marked.")
@click.option("--rate", type=click.FloatRange(0, min_open=True), metavar="N", help="Maximum requests per second.")
@click.option(
    "--at-once", type=click.IntRange(1, 1000), default=32, show_default=True, help="Maximum concurrent requests."
)
@spark_options
def command(
    options: "Options",
    out: str,
    run_id: str,
    objects: str | None,
    delete: bool,
    dataset: str | None,
    keys: "Keys | None",
    beside: str | None,
    blockstore: str | None,
    instead_of: str | None,
    endpoint: str | None,
    no_if_match: bool,
    require_engine: str | None,
    rate: float | None,
    at_once: int,
) -> int:
    """Delete the marked objects of a run of `retention` or `uncommitted`. OUT is the folder of the runs.

    Each object is checked first, and kept if it differs from the listing. With --dataset, objects with new references
    are kept, too; only this needs Spark. An interrupted run, or one whose files were changed, is refused. Without
    --delete it is a dry run. An interrupted sweep may be repeated. Exit code 2: some deletes failed or are in doubt.
    """
    from lakeproof.spark_checks.data import denominators
    from lakeproof.spark_checks.engine.runs import REPORT
    from lakeproof.spark_checks.sweep import account
    from lakeproof.spark_checks.sweep.journal import SWEPT
    from lakeproof.spark_checks.sweep.marks import whole_run
    from lakeproof.spark_checks.sweep.object_store import target
    from lakeproof.spark_checks.sweep.sweep import sweep

    # Before the files of the run are hashed, which may take minutes.
    if delete and objects is None:
        raise click.UsageError("--delete needs --objects, where the objects are")
    if dataset is None and any(each is not None for each in (keys, beside, blockstore)):
        raise click.UsageError("--keys, --beside and --blockstore are for --dataset; name the dataset, too")
    try:
        # Reads all that the run has written, and starts no engine.
        run = whole_run(out, run_id)
        _demand_engine(run, require_engine, alone=delete and dataset is None)
        where = None
        if objects is not None:
            match = not no_if_match
            where = target(objects, instead_of=instead_of, endpoint=endpoint, match=match, rate=rate, at_once=at_once)
        # The session has ended before the first delete: the sweep itself needs no Spark.
        again = None if dataset is None else _look_again(options, run, DatasetSource(dataset, keys, beside, blockstore))
        done = sweep(run, where, delete=delete, again=again)
    except KeyboardInterrupt:
        complain("interrupted; what is in doubt is in the journal: sweep the run again")
        raise click.Abort from None
    total = done.account.total
    click.echo(f"marked: {plural(total.objects, 'object')}, {done.account.before:,} settled before this sweep")
    for line in account.lines(done.account):
        click.echo(line)
    if again is not None:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in again.kept.items()) or "nothing"
        click.echo(f"referred to in {again.dataset}: {reasons}")
        # Of a run without marks, nothing was read again.
        for note in (denominators.describe_rows(again.rows), *again.notes) if run.marked else again.notes:
            click.echo(note)
    if objects is None:
        click.echo("nothing was looked at: name the objects with --objects, and say --delete to delete them")
    elif delete:
        click.echo(f"files: {run.folder.child(SWEPT).where}: {REPORT}, and the outcome of each object (Parquet)")
    elif total.objects:
        more = " --dataset DATASET" if run.embedded and again is None else ""
        click.echo(f"nothing was deleted: the same command with --delete{more} does it")
    if not done.done:
        why = f" ({done.stopped})" if done.stopped else ""
        complain(f"{plural(done.account.open, 'object')} failed or in doubt{why}; mend that and sweep the run again")
    return 0 if done.done else UNUSABLE


def _demand_engine(run: "Marked", required: str | None, *, alone: bool) -> None:
    """``alone``: it would be deleted without a second look. Raises Unusable: another engine than the required one has
    marked it, or one answer of Sail says that it may go."""
    if required is not None and run.engine_name != required:
        raise Unusable(
            f"{run.folder.where}: was marked by {run.engine}, and --require-engine says {required}; mark once more "
            f"with --engine {required}"
        )
    if alone and run.embedded:
        raise Unusable(
            f"{run.folder.where}: was marked by {run.engine}, and nothing is deleted by its first answer alone; search "
            "for references again with --dataset"
        )


def _look_again(options: "Options", run: "Marked", source: DatasetSource) -> "Again":
    from lakeproof.spark_checks.engine.session import session
    from lakeproof.spark_checks.sweep.references import look_again

    with session(options) as spark:
        return look_again(source.open(spark), run)
