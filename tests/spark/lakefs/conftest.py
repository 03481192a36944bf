"""On small data compiling plans takes longer than running them, several times as long: here they are interpreted."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

INTERPRETED = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@pytest.fixture(scope="module")
def interpreted(spark: SparkSession) -> Iterator[None]:
    before = {name: spark.conf.get(name, None) for name in INTERPRETED}
    for name, value in INTERPRETED.items():
        spark.conf.set(name, value)
    yield
    spark.catalog.clearCache()
    for name, old in before.items():
        if old is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, old)
