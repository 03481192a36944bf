"""The ledger of a garbage collection: every object of the listing is kept for a named reason, or marked for deletion.

The listing and all references become rows of a fingerprint and bits, and one aggregate brings them together. Each
fingerprint then has one reason. What is marked is looked up in the listing again, and confirmed by the text of its
address where a reference is the reason. Two addresses that share a fingerprint are told by a second one, of the same
length; both are kept, and the ledger says so.
Cost: one shuffle of some 40 bytes for each object and each reference, and the listing twice.
"""

from collections.abc import Sequence
from functools import reduce
from typing import Final

import attrs
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from spark_checks import addresses
from spark_checks.addresses import INTERNAL_PREFIX
from spark_checks.dataset import Dataset, read_table
from spark_checks.tables import LONG, OBJECTS, STRING, table
from spark_checks.workspace import fresh

LISTED: Final = 1
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

REASONS: Final = {
    "no-repository": STRANGE,
    "internal": INTERNAL,
    "outside-data": SPECIAL,
    "active-commit": ACTIVE,
    "committed": COMMITTED,
    "staged": STAGED,
    "tracked-copy": TRACKED,
    "issued": ISSUED,
    "too-young": YOUNG,
}
"""Why an object is kept, if it has any of these bits. A job asks for some of them, in its own order."""

SHARED: Final = "shared-fingerprint"

FLAGS: Final = table(known_as=LONG, check=LONG, other=LONG, bits=LONG, rows=LONG, bytes=LONG, reason=STRING)
KNOWN: Final = table(known_as=LONG, check=LONG)


@attrs.frozen
class Account:
    """How many rows of the listing have a reason, and their size."""

    reason: str
    objects: int
    bytes: int


def check_of(address: Column) -> Column:
    """A second fingerprint, independent of the first."""
    return f.xxhash64(address, f.lit(1))


def has(bits: int) -> Column:
    """Whether a row has any of the bits."""
    return f.col("bits").bitwiseAND(bits) != 0


def bit(condition: Column, value: int) -> Column:
    """The value where the condition is true, else 0."""
    return f.when(condition, value).otherwise(0)


def listing(dataset: Dataset, repositories: DataFrame, cutoff: int | None = None) -> DataFrame:
    """The objects as they are listed, with ``physical``, the physical address, and ``bits``.

    repositories: with storage_namespace. cutoff: microseconds; what was modified later, or nobody knows when, is
    young. A row without a namespace or an address is nobody's.
    """
    owned = repositories.select(f.col("storage_namespace").alias("owned")).distinct()
    rows = dataset.objects.join(owned, dataset.objects["storage_namespace"] == owned["owned"], "left")
    namespace, address = f.col("storage_namespace"), f.col("address")
    strange = f.col("owned").isNull() | address.isNull()
    where = f.coalesce(f.concat(namespace, f.lit("/"), address), f.lit(""))
    young = f.lit(False)
    if cutoff is not None:
        young = f.coalesce(f.unix_micros("last_modified") > cutoff, f.lit(True))
    bits = (
        f.lit(LISTED)
        + bit(strange, STRANGE)
        + bit(f.startswith(address, f.lit(INTERNAL_PREFIX)), INTERNAL)
        + bit(~addresses.is_data(namespace, where), SPECIAL)
        + bit(young, YOUNG)
    )
    return rows.select(*OBJECTS.names, where.alias("physical"), bits.cast("bigint").alias("bits"))


def marks(rows: DataFrame) -> DataFrame:
    """Rows with ``physical`` and ``bits`` as known_as, check, bits."""
    return rows.select(*_known_as(), f.col("bits").cast("bigint"))


def _known_as() -> tuple[Column, Column]:
    physical = f.col("physical")
    return addresses.fingerprint(physical).alias("known_as"), check_of(physical).alias("check")


def account(listed: DataFrame, references: Sequence[DataFrame], keeps: Sequence[str], left: Column) -> DataFrame:
    """One row of `FLAGS` for each fingerprint, staged in the session's folder. ``reason``: null if it is not listed.

    references: as `marks` makes them. keeps: the reasons to keep an object, the first one that applies counts.
    left: the reason of what is left, by ``bits``.
    """
    spark = listed.sparkSession
    none = f.lit(0).cast("bigint").alias("bytes")
    size = f.coalesce("size_bytes", f.lit(0)).cast("bigint").alias("bytes")
    own = listed.select(*_known_as(), "bits", size)
    met = (
        reduce(DataFrame.unionAll, [own, *(each.select("*", none) for each in references)])
        .groupBy("known_as")
        .agg(
            f.bit_or("bits").alias("bits"),
            f.min("check").alias("check"),
            f.max("check").alias("other"),
            f.count_if(has(LISTED)).alias("rows"),
            f.sum("bytes").alias("bytes"),
        )
    )
    reason = f.when(~has(LISTED), None).when(f.col("check") != f.col("other"), SHARED)
    for name in keeps:
        reason = reason.when(has(REASONS[name]), name)
    target = fresh(spark, "flags")
    met.withColumn("reason", reason.otherwise(left)).select(*FLAGS.names).write.parquet(target)
    return read_table(spark, target, FLAGS)


def known(flags: DataFrame) -> DataFrame:
    """The fingerprints of what is committed: `KNOWN`."""
    committed = flags.where(has(COMMITTED))
    both = f.array_distinct(f.array("check", "other"))
    return committed.select("known_as", f.explode(both).alias("check"))


def accounts(flags: DataFrame) -> list[Account]:
    """What became of the listing, reason by reason."""
    sums = (
        flags.where("reason is not null")
        .groupBy("reason")
        .agg(f.sum("rows").alias("rows"), f.sum("bytes").alias("bytes"))
    )
    return [Account(row["reason"], row["rows"], row["bytes"]) for row in sums.orderBy("reason").collect()]


def marked(listed: DataFrame, flags: DataFrame, confirming: DataFrame | None = None) -> DataFrame:
    """The rows of the listing that are to be deleted, of the schema of ``objects/``. confirming: references, with
    ``physical``: only what one of them names, letter by letter."""
    chosen = flags.where(f.col("reason") == MARKED).select("known_as", "check")
    rows = listed.select("*", *_known_as()).join(chosen, ["known_as", "check"], "left_semi")
    if confirming is not None:
        named = confirming.select("physical", _known_as()[0])
        named = named.join(chosen, "known_as", "left_semi").distinct()
        rows = rows.join(named, ["known_as", "physical"], "left_semi")
    return rows.select(*OBJECTS.names)
