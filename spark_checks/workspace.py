"""A folder for what a session stages: decoded tables, dumps as Parquet, levels of a search. It goes with the session.

A folder in this machine's place for temporary files is locked as long as its process lives. So the next session there
knows what a process that was killed has left, and removes it.
"""

import fcntl
import os
import secrets
import shutil
import tempfile
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import places, staging
from lakeproof.spark_checks.scanned import Scan

SETTING: Final = "spark.lakeproof.work"
"""Names a folder that all workers share, for masters other than local: ``--work``."""
PREFIX: Final = "lakeproof-spark-"
LOCK: Final = "lock"

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
        where = f"{parent.rstrip('/')}/{PREFIX}{secrets.token_hex(6)}"
        places.make(spark, where)
        return where
    try:
        where = tempfile.mkdtemp(prefix=PREFIX, dir=path)
    except OSError as error:
        raise Unusable(
            f"{parent or tempfile.gettempdir()}: cannot be worked in ({error.strerror}); name another folder with "
            "--work, or make it"
        ) from None
    if parent is None:  # in a folder that machines share, a lock may be known to one of them alone
        _lock(Path(where))
        sweep(Path(where).parent)
    return where


def _lock(where: Path) -> None:
    """Until this process ends. The file has its name when it is locked: who finds it may believe it. Where a file
    system has no locks, there is none, and the folder is nobody's to remove."""
    with suppress(OSError):
        file = os.open(where / f".{LOCK}", os.O_WRONLY | os.O_CREAT, 0o600)  # never closed
        fcntl.flock(file, fcntl.LOCK_EX)
        (where / f".{LOCK}").rename(where / LOCK)


def sweep(around: Path) -> None:
    """Remove the folders of this user's processes that are dead."""
    for each in around.glob(f"{PREFIX}*"):
        try:
            if each.is_symlink() or each.stat().st_uid != os.getuid():
                continue
            with (each / LOCK).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # its process lives, or is just making it; or it is no folder of ours
            continue
        shutil.rmtree(each, ignore_errors=True)


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
