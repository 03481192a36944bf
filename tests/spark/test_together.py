"""Jobs at once: nothing that was begun is forgotten, and the first failure is the one that is told."""

import pytest
from pyspark.sql import SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks.together import POOL, together


def fail(why: str) -> None:
    raise Unusable(why)


def test_what_is_begun_has_a_result_and_a_pool_of_its_own_and_the_description_of_its_beginner(
    spark: SparkSession,
) -> None:
    context = spark.sparkContext
    context.setJobDescription("counting")

    def count(rows: int) -> tuple[int, str | None, str | None]:
        found = spark.range(rows).count()
        return found, context.getLocalProperty(POOL), context.getLocalProperty("spark.job.description")

    with together(spark) as begin:
        one, other = begin(lambda: count(3)), begin(lambda: count(4))
    assert one.result() == (3, "beside-1", "counting")
    assert other.result() == (4, "beside-2", "counting")
    assert context.getLocalProperty(POOL) is None


def test_the_first_failure_of_what_was_begun_is_told_before_that_of_the_block(spark: SparkSession) -> None:
    with pytest.raises(Unusable, match="one"), together(spark) as begin:  # noqa: PT012
        begin(lambda: fail("one"))
        begin(lambda: fail("two"))
        fail("three")
