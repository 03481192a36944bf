"""The ledger of a garbage collection: every object of the listing is kept for a named reason, or marked for deletion.

References become rows of a fingerprint and bits, and one aggregate brings those of one address together; one join gives
each object of the listing the bits of those who refer to it, and so its reason. What is marked because of a reference
is confirmed by the text of its address. What shares a fingerprint with another address that somebody refers to may be
kept for the other's sake: expected for n objects and m references of n·m of 2⁶⁴.
Cost: the listing and the references are shuffled once, the references as 24 bytes each; memory for a piece of
`PIECE` rows in each task.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Final

import attrs
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from model.catalog import DATA_PREFIX
from spark_checks import addresses
from spark_checks.addresses import INTERNAL_PREFIX
from spark_checks.dataset import Dataset
from spark_checks.tables import LONG, OBJECTS, table
from spark_checks.workspace import staged

STRANGE: Final = 2
INTERNAL: Final = 4
SPECIAL: Final = 8
YOUNG: Final = 16
ACTIVE: Final = 32
EXPIRED: Final = 64
STAGED: Final = 128
TRACKED: Final = 256
ISSUED: Final = 512
ELSEWHERE: Final = 1024
"""An expired commit refers to it, of a repository in whose namespace it does not lie."""

COMMITTED: Final = ACTIVE | EXPIRED | ELSEWHERE

MARKED: Final = "marked"
"""The reason of what is to be deleted."""

TOO_YOUNG: Final = "too-young"

REASONS: Final = {
    "no-repository": STRANGE,
    "internal": INTERNAL,
    "outside-data": SPECIAL,
    "active-commit": ACTIVE,
    "committed": COMMITTED,
    "staged": STAGED,
    "tracked-copy": TRACKED,
    "issued": ISSUED,
    TOO_YOUNG: YOUNG,
}
"""Why an object is kept, if it has any of these bits. A job asks for some of them, in its own order."""

KNOWN: Final = table(known_as=LONG)
"""Fingerprints of what is committed. One may be there more than once."""
FEW: Final = 1_000
"""Namespaces, which are compared one by one."""
PIECE: Final = 500_000
"""References in a task, about: some 25 MB of its memory, which the caches still help with."""


_BLANK: Final = {
    "storage_namespace": "''",
    "address": "''",
    "size_bytes": "0L",
    "last_modified": "timestamp_micros(0)",
}


@attrs.frozen
class Account:
    """How many rows of the listing have a reason, and their size."""

    reason: str
    objects: int
    bytes: int


def has(bits: int) -> Column:
    """Whether a row has any of the bits."""
    return f.col("bits").bitwiseAND(bits) != 0


def bit(condition: Column, value: int) -> Column:
    """The value where the condition is true, else 0."""
    return f.when(condition, value).otherwise(0)


@attrs.frozen
class Listing:
    """The objects as they are listed. owned: the namespaces of repositories, one column of that name; few: the same, if
    they are few. cutoff: microseconds; what was modified later, or nobody knows when, is young. A row without a
    namespace or an address is nobody's."""

    objects: DataFrame
    owned: DataFrame
    few: tuple[str, ...] | None
    cutoff: int | None = None

    def with_bits(self, rows: DataFrame) -> DataFrame:
        """Rows of the listing with ``bits`` of what they are by themselves."""
        address, namespace = f.col("address"), f.col("storage_namespace")
        if self.few is not None:
            ours = f.coalesce(namespace.isin(*self.few), f.lit(False))
        else:
            rows = rows.join(f.broadcast(self.owned), namespace == f.col("owned"), "left")
            ours = f.col("owned").isNotNull()
        young = f.lit(False)
        if self.cutoff is not None:
            young = f.coalesce(f.unix_micros("last_modified") > self.cutoff, f.lit(True))
        bits = (
            bit(~ours | address.isNull(), STRANGE)
            + bit(f.startswith(address, f.lit(INTERNAL_PREFIX)), INTERNAL)
            + bit(~f.coalesce(f.startswith(address, f.lit(DATA_PREFIX)), f.lit(False)), SPECIAL)
            + bit(young, YOUNG)
        )
        return rows.withColumn("bits", bits.cast("bigint"))


def listing(dataset: Dataset, repositories: DataFrame, cutoff: int | None = None) -> Listing:
    """repositories: with storage_namespace. Runs a job."""
    owned = repositories.select(f.col("storage_namespace").alias("owned")).where("owned is not null").distinct()
    names = tuple(row["owned"] for row in owned.limit(FEW + 1).collect())
    return Listing(dataset.objects.select(*OBJECTS.names), owned, names if len(names) <= FEW else None, cutoff)


def where_listed() -> Column:
    """The physical address of a row of the listing; "" if it has none."""
    return f.coalesce(f.concat("storage_namespace", f.lit("/"), "address"), f.lit(""))


def marks(rows: DataFrame) -> DataFrame:
    """References, rows with ``physical`` and ``bits``, as known_as, bits."""
    return rows.select(_known_as(f.col("physical")), f.col("bits").cast("bigint"))


def _known_as(physical: Column) -> Column:
    return addresses.fingerprint(physical).alias("known_as")


def judged(
    listed: Listing, references: Sequence[DataFrame], keeps: Sequence[str], left: Column, rows: int
) -> DataFrame:
    """What becomes of the listing, staged in the session's folder: ``reason``, the columns of ``objects/``, ``rows``,
    ``bytes``. These columns say something where a row is marked, or would be if it were not too young; what is kept
    is only counted. ``bytes``: of all ``rows``.

    references: as `marks` makes them. keeps: the reasons to keep an object, the first one that applies counts. left:
    the reason of what is left, by ``bits``. rows: how many references there are, about.
    """
    pieces = max(rows // PIECE + 1, listed.objects.sparkSession.sparkContext.defaultParallelism)
    # Brought together before they are aggregated: of most addresses there is one reference, so that to aggregate in
    # each task first only costs. The tables of the join are small by the number of pieces, so nothing is sorted.
    met = reduce(DataFrame.unionAll, references).repartition(pieces, "known_as").groupBy("known_as")
    referred = met.agg(f.bit_or("bits").alias("met")).hint("shuffle_hash")
    own = listed.objects.withColumn("known_as", _known_as(where_listed())).repartition(pieces, "known_as")
    rows_with_bits = listed.with_bits(own.join(referred, "known_as", "left")).withColumn(
        "bits", f.col("bits").bitwiseOR(f.coalesce("met", f.lit(0)))
    )
    reason = reduce(lambda so_far, name: so_far.when(has(REASONS[name]), name), keeps, f.when(f.lit(False), ""))
    return staged(_counted(rows_with_bits.withColumn("reason", reason.otherwise(left))), "fates")


def _counted(rows: DataFrame) -> DataFrame:
    """What is marked goes on with all that is known of it; what is kept is counted where it is met, all of a reason
    together: its columns are blank, and not null, for which aggregation has a slower way."""
    matters = f.col("reason").isin(MARKED, TOO_YOUNG)
    named = [f.when(matters, f.col(name)).otherwise(f.expr(blank)).alias(name) for name, blank in _BLANK.items()]
    size = f.coalesce("size_bytes", f.lit(0)).cast("bigint")
    counted = rows.select("reason", *named, size.alias("counted")).groupBy("reason", *OBJECTS.names)
    return counted.agg(f.count(f.lit(1)).alias("rows"), f.sum("counted").alias("bytes"))


def accounts(fates: DataFrame) -> list[Account]:
    """What became of the listing, reason by reason, of those that there are."""
    sums = fates.groupBy("reason").agg(f.sum("rows").alias("rows"), f.sum("bytes").alias("bytes"))
    return [Account(row["reason"], row["rows"], row["bytes"]) for row in sums.orderBy("reason").collect()]


def marked(fates: DataFrame) -> DataFrame:
    """The rows of the listing that are to be deleted, of the schema of ``objects/``."""
    chosen = fates.where(f.col("reason") == MARKED)
    each = f.explode(f.array_repeat(f.struct(*OBJECTS.names), f.col("rows").cast("int")))
    return chosen.select(each.alias("each")).select("each.*")


def no_older_than_young(fates: DataFrame) -> DataFrame:
    """The same fates, but that what is marked is too young where another row of its address is. An object may be listed
    twice, before and after it was put again: seldom, so it is asked whether there is any before all is written anew."""
    young = fates.where(f.col("reason") == TOO_YOUNG).select(where_listed().alias("physical"))
    marked_too = fates.where(f.col("reason") == MARKED).select(where_listed().alias("physical"))
    if marked_too.join(young, "physical", "left_semi").isEmpty():
        return fates
    return _reconsidered(fates, young, f.col("there").isNotNull(), TOO_YOUNG)


def only_named(fates: DataFrame, references: DataFrame, otherwise: str) -> DataFrame:
    """The same fates, but that what is marked has the other reason unless a reference names it, letter by letter.
    references: with ``physical``."""
    return _reconsidered(fates, references.select("physical"), f.col("there").isNull(), otherwise)


def _reconsidered(fates: DataFrame, addresses_: DataFrame, condition: Column, otherwise: str) -> DataFrame:
    """condition: of ``there``, which is null where the address of an object is none of the addresses."""
    there = addresses_.where("physical is not null").distinct().withColumn("there", f.lit(True))
    met = fates.withColumn("physical", where_listed()).join(there, "physical", "left")
    reason = f.when((f.col("reason") == MARKED) & condition, otherwise).otherwise(f.col("reason"))
    return staged(met.withColumn("reason", reason).select(*fates.columns), "settled")
