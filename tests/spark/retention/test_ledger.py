"""The ledger: what has no address is nobody's, what shares a fingerprint is kept, each row is counted once."""

from datetime import UTC, datetime

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from spark_checks import addresses, ledger
from spark_checks.dataset import Dataset, empty
from spark_checks.holdings import nested
from spark_checks.ledger import ACTIVE, EXPIRED, MARKED
from spark_checks.tables import KV, LONG, METARANGES, OBJECTS, RANGES, STRING, table

LATE, EARLY = datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
REFERENCES = table(physical=STRING, bits=LONG)
Listed = tuple[str | None, str | None, int | None, datetime | None]


def dataset(spark: SparkSession, rows: list[Listed]) -> Dataset:
    kv, metaranges, ranges = (empty(spark, schema) for schema in (KV, METARANGES, RANGES))
    listing = spark.createDataFrame(rows, OBJECTS)
    return Dataset("d", "design", kv, metaranges, ranges, listing, tables=frozenset())


def repositories(spark: SparkSession, *namespaces: str) -> DataFrame:
    return spark.createDataFrame([(each,) for each in namespaces], table(storage_namespace=STRING))


def accounts(
    listed: DataFrame, references: DataFrame, keeps: tuple[str, ...], left: Column
) -> tuple[dict[str, tuple[int, int]], DataFrame]:
    flags = ledger.account(listed, [ledger.marks(references)], keeps, left)
    return {each.reason: (each.objects, each.bytes) for each in ledger.accounts(flags)}, flags


def test_every_row_has_one_reason_also_those_that_come_twice_or_say_nothing(spark: SparkSession) -> None:
    rows: list[Listed] = [
        ("s3://b/r", "data/old", 1, EARLY),
        ("s3://b/r", "data/twice", 2, EARLY),
        ("s3://b/r", "data/twice", 2, LATE),
        ("s3://b/r", "data/when", 4, None),
        ("s3://b/r", "data/size", None, EARLY),
        ("s3://b/r", None, 8, EARLY),
        (None, "data/x", 16, EARLY),
        ("s3://b/r", "_lakefs/x", 32, EARLY),
        ("s3://b/r", "datax", 64, EARLY),
        ("s3://b/rr", "data/x", 128, EARLY),
    ]
    cutoff = int(EARLY.timestamp()) * 1_000_000
    listed = ledger.listing(dataset(spark, rows), repositories(spark, "s3://b/r", "s3://b/r"), cutoff)
    keeps = ("no-repository", "internal", "outside-data", "too-young")
    references = spark.createDataFrame([("s3://b/r/data/old", ACTIVE)], REFERENCES)
    found, flags = accounts(listed, references, ("active-commit", *keeps), f.lit(MARKED))
    assert found == {
        "active-commit": (1, 1),
        "too-young": (3, 8),
        "no-repository": (3, 152),
        "internal": (1, 32),
        "outside-data": (1, 64),
        MARKED: (1, 0),
    }
    assert [(row["address"], row["size_bytes"]) for row in ledger.marked(listed, flags).collect()] == [
        ("data/size", None)
    ]


def test_addresses_that_share_a_fingerprint_are_kept_and_told(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def weak(address: Column) -> Column:
        return f.when(f.length(address) == len("s3://b/r/data/aa"), 1).otherwise(f.xxhash64(address))

    monkeypatch.setattr(addresses, "fingerprint", weak)
    rows: list[Listed] = [("s3://b/r", f"data/{name}", 1, EARLY) for name in ("aa", "bb", "c", "dddd")]
    listed = ledger.listing(dataset(spark, rows), repositories(spark, "s3://b/r"))
    names = ("s3://b/r/data/aa", "s3://b/r/data/c")
    expired = spark.createDataFrame([(each, EXPIRED) for each in names], REFERENCES)
    left = f.when(ledger.has(EXPIRED), MARKED).otherwise("unreferenced")
    found, flags = accounts(listed, expired, (), left)
    assert found == {"shared-fingerprint": (2, 2), MARKED: (1, 1), "unreferenced": (1, 1)}
    assert [row["address"] for row in ledger.marked(listed, flags, expired).collect()] == ["data/c"]
    assert ledger.known(flags).count() == 3


def test_a_namespace_in_the_data_of_another_is_found_and_one_beside_it_is_not(spark: SparkSession) -> None:
    names = ("s3://b", "s3://b/r", "s3://b/data", "s3://b/data/x", "s3://b/datax", "s3://b/data/x/data")
    found = nested(repositories(spark, *names)).collect()
    assert {tuple(row) for row in found} == {
        ("s3://b", "s3://b/data"),
        ("s3://b", "s3://b/data/x"),
        ("s3://b", "s3://b/data/x/data"),
        ("s3://b/data/x", "s3://b/data/x/data"),
    }
