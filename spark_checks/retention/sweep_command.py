"""``lakeproof spark sweep``: delete what a run has marked."""

from pathlib import Path

import click


@click.command("sweep")
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--run", "run_id", required=True, metavar="ID", help="The run whose mark is swept.")
@click.option(
    "--objects",
    metavar="FOLDER",
    help="Where the objects are: a folder of plain files, or file:FOLDER, an object store of lakeproof.",
)
@click.option("--delete", is_flag=True, help="Delete. Without it nothing changes.")
def command(out: Path, run_id: str, objects: str | None, delete: bool) -> None:
    """Delete what a run of `retention` or `uncommitted` has marked. OUT is where the runs are.

    A run that was cut short, or whose files were changed, is refused. Without --delete it only says what it would do.
    A sweep that was cut short may be repeated. Needs no Spark, and so no --master and no --memory.
    """
    from spark_checks.retention.sweeping import sweep, target

    if delete and objects is None:
        raise click.UsageError("--delete needs --objects, the folder with the objects")
    found = sweep(out, run_id, None if objects is None else target(objects), delete=delete)
    click.echo(f"{found.marked:,} objects are marked, {found.before:,} were swept before")
    if objects is not None:
        done = "deleted" if delete else "would be deleted"
        click.echo(f"{found.there:,} {done}, {found.gone:,} are not there")
    else:
        click.echo("nothing was looked at: name the objects with --objects, and say --delete to delete them")
