"""Records by themselves: keys that the schema knows, values that can be read, ids that agree; of each key one.

Cost: two scans of each decoded table, one of its keys alone.
"""

from collections.abc import Collection
from typing import Final

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

OWNERS: Final = {
    "repositories": (keys.REPOSITORIES_PREFIX, "repository_id"),
    "branches": (keys.BRANCHES_PREFIX, "branch_id"),
    "commits": (keys.COMMITS_PREFIX, "commit_id"),
}
"""What refers to data, by table: how its keys begin, and the column with the id that is their rest."""


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


def demand_named(where: str, entities: Entities) -> None:
    """Runs a job.

    Raises Unusable: the key of a repository, a branch or a commit says one id, and its record another. Its data would
    be kept for the one only, and others refer to the other.
    """
    rules = {name: _names(*naming) for name, naming in OWNERS.items()}
    wrong = union([findings(getattr(entities, name), [rule], [rule.id]) for name, rule in rules.items()])
    count, first = wrong.agg(f.count(f.lit(1)), f.min(f.struct("subject", "evidence"))).collect()[0]
    if count:
        raise Unusable(
            f"{where}: {first['subject']}: {first['evidence']}, the first of {plural(count, 'such record')}; what it "
            "keeps is unknown: repair it"
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
    more: dict[str, tuple[bytes, Column | str]] = {
        "tags": (keys.TAGS_PREFIX, "tag_id"),
        "staged": (prefix, "path"),
        "cleanups": (keys.CLEANUP_PREFIX, f.concat_ws("/", "repository_id", "instance_uid")),
    }
    for name, (begins, named) in {**OWNERS, **more}.items():
        frames.append(_apply(getattr(entities, name), (_names(begins, named),), only, living))
    return union(frames)


def _apply(frame: DataFrame, rules: tuple[Rule, ...], only: Collection[str], living: Living | None) -> DataFrame:
    if living is None:
        return findings(frame, rules, only)
    return findings(living.severity(frame), [attrs.evolve(rule, kind=f.col("severity")) for rule in rules], only)


def _names(prefix: bytes, named: Column | str) -> Rule:
    # Bytes are compared, because a key need not be text.
    name = f.coalesce((f.col(named) if isinstance(named, str) else named).cast("binary"), f.lit(b""))
    expected = f.concat(f.lit(prefix), name)
    return Rule("key-names-record", ~f.col("key").eqNullSafe(expected), at(), sentence("the record names ", text(name)))
