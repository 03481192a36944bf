"""A folder for what a session stages: decoded tables, dumps as Parquet, levels of a search. It goes with
the session."""

import secrets
import tempfile
import threading
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from lakeproof.tasks import Unusable
from spark_checks import places, staging

SETTING: Final = "spark.lakeproof.work"
"""Names a folder that all workers share, for masters other than local: ``--work``."""

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
        where = f"{parent.rstrip('/')}/lakeproof-spark-{secrets.token_hex(6)}"
        places.make(spark, where)
        return where
    try:
        return tempfile.mkdtemp(prefix="lakeproof-spark-", dir=path)
    except OSError as error:
        raise Unusable(
            f"{parent or tempfile.gettempdir()}: cannot be worked in ({error.strerror}); name another folder with "
            "--work, or make it"
        ) from None


def fresh(spark: SparkSession, name: str) -> str:
    """A path in it that is not taken."""
    where = folder(spark)
    if places.local(where) is None:
        return f"{where}/{name}-{secrets.token_hex(6)}/{name}"
    return f"{tempfile.mkdtemp(prefix=f'{name}-', dir=where)}/{name}"


def staged(rows: DataFrame, name: str) -> DataFrame:
    """The same rows, from a table in the session's folder. Runs a job."""
    spark = rows.sparkSession
    return staging.read(staging.write(rows, fresh(spark, name)), rows.schema, spark)


def remove(spark: SparkSession) -> None:
    """Take the folder away, if there is one."""
    made = _made.pop(spark.sparkContext.applicationId, None)
    if made is not None:
        places.delete(spark, made)
