"""One Spark session for all tests of a run: whatever asks for it is in one group, and so in one process of xdist's."""

from collections.abc import Iterator
from typing import Final

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine.engines import engine_of
from lakeproof.spark_checks.engine.session import Options, session

SMALL: Final = (
    # On small data compiling a plan takes several times as long as running it.
    ("spark.sql.codegen.wholeStage", "false"),
    ("spark.sql.codegen.factoryMode", "NO_CODEGEN"),
    ("spark.sql.shuffle.partitions", "2"),
)
ADAPTIVE: Final = "spark.sql.adaptive.enabled"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function) and "spark" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session", params=["embedded", pytest.param("classic", marks=pytest.mark.deep)])
def spark(request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """Every test of the pipeline runs embedded, and in the deep tier on classic Spark, too."""
    classic = request.param == "classic"
    options = (
        Options(engine="classic", master="local[2]", memory="2g", conf=SMALL) if classic else Options(engine="embedded")
    )
    with session(options) as started:
        yield started


@pytest.fixture(scope="module")
def interpreted(spark: SparkSession) -> Iterator[None]:
    """Plans are made once, and not again after each of their stages."""
    if engine_of(spark).name != "classic":
        yield
        return
    spark.conf.set(ADAPTIVE, "false")
    yield
    spark.conf.set(ADAPTIVE, "true")
