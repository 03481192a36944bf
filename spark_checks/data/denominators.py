"""Of how much a run speaks: the rows of each table that it read, and how many things each check judged.

A check that judged nothing is inconclusive: "no violation" of nothing is no evidence.
Cost: footers, and one scan of a few columns of the typed tables.
"""

from collections.abc import Mapping
from typing import Final

import attrs
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.model.records import RepositoryState
from lakeproof.spark_checks.checks.rules import union
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.data.decoding import Entities
from lakeproof.spark_checks.engine import footers
from lakeproof.spark_checks.findings import is_named
from lakeproof.words import plural

RECORDS = ("repositories", "branches", "tags", "commits", "staged", "cleanups")
ENTITIES = ("branches", "tags", "commits")
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "kv": ("row of kv", "rows of kv"),
    "metaranges": ("range of a metarange", "ranges of metaranges"),
    "ranges": ("entry of a range", "entries of ranges"),
    "objects": ("object",),
    "repositories": ("repository", "repositories"),
    "branches": ("branch", "branches"),
    "tags": ("tag",),
    "commits": ("commit",),
    "staged": ("staged entry", "staged entries"),
    "cleanups": ("cleanup record",),
    "undecodable": ("undecodable record",),
}


def rows_read(dataset: Dataset, entities: Entities) -> dict[str, int]:
    """The rows of each table that the dataset has, and of those that its records decode into."""
    typed = attrs.asdict(entities, recurse=False)
    return {name: footers.count(each) for name, each in (dataset.at_rest | typed).items()}


def count_judged(alive: Entities, rows: Mapping[str, int]) -> dict[str, int]:
    """How many things there are for each check to judge: `catalogue.CHECKS`. ``alive``: what can be reached, where a
    check judges nothing else. ``rows``: as `rows_read`, of all. Runs a job."""
    # One job for all sums that need a scan; the rest comes from footers.
    some = _count_things(alive)
    records = sum(rows[name] for name in RECORDS)
    commits = some["commits"]
    committed = rows.get("ranges", 0) if some["full"] else 0  # no commit, no range is judged
    return {
        # Without kv/, the records are those that were decoded, and those that could not be.
        "key-is-known": rows.get("kv", records + rows["undecodable"]),
        "record-is-decodable": rows.get("kv", records + rows["undecodable"]),
        "key-names-record": records,
        "active-is-complete": some["whole"],
        "no-reachable-zombie": sum(some[name] for name in ENTITIES),
        "garbage-is-reclaimable": sum(rows[name] for name in ENTITIES),
        "cleanup-spares-live": some["accessible"],
        "head-exists": some["heads"] + some["tags"],
        "parents-exist": commits,
        "generation-is-right": commits,
        "child-is-not-older": commits,
        "commits-have-no-cycle": commits,
        "meta-range-exists": some["full"],
        "token-has-one-owner": some["tokens"],
        "staged-has-owner": rows["staged"],
        "committed-data-is-kept": some["full"],
        "staged-data-is-kept": some["entries"],
        "address-has-one-entry": some["entries"] + committed,
        "commit-is-reachable": commits,
        "table-is-sound": some["full"],
        "object-is-whole": some["entries"] + committed,
        "object-is-referred-to": rows.get("objects", 0),
    }


def _count_things(entities: Entities) -> dict[str, int]:
    accessible = f.col("state") == RepositoryState.ACTIVE.value
    whole = accessible & ~f.coalesce("bare", f.lit(False))
    # `size` of null is null, or -1 in Spark without ANSI: neither is a token.
    sealed = f.coalesce(f.size("sealed_tokens"), f.lit(0))
    object_ = ~f.coalesce("tombstone", f.lit(False)) & is_named("address")
    counts = (
        _sum(entities.repositories, "accessible", accessible),
        _sum(entities.repositories, "whole", whole),
        _sum(entities.branches, "heads", is_named("commit_id")),
        _sum(entities.branches, "tokens", is_named("staging_token") | (sealed > 0)),
        _sum(entities.commits, "full", is_named("meta_range_id")),
        _sum(entities.staged, "entries", object_),
        *(_sum(getattr(entities, name), name, f.lit(True)) for name in ENTITIES),
    )
    return {row["name"]: row["rows"] for row in union(counts).collect()}


def _sum(table: DataFrame, name: str, condition: Column) -> DataFrame:
    return table.agg(f.count_if(condition).alias("rows")).select(f.lit(name).alias("name"), "rows")


def newest_commit(entities: Entities) -> int | None:
    """The latest date of a commit, microseconds since 1970. None: there is no commit. Runs a job."""
    found = entities.commits.agg(f.max("creation_date")).collect()[0][0]
    return None if found is None else int(found)


def describe_rows(rows: Mapping[str, int]) -> str:
    """The tables and their rows, in a line."""
    return "read: " + ", ".join(plural(count, *_WORDS[name]) for name, count in rows.items())
