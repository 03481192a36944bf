"""One Spark session for all tests of a process."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.session import Options, session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with session(Options(master="local[2]", memory="2g", parts=2, small=True)) as started:
        yield started
