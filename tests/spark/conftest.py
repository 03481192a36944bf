"""One Spark session for all tests of a run: whatever asks for it is in one group, and so in one process of xdist's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.session import Options, session

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


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with session(Options(master="local[2]", memory="2g", small=True, conf=SMALL)) as started:
        yield started


class Mount(NamedTuple):
    url: str
    folder: Path


@pytest.fixture(scope="module")
def mount(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Mount:
    """A folder, and a URL of it that only Spark knows. Hadoop keeps a file system as it was first opened."""
    folder = tmp_path_factory.mktemp("mount")
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    hadoop.set(f"fs.viewfs.mounttable.{folder.name}.link./here", folder.as_uri())
    return Mount(f"viewfs://{folder.name}/here", folder)


@pytest.fixture(scope="module")
def interpreted(spark: SparkSession) -> Iterator[None]:
    """Plans are made once, and not again after each of their stages."""
    spark.conf.set(ADAPTIVE, "false")
    yield
    spark.catalog.clearCache()
    spark.conf.set(ADAPTIVE, "true")
