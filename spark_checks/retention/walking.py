"""The walk over all commits of a dataset: whole repositories come together in one task, as Arrow batches.

Commits and those who point at them come as rows of one table, grouped by repository: a task has many small ones, or one
that is large, and walks them together. Ids are 64-bit fingerprints that include the repository; a second fingerprint
confirms each parent and head, and tells commits apart that share the first one.
Memory: a task holds the commits that it got, about 200 bytes each, and up to 100 more while it walks.
"""

from collections.abc import Iterator
from typing import Final

import attrs
import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from spark_checks.decoding import Entities
from spark_checks.lines import Dates, Flags, Indices, Places, active, older_than_parent, on_cycles
from spark_checks.tables import BINARY, BOOLEAN, LONG, STRING, table

COMMITS_A_TASK: Final = 1_000_000
"""Aimed at: a task has as many as its largest repository has, and about so many besides."""

FIRST, CHILD, HEAD, TAG = 0, 1, 2, 3
"""Kinds of rows: a commit without a parent, one with, the head of a branch, a tag."""

OLDER_THAN_PARENT, PARENT_MISSING, ON_CYCLE, IN_FUTURE, REPEATED, HEAD_MISSING, TAG_MISSING = (1 << n for n in range(7))

NOTES: Final = {
    "child-is-not-older": OLDER_THAN_PARENT,
    "parents-exist": PARENT_MISSING,
    "commits-have-no-cycle": ON_CYCLE,
    "commit-is-not-from-the-future": IN_FUTURE,
    "commit-is-unique": REPEATED,
    "head-exists": HEAD_MISSING | TAG_MISSING,
}
"""What the walk finds to be odd: bits of ``notes``."""

WALKED: Final = table(
    home=BINARY,
    commit_id=STRING,  # of a head or tag that is missing, the commit that it names
    meta_range_id=STRING,
    expired=BOOLEAN,  # null: no commit
    notes=LONG,
)


@attrs.frozen
class Walk:
    """How to walk. ``now``: microseconds since 1970. ``tags``: whether a tag keeps its commit."""

    now: int
    tags: bool = False


def walked(entities: Entities, homes: DataFrame, branch_limits: DataFrame, walk: Walk, tasks: int) -> DataFrame:
    """Every commit of a repository, once, with whether it is expired: `WALKED`.

    homes: home, book, limit (the default's threshold). branch_limits: book, branch_id, limit.
    """
    commits = entities.commits.where("commit_id is not null").join(homes, f.col("partition_key") == f.col("home"))
    parent = f.try_element_at("parents", f.lit(1))
    none = f.lit(0).cast("bigint")
    rows = commits.select(
        "home",
        f.when(parent.isNull(), FIRST).otherwise(CHILD).cast("bigint").alias("kind"),
        *_known_as("at", f.col("commit_id")),
        *(f.coalesce(each, none).alias(name) for name, each in zip(_UP, _known_as("up", parent), strict=True)),
        f.coalesce("creation_date", none).alias("date"),
        "limit",
        "commit_id",
        "meta_range_id",
    )
    there = entities.branches.where(f.coalesce("commit_id", f.lit("")) != "")
    heads = there.join(homes, f.col("partition_key") == f.col("home"))
    named = branch_limits.withColumnRenamed("limit", "own")
    heads = heads.join(named, ["book", "branch_id"], "left").withColumn("limit", f.coalesce("own", "limit"))
    rows = rows.unionByName(_pointers(heads, HEAD))
    if walk.tags:
        tags = entities.tags.where("commit_id is not null").join(homes, f.col("partition_key") == f.col("home"))
        rows = rows.unionByName(_pointers(tags, TAG))
    now = walk.now

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from walk_batches(list(batches), now)

    return rows.repartition(tasks, "home").mapInArrow(run, WALKED)


_UP: Final = ("up", "up_check")


def _known_as(name: str, commit_id: Column) -> tuple[Column, Column]:
    known = f.when(commit_id.isNotNull(), f.xxhash64("home", commit_id))
    check = f.when(commit_id.isNotNull(), f.xxhash64(commit_id, f.lit(1)))
    return known.alias(name), check.alias(f"{name}_check")


def _pointers(rows: DataFrame, kind: int) -> DataFrame:
    none = f.lit(0).cast("bigint")
    return rows.select(
        "home",
        f.lit(kind).cast("bigint").alias("kind"),
        *_known_as("at", f.col("commit_id")),
        *(none.alias(name) for name in _UP),
        none.alias("date"),
        "limit",
        "commit_id",
        f.lit(None).cast("string").alias("meta_range_id"),
    )


@attrs.frozen(eq=False)
class _Rows:
    """The numbers of all rows of a task."""

    kind: Indices
    at: Indices
    at_check: Indices
    up: Indices
    up_check: Indices
    date: Dates
    limit: Dates

    @classmethod
    def of(cls, batches: list[pa.RecordBatch]) -> "_Rows":
        return cls(*(_numbers(batches, field.name) for field in attrs.fields(cls)))


def _numbers(batches: list[pa.RecordBatch], name: str) -> Indices:
    return np.concatenate([batch.column(name).to_numpy(zero_copy_only=False) for batch in batches])


def walk_batches(batches: list[pa.RecordBatch], now: int) -> Iterator[pa.RecordBatch]:
    """What `walked` says of the rows of whole repositories: a batch of `WALKED` for each that has commits, in order,
    and the heads that are missing."""
    batches = [batch for batch in batches if batch.num_rows]
    if not batches:
        return
    rows = _Rows.of(batches)
    expired, notes = _judged(rows, now)
    begin = 0
    for batch in batches:
        part = slice(begin, begin + batch.num_rows)
        begin += batch.num_rows
        chosen = (rows.kind[part] <= CHILD) | (notes[part] != 0)
        no_commit = rows.kind[part] > CHILD
        found = pa.record_batch(
            [
                *(batch.column(name) for name in ("home", "commit_id", "meta_range_id")),
                pa.array(expired[part], mask=no_commit),
                pa.array(notes[part]),
            ],
            names=WALKED.names,
        )
        yield found if chosen.all() else found.filter(pa.array(chosen))


def _judged(rows: _Rows, now: int) -> tuple[Flags, Indices]:
    """Of each row whether it is an expired commit, and its notes."""
    is_commit = np.flatnonzero(rows.kind <= CHILD)
    found = _Finder.of(rows.at[is_commit], rows.at_check[is_commit])
    parent = np.full(len(is_commit), -1, dtype=np.int64)
    has_parent = rows.kind[is_commit] == CHILD
    children = is_commit[has_parent]
    parent[has_parent] = found.find(rows.up[children], rows.up_check[children])
    date = rows.date[is_commit]
    heads, tags = np.flatnonzero(rows.kind == HEAD), np.flatnonzero(rows.kind == TAG)
    head_at = found.find(rows.at[heads], rows.at_check[heads])
    tag_at = found.find(rows.at[tags], rows.at_check[tags])

    kept = active(parent, date, head_at, rows.limit[heads], rows.limit[is_commit], tag_at)
    if found.repeated.any():  # commits of one id are kept together
        any_kept = np.zeros(len(kept), dtype=np.bool_)
        any_kept[found.first[kept]] = True
        kept = any_kept[found.first]

    expired = np.zeros(len(rows.kind), dtype=np.bool_)
    expired[is_commit] = ~kept
    notes = np.zeros(len(rows.kind), dtype=np.int64)
    notes[is_commit] = (
        older_than_parent(parent, date) * OLDER_THAN_PARENT
        + (has_parent & (parent < 0)) * PARENT_MISSING
        + on_cycles(parent, date) * ON_CYCLE
        + (date > now) * IN_FUTURE
        + found.repeated * REPEATED
    )
    notes[heads[head_at < 0]] = HEAD_MISSING
    notes[tags[tag_at < 0]] = TAG_MISSING
    return expired, notes


@attrs.frozen(eq=False)
class _Finder:
    """Finds commits by two fingerprints. ``first``: of each commit the first one with both of its fingerprints;
    ``repeated``: it is another one."""

    salt: int
    checks: Indices
    places: Places
    first: Indices

    @classmethod
    def of(cls, keys: Indices, checks: Indices) -> "_Finder":
        """Mixes the two, anew until no two commits that differ have one mixture. The first time it is all but sure."""
        salt = 0
        while True:
            places = Places.of(_mixed(keys, checks, salt))
            one, two = places.neighbours()
            if not ((keys[one] != keys[two]) | (checks[one] != checks[two])).any():
                break
            salt += 1
        first = np.arange(len(keys))
        if len(one):
            first = places.find(places.keys)
        return cls(salt, checks, places, first)

    @property
    def repeated(self) -> Flags:
        return np.not_equal(self.first, np.arange(len(self.first)))

    def find(self, keys: Indices, checks: Indices) -> Indices:
        """Where they are; -1 for those that are not there."""
        found = self.places.find(_mixed(keys, checks, self.salt))
        there = found >= 0
        there[there] = self.checks[found[there]] == checks[there]
        return np.where(there, found, -1)


def _mixed(keys: Indices, checks: Indices, salt: int) -> Indices:
    return keys ^ (checks * np.int64(salt)) if salt else keys
