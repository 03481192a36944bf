"""lakeFS' table in the databases that it knows, made as lakeFS makes it.

Source: lakeFS, pkg/kv/postgres/store.go (a hundred partitions by a hash of the partition key) and
pkg/kv/dynamodb/store.go (binary keys and values, PAY_PER_REQUEST).
"""

from collections.abc import Iterable
from typing import Final

import psycopg

from tests.gate.dynamodb_server import client

Row = tuple[bytes, bytes, bytes]
"""Partition, key, value."""
PARTITIONED: Final = (
    "CREATE TABLE kv (partition_key bytea, key bytea, value bytea, PRIMARY KEY (partition_key, key)) "
    "PARTITION BY HASH (partition_key)"
)
PARTITIONS: Final = 100
_KEYS: Final = {"PartitionKey": "HASH", "ItemKey": "RANGE"}


def in_postgresql(address: str, rows: Iterable[Row]) -> None:
    """A table that nobody has analyzed."""
    with psycopg.connect(address) as connection, connection.cursor() as cursor:
        cursor.execute(PARTITIONED)
        for number in range(PARTITIONS):
            cursor.execute(
                f"CREATE TABLE kv_{number} PARTITION OF kv FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
            )
        cursor.executemany("INSERT INTO kv VALUES (%s, %s, %s)", rows)


def in_dynamodb(url: str, rows: Iterable[Row], table: str = "kvstore") -> str:
    """The address as lakeproof takes it, with a secret ``x`` that it must not print."""
    made = client(url)
    made.create_table(
        TableName=table,
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "B"} for name in _KEYS],
        KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in _KEYS.items()],
        BillingMode="PAY_PER_REQUEST",
    )
    for partition, key, value in rows:
        item = {"PartitionKey": {"B": partition}, "ItemKey": {"B": key}, "ItemValue": {"B": value}}
        made.put_item(TableName=table, Item=item)
    return f"dynamodb+{url.replace('://', '://me:x@')}/{table}"
