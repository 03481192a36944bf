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

from lakeproof.spark_checks.checks import lakefs
from lakeproof.spark_checks.checks.records import demand_named
from lakeproof.spark_checks.checks.repositories import partitions
from lakeproof.spark_checks.checks.tokens import list_owned
from lakeproof.spark_checks.data.addresses import inside, physical
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.data.decoding import Entities
from lakeproof.spark_checks.data.denominators import ENTITIES
from lakeproof.spark_checks.data.namespaces import Namespaces, find_nested
from lakeproof.spark_checks.engine.workspace import stage as staged_rows
from lakeproof.spark_checks.findings import is_named
from lakeproof.words import Unusable, plural

ACTIVE: Final = 1
EXPIRED: Final = 2
ELSEWHERE: Final = 4
"""Bits of who refers to a range. The last: an expired commit, of a repository in whose namespace it does not lie."""

NEEDED = frozenset({"metaranges", "ranges", "objects"})
IDLE = frozenset({"cleanup", "copy", "tag"})
"""Kinds of records that keep nothing by themselves, or are read elsewhere. What else cannot be read may refer to data,
whatever it is."""


def has(bits: int) -> Column:
    """Whether a row has any of the bits."""
    return f.col("bits").bitwiseAND(bits) != 0


def demand_tables(dataset: Dataset, also: Collection[str] = ()) -> None:
    """Raises Unusable: a table is missing, also one of those that are needed beside the common ones."""
    missing = sorted(NEEDED.union(also) - dataset.tables)
    if missing:
        raise Unusable(f"{dataset.where}: has no {', '.join(missing)}; name a folder that has with --beside")


def demand_sound(dataset: Dataset, entities: Entities, *, tags: bool = False) -> None:
    """Raises Unusable: a record that may matter cannot be read, lies where no run looks, or is not what its key says.
    ``tags``: whether they keep anything. Runs some jobs."""
    # A store of another schema version may keep references in records that no code here reads.
    if dataset.keys == "lakefs" and (why := lakefs.version(dataset)):
        raise Unusable(f"{dataset.where}: {why}; bring its row back, or use a lakeproof that knows it")
    idle = f.col("kind").isin(*(IDLE - {"tag"} if tags else IDLE))
    # A null kind is an unknown key, which may refer to data, and counts as damaged.
    damaged = entities.undecodable.where(~f.coalesce(idle, f.lit(False)))
    # The least one: each run names the same record.
    first = f.min(f.struct("partition_key", "key", "kind", "reason"))
    count, row = damaged.agg(f.count(f.lit(1)), first).collect()[0]
    if count:
        where = f"{row['kind'] or 'record'} at {_show(row['partition_key'])} {_show(row['key'])}"
        other = "" if row["kind"] or dataset.keys == "lakefs" else "; if this is a store of lakeFS, say --keys lakefs"
        raise Unusable(
            f"{dataset.where}: {where}: {row['reason']}, the first of {plural(count, 'such record')}; its kept objects "
            f"are unknown: repair it, or use a lakeproof that knows it{other}"
        )
    demand_named(dataset.where, entities)
    _demand_homes(dataset, entities)
    # `lakefs_kind` knows staged entries by the colon in their partition. Under a token without one they would be
    # foreign, and their objects would be marked.
    plain = list_owned(entities).where("live and token != '' and position(':' in token) = 0")
    for row in plain.limit(1).collect() if dataset.keys == "lakefs" else ():
        raise Unusable(
            f"{dataset.where}: staging token {row['token']!r}: expected a ':', by which its entries are known in a "
            "store of lakeFS; if this is none, say --keys design"
        )


def _demand_homes(dataset: Dataset, entities: Entities) -> None:
    """Raises Unusable: records lie where a repository that is here would have them without a uid. Runs a job."""
    homes = entities.homes().select(f.col("home").alias("partition"))
    # Partitions of designs without uids. Entities there are in no join with `homes`, and would keep nothing.
    others = entities.repositories.select("repository_id", f.explode(partitions()).alias("partition"))
    tables = (getattr(entities, name).select(f.col("partition_key").alias("partition")) for name in ENTITIES)
    found = reduce(DataFrame.unionAll, tables).join(
        f.broadcast(others.join(homes, "partition", "left_anti")), "partition"
    )
    for row in found.limit(1).collect():
        raise Unusable(
            f"{dataset.where}: {_show(row['partition'])} has records of the repository {row['repository_id']!r}, whose "
            "partition ends in its uid: designs without uids (naive, step1-uid-by-timestamp) are not read; leave it out"
        )


def demand_apart(dataset: Dataset, found: Namespaces) -> None:
    """Raises Unusable: the namespace of a repository lies in the data of another, which so holds what is internal to
    the first."""
    for outer, inner in find_nested(found.names)[:1]:  # one pair is enough for the message
        raise Unusable(f"{dataset.where}: namespace {inner!r} lies in {outer!r}; leave one of the repositories out")


def dangling(entities: Entities) -> DataFrame:
    """What names a commit of its repository that has no record: id (of the check), home, what, commit_id. Heads, tags
    and parents, of the partitions that belong to repositories."""
    # All parents, not the first ones alone: the data of a merged line is as much in use as that of main.
    parents = f.explode(f.coalesce("parents", f.array().cast("array<string>")))
    naming = (
        _naming("head-exists", "the head of branch", entities.branches, "branch_id", f.col("commit_id")),
        _naming("head-exists", "the commit of tag", entities.tags, "tag_id", f.col("commit_id")),
        _naming("parents-exist", "a parent of commit", entities.commits, "commit_id", parents),
    )
    named = reduce(DataFrame.unionAll, naming).where(is_named("named"))
    homes = entities.homes().select("home").distinct()  # what is left of deleted repositories may dangle
    # Both sides hash the partition and the id. A missing commit is overlooked if its hash is that of another commit.
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
    # A count of 0 is written down, too: without it a report could not say that the check was made.
    return {"head-exists": 0, "parents-exist": 0} | {row["id"]: row["rows"] for row in rows}


def _show(name: bytes | None) -> str:
    return "nothing" if name is None else repr(bytes(name).decode("utf-8", "backslashreplace"))


def find_staged(entities: Entities) -> DataFrame:
    """What is staged under the tokens of branches: physical. Runs a job."""
    homes = entities.homes()
    # Open and sealed tokens alike: what is under a sealed one is still to be committed.
    owned = list_owned(entities).where("live").join(homes, f.col("partition_key") == homes["home"])
    # Distinct: in damaged data branches share a token, and the join would double its entries.
    tokens = staged_rows(owned.select("storage_namespace", "token").distinct(), "tokens")
    entries = entities.staged.where(~f.coalesce("tombstone", f.lit(False)) & is_named("address"))
    where = physical(f.col("storage_namespace"), f.col("address"), f.col("address_type"))
    return entries.join(tokens, "token").select(where.alias("physical"))


@attrs.frozen
class Committed:
    """What metaranges refer to.

    references: physical, bits; once for each namespace and range. lost: what, id, bits: metaranges and ranges that are
    not in the dataset, with the bits of those who refer to them.
    """

    references: DataFrame
    lost: DataFrame


def find_committed(dataset: Dataset, roots: DataFrame) -> Committed:
    """roots: storage_namespace, meta_range_id, bits; each of the first two once, and cheap to read: they are read
    twice. A metarange without entries is a row of ``metaranges/`` without a range, or the id "". Runs a job."""
    # Many commits share a range: the bits of all of them are gathered before the entries of the range are read.
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
    # An expired commit gives up objects in its own namespace only. Elsewhere the object may belong to another
    # repository, and `ELSEWHERE` keeps it.
    own = ~has(EXPIRED) | inside(f.col("storage_namespace"), f.col("physical"))
    outside = f.col("bits").bitwiseAND(~EXPIRED).bitwiseOR(ELSEWHERE)
    references = rows.select("physical", f.when(own, f.col("bits")).otherwise(outside).alias("bits"))
    lost = _find_lost("metarange", roots, dataset.metaranges, "meta_range_id").unionAll(
        _find_lost("range", pairs, dataset.ranges, "range_id")
    )
    return Committed(references, lost)


def _find_lost(what: str, wanted: DataFrame, there: DataFrame, name: str) -> DataFrame:
    # As bytes: strings have a hash of their own in an aggregate, byte by byte.
    known = there.select(f.col(name).cast("binary").alias("there")).distinct()
    lost = wanted.join(known, f.col(name).cast("binary") == f.col("there"), "left_anti")
    return lost.select(f.lit(what).alias("what"), f.col(name).alias("id"), "bits")


def demand_readable(dataset: Dataset, lost: DataFrame) -> int:
    """How many metaranges and ranges are missing that only expired commits have. ``lost``: of `Committed`. Runs a job.

    Raises Unusable: others are missing.
    """
    first = f.min_by(f.struct("what", "id"), "id").alias("first")
    rows = lost.groupBy(has(ACTIVE).alias("kept")).agg(f.count(f.lit(1)).alias("rows"), first).collect()
    for row in rows:
        if row["kept"]:
            what, name = row["first"]
            raise Unusable(
                f"{dataset.where}: {what} {name} of a commit is not there: its kept objects are unknown; bring it back"
            )
    # Where only expired commits need it, nothing is marked through it, which is safe. It is counted.
    return sum(row["rows"] for row in rows)
