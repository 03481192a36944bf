"""lakeFS' table in a DynamoDB: read whole by its segments, through the gate's front."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual

from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine.tables import KV
from lakeproof.words import Unusable
from tests.gate.dynamodb_server import served
from tests.lakefs_tables import in_dynamodb
from tests.spark.lakefs.damages import plant
from tests.spark.lakefs.test_damages import checked
from tests.spark.lakefs.world import Installation, around

ROWS = [(b"graveler", b"repos/r", b"\x00\xff"), *((b"r-main:1", b"p/%d" % number, b"") for number in range(40))]
FEW = ("head-exists", "token-has-one-owner", "record-is-decodable")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as url:
        yield in_dynamodb(url, ROWS)


def test_every_item_is_read_once(spark: SparkSession, address: str) -> None:
    dataset = open_dataset(spark, address)
    assert dataset.keys == "lakefs"
    assert "me:x" not in dataset.where
    assertDataFrameEqual(dataset.kv, spark.createDataFrame(ROWS, KV))


def test_a_table_that_is_not_there_is_refused_in_one_line(spark: SparkSession, address: str) -> None:
    for where, words in (("/other", "other"), ("", "names no table")):
        with pytest.raises(Unusable, match=words) as refused:
            open_dataset(spark, address.removesuffix("/kvstore") + (where or "/"))
        assert "\n" not in str(refused.value)
        assert "me:x" not in str(refused.value)


@pytest.mark.deep
@pytest.mark.usefixtures("interpreted")
def test_a_table_is_judged_as_its_rows_are(spark: SparkSession, tmp_path: Path) -> None:
    lake = Installation()
    around(lake)
    planted = set().union(*plant(lake, ("a head without a commit", "a shared token", "a torn entry")).values())
    source, _ = lake.write(tmp_path / "lake")
    summary, expected = checked(spark, source, None, FEW)
    assert expected["violation"] == planted
    with served() as url:
        rows = [(partition, key, value) for (partition, key), value in lake.rows.items()]
        told, found = checked(spark, in_dynamodb(url, rows), None, FEW)
    assert found == expected
    assert [(each.check.id, each.judged, each.things, each.counts) for each in told.outcomes] == [
        (each.check.id, each.judged, each.things, each.counts) for each in summary.outcomes
    ]
    assert told.violated
