"""Whole repositories, each in one task: where a walk over commits needs all commits of a repository at once.

With one million aimed at, three repositories of 5, 800,000 and 6 million commits have 6.8 million, so seven tasks: the
largest is in one of them, with whatever else falls there, and the others are in any.
"""

from typing import Final

from pyspark.sql import DataFrame

from lakeproof.spark_checks.engine.engines import cores

COMMITS_A_TASK: Final = 1_000_000
"""Aimed at: a task has as many as its largest repository has, and about so many besides."""


def gathered(rows: DataFrame, repository: str, commits: int) -> DataFrame:
    """Rows of commits, and of what points at them, so that those with one value in the column ``repository`` are in
    one task, in any order. ``commits``: how many there are. Cost: one shuffle of the rows.

    The number of tasks is fixed: a plan that adapts would put together what looks small, by its bytes in a shuffle.
    """
    tasks = max(commits // COMMITS_A_TASK + 1, cores(rows.sparkSession))
    return rows.repartition(tasks, repository)
