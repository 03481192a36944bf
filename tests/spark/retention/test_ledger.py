"""The ledger: what has no address is nobody's, a shared fingerprint deletes nothing, each row is counted once."""

from datetime import UTC, datetime

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from spark_checks import addresses, ledger
from spark_checks.dataset import Dataset, empty
from spark_checks.holdings import nested, nested_among
from spark_checks.ledger import ACTIVE, EXPIRED, MARKED, Account
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
    listed: ledger.Listing, references: DataFrame, keeps: tuple[str, ...], left: Column, named: DataFrame | None = None
) -> tuple[list[Account], DataFrame]:
    """What became of all, and the rows that were marked."""
    fates = ledger.judged(listed, [ledger.marks(references)], keeps, left, 10)
    fates = ledger.no_older_than_young(fates) if named is None else ledger.only_named(fates, named, "unreferenced")
    return ledger.accounts(fates), ledger.marked(fates)


@pytest.mark.parametrize("few", [ledger.FEW, 0])
def test_every_row_has_one_reason_also_those_that_come_twice_or_say_nothing(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(ledger, "FEW", few)
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
    told, marked = accounts(listed, references, ("active-commit", *keeps), f.lit(MARKED))
    assert {each.reason: (each.objects, each.bytes) for each in told} == {
        "active-commit": (1, 1),
        "too-young": (3, 8),
        "no-repository": (3, 152),
        "internal": (1, 32),
        "outside-data": (1, 64),
        MARKED: (1, 0),
    }
    assert [(row["address"], row["size_bytes"]) for row in marked.collect()] == [("data/size", None)]


def weak(address: Column) -> Column:
    """Two addresses, one fingerprint."""
    return f.when(f.length(address) == len("s3://b/r/data/aa"), 1).otherwise(f.xxhash64(address))


def test_what_shares_its_fingerprint_with_what_is_marked_by_name_is_not_marked(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "fingerprint", weak)
    rows: list[Listed] = [("s3://b/r", f"data/{name}", 1, EARLY) for name in ("aa", "bb", "c", "dddd")]
    listed = ledger.listing(dataset(spark, rows), repositories(spark, "s3://b/r"))
    names = ("s3://b/r/data/aa", "s3://b/r/data/c")
    expired = spark.createDataFrame([(each, EXPIRED) for each in names], REFERENCES)
    left = f.when(ledger.has(EXPIRED), MARKED).otherwise("unreferenced")
    found, marked = accounts(listed, expired, (), left, expired)
    assert found == [Account(MARKED, 2, 2), Account("unreferenced", 2, 2)]
    assert sorted(row["address"] for row in marked.collect()) == ["data/aa", "data/c"]


def test_what_shares_its_fingerprint_with_what_is_referred_to_is_kept(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "fingerprint", weak)
    rows: list[Listed] = [("s3://b/r", f"data/{name}", 1, EARLY) for name in ("bb", "dddd")]
    listed = ledger.listing(dataset(spark, rows), repositories(spark, "s3://b/r"))
    references = spark.createDataFrame([("s3://b/r/data/aa", ACTIVE)], REFERENCES)
    found, marked = accounts(listed, references, ("committed",), f.lit(MARKED))
    assert found == [Account("committed", 1, 1), Account(MARKED, 1, 1)]
    assert [row["address"] for row in marked.collect()] == ["data/dddd"]


def test_a_namespace_in_the_data_of_another_is_found_and_one_beside_it_is_not(spark: SparkSession) -> None:
    names = ("s3://b", "s3://b/r", "s3://b/data", "s3://b/data/x", "s3://b/datax", "s3://b/data/x/data")
    found = [tuple(row) for row in nested(repositories(spark, *names)).collect()]
    assert sorted(found) == sorted(nested_among(names))
    assert set(found) == {
        ("s3://b", "s3://b/data"),
        ("s3://b", "s3://b/data/x"),
        ("s3://b", "s3://b/data/x/data"),
        ("s3://b/data/x", "s3://b/data/x/data"),
    }
