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
from weakref import WeakKeyDictionary

from pyarrow.parquet import ParquetWriter
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from lakeproof.spark_checks.engine import folders, places, staging
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.settings import WORK
from lakeproof.spark_checks.engine.staging import Written
from lakeproof.spark_checks.engine.tables import Row, batches
from lakeproof.words import Unusable

PREFIX: Final = "lakeproof-spark-"
LOCK: Final = "lock"

_made: Final["WeakKeyDictionary[SparkSession, str]"] = WeakKeyDictionary()
_placed: Final["WeakKeyDictionary[SparkSession, str | None]"] = WeakKeyDictionary()
_making: Final = threading.Lock()


def place(spark: SparkSession, parent: str | None) -> None:
    """Say where the session's folder is to be; None: in this machine's place for temporary files."""
    _placed[spark] = parent


def folder(spark: SparkSession) -> str:
    """The session's folder, made when it is first needed. Raises Unusable."""
    with _making:  # jobs that are begun at once ask at once
        if spark not in _made:
            _made[spark] = _make(_placed.get(spark) or spark.conf.get(WORK, None))
        return _made[spark]


def _make(parent: str | None) -> str:
    path = None if parent is None else places.local(parent)
    if parent is not None and path is None:
        # Stores have no `mkdtemp`: a random name is not taken.
        where = f"{parent.rstrip('/')}/{PREFIX}{secrets.token_hex(6)}"
        folder_at(where).make()
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
    system has no locks, there is none, and no other process removes the folder."""
    with suppress(OSError):
        # The kernel releases the lock when the process ends, however it ends. A file object could be collected before.
        file = os.open(where / f".{LOCK}", os.O_WRONLY | os.O_CREAT, 0o600)  # never closed
        fcntl.flock(file, fcntl.LOCK_EX)
        (where / f".{LOCK}").rename(where / LOCK)


def sweep(around: Path) -> None:
    """Remove the folders of this user's processes that are dead."""
    for each in around.glob(f"{PREFIX}*"):
        try:
            # In a shared /tmp, others could lay a link there, or a folder of theirs.
            if each.is_symlink() or each.stat().st_uid != os.getuid():
                continue
            with (each / LOCK).open("rb") as file:
                # It succeeds only if the process that made the folder is dead.
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # its process lives, or is just making it; or it is no folder of ours
            continue
        shutil.rmtree(each, ignore_errors=True)


def fresh(spark: SparkSession, name: str) -> str:
    """A path in it that is not taken."""
    where = folder(spark)
    if places.local(where) is None:
        return f"{where}/{name}-{secrets.token_hex(6)}/{name}"
    # One folder deeper: Spark's writer wants to make the folder of the table itself.
    return f"{tempfile.mkdtemp(prefix=f'{name}-', dir=where)}/{name}"


def stage(rows: DataFrame, name: str) -> DataFrame:
    """The same rows, from a table in the session's folder: so they are computed once, and are the same to all that
    read them. Runs a job."""
    spark = rows.sparkSession
    return staging.read(staging.write(rows, fresh(spark, name)), rows.schema, spark)


def stage_rows(spark: SparkSession, rows: Iterable[Row], schema: StructType) -> DataFrame:
    """Rows of the driver's as a table in the session's folder. Memory: one batch."""
    where, arrow, count = fresh(spark, "rows"), to_arrow_schema(schema), 0
    # The file is complete before it goes to its place: where the source breaks off, nothing is there.
    with tempfile.TemporaryFile(prefix=PREFIX) as file:
        with ParquetWriter(file, arrow) as writer:
            for batch in batches(rows, arrow):
                writer.write_batch(batch)
                count += batch.num_rows
        file.seek(0)
        folder_at(where).copy(f"part-0{staging.ENDING}", file)
    return staging.read(Written(where, {"": count}), schema, spark)


def remove(spark: SparkSession) -> None:
    """Take the folder away, if there is one."""
    made = _made.pop(spark, None)
    if made is not None:
        folders.delete(made)
