"""Where a command writes: a new folder, which goes again if the command does not come to its end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress

import click
from pyspark.sql import SparkSession

from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.engine import places, runs
from lakeproof.spark_checks.engine.folders import Folder, folder_at
from lakeproof.spark_checks.engine.options import DatasetSource, RunOptions
from lakeproof.spark_checks.engine.runs import Report, demand_name, make_folder, new_id
from lakeproof.spark_checks.engine.session import Options, session
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, Unusable


@contextmanager
def session_for(options: Options, out: str | None) -> Iterator[tuple[SparkSession, Folder | None]]:
    """A session, and the folder that a command writes to, which must not exist: that is checked before there is a
    session. What is left of a command that does not come to its end is removed. Raises Unusable."""
    folder = None if out is None else folder_at(out)
    if folder is not None and folder.exists():
        raise Unusable(f"{folder.where}: is there already; name another folder, or remove it")
    with nullcontext() if folder is None else _whole(folder), session(options) as spark:
        yield spark, folder


@contextmanager
def run_session(options: Options, out: str, run: str | None) -> Iterator[tuple[SparkSession, Folder]]:
    """A session, and the new folder of a run in ``out``, by default with a new name. What is left of a run that does
    not come to its end is removed. Raises Unusable."""
    name = run or new_id()
    demand_name(name)
    path = places.local(out)
    if path is not None:
        # `mkdir` makes the folder or fails: of two runs with one name only one goes on. A store has no such operation.
        folder = folder_at(make_folder(path, name))
    else:
        folder = folder_at(out).child(name)
        if folder.exists():
            raise Unusable(f"{folder.where}: is there already; name another run with --run")
        folder.make()
    # In this order: the session ends first, so that no task writes into the folder while it is removed.
    with _whole(folder), session(options) as spark:
        yield spark, folder


@contextmanager
def _whole(folder: Folder) -> Iterator[None]:
    try:
        yield
    except BaseException:  # Ctrl-C and SIGTERM, too
        with suppress(Unusable):  # what is left costs room, and has no report
            folder.delete()
        raise


def mark_and_print(
    options: Options, run: RunOptions, source: DatasetSource, mark: Callable[[Dataset, int, Folder], Report]
) -> int:
    """A run in a new folder, and what it did on stdout; the exit code. ``mark``: of a dataset, as of a time, to a
    folder. Raises Unusable."""
    # A typing error costs no start of a JVM.
    if run.now is not None:
        runs.parse_time(run.now)  # before there is a session
    with run_session(options, run.out, run.run) as (spark, folder):
        found = source.open(spark)
        report = mark(found, runs.time_of(run.now, found), folder)
    again = source.words(report.dataset)
    for line in [report.encode(None).rstrip()] if run.as_json else runs.summary(report, folder, run.now, again):
        click.echo(line)
    return INCONCLUSIVE if report.lacks else AS_EXPECTED
