"""Records by themselves: keys that the schema knows, values that can be read, ids that agree; of each key one.

Cost: two scans of each decoded table, one of its keys alone.
"""

from collections.abc import Collection

import attrs
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.model import keys
from lakeproof.spark_checks.checks.lakefs import Living
from lakeproof.spark_checks.checks.rules import Rule, findings, union
from lakeproof.spark_checks.data.dataset import Keys
from lakeproof.spark_checks.data.decoding import Entities
from lakeproof.spark_checks.data.denominators import RECORDS
from lakeproof.spark_checks.findings import at, sentence, text
from lakeproof.words import Unusable, plural


def demand_single(where: str, entities: Entities) -> None:
    """Runs a job.

    Raises Unusable: a key has several records, which no store holds. The checks would take them for two owners of a
    token, or for two entries of an address.
    """
    rows = union([getattr(entities, name).select("partition_key", "key") for name in RECORDS])
    hashed = f.xxhash64("partition_key", "key")
    # A null is no key. Hashes come first, because an aggregate of all keys would hold their texts.
    several = rows.where("partition_key is not null and key is not null").groupBy(hashed.alias("several")).count()
    several = several.where("count > 1").select("several")
    if several.isEmpty():
        return
    met = rows.join(several, hashed == f.col("several"), "left_semi").groupBy("partition_key", "key")
    doubled = met.agg(f.min(at()).alias("at"), f.count(f.lit(1)).alias("times")).where("times > 1")
    count, first = doubled.agg(f.count(f.lit(1)), f.min("at")).collect()[0]
    if count:
        raise Unusable(
            f"{where}: {first} has several records, the first of {plural(count, 'such key')}, and no store has two of "
            "one key: a file is there twice, or those of two days are mixed; take away what is too much"
        )


def check(entities: Entities, schema: Keys, only: Collection[str], living: Living | None = None) -> DataFrame:
    """key-is-known, record-is-decodable, key-names-record. ``living``: what is not among it is garbage."""
    here = at()
    unknown = f.col("kind").isNull()
    # Typed tables of others may have nulls anywhere.
    reason = f.coalesce(f.col("reason"), f.lit("no reason was given"))
    damaged = (
        Rule("key-is-known", unknown, here, reason),
        Rule("record-is-decodable", ~unknown, here, f.concat_ws(": ", "kind", reason)),
    )
    frames = [_apply(entities.undecodable, damaged, only, living)]
    # The key of a staged entry in lakeFS is the bare path.
    prefix = keys.STAGED_PREFIX if schema == "design" else b""
    ids = {
        "repositories": (keys.REPOSITORIES_PREFIX, f.col("repository_id")),
        "branches": (keys.BRANCHES_PREFIX, f.col("branch_id")),
        "tags": (keys.TAGS_PREFIX, f.col("tag_id")),
        "commits": (keys.COMMITS_PREFIX, f.col("commit_id")),
        "staged": (prefix, f.col("path")),
        "cleanups": (keys.CLEANUP_PREFIX, f.concat_ws("/", "repository_id", "instance_uid")),
    }
    for name, (begins, named) in ids.items():
        frame: DataFrame = getattr(entities, name)
        frames.append(_apply(frame, (_names(begins, named, here),), only, living))
    return union(frames)


def _apply(frame: DataFrame, rules: tuple[Rule, ...], only: Collection[str], living: Living | None) -> DataFrame:
    if living is None:
        return findings(frame, rules, only)
    return findings(living.severity(frame), [attrs.evolve(rule, kind=f.col("severity")) for rule in rules], only)


def _names(prefix: bytes, named: Column, here: Column) -> Rule:
    # Bytes are compared, because a key need not be text.
    expected = f.concat(f.lit(prefix), f.coalesce(named.cast("binary"), f.lit(b"")))
    evidence = sentence("the record names ", text(f.coalesce(named.cast("binary"), f.lit(b""))))
    return Rule("key-names-record", ~f.col("key").eqNullSafe(expected), here, evidence)
