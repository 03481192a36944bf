"""The engines that run the pipeline: embedded (Sail, in this process), classic (a JVM), connect (a server elsewhere).

All speak the DataFrame API of Spark Connect. An `Engine` describes what differs between them, for each session.
"""

from collections.abc import Callable
from typing import Final, Literal
from weakref import WeakKeyDictionary

import attrs
from pyspark.sql import DataFrame, SparkSession

Name = Literal["embedded", "classic", "connect"]


def _nothing() -> None:
    pass


@attrs.frozen(eq=False)
class Engine:
    """``cores``: how many tasks run at once, about. ``alone``: driver and workers are one process. ``abandon``: when
    cancelled jobs do not end. ``stop``: after the session."""

    name: Name
    version: str
    cores: int
    alone: bool
    abandon: Callable[[], None] = _nothing
    stop: Callable[[], None] = _nothing

    @property
    def shown(self) -> str:
        return f"{self.name} ({'Sail' if self.name == 'embedded' else 'Spark'} {self.version})"


_of: Final["WeakKeyDictionary[SparkSession, Engine]"] = WeakKeyDictionary()


def register(spark: SparkSession, engine: Engine) -> None:
    """What runs a session that we have started."""
    _of[spark] = engine


def engine_of(spark: SparkSession) -> Engine:
    """Of a session; of one that is not ours, what can be seen of it."""
    if spark not in _of:
        _of[spark] = describe_connected(spark) if is_remote(spark) else classic(spark)
    return _of[spark]


def is_remote(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect."""
    # By name: an import of the class would need grpc, which classic does not.
    return type(spark).__module__.startswith("pyspark.sql.connect")


def classic(spark: SparkSession) -> Engine:
    from lakeproof.spark_checks.engine import classic as jvm

    return Engine("classic", spark.version, jvm.cores(spark), jvm.is_local(spark), abandon=jvm.abandon)


def describe_connected(spark: SparkSession) -> Engine:
    """Runs a job, to see how many partitions a range has that is left to the server."""
    from pyspark.sql import functions as f

    # Spark Connect tells no `defaultParallelism`. A range without a number of partitions gets that many.
    cores = spark.range(1 << 16).select(f.spark_partition_id().alias("at")).distinct().count()
    return Engine("connect", spark.version, max(cores, 1), alone=False)


def cores(spark: SparkSession) -> int:
    """How many tasks run at once, about."""
    return engine_of(spark).cores


COMMITS_A_TASK: Final = 1_000_000
"""Aimed at: a task has as many as its largest repository has, and about so many besides."""


def gather_repositories(rows: DataFrame, repository: str, commits: int) -> DataFrame:
    """Rows of commits, and of what points at them, so that those with one value in the column ``repository`` are in
    one task, in any order: a walk over commits needs all commits of a repository at once. ``commits``: how many there
    are; repositories of 5, 800,000 and 6 million commits make seven tasks. Cost: one shuffle of the rows.

    The number of tasks is fixed: a plan that adapts would put together what looks small, by its bytes in a shuffle.
    """
    # Repositories are dealt out by hash, and none is split: the task of a large one exceeds the aim.
    tasks = max(commits // COMMITS_A_TASK + 1, cores(rows.sparkSession))
    return rows.repartition(tasks, repository)
