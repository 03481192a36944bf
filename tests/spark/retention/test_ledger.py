"""The ledger: what has no address is nobody's, a shared fingerprint deletes nothing, each row is counted once."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from lakeproof.spark_checks import ledger
from lakeproof.spark_checks.data import addresses
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.data.namespaces import find_nested, namespaces
from lakeproof.spark_checks.engine.tables import KV, METARANGES, OBJECTS, RANGES, STRING, no_rows, table
from lakeproof.spark_checks.ledger import MARKED, TOO_YOUNG, Account
from lakeproof.spark_checks.retention import marks as retention
from lakeproof.spark_checks.uncommitted import marks as uncommitted

LATE, EARLY = datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
CUTOFF = int(EARLY.timestamp()) * 1_000_000
REFERENCES = table(physical=STRING)
Listed = tuple[str | None, str | None, int | None, datetime | None]


def listing(
    spark: SparkSession, rows: list[Listed], namespaces_: Iterable[str] = ("s3://b/r",), cutoff: int | None = None
) -> ledger.Listing:
    """Of a dataset with repositories in these namespaces."""
    kv, metaranges, ranges = (no_rows(spark, schema) for schema in (KV, METARANGES, RANGES))
    objects = spark.createDataFrame(rows, OBJECTS)
    dataset = Dataset("d", "design", kv, metaranges, ranges, objects, tables=frozenset())
    owned = spark.createDataFrame([(each,) for each in namespaces_], table(storage_namespace=STRING))
    return ledger.listing(dataset, namespaces(owned), cutoff)


def to(spark: SparkSession, *addresses_: str) -> DataFrame:
    """References."""
    return spark.createDataFrame([(each,) for each in addresses_], REFERENCES)


def accounts(
    listed: ledger.Listing, references: dict[str, DataFrame], order: tuple[str, ...], by_name: DataFrame | None = None
) -> tuple[list[Account], DataFrame]:
    """What became of all, and the rows that were marked."""
    known = {reason: ledger.fingerprints(rows) for reason, rows in references.items()}
    fates = ledger.judge(listed, order, known, 10)
    if by_name is None:
        fates = ledger.no_older_than_young(fates) if TOO_YOUNG in order else fates
    else:
        fates = ledger.only_named(fates, by_name, "unreferenced")
    return ledger.accounts(fates), ledger.marked_rows(fates)


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
    listed = listing(spark, rows, ("s3://b/r", "s3://b/r"), CUTOFF)
    references = {"committed": to(spark, "s3://b/r/data/old", "s3://b/r/data/old", "s3://b/r/_lakefs/x")}
    order = ("no-repository", "internal", "outside-data", "committed", TOO_YOUNG, MARKED)
    told, marked = accounts(listed, references, order)
    assert {each.reason: (each.objects, each.bytes) for each in told} == {
        "committed": (1, 1),
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


@pytest.mark.parametrize(
    ("names", "order", "referred", "became"),
    [
        ("aa bb c dddd", (MARKED, "unreferenced"), {MARKED: "aa c"}, {MARKED: "aa c", "unreferenced": "bb dddd"}),
        ("bb dddd", ("committed", MARKED), {"committed": "aa"}, {"committed": "bb", MARKED: "dddd"}),
        ("AA bb", (TOO_YOUNG, MARKED), {}, {TOO_YOUNG: "AA", MARKED: "bb"}),
    ],
    ids=["not marked by another's name", "kept for another", "not young as another"],
)
def test_a_fingerprint_that_two_addresses_share_keeps_and_never_marks(
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    names: str,
    order: tuple[str, ...],
    referred: dict[str, str],
    became: dict[str, str],
) -> None:
    """What is late has a name in capitals."""
    monkeypatch.setattr(addresses, "fingerprint", weak)
    rows: list[Listed] = [("s3://b/r", f"data/{each}", 1, LATE if each.isupper() else EARLY) for each in names.split()]
    references = {
        reason: to(spark, *(f"s3://b/r/data/{each}" for each in of.split())) for reason, of in referred.items()
    }
    found, marked = accounts(listing(spark, rows, cutoff=CUTOFF), references, order, references.get(MARKED))
    assert {each.reason: each.objects for each in found} == {reason: len(of.split()) for reason, of in became.items()}
    assert sorted(row["address"] for row in marked.collect()) == [f"data/{each}" for each in became[MARKED].split()]


@pytest.mark.parametrize(
    "order", [("committed", "staged", "internal"), ("internal", "staged", "committed")], ids="-".join
)
def test_the_first_reason_that_applies_counts(spark: SparkSession, order: tuple[str, ...]) -> None:
    letter = {"committed": "c", "staged": "s"}  # an address has the reasons of its letters
    rows: list[Listed] = [("s3://b/r", "_lakefs/" + each, 1, EARLY) for each in ("c", "s", "cs", "x")]
    referred = {
        reason: to(spark, *(f"s3://b/r/{row[1]}" for row in rows if letter[reason] in str(row[1])[8:]))
        for reason in ("committed", "staged")
    }
    listed = listing(spark, rows)
    found, _ = accounts(listed, referred, (*order, MARKED))
    expected = Counter(
        next(reason for reason in order if reason == "internal" or letter[reason] in letters)
        for letters in ("c", "s", "cs", "x")
    )
    assert {each.reason: each.objects for each in found} == expected


@pytest.mark.parametrize("reason", ["commited", MARKED])
def test_references_that_would_keep_nothing_are_refused(spark: SparkSession, reason: str) -> None:
    listed = listing(spark, [])
    with pytest.raises(ValueError, match=f"references of \\['{reason}'\\], expected reasons among \\['committed'"):
        accounts(listed, {reason: to(spark, "s3://b/r/data/a")}, ("committed", TOO_YOUNG, MARKED))


STRAY: list[Listed] = [("s3://b/none", "data/x", 1, EARLY), ("s3://b/r", "_lakefs/x", 2, EARLY)]


def test_who_refers_tells_more_than_where_it_lies_but_nothing_is_marked_where_no_user_puts_anything(
    spark: SparkSession,
) -> None:
    listed = listing(spark, STRAY)
    everything = to(spark, "s3://b/none/data/x", "s3://b/r/_lakefs/x")
    for order, who in ((uncommitted.ORDER, ("committed", "staged")), (retention.ORDER, ("active-commit", MARKED))):
        found, _ = accounts(listed, dict.fromkeys(who, everything), order)
        assert found == [Account(who[0], 2, 3)]
    found, marked = accounts(listed, {MARKED: everything}, retention.ORDER, everything)
    assert found == [Account("internal", 1, 2), Account("no-repository", 1, 1)]
    assert marked.isEmpty()


def test_a_namespace_in_the_data_of_another_is_found_and_one_beside_it_is_not() -> None:
    names = ("s3://b", "s3://b/r", "s3://b/data", "s3://b/data/x", "s3://b/datax", "s3://b/data/x/data")
    assert find_nested(names) == [
        ("s3://b", "s3://b/data"),
        ("s3://b", "s3://b/data/x"),
        ("s3://b", "s3://b/data/x/data"),
        ("s3://b/data/x", "s3://b/data/x/data"),
    ]


def test_of_a_large_listing_few_rows_that_are_kept_are_drawn_and_the_counts_stay(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "SHOWN", 20)
    monkeypatch.setattr(ledger, "_OFTEN", 4)
    rows: list[Listed] = [(f"s3://b/r{n % 7}", f"data/{n % 3}/{n}", n, EARLY) for n in range(2_000)]
    rows += [("s3://b/r0", f"other/{n}", 1, EARLY) for n in range(100)]
    listed = listing(spark, rows, (f"s3://b/r{n}" for n in range(7)), 0)
    named = to(spark, *(f"{row[0]}/{row[1]}" for row in rows[:2_000]))
    order = ("committed", "outside-data", TOO_YOUNG, MARKED)
    fates = ledger.judge(listed, order, {"committed": ledger.fingerprints(named)}, 2_000)
    assert ledger.accounts(fates) == [Account("committed", 2_000, 1_999_000), Account("outside-data", 100, 100)]
    assert 10 < fates.of("committed").where("address != ''").count() < 30
    assert 5 < fates.of("outside-data").where("address != ''").count() < 25
    shown = ledger.examples(fates)
    assert Counter(each.reason for each in shown) == {"committed": 5, "outside-data": 5}
    assert len({each.storage_namespace for each in shown if each.reason == "committed"}) == 5
    assert shown == ledger.examples(fates)
