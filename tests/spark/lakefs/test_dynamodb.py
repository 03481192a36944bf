"""lakeFS' table in a DynamoDB: read whole by its segments, through the gate's front."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks.dataset import open_dataset
from lakeproof.spark_checks.tables import KV
from tests.gate.dynamodb_server import client, served

ROWS = [(b"graveler", b"repos/r", b"\x00\xff"), *((b"r-main:1", b"p/%d" % number, b"") for number in range(40))]
KEYS = {"PartitionKey": "HASH", "ItemKey": "RANGE"}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as url:
        made = client(url)
        made.create_table(
            TableName="kvstore",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "B"} for name in KEYS],
            KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEYS.items()],
            BillingMode="PAY_PER_REQUEST",
        )
        for partition, key, value in ROWS:
            item = {"PartitionKey": {"B": partition}, "ItemKey": {"B": key}, "ItemValue": {"B": value}}
            made.put_item(TableName="kvstore", Item=item)
        yield f"dynamodb+{url.replace('://', '://me:x@')}/kvstore"


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
