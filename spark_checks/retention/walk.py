"""The walk over all commits of a dataset: whole repositories come together in one task, as Arrow batches.

Commits and those who point at them come as rows of one table, grouped by repository: a task has many small ones, or one
that is large, and walks them together. An id is two fingerprints of 64 bits, of which one includes the repository.

Example: a branch at C, a branch at X, rules of seven days. Rows, and what comes out of each::

    A    30 days                  expired        C, which is the head, is after the threshold: the line goes on to B,
    B    20 days, on A            not expired    which is not: it is the last one that the line keeps
    C    5 days, on B             not expired
    D    8 days, on A             expired        dangling, and before the threshold
    E    9 days, on D             expired        note 1, OLDER_THAN_PARENT
    X    a head, no commit        null           note 32, HEAD_MISSING

Memory: of each commit a task holds the numbers, and while it walks some more: 200 bytes; its ids wait in a file.
Measured: 3 million commits in one chain, in random order: 4.5 s of processor time on a busy machine.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.spark_checks.data.decoding import Entities
from lakeproof.spark_checks.engine.engines import gather_repositories
from lakeproof.spark_checks.engine.setting_aside import Aside, aside
from lakeproof.spark_checks.engine.tables import BINARY, BOOLEAN, LONG, STRING, table
from lakeproof.spark_checks.findings import is_named
from lakeproof.spark_checks.lines import Dates, Flags, Indices, active, find, older_than_parent, on_cycles

Marks = npt.NDArray[np.uint8]

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


def walk_commits(
    entities: Entities, homes: DataFrame, branch_limits: DataFrame, count: int, *, now: int, tags: bool = False
) -> DataFrame:
    """Every commit of a repository, once, with whether it is expired: `WALKED`.

    homes: home, book, limit (the default's threshold). branch_limits: book, branch_id, limit. count: of commits. now:
    microseconds since 1970. tags: whether a tag keeps its commit.
    """
    commits = entities.commits.where("commit_id is not null").join(homes, f.col("partition_key") == f.col("home"))
    # Only first parents make lines. `try_`: with ANSI, the first element of an empty list is an error.
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
    there = entities.branches.where(is_named("commit_id"))
    heads = there.join(homes, f.col("partition_key") == f.col("home"))
    named = branch_limits.withColumnRenamed("limit", "own")
    # A branch that no rule names has the default of its book.
    heads = heads.join(named, ["book", "branch_id"], "left").withColumn("limit", f.coalesce("own", "limit"))
    rows = rows.unionByName(_pointers(heads, HEAD))
    if tags:
        tagged = entities.tags.where("commit_id is not null").join(homes, f.col("partition_key") == f.col("home"))
        rows = rows.unionByName(_pointers(tagged, TAG))

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from walk_batches(batches, now)

    return gather_repositories(rows, "home", count).mapInArrow(run, WALKED)


_UP: Final = ("up", "up_check")


def _known_as(name: str, commit_id: Column) -> tuple[Column, Column]:
    known = f.when(commit_id.isNotNull(), f.xxhash64("home", commit_id))
    # Another hash of the same id, since it has one more column, and without the repository.
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


class _Rows(NamedTuple):
    """The numbers of some rows. ``at`` and ``up`` are the two fingerprints of a commit."""

    kind: Indices
    at: Indices
    up: Indices
    date: Dates
    limit: Dates

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> "_Rows":
        names = ("kind", "at", "at_check", "up", "up_check", "date", "limit")
        kind, at, at_check, up, up_check, *rest = (batch.column(each).to_numpy() for each in names)
        return cls(kind, np.column_stack([at, at_check]), np.column_stack([up, up_check]), *rest)

    def where(self, chosen: Flags | Indices) -> "_Rows":
        return _Rows(*(each[chosen] for each in self))  # copies: a view would hold the strings of its batch


_NO_ROWS: Final = _Rows(*(np.zeros(shape, np.int64) for shape in (0, (0, 2), (0, 2), 0, 0)))


def _read(batches: Iterable[pa.RecordBatch], strings: Aside) -> tuple[_Rows, _Rows, Flags]:
    """The numbers of commits, those of pointers, each in the order in which they came, and which rows are commits. The
    strings are set aside: the walk needs none of them; they come back batch by batch when it is over."""
    commits, pointers, flags = [_NO_ROWS], [_NO_ROWS], [np.zeros(0, np.bool_)]
    for batch in batches:
        if batch.num_rows:
            strings.put(batch)
            rows = _Rows.of(batch)
            flags.append(rows.kind <= CHILD)
            commits.append(rows.where(flags[-1]))
            pointers.append(rows.where(~flags[-1]))
    return _join(commits), _join(pointers), np.concatenate(flags)


def _join(parts: Iterable[_Rows]) -> _Rows:
    return _Rows(*map(np.concatenate, zip(*parts, strict=True)))


def walk_batches(batches: Iterable[pa.RecordBatch], now: int) -> Iterator[pa.RecordBatch]:
    """What `walk_commits` says of the rows of whole repositories: a batch of `WALKED` for each that has commits, in
    order, and the heads that are missing."""
    with aside("home", "commit_id", "meta_range_id") as strings:
        commits, pointers, is_commit = _read(batches, strings)
        expired, notes = np.zeros(len(is_commit), np.bool_), np.zeros(len(is_commit), np.uint8)
        # Newest first: a first parent mostly lies just behind its child then, and is found four times as fast.
        order = np.argsort(commits.date)[::-1]
        commits = commits.where(order)
        judged = _judge(commits, pointers, now)
        rows = np.flatnonzero(is_commit)[order]  # not before: while it judges, memory is at its most
        # In the order of all rows the pointers lie between the commits.
        expired[rows], notes[rows], notes[~is_commit] = judged
        begin = 0
        # Batches come back in the order in which they were put, so that a count of rows finds their results.
        for batch in strings.batches():
            part = slice(begin, begin + batch.num_rows)
            begin += batch.num_rows
            chosen = is_commit[part] | (notes[part] != 0)
            found = pa.record_batch(
                [*batch.columns, pa.array(expired[part], mask=~is_commit[part]), pa.array(notes[part], pa.int64())],
                names=WALKED.names,
            )
            yield found if chosen.all() else found.filter(pa.array(chosen))


def _judge(commits: _Rows, pointers: _Rows, now: int) -> tuple[Flags, Marks, Marks]:
    """Of each commit whether it is expired, and its notes; the notes of each pointer."""
    has_parent = commits.kind == CHILD
    known = _as_keys(commits.at)
    first, parent, at = find(known, known, _as_keys(commits.up), _as_keys(pointers.at))
    parent[~has_parent] = -1  # their rows say 0, which may be the key of another commit
    date, kind = commits.date, pointers.kind
    heads, tags = at[kind == HEAD], at[kind == TAG]

    # All repositories of the task at once: fingerprints include the partition, so that no line leads to another one.
    kept = active(parent, date, heads, pointers.limit[kind == HEAD], commits.limit, tags)

    notes = np.zeros(len(kept), dtype=np.uint8)
    for bit, flags in (
        (OLDER_THAN_PARENT, older_than_parent(parent, date)),
        (PARENT_MISSING, has_parent & (parent < 0)),
        (ON_CYCLE, on_cycles(parent, date)),
        (IN_FUTURE, date > now),
        (REPEATED, first != np.arange(len(first))),
    ):
        notes[flags] |= bit
    lost = np.zeros(len(at), dtype=np.uint8)
    lost[(kind == HEAD) & (at < 0)] = HEAD_MISSING
    lost[(kind == TAG) & (at < 0)] = TAG_MISSING
    return ~kept, notes, lost


def _as_keys(both: Indices) -> pa.Array:
    """Two fingerprints as one key of 128 bits."""
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), len(both), [None, pa.py_buffer(both)])
