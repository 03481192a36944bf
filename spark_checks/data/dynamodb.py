"""The table of a DynamoDB in lakeFS' layout, read in parallel by the segments of its own ``Scan``.

Each read is consistent, but a scan is no snapshot: what is written while it goes on may be missing of one partition and
there of another. Stop lakeFS, or restore a backup of one moment into a table, where that matters.
Source: Amazon DynamoDB Developer Guide, "Parallel scan"; lakeFS, pkg/kv/dynamodb/store.go.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from lakeproof.spark_checks.engine import staging
from lakeproof.spark_checks.engine.engines import cores
from lakeproof.spark_checks.engine.tables import KV, batches
from lakeproof.spark_checks.engine.workspace import fresh
from lakeproof.words import Unusable

if TYPE_CHECKING:
    from lakeproof.stores.aws import Address

SEGMENTS_A_CORE: Final = 4
TRIES: Final = 10
"""Of a page: reading it twice does no harm, and a table answers only so many reads a second."""
_SCHEMA: Final = to_arrow_schema(KV)


def staged_table(spark: SparkSession, dsn: str) -> DataFrame:
    """The items of the table. Runs one job. ``dsn``: ``dynamodb+https://HOST/TABLE?region=REGION``.

    Raises Unusable: the table cannot be reached, is not there, or has other keys.
    """
    from lakeproof.stores.redaction import hide_secrets  # drivers, which workers do not have, come with it

    name = hide_secrets(dsn)
    try:
        from botocore.exceptions import BotoCoreError, ClientError

        from lakeproof.commands.group import complain  # not above: workers import this module
        from lakeproof.stores.dynamodb_store import DynamoDBStore, address_of
    except ImportError:
        raise Unusable("boto3 is not installed; `pip install 'lakeproof[dynamodb]'`") from None
    try:
        address = address_of(dsn, name)
        if not address.path:
            raise Unusable(f"{name}: names no table; write it behind the host, as in dynamodb+https://HOST/kvstore")
        # Opened once at the driver: it checks that the table is there, with these keys, before a job is begun.
        DynamoDBStore(dsn, name=name, connections=1).close()
    except (Unusable, ClientError, BotoCoreError) as error:
        raise Unusable(str(error)) from None
    complain(
        f"{name}: a scan is no snapshot, and what is written meanwhile may look like damage; stop lakeFS, or read a "
        "restored copy"
    )
    count = SEGMENTS_A_CORE * cores(spark)

    def read(found: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in found:
            for segment in batch.column("id").to_pylist():
                yield from batches(_items(address, name, segment, count), _SCHEMA)

    # A partition for each number, so that a task reads one segment.
    numbers = spark.range(0, count, 1, count).select("id")
    return staging.read(staging.write(numbers.mapInArrow(read, KV), fresh(spark, "kv")), KV, spark)


def _items(address: "Address", name: str, segment: int, count: int) -> Iterator[tuple[object, ...]]:
    from botocore.exceptions import BotoCoreError, ClientError

    from lakeproof.stores.dynamodb_store import KEY, PARTITION, VALUE, client_of

    # A client for each segment: it cannot be pickled, and is not shared between tasks.
    client = client_of(address, 1, tries=TRIES)
    start: dict[str, object] = {}
    try:
        while True:
            page = client.scan(
                TableName=address.path, Segment=segment, TotalSegments=count, ConsistentRead=True, **start
            )
            for item in page["Items"]:
                value = item.get(VALUE, {}).get("B")
                yield bytes(item[PARTITION]["B"]), bytes(item[KEY]["B"]), None if value is None else bytes(value)
            if not page.get("LastEvaluatedKey"):  # a page may be empty, and not be the last one
                return
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    except (ClientError, BotoCoreError) as error:
        why = " ".join(str(error).split())[:200]
        raise Unusable(f"{name}: cannot be read ({why}); the check needs dynamodb:Scan; run it again") from None
