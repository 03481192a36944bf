"""The ledger of a garbage collection: every object of the listing is kept for a named reason, or marked for deletion.

References become fingerprints, a set for each reason; an existence join with each set says which objects of the listing
have it. What is marked because of a reference is confirmed by the text of its address. What shares a fingerprint with
another address that has a reference may be kept because of it: expected for n objects and m references of n·m
of 2⁶⁴.

Example: s3://r is the namespace of a repository, and data/a of it is committed and staged. Of a run for uncommitted
objects, with a cutoff of a day::

    namespace    address      bytes    modified       reasons, the first one counts    account
    s3://r       data/a       10       9 days ago     committed, staged                committed        1       10 bytes
    s3://r       data/b       20       9 days ago     none                             marked           1       20 bytes
    s3://r       data/c       40       just now       too-young                        too-young        1       40 bytes
    s3://r       _lakefs/d    80       9 days ago     internal, outside-data           internal         1       80 bytes
    s3://else    data/b       160      9 days ago     no-repository                    no-repository    1      160 bytes

Cost: the listing and the references are shuffled once, the references as 16 bytes each; memory for a piece of `PIECE`
rows in each task.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial, reduce
from typing import Final

import attrs
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.model.catalog import DATA_PREFIX
from lakeproof.spark_checks.data import addresses
from lakeproof.spark_checks.data.addresses import INTERNAL_PREFIX
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.data.namespaces import Namespaces
from lakeproof.spark_checks.engine import footers
from lakeproof.spark_checks.engine.counts import halves, sums, total
from lakeproof.spark_checks.engine.engines import cores
from lakeproof.spark_checks.engine.tables import LONG, OBJECTS, VERSIONS, table
from lakeproof.spark_checks.engine.workspace import stage

MARKED: Final = "marked"
"""The reason of what is to be deleted."""
TOO_YOUNG: Final = "too-young"

KNOWN: Final = table(known_as=LONG)
"""Fingerprints of addresses. One may be there more than once."""
PIECE: Final = 500_000
"""References in a task, about: some 25 MB of its memory, which the caches still help with."""
SHOWN: Final = 4_000
"""Rows of a listing that keep all that is known of them, about, although they are only counted: for examples."""
MANY: Final = frozenset({"committed", "active-commit", "staged", "internal", "unreferenced"})
"""Reasons of which a listing is full. Of the others, one row in so many is kept that some are met."""
_OFTEN: Final = 8
"""Bits: a reason that is not of many is drawn 256 times as often."""
EXAMPLES_MAX: Final = 5
DRAWN_MAX: Final = 20_000
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


@attrs.frozen
class Example:
    """An object that has a reason. ``modified``: microseconds since 1970, None if unknown."""

    reason: str
    storage_namespace: str | None
    address: str | None
    bytes: int | None
    modified: int | None


@attrs.frozen
class Listing:
    """The objects as they are listed. owned: the namespaces of repositories, one column of that name. cutoff:
    microseconds; what was modified later, or at an unknown time, is young. A row without a namespace or an address
    belongs to no repository."""

    objects: DataFrame
    owned: DataFrame
    cutoff: int | None = None

    def alone(self) -> dict[str, Column]:
        """Whether a row, joined with ``owned``, has a reason by itself: by where it lies, or by its age. Where it is of
        no repository, the next two mean nothing. All other reasons are of those who refer to it."""
        address = f.col("address")
        young = f.lit(False)
        if self.cutoff is not None:
            # An object whose time is unknown may have been put just now.
            young = f.coalesce(f.unix_micros("last_modified") > self.cutoff, f.lit(True))
        return {
            "no-repository": f.col("owned").isNull() | address.isNull(),
            "internal": f.startswith(address, f.lit(INTERNAL_PREFIX)),  # null without an address, which counts as false
            "outside-data": ~f.coalesce(f.startswith(address, f.lit(DATA_PREFIX)), f.lit(False)),
            TOO_YOUNG: young,
        }


def _first(cases: Iterable[tuple[int, Column]]) -> Column:
    """The first that applies; what comes after it is not looked at."""
    # The chain begins with a case that never applies, because `Column.when` needs a column that `when` has made.
    return reduce(lambda so_far, case: so_far.when(case[1], case[0]), cases, f.when(f.lit(False), 0))


def listing(dataset: Dataset, found: Namespaces, cutoff: int | None = None) -> Listing:
    """found: of the repositories that the listing is of."""
    return Listing(dataset.objects.select(*OBJECTS.names), found.owned, cutoff)


def where_listed() -> Column:
    """The physical address of a row of the listing; "" if it has none."""
    return f.coalesce(f.concat("storage_namespace", f.lit("/"), "address"), f.lit(""))


def fingerprints(rows: DataFrame) -> DataFrame:
    """References, rows with ``physical``, as `KNOWN`."""
    return rows.select(known_as())


def known_as() -> Column:
    """The fingerprint of ``physical``, under its name."""
    return addresses.fingerprint(f.col("physical")).alias(*KNOWN.names)


@attrs.frozen
class Fates:
    """What becomes of a listing. order: the reasons, the first one that applies counts; a row to which none applies has
    the last. rows: ``number`` of the reason, the columns of ``objects/``, ``rows``, ``bytes`` (its halves, as `halves`
    has them). These columns say something where a row is marked, or would be if it were not too young; what is kept is
    only counted, but for one row in many. ``bytes``: of all ``rows``. ``drawn``: of as many bits of a fingerprint it
    depends whether a row is one."""

    order: tuple[str, ...]
    rows: DataFrame
    drawn: int

    def of(self, reason: str) -> DataFrame:
        return self.rows.where(f.col("number") == self.order.index(reason))


def judge(listed: Listing, order: Sequence[str], references: Mapping[str, DataFrame], count: int) -> Fates:
    """What becomes of the listing, staged in the session's folder. Runs a job.

    order: as `Fates` has it. references: `KNOWN`, by reason; a reason that is neither there nor one of `Listing.alone`
    has no rows. count: how many references there are, about.

    Raises ValueError: references are of a reason that is not in the order, or its last: they would keep nothing.
    """
    *claims, _ = order
    if strange := references.keys() - claims:
        raise ValueError(f"references of {sorted(strange)}, expected reasons among {claims}: put them in the order")
    # Both sides of the existence joins are partitioned by one 64-bit column into equally many pieces, so that Spark
    # shuffles neither again, and the hash table of a piece fits into the memory of a task.
    pieces = max(count // PIECE + 1, cores(listed.objects.sparkSession))
    rows = listed.objects.withColumn("listed_as", addresses.fingerprint(where_listed()))
    rows = rows.repartition(pieces, "listed_as")
    # A left join: an object of no repository must stay, since the accounts have to add up to the listing.
    rows = rows.join(f.broadcast(listed.owned), f.col("storage_namespace") == f.col("owned"), "left")
    holds = listed.alone() | {name: _is_among(each, pieces) for name, each in references.items()}
    # All joins are in one projection, or each would copy the rows.
    first = _first((number, holds[name]) for number, name in enumerate(claims) if name in holds)
    rows = rows.select("listed_as", *OBJECTS.names, first.otherwise(len(claims)).alias("number"))
    # A row is drawn if so many low bits of its fingerprint are 0: SHOWN / 2 to SHOWN rows of a large listing.
    bits = (footers.count(listed.objects) // SHOWN).bit_length()
    return Fates(tuple(order), stage(_count_rows(rows, order, bits), "fates"), bits)


def _count_rows(rows: DataFrame, order: Sequence[str], bits: int) -> DataFrame:
    """What is marked goes on with all that is known of it; what is kept is counted where it is met, all of a reason
    together: its columns are blank, and not null, for which aggregation has a slower way. bits: as `Fates.drawn`."""
    matters = _is_one_of(order, (MARKED, TOO_YOUNG)) | _is_drawn(f.col("listed_as"), order, bits)
    named = [f.when(matters, f.col(name)).otherwise(f.expr(blank)).alias(name) for name, blank in _BLANK.items()]
    # The size is copied before the columns are blanked: the account needs the bytes of rows that are only counted.
    size = f.coalesce("size_bytes", f.lit(0)).cast("bigint")
    counted = rows.select("number", *named, size.alias("bytes")).select("number", *OBJECTS.names, *halves("bytes"))
    return counted.groupBy("number", *OBJECTS.names).agg(f.count(f.lit(1)).alias("rows"), *sums("bytes"))


def _is_one_of(order: Sequence[str], reasons: Collection[str]) -> Column:
    return f.col("number").isin(*(number for number, name in enumerate(order) if name in reasons))


def _is_drawn(listed_as: Column, order: Sequence[str], bits: int) -> Column:
    """Whether a row is one of those that examples are drawn from."""
    # Marked and young rows are written in any case. They are drawn like the common reasons, as there are many of them.
    seldom, often = ((1 << each) - 1 for each in (bits, max(bits - _OFTEN, 0)))
    mask = f.when(_is_one_of(order, (*MANY, MARKED, TOO_YOUNG)), f.lit(seldom)).otherwise(f.lit(often)).cast("bigint")
    return listed_as.bitwiseAND(mask) == 0


def examples(fates: Fates) -> list[Example]:
    """Up to `EXAMPLES_MAX` objects of each reason, of as many namespaces and folders as there are. Of a reason that few
    have, none may have been drawn. Runs a job of one stage; the driver gets some `SHOWN` rows, `DRAWN_MAX` at most."""
    address = where_listed()
    # "/" is the address of the blank rows, each of which stands for all rows of a reason that were not drawn.
    drawn = fates.rows.where((address != "/") & _is_drawn(addresses.fingerprint(address), fates.order, fates.drawn))
    modified = f.unix_micros("last_modified").alias("modified")
    rows = drawn.select("number", "storage_namespace", "address", "size_bytes", modified).limit(DRAWN_MAX).collect()
    by_reason: dict[str, list[Example]] = {}
    for number, *fields in rows:
        by_reason.setdefault(fates.order[number], []).append(Example(fates.order[number], *fields))
    return [each for _, some in sorted(by_reason.items()) for each in _different(some)]


def _different(some: Sequence[Example]) -> list[Example]:
    """Namespaces, and then folders, that were not shown come first."""
    left, found = sorted(some, key=_place), list[Example]()
    while left and len(found) < EXAMPLES_MAX:
        found.append(min(left, key=partial(_count_met, found)))
        left.remove(found[-1])
    return found


def _count_met(found: Sequence[Example], one: Example) -> tuple[int, int]:
    """How many of its namespace, and of its folder, there are already."""
    places = [_place(each) for each in found]
    namespace, folder, _ = _place(one)
    return sum(each[0] == namespace for each in places), sum(each[:2] == (namespace, folder) for each in places)


def _place(each: Example) -> tuple[str, str, str]:
    """Namespace, folder, address."""
    address = each.address or ""
    return each.storage_namespace or "", address.rpartition("/")[0], address


def _is_among(known: DataFrame, pieces: int) -> Column:
    """An existence join, whose tables are small by the number of pieces: so nothing is sorted, and
    the references need not be distinct."""
    # Without the hint Spark may choose a sort-merge join, and sort both sides.
    there = known.repartition(pieces, "known_as").hint("shuffle_hash")
    return there.where(f.col("known_as") == f.col("listed_as").outer()).exists()  # no name inside for what is outside


def accounts(fates: Fates) -> list[Account]:
    """What became of the listing, reason by reason, of those that there are. Runs a job."""
    rows = fates.rows.groupBy("number").agg(f.sum("rows").alias("rows"), *sums("bytes")).collect()
    found = [Account(fates.order[row["number"]], row["rows"], total(row, "bytes")) for row in rows]
    return sorted(found, key=lambda each: each.reason)


def marked_rows(fates: Fates) -> DataFrame:
    """The rows of the listing that are to be deleted, of the schema of ``objects/``."""
    # Equal rows were counted as one. A row of the listing that came twice is written twice, as the account says.
    each = f.explode(f.array_repeat(f.struct(*OBJECTS.names), f.col("rows").cast("int")))
    return fates.of(MARKED).select(each.alias("each")).select("each.*")


def no_older_than_young(fates: Fates) -> Fates:
    """The same fates, but that what is marked is too young where another row of its address is. An object may be listed
    twice, before and after it was put again: seldom, so all is written anew only if there is any.
    Runs a job."""
    marked_, young = (fates.of(name).select(where_listed().alias("physical")) for name in (MARKED, TOO_YOUNG))
    # A shared fingerprint at worst costs the exact join below, which compares addresses.
    if fingerprints(marked_).join(fingerprints(young), KNOWN.names, "left_semi").isEmpty():
        return fates
    return _reconsider(fates, young, f.col("there").isNotNull(), TOO_YOUNG)


def only_named(fates: Fates, references: DataFrame, otherwise: str) -> Fates:
    """The same fates, but that what is marked has the other reason unless a reference names it, letter by letter.
    references: with ``physical``. Runs a job."""
    return _reconsider(fates, references.select("physical"), f.col("there").isNull(), otherwise)


def _reconsider(fates: Fates, addresses_: DataFrame, condition: Column, otherwise: str) -> Fates:
    """condition: of ``there``, which is null where the address of an object is none of the addresses."""
    # Distinct: an address that two references have would double the rows of the listing, and their counts.
    there = addresses_.where("physical is not null").distinct().withColumn("there", f.lit(True))
    met = fates.rows.withColumn("physical", where_listed()).join(there, "physical", "left")
    is_other = (f.col("number") == fates.order.index(MARKED)) & condition
    number = f.when(is_other, fates.order.index(otherwise)).otherwise(f.col("number"))
    rows = met.withColumn("number", number).select(*fates.rows.columns)
    return attrs.evolve(fates, rows=stage(rows, "settled"))


AMBIGUOUS: Final = ""  # several rows of one object disagree


def carry_versions(dataset: Dataset, marked: DataFrame) -> DataFrame:
    """The same rows of ``objects/``, with what the listing has of `VERSIONS` besides."""
    if dataset.versions is None:
        return marked
    named = [name for name in VERSIONS.names if name in dataset.versions.columns]
    # A null is a value here: a row with a tag, and one without, disagree.
    one = [
        f.when(f.count_distinct(f.struct(name)) == 1, f.first(name)).otherwise(f.lit(AMBIGUOUS)).alias(name)
        for name in named
    ]
    # The two sides of the join below must not share names, or a column in the condition could mean either.
    versions = dataset.versions.withColumnsRenamed({name: f"listed_{name}" for name in OBJECTS.names})
    same = [f.col(name).eqNullSafe(f.col(f"listed_{name}")) for name in OBJECTS.names]  # sizes and times may be null
    # One row for each object: several would multiply the marked rows in the join below, and `finish` would refuse them.
    few = versions.join(marked, same, "left_semi").groupBy(*(f"listed_{name}" for name in OBJECTS.names)).agg(*one)
    return marked.join(few, same, "left").select(*OBJECTS.names, *named)
