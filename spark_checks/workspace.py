"""A folder for what a session stages: decoded tables, dumps as Parquet, levels of a search. It goes with
the session."""

import shutil
import tempfile
import threading
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from spark_checks import staging

SETTING: Final = "spark.lakeproof.work"
"""Names a folder that all workers share, for masters other than local."""

_made: dict[str, Path] = {}
_making: Final = threading.Lock()


def folder(spark: SparkSession) -> Path:
    """The session's folder, made when it is first asked for."""
    session = spark.sparkContext.applicationId
    with _making:  # jobs that are begun at once ask at once
        if session not in _made:
            parent = spark.conf.get(SETTING, None)
            _made[session] = Path(tempfile.mkdtemp(prefix="lakeproof-spark-", dir=parent))
        return _made[session]


def fresh(spark: SparkSession, name: str) -> str:
    """A path in it that is not taken."""
    return str(Path(tempfile.mkdtemp(prefix=f"{name}-", dir=folder(spark))) / name)


def staged(rows: DataFrame, name: str) -> DataFrame:
    """The same rows, from a table in the session's folder. Runs a job."""
    spark = rows.sparkSession
    return staging.read(staging.write(rows, fresh(spark, name)), rows.schema, spark)


def remove(spark: SparkSession) -> None:
    """Take the folder away, if there is one."""
    made = _made.pop(spark.sparkContext.applicationId, None)
    if made is not None:
        shutil.rmtree(made, ignore_errors=True)
