"""What repositories refer to, as rows of a physical address and the bits of who does: staged entries, commits.

Source: docs/designs/hard-delete.md: all entries under all tokens of a branch count, those that a newer one hides, too,
and all commit records. An entry keeps its object wherever it lies: also in the namespace of another repository.
"""

from collections.abc import Collection
from functools import reduce
from typing import Final

import attrs
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.spark_checks.data.addresses import inside, physical
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.data.decoding import Entities
from lakeproof.spark_checks.data.namespaces import Namespaces, find_nested
from lakeproof.spark_checks.engine.workspace import stage as staged_rows
from lakeproof.spark_checks.findings import is_named
from lakeproof.words import Unusable

ACTIVE: Final = 1
EXPIRED: Final = 2
ELSEWHERE: Final = 4
"""Bits of who refers to a range. The last: an expired commit, of a repository in whose namespace it does not lie."""

NEEDED = frozenset({"metaranges", "ranges", "objects"})
MATTERS = ("repository", "branch", "commit", "staged", "entry")
"""Kinds of records that say what is kept: without one of them nothing is known to be garbage."""


def has(bits: int) -> Column:
    """Whether a row has any of the bits."""
    return f.col("bits").bitwiseAND(bits) != 0


def demand_tables(dataset: Dataset, also: Collection[str] = ()) -> None:
    """Raises Unusable: a table is missing, also one of those that are needed beside the common ones."""
    missing = sorted(NEEDED.union(also) - dataset.tables)
    if missing:
        raise Unusable(f"{dataset.where}: has no {', '.join(missing)}; name a folder that has with --beside")


def demand_sound(dataset: Dataset, entities: Entities) -> None:
    """Raises Unusable: a record that matters cannot be read. Runs a job."""
    damaged = entities.undecodable.where(f.col("kind").isin(*MATTERS))
    for row in damaged.limit(1).collect():
        where = f"{row['kind']} at {_show(row['partition_key'])} {_show(row['key'])}"
        raise Unusable(f"{dataset.where}: {where}: {row['reason']}; its kept objects are unknown: repair or delete it")


def demand_apart(dataset: Dataset, found: Namespaces) -> None:
    """Raises Unusable: the namespace of a repository lies in the data of another, which so holds what is internal to
    the first."""
    for outer, inner in find_nested(found.names)[:1]:
        raise Unusable(f"{dataset.where}: namespace {inner!r} lies in {outer!r}; leave one of the repositories out")


def dangling(entities: Entities) -> DataFrame:
    """What names a commit of its repository that has no record: id (of the check), home, what, commit_id. Heads, tags
    and parents, of the partitions that belong to repositories."""
    parents = f.explode(f.coalesce("parents", f.array().cast("array<string>")))
    naming = (
        _naming("head-exists", "the head of branch", entities.branches, "branch_id", f.col("commit_id")),
        _naming("head-exists", "the commit of tag", entities.tags, "tag_id", f.col("commit_id")),
        _naming("parents-exist", "a parent of commit", entities.commits, "commit_id", parents),
    )
    named = reduce(DataFrame.unionAll, naming).where(is_named("named"))
    homes = entities.homes().select("home").distinct()
    known = entities.commits.select(f.xxhash64("partition_key", "commit_id").alias("known_as"))
    lost = named.join(homes, "home").join(known, f.xxhash64("home", "named") == f.col("known_as"), "left_anti")
    return lost.select("id", "home", "what", f.col("named").alias("commit_id"))


def _naming(check: str, what: str, rows: DataFrame, name: str, named: Column) -> DataFrame:
    whole = f.concat_ws(" ", f.lit(what), name)
    return rows.select(
        f.lit(check).alias("id"), f.col("partition_key").alias("home"), whole.alias("what"), named.alias("named")
    )


def demand_whole(dataset: Dataset, entities: Entities, *, lenient: bool) -> dict[str, int]:
    """How many heads and parents have no record, by id. Runs a job.

    Raises Unusable: one has none, unless lenient.
    """
    first = f.min(f.struct("home", "what", "commit_id")).alias("first")
    rows = dangling(entities).groupBy("id").agg(f.count(f.lit(1)).alias("rows"), first).orderBy("id").collect()
    if rows and not lenient:
        home, what, commit_id = rows[0]["first"]
        raise Unusable(
            f"{dataset.where}: {_show(home)}: commit {commit_id} is {what}, and has no record, so that what it keeps "
            "is not known; bring it back, or go on without it with --lenient"
        )
    return {"head-exists": 0, "parents-exist": 0} | {row["id"]: row["rows"] for row in rows}


def _show(name: bytes | None) -> str:
    return "nothing" if name is None else repr(bytes(name).decode("utf-8", "backslashreplace"))


def find_staged(entities: Entities) -> DataFrame:
    """What is staged under the tokens of branches: physical. Runs a job."""
    homes = entities.homes()
    branches = entities.branches.where(is_named("commit_id"))  # "" is a deleted branch
    sealed = f.coalesce("sealed_tokens", f.array().cast("array<string>"))
    tokens = staged_rows(
        branches.join(homes, branches["partition_key"] == homes["home"])
        .select("storage_namespace", f.explode(f.concat(f.array("staging_token"), sealed)).alias("token"))
        .distinct(),
        "tokens",
    )
    entries = entities.staged.where(~f.coalesce("tombstone", f.lit(False)) & is_named("address"))
    where = physical(f.col("storage_namespace"), f.col("address"), f.col("address_type"))
    return entries.join(tokens, "token").select(where.alias("physical"))


@attrs.frozen
class Committed:
    """What metaranges refer to.

    references: physical, bits; once for each namespace and range. lost: what, id, bits: metaranges and ranges that are
    not in the dataset, with the bits of those who refer to them. pairs: storage_namespace, range_id, bits.
    """

    references: DataFrame
    lost: DataFrame
    pairs: DataFrame


def find_committed(dataset: Dataset, roots: DataFrame) -> Committed:
    """roots: storage_namespace, meta_range_id, bits; each of the first two once, and cheap to read: they are read
    twice. A metarange without entries is a row of ``metaranges/`` without a range, or the id "". Runs a job."""
    pairs = staged_rows(
        dataset.metaranges.where("range_id is not null")
        .join(roots, "meta_range_id")
        .groupBy("storage_namespace", "range_id")
        .agg(f.bit_or("bits").alias("bits")),
        "pairs",
    )
    named = dataset.ranges.where(is_named("address"))
    where = physical(f.col("storage_namespace"), f.col("address"))
    rows = named.join(pairs, "range_id").select("storage_namespace", where.alias("physical"), "bits")
    own = ~has(EXPIRED) | inside(f.col("storage_namespace"), f.col("physical"))
    outside = f.col("bits").bitwiseAND(~EXPIRED).bitwiseOR(ELSEWHERE)
    references = rows.select("physical", f.when(own, f.col("bits")).otherwise(outside).alias("bits"))
    lost = _find_lost("metarange", roots, dataset.metaranges, "meta_range_id").unionAll(
        _find_lost("range", pairs, dataset.ranges, "range_id")
    )
    return Committed(references, lost, pairs)


def _find_lost(what: str, wanted: DataFrame, there: DataFrame, name: str) -> DataFrame:
    # As bytes: strings have a hash of their own in an aggregate, byte by byte.
    known = there.select(f.col(name).cast("binary").alias("there")).distinct()
    lost = wanted.join(known, f.col(name).cast("binary") == f.col("there"), "left_anti")
    return lost.select(f.lit(what).alias("what"), f.col(name).alias("id"), "bits")
