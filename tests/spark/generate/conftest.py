"""Small datasets, generated once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.generate.sizes import Sizes
from lakeproof.spark_checks.generate.writer import DatasetPlan, write
from tests.spark.generate.reading import COUNTS, SMALL

Generated = Callable[[Sizes, dict[str, int], int], Path]


@pytest.fixture(scope="session")
def generated(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Generated:
    """Make a dataset of these sizes and violations, in so many partitions."""

    def make_one(sizes: Sizes, violations: dict[str, int], partitions: int) -> Path:
        out = tmp_path_factory.mktemp("generated")
        write(spark, DatasetPlan(sizes, violations), partitions, out)
        return out

    return make_one


@pytest.fixture(scope="session")
def sound(generated: Generated) -> Path:
    return generated(SMALL, {}, 1)


@pytest.fixture(scope="session")
def planted(generated: Generated) -> Path:
    return generated(SMALL, COUNTS, 3)
