"""Jobs at once: nothing that was begun is forgotten, and the first failure is the one that is told."""

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine.together import together
from lakeproof.words import Unusable


def fail(why: str) -> None:
    raise Unusable(why)


def test_what_is_begun_has_a_result(spark: SparkSession) -> None:
    with together(spark) as begin:
        one, other = begin(lambda: spark.range(3).count()), begin(lambda: spark.range(4).count())
    assert (one.result(), other.result()) == (3, 4)


def test_the_first_failure_of_what_was_begun_is_told_before_that_of_the_block(spark: SparkSession) -> None:
    with pytest.raises(Unusable, match="one"), together(spark) as begin:  # noqa: PT012
        begin(lambda: fail("one"))
        begin(lambda: fail("two"))
        fail("three")
