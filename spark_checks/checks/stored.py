"""What the object store holds, against what commits and branches of lakeFS need of it, namespace by namespace.

A metarange and its ranges must lie in the namespace of the repository that commits them: under the same id in another
one they serve no entry here. Of two repositories that have imported the same objects::

    commit c1 of shop   meta_range_id m   local://shop/_lakefs/m  whole    its range r: local://shop/_lakefs/r  gone
    commit c1 of copy   meta_range_id m   local://copy/_lakefs/m  whole    its range r: local://copy/_lakefs/r  whole

``r`` can be read, and local://shop/_lakefs/r is a violation.
Cost: joins of ids; one of the listing with all references.
"""

from collections.abc import Collection

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.spark_checks.checks.commits import with_meta_range
from lakeproof.spark_checks.checks.data import References
from lakeproof.spark_checks.checks.rules import Rule, beside, findings, union
from lakeproof.spark_checks.data.addresses import INTERNAL_PREFIX, fingerprint, is_data, physical
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.data.decoding import Entities
from lakeproof.spark_checks.data.stored.tables import Stored
from lakeproof.spark_checks.engine.tables import OBJECTS
from lakeproof.spark_checks.findings import sentence
from lakeproof.spark_checks.ledger import where_listed

IDS = frozenset({"table-is-sound", "object-is-whole", "object-is-referred-to"})
"""Only a store of lakeFS with its object store has these checks."""


def check_tables(entities: Entities, reached: DataFrame, stored: Stored, only: Collection[str]) -> DataFrame:
    """table-is-sound. ``entities``: those that are alive. ``reached``: the commits that heads lead to."""
    needed = _find_needed(entities, reached, stored)
    # By namespace and id: the same content elsewhere does not serve this repository.
    rows = needed.join(stored.tables, ["storage_namespace", "id"], "left")
    found, why, kind = f.col("found_type"), f.col("why"), f.col("type")
    rows = rows.withColumnRenamed("type", "found_type").withColumnRenamed("wanted", "type")
    # The order matters: of a table that cannot be read the type is null, and no other test means anything.
    wrong = (
        f.when(found.isNull() & why.isNull(), f.lit("is not there"))
        .when(why.isNotNull(), why)
        .when(found != kind, sentence("is one of ", found, ", expected ", kind))
        .otherwise(f.col("differs"))
    )
    rows = rows.withColumn("wrong", wrong)
    where = f.concat("storage_namespace", f.lit("/" + INTERNAL_PREFIX), "id")
    evidence = sentence("of ", f.col("needs"), ": ", f.col("wrong"))
    severity = f.when(f.col("reachable"), "violation").otherwise("garbage")
    frames = [findings(rows, [Rule("table-is-sound", f.col("wrong").isNotNull(), where, evidence, severity)], only)]
    # A commit that was not completed leaves its tables behind.
    nobodys = stored.tables.join(needed, ["storage_namespace", "id"], "left_anti")
    idle = sentence("no commit needs it", f.when(f.col("why").isNull(), "").otherwise(sentence("; ", f.col("why"))))
    frames.append(findings(nobodys, [Rule("table-is-sound", f.lit(True), where, idle, "garbage")], only))
    return union(frames)


def _find_needed(entities: Entities, reached: DataFrame, stored: Stored) -> DataFrame:
    """storage_namespace, id, wanted (type), reachable, needs (one that does), differs (what a metarange says of a range
    that is otherwise): once for each table of a namespace."""
    homes = entities.homes()
    heads = reached.select("partition_key", "commit_id").distinct().withColumn("is_reached", f.lit(True))
    commits = with_meta_range(entities.commits).select("partition_key", "commit_id", "meta_range_id")
    commits = commits.join(heads, ["partition_key", "commit_id"], "left")
    owned = commits.join(f.broadcast(homes), commits["partition_key"] == homes["home"])
    some = sentence("commit ", f.col("commit_id"))
    roots = owned.groupBy("storage_namespace", f.col("meta_range_id").alias("id")).agg(
        f.max(f.coalesce("is_reached", f.lit(False))).alias("reachable"), f.min(some).alias("needs")
    )
    # A metarange is named by commits only, which say nothing of its content.
    roots = beside(roots.withColumn("differs", f.lit(None).cast("string")))
    named = stored.parts.where("meta_range_id is not null")
    # Rows without a metarange are what ranges themselves contain.
    own = stored.parts.where("meta_range_id is null").select(
        "range_id", *(f.col(each).alias(f"own_{each}") for each in _DESCRIBED)
    )
    parts = named.join(own, "range_id", "left")
    same = [f.col(each).eqNullSafe(f.col(f"own_{each}")) for each in _DESCRIBED]
    # A range that was not read has nothing to compare; that it is missing is found elsewhere.
    differs = f.when(f.col("own_entries").isNotNull() & ~(same[0] & same[1] & same[2]), _difference())
    below = parts.select("meta_range_id", "range_id", differs.alias("differs")).join(
        roots.drop("differs"), f.col("meta_range_id") == f.col("id")
    )
    ranges = below.groupBy("storage_namespace", f.col("range_id").alias("id")).agg(
        f.max("reachable").alias("reachable"), f.min("needs").alias("needs"), f.min("differs").alias("differs")
    )
    wanted = ranges.withColumn("wanted", f.lit("ranges"))
    return roots.withColumn("wanted", f.lit("metaranges")).unionByName(wanted)


_DESCRIBED = ("first", "last", "entries")


def _difference() -> Column:
    return sentence(
        "has ",
        f.col("own_entries").cast("string"),
        " entries, and metarange ",
        f.col("meta_range_id"),
        " says ",
        f.col("entries").cast("string"),
        ", or others at its ends",
    )


def check_objects(references: References, sizes: DataFrame, dataset: Dataset, only: Collection[str]) -> DataFrame:
    """object-is-whole, object-is-referred-to. ``sizes``: address (physical), expected (bytes), a row for each entry."""
    listed = dataset.objects.select(*OBJECTS.names, where_listed().alias("physical"))
    size = f.col("size_bytes").cast("string")
    frames = []
    if "object-is-whole" in only:
        # Many entries say the same of one object.
        met = sizes.distinct().join(listed, sizes["address"] == listed["physical"])
        evidence = sentence("bytes: ", size, "; its entry says ", f.col("expected").cast("string"))
        rule = Rule("object-is-whole", f.col("size_bytes") != f.col("expected"), f.col("physical"), evidence)
        frames.append(findings(met, [rule], only))
    if "object-is-referred-to" in only:
        named = references.committed.select("address").unionAll(references.staged.select("address"))
        # An object with the fingerprint of a reference is passed over: a piece of garbage more or less harms nothing.
        known = named.select(fingerprint(f.col("address")).alias("known_as")).distinct()
        # Tables of lakeFS and foreign files are no garbage of entries.
        ours = listed.where(is_data(f.col("storage_namespace"), f.col("physical")))
        idle = ours.join(known, fingerprint(f.col("physical")) == f.col("known_as"), "left_anti")
        evidence = sentence("no reachable commit and no branch refers to it; bytes: ", size)
        rule = Rule("object-is-referred-to", f.lit(True), f.col("physical"), evidence, "garbage")
        frames.append(findings(idle, [rule], only))
    return union(frames)


def sizes(committed: DataFrame, dataset: Dataset, staged: DataFrame, homes: DataFrame) -> DataFrame:
    """What entries say of the bytes of their objects: address (physical), expected. ``committed``: as
    `data.join_committed`; ``staged``: the entries of live tokens; ``homes``: token, namespace."""
    where = physical(f.col("namespace"), f.col("address"))
    entries = dataset.ranges.select("range_id", "path", "address", f.col("size_bytes").alias("expected"))
    ranges = committed.select("namespace", "range_id").distinct().join(entries, "range_id")
    own = ranges.select(where.alias("address"), "expected")
    # A tombstone has no address.
    there = staged.where("address is not null").join(f.broadcast(homes), "token")
    full = physical(f.col("namespace"), f.col("address"), f.coalesce("address_type", f.lit(0)))
    return own.unionAll(there.select(full.alias("address"), f.col("size_bytes").alias("expected")))
