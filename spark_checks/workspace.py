"""A folder for what a session stages: decoded tables, dumps as Parquet, levels of a search. It goes with the session.
One of a process that was killed stays behind; the next session beside it finds it by the process that it names."""

import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import places, staging
from lakeproof.spark_checks.folders import Folder, LocalFolder
from lakeproof.spark_checks.hadoop_folder import folder_in
from lakeproof.spark_checks.owners import OWNER, Owner, this_process
from lakeproof.spark_checks.scanned import Scan

SETTING: Final = "spark.lakeproof.work"
"""Names a folder that all workers share, for masters other than local: ``--work``."""
PREFIX: Final = "lakeproof-spark-"
OLD_SECONDS: Final = 86_400
"""From this age on, what a process of another machine has left, or may still use, is told."""

_made: dict[str, str] = {}
_making: Final = threading.Lock()


def folder(spark: SparkSession) -> str:
    """The session's folder, made when it is first asked for. Raises Unusable."""
    session = spark.sparkContext.applicationId
    with _making:  # jobs that are begun at once ask at once
        if session not in _made:
            _made[session] = _make(spark, spark.conf.get(SETTING, None))
        return _made[session]


def _make(spark: SparkSession, parent: str | None) -> str:
    path = None if parent is None else places.local(parent)
    if parent is not None and path is None:
        around = folder_in(spark, parent)
        tell(around)
        made = around.child(f"{PREFIX}{secrets.token_hex(6)}")
        made.make()
        made.write(OWNER, this_process().encode())
        return made.where
    try:
        where = tempfile.mkdtemp(prefix=PREFIX, dir=path)
    except OSError as error:
        raise Unusable(
            f"{parent or tempfile.gettempdir()}: cannot be worked in ({error.strerror}); name another folder with "
            "--work, or make it"
        ) from None
    LocalFolder(Path(where)).write(OWNER, this_process().encode())
    sweep(Path(where).parent)
    return where


def sweep(around: Path) -> None:
    """Remove the folders of processes of this machine and user that are dead, and say so; name those of others that
    are old."""
    gone = []
    for each in sorted(around.glob(f"{PREFIX}*")):
        if not _is_ours(each):
            continue
        owner = _owner(LocalFolder(each))
        if owner is not None and owner.state() == "dead":
            shutil.rmtree(each, ignore_errors=True)
            gone.append(each)
    if gone:
        _complain(f"{gone[0]}{_and_more(len(gone))}: left by a process that was killed; removed")
    tell(LocalFolder(around), dead=False)


def _complain(line: str) -> None:
    from lakeproof.commands.group import complain  # not above: workers import this module, and have no command line

    complain(line)


def _is_ours(path: Path) -> bool:
    """Whether it is a folder that nobody else can have put there."""
    try:
        return not path.is_symlink() and path.is_dir() and path.stat().st_uid == os.getuid()
    except OSError:
        return False


def tell(around: Folder, *, dead: bool = True) -> None:
    """Say where there are folders of processes that are dead, or of which nothing is known, and which are old."""
    left = [(each, owner) for each, owner in _owned(around) if _is_left(owner, dead=dead)]
    if left:
        where, owner = left[0]
        began = datetime.fromtimestamp(owner.began, UTC).isoformat(timespec="seconds")
        _complain(
            f"{where}{_and_more(len(left))}: left by {owner}, which began at {began}; if it has ended, remove the "
            "folder"
        )


def _is_left(owner: Owner, *, dead: bool) -> bool:
    state = owner.state()
    return (dead and state == "dead") or (state == "unknown" and time.time() - owner.began > OLD_SECONDS)


def _owned(around: Folder) -> Iterator[tuple[str, Owner]]:
    """The folders of sessions that name a process, with it."""
    for name in around.folders():
        each = around.child(name)
        if name.startswith(PREFIX):
            owner = _owner(each)
            if owner is not None:
                yield each.where, owner


def _owner(folder: Folder) -> Owner | None:
    try:
        return Owner.decode(folder.read(OWNER))
    except Unusable:  # older than such files, or just being made or removed
        return None


def _and_more(count: int) -> str:
    return f" and {count - 1} more" if count > 1 else ""


def fresh(spark: SparkSession, name: str) -> str:
    """A path in it that is not taken."""
    where = folder(spark)
    if places.local(where) is None:
        return f"{where}/{name}-{secrets.token_hex(6)}/{name}"
    return f"{tempfile.mkdtemp(prefix=f'{name}-', dir=where)}/{name}"


def staged(rows: DataFrame, name: str, scans: Iterable[Scan] = ()) -> DataFrame:
    """The same rows, from a table in the session's folder. ``scans``: as `staging.write` has them. Runs a job."""
    spark = rows.sparkSession
    return staging.read(staging.write(rows, fresh(spark, name), scans=scans), rows.schema, spark)


def remove_here() -> None:
    """Take away the folders on this machine, where no JVM can be asked any more."""
    for where in _made.values():
        path = places.local(where)
        if path is not None:
            shutil.rmtree(path, ignore_errors=True)
    _made.clear()


def remove(spark: SparkSession) -> None:
    """Take the folder away, if there is one."""
    made = _made.pop(spark.sparkContext.applicationId, None)
    if made is not None:
        places.delete(spark, made)
