"""Objects and who refers to them: committed, staged and listed addresses meet once, as fingerprints.

An address inside its repository's storage namespace is known by the 64-bit hash of its text, one outside also by its
repository. Each of some 40 million rows is 40 bytes in one aggregate; the few fingerprints that look wrong (*suspects*)
are then looked up in the tables again, where the texts decide. An address that is missing is overlooked if it shares
its hash with another one: of n, with a probability of n in 2^64.
Ranges are shared between commits: what is joined are distinct pairs of repository and range.
Cost: each of the tables is read twice, the second time against a short list.
"""

from collections.abc import Collection

import attrs
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.spark_checks.checks.rules import Rule, beside, findings, union
from lakeproof.spark_checks.data.addresses import fingerprint, inside, physical
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.findings import as_text, is_named, sentence, text

IDS = frozenset({"committed-data-is-kept", "staged-data-is-kept", "address-has-one-entry"})
LISTED = 1
COMMITTED = 2
STAGED = 4
INSIDE = 8
"""Of an address that a reference has: it lies inside its repository's namespace."""


@attrs.frozen
class References:
    """Who refers to what. ``committed``: repository, namespace, range_id, path, address; ``staged``: as
    `tokens.list_shown`. Addresses are physical."""

    committed: DataFrame
    staged: DataFrame


def join_committed(commits: DataFrame, repositories: DataFrame, dataset: Dataset, torn: DataFrame) -> DataFrame:
    """What reachable commits refer to: repository, namespace, range_id, path, address. Once for each repository and
    range, however many commits share it; commits that cannot be read are left out, all of them.

    commits: partition_key, meta_range_id; those that are reachable. repositories: as `commits.homes`.
    """
    owned = commits.join(repositories, commits["partition_key"] == repositories["home"])
    roots = owned.select("repository", "meta_range_id").distinct()
    readable = roots.join(torn, "meta_range_id", "left_anti")
    pairs = dataset.metaranges.where("range_id is not null").join(readable, "meta_range_id")
    # Staged, because ranges are the largest table, and are joined with it before the addresses are made.
    pairs = beside(pairs.select("repository", "range_id").distinct())
    there = is_named("address")
    rows = dataset.ranges.where(there).select("range_id", "path", "address").join(pairs, "range_id")
    rows = rows.join(repositories.drop("home").distinct(), "repository")
    where = physical(f.col("namespace"), f.col("address"))
    return rows.select("repository", "namespace", "range_id", "path", where.alias("address"))


def _known_as() -> Column:
    # Two repositories may refer to one object outside, which is no shared address. Inside a namespace the address
    # alone counts, since the listing knows no repository.
    own = inside(f.col("namespace"), f.col("address"))
    return f.when(own, fingerprint(f.col("address"))).otherwise(f.xxhash64("address", "repository"))


def _flags(bit: int) -> Column:
    return f.lit(bit) + f.when(inside(f.col("namespace"), f.col("address")), INSIDE).otherwise(0)


def _as_text() -> Column:
    """A staged path as ``ranges/`` has it; one that is no UTF-8 is like no other."""
    return f.coalesce(as_text(f.col("path")), f.hex("path"))


def suspects(references: References, dataset: Dataset) -> DataFrame:
    """Fingerprints at which something looks wrong: known_as, lost_committed, lost_staged, shared. One aggregate."""
    none = f.lit(None).cast("bigint")
    # What has no address can be no object of an entry.
    listed = dataset.objects.where("storage_namespace is not null and address is not null")
    where = fingerprint(f.concat_ws("/", "storage_namespace", "address"))
    rows = (
        _select(listed, where, f.lit(LISTED), none, 0),
        _select(references.committed, _known_as(), _flags(COMMITTED), f.xxhash64(f.coalesce("path", f.lit(""))), 0),
        _select(references.staged, _known_as(), _flags(STAGED), f.xxhash64(_as_text()), 1),
    )
    met = (
        union(rows)
        .groupBy("known_as")
        .agg(
            f.bit_or("flags").alias("flags"),
            f.min("path").alias("least"),
            f.max("path").alias("most"),
            f.sum("staged").alias("staged"),
        )
    )
    # The bits of all rows at one fingerprint, or-ed: who refers to the address, and whether the listing has it.
    flags, staged = f.col("flags"), f.col("staged")

    def has(bits: int) -> Column:
        return flags.bitwiseAND(bits) == bits

    # An object elsewhere may be in no listing, so that its absence means nothing.
    lost = ~has(LISTED) & has(INSIDE)
    is_committed = has(COMMITTED)
    # Committed at two paths, or committed and staged, or staged twice. `check` decides what of that lakeFS allows.
    shared = (f.col("least") != f.col("most")) | (is_committed & (staged > 0)) | (staged > 1)
    judged = met.select(
        "known_as",
        (lost & is_committed).alias("lost_committed"),
        (lost & (staged > 0)).alias("lost_staged"),
        f.coalesce(shared, f.lit(False)).alias("shared"),
    )
    return beside(judged.where("lost_committed or lost_staged or shared"))


def _select(rows: DataFrame, known_as: Column, flags: Column, path: Column, staged: int) -> DataFrame:
    columns = {"known_as": known_as, "flags": flags, "path": path, "staged": f.lit(staged).cast("bigint")}
    return rows.select(*(each.alias(name) for name, each in columns.items()))


def check(
    references: References, suspected: DataFrame, only: Collection[str], *, like_lakefs: bool = False
) -> DataFrame:
    """committed-data-is-kept, staged-data-is-kept, address-has-one-entry: what is suspected, decided by the texts.

    In lakeFS an entry whose metadata was changed is staged with the address that is committed at its path, and a
    shallow copy has the address of another path: the first is no finding there, and the second a note.
    """
    # A null would be in no aggregate, and hide the entry.
    path = f.coalesce("path", f.lit(""))
    none = f.lit(None).cast("string")
    rows = references.committed.select(
        "repository",
        "address",
        path.alias("committed"),
        none.alias("staged"),
        path.alias("at"),
        _known_as().alias("known_as"),
    ).unionAll(
        references.staged.select(
            "repository",
            "address",
            none.alias("committed"),
            sentence(text(f.col("path")), " of ", text(f.col("key"))).alias("staged"),
            _as_text().alias("at"),
            _known_as().alias("known_as"),
        )
    )
    met = (
        # From here on texts decide: an address that only shares the fingerprint of a suspect is a group of its own.
        rows.join(suspected, "known_as")
        .groupBy("repository", "address")
        .agg(
            f.max("lost_committed").alias("lost_committed"),
            f.max("lost_staged").alias("lost_staged"),
            f.min("committed").alias("one_path"),
            f.max("committed").alias("other_path"),
            f.min("staged").alias("one"),
            f.max("staged").alias("other"),
            f.count("staged").alias("entries"),
            (f.min("at") != f.max("at")).alias("elsewhere"),
        )
    )
    address, one, other = f.col("address"), f.col("one_path"), f.col("other_path")
    twice = one != other
    both = one.isNotNull() & (f.col("entries") > 0)
    places = f.array_distinct(f.array_compact(f.array("one_path", "other_path", "one", "other")))
    rules = (
        Rule(
            "committed-data-is-kept",
            f.col("lost_committed") & one.isNotNull(),
            address,
            sentence("is committed at ", one, " and not there"),
        ),
        Rule(
            "staged-data-is-kept",
            f.col("lost_staged") & (f.col("entries") > 0),
            address,
            sentence("is staged at ", f.col("one"), " and not there"),
        ),
        Rule(
            "address-has-one-entry",
            f.col("elsewhere") if like_lakefs else f.coalesce(twice, f.lit(False)) | both | (f.col("entries") > 1),
            address,
            sentence("has more than one entry: ", f.concat_ws(", ", places)),
            "note" if like_lakefs else "violation",
        ),
    )
    return findings(met, rules, only)
