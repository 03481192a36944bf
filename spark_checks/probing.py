"""Whether the executors and the driver share the folders that a command works in: asked before anything is read.

Tasks write a number each, with a mark that nobody else knows, by the writer that all tables are written by; the driver
lists the files, and other tasks read them back. Each executor that there is must have run a task. One that joins later
is not asked; that what it writes is there is what `staging` looks for.
"""

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import footers, places
from lakeproof.spark_checks.tables import LONG, STRING, table
from lakeproof.spark_checks.troubles import one_line

ROUNDS: Final = 5
"""So often tasks are sent out, until each executor has had one."""
_PROBE: Final = table(number=LONG, mark=STRING)


def demand_shared(spark: SparkSession, folders: Mapping[str, str]) -> None:
    """``folders``: by the option that names each; they need not be there. Runs jobs.

    Raises Unusable: a folder that is not shared, or cannot be written to.
    """
    for option, where in folders.items():
        on_every_executor(spark, partial(_probe, spark, option, where), "folders")


def on_every_executor(spark: SparkSession, work: Callable[[], None], what: str) -> None:
    """Run jobs until each executor that there is has had a task. ``what``: is asked of them.

    Raises Unusable: one had none.
    """
    asked: set[str] = set()
    missed: list[str] = []
    for _ in range(ROUNDS):
        before = _tasks(spark)
        work()
        after = _tasks(spark)
        asked |= {name for name, tasks in after.items() if tasks > before.get(name, 0)}
        missed = sorted(after.keys() - asked)
        if not missed:
            return
    raise Unusable(
        f"executor {missed[0]}: ran no task of {ROUNDS} rounds, so that nothing is known of its {what}; see what "
        "keeps it, and start again"
    )


def _probe(spark: SparkSession, option: str, where: str) -> None:
    mark = secrets.token_hex(8)
    target = f"{where.rstrip('/')}.probe-{mark}"
    tasks = 2 * spark.sparkContext.defaultParallelism
    rows = spark.range(0, tasks, 1, tasks).select(f.col("id").alias("number"), f.lit(mark).alias("mark"))
    repair = f"name a folder that the driver and all workers share with {option}"
    try:
        rows.write.parquet(target)
        listed = sum(footers.by_folder(spark, target).values())
        read = {row["number"] for row in spark.read.schema(_PROBE).parquet(target).collect() if row["mark"] == mark}
    except (PySparkException, Py4JError) as error:
        why = one_line(error) or str(error).strip().splitlines()[0]
        raise Unusable(f"{where}: not all workers can write there and read it back ({why[:160]}); {repair}") from None
    finally:
        places.delete(spark, target)
    if listed != tasks or read != set(range(tasks)):
        raise Unusable(
            f"{where}: the workers do not share it: {tasks} tasks have written a row each, and the driver finds "
            f"{min(listed, len(read))}; {repair}"
        )


def _tasks(spark: SparkSession) -> dict[str, int]:
    """How many tasks each executor has done, of those that there are."""
    context = spark.sparkContext._jsc.sc()  # noqa: SLF001  # Python's tracker does not tell executors apart
    context.listenerBus().waitUntilEmpty()
    found = context.statusStore().executorList(True)
    each = (found.apply(number) for number in range(found.size()))
    return {one.id(): one.completedTasks() for one in each if one.id() != "driver"}
