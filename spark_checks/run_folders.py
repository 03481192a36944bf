"""Where a command writes: in a new folder; or in that of a run, which is new, or was ended and goes on.

While a command works in the folder of a run, a record there names its process: two at once would spoil each other's
tables.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pyspark.sql import SparkSession

from lakeproof.commands.group import complain
from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import places, runs
from lakeproof.spark_checks.dataset import Dataset
from lakeproof.spark_checks.folders import Folder, LocalFolder
from lakeproof.spark_checks.hadoop_folder import folder_in
from lakeproof.spark_checks.owners import OWNER, Owner, this_process
from lakeproof.spark_checks.runs import REPORT, Mismatch, demand_name, make_folder, new_id
from lakeproof.spark_checks.session import Options, session
from lakeproof.spark_checks.stages import STAGES, was_asked
from lakeproof.spark_checks.troubles import Broken, told

_OWNER = f"{STAGES}/{OWNER}"


@contextmanager
def session_for(options: Options, out: str | None) -> Iterator[tuple[SparkSession, Folder | None]]:
    """A session, and the folder that a command writes to, which must not be there. On this machine that is asked before
    there is a session. Raises Unusable."""
    path = None if out is None else places.local(out)
    if path is not None:
        demand_new(LocalFolder(path))
    with session(options, out) as spark:
        folder = None if out is None else folder_in(spark, out)
        if folder is not None and path is None:
            demand_new(folder)
        yield spark, folder


def demand_new(folder: Folder) -> None:
    """Raises Unusable."""
    if folder.exists():
        raise Unusable(f"{folder.where}: is there already; name another folder, or remove it")


@contextmanager
def run_session(options: Options, out: str, run: str | None) -> Iterator[tuple[SparkSession, Folder]]:
    """A session, and the folder of a run in ``out``: a new one, by default with a new name, or one that was ended and
    goes on. A new one whose input is refused goes again; one that is ended by anything else, and has stages to go on
    from, stays, and that is said.

    Raises Unusable: the run is over, or another process has it.
    """
    name = run or new_id()
    demand_name(name)
    path = places.local(out)
    if path is not None:
        folder: Folder = LocalFolder(path).child(name)
        with _claimed(folder), session(options, folder.where) as spark:
            yield spark, folder
        return
    with session(options, f"{out}/{name}") as spark:
        folder = folder_in(spark, out).child(name)
        with _claimed(folder), told():
            yield spark, folder


def time_of(text: str | None, dataset: Dataset, folder: Folder) -> int:
    """As `runs.time_of`; but a run that goes on, and is told no other time, has the one that it began with."""
    began = was_asked(folder).get("now")
    return began if text is None and isinstance(began, int) else runs.time_of(text, dataset)


@contextmanager
def _claimed(folder: Folder) -> Iterator[None]:
    new = _claim(folder)
    try:
        yield
    except Unusable as error:
        if new and not (isinstance(error, Broken) and _has_begun(folder)):
            _discard(folder)
            raise
        _release(folder)
        if isinstance(error, Broken):
            raise Broken(f"{error}; go on with --run {folder.name}") from None
        raise
    except Mismatch:  # what the stages have does not agree
        with suppress(Unusable):
            folder.delete(STAGES)
        raise
    except BaseException:
        if new and not _has_begun(folder):
            _discard(folder)
        else:
            _release(folder)
            complain(f"{folder.where}: is not at its end; the same command with --run {folder.name} goes on")
        raise


def _claim(folder: Folder) -> bool:
    """Whether the run is new. Raises Unusable."""
    new = not folder.exists()
    if new and isinstance(folder, LocalFolder):
        make_folder(folder.path.parent, folder.name)  # for one of two that begin at once
    elif new:
        folder.make()
    elif folder.exists(REPORT):
        raise Unusable(f"{folder.where}: is there already, and has its report; name another run with --run")
    elif not folder.exists(STAGES):
        raise Unusable(
            f"{folder.where}: is there already, and no run that could go on; name another one with --run, or leave "
            "that to the command"
        )
    else:
        _demand_nobodys(folder)
    us = this_process()
    folder.write(_OWNER, us.encode())
    if folder.read(_OWNER) != us.encode():
        raise Unusable(f"{folder.where}: another process has just begun to work there; wait for its end")
    return new


def _demand_nobodys(folder: Folder) -> None:
    if not folder.exists(_OWNER):
        return
    owner = Owner.decode(folder.read(_OWNER))
    state = "unknown" if owner is None else owner.state()
    who = "a process" if owner is None else str(owner)
    if state == "alive":
        raise Unusable(f"{folder.where}: {who} is working there; wait for its end, or name another run with --run")
    if state == "unknown":
        raise Unusable(
            f"{folder.where}: {who} has begun it, and may still work there; if it has ended, remove {_OWNER} there, "
            "and go on"
        )


def _has_begun(folder: Folder) -> bool:
    """Whether there may be something to go on from: also where nobody can tell any more, for the JVM is gone."""
    try:
        return bool(was_asked(folder))
    except Unusable:
        return True


def _release(folder: Folder) -> None:
    with suppress(Unusable):
        folder.delete(_OWNER)


def _discard(folder: Folder) -> None:
    with suppress(Unusable):  # what is left costs room, and nothing else
        folder.delete()
