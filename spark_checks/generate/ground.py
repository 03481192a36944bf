"""What all tables of a dataset are made from: names and hashes, and the rows that commits, objects and so on grow on.

A value is a hash of the seed, its kind and its index, never of a position in a file or a partition. The plan of the
repositories is made by the driver (a few numbers for each); their many commits and objects are made by the workers,
each from a *piece*: a repository with a span of indices.
"""

from functools import cached_property
from typing import Final

import attrs
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import ArrayType, IntegerType, LongType, StructField, StructType

from lakeproof.spark_checks.engine.tables import of_arrow
from lakeproof.spark_checks.generate import history
from lakeproof.spark_checks.generate.sizes import (
    DAY,
    OUTSIDE_EVERY,
    TOMBSTONE_EVERY,
    Sizes,
    salt,
    shared,
    weights,
)

STORAGE: Final = "s3://lake/"
ELSEWHERE: Final = "s3://elsewhere/"
SHOWN_PERIOD: Final = 6
"""A branch has one to three tokens and deals entries out to them in turn: every sixth is under the open one."""
PIECE_MAX: Final = 8_192
PIECES_OF_PARTITION: Final = 16
DEFAULT_BRANCH: Final = "main"

PLAN: Final = (
    *("r", "branches", "tags", "commits", "mains", "committed", "staged", "stale", "removed", "entries"),
    *("quotient", "remainder", "limit", "first_committed", "first_staged", "first_stale", "created", "step"),
    *("bringing", "first_bringing", "shown", "first_shown"),
)
"""One row for each accessible repository. ``removed``: tombstones; ``entries``: staged ones of all sorts.
``quotient``, ``remainder``: objects of each commit but the first one, and how many of these have one more. ``limit``:
the last commit with an object of its own. ``first_``: number of its first object among all. ``created``, ``step``: its
date, and the time from one generation to the next, in microseconds. ``bringing``: pairs of main commits with objects of
their own, the first commit aside; ``shown``: staged entries that open tokens are known to show (`SHOWN_PERIOD`). Of
both, ``first_``: how many there are in the repositories before."""


def repository_rows(sizes: Sizes, made: history.Blocks) -> list[tuple[int, ...]]:
    """The rows of `PLAN`."""
    shares = weights(sizes.repositories, sizes.skew)
    branches = shared(sizes.branches, shares, 1)
    tags = shared(sizes.tags, shares)
    commits = shared(sizes.commits, shares, 1)
    committed = shared(
        sizes.committed, [share if count > 1 else 0 for share, count in zip(shares, commits, strict=True)]
    )
    staged = shared(sizes.staged, shares)
    stale = shared(sizes.stale, shares)
    rows = []
    at = [0, sizes.committed, sizes.committed + sizes.staged, 0, 0]
    for r in range(sizes.repositories):
        writers = commits[r] - 1
        quotient, remainder = divmod(committed[r], writers) if writers else (0, 0)
        mains = made.mains_among(commits[r])
        removed = staged[r] // TOMBSTONE_EVERY
        limit = writers if quotient else remainder
        bringing = (made.mains_among(limit + 1) - 1) // 2 if limit else 0
        period = SHOWN_PERIOD * branches[r]
        shown = staged[r] // period * branches[r] + min(staged[r] % period, branches[r])
        age = DAY * (30 + salt(sizes.seed, "age", r) % 1_065)
        rows.append(
            (
                *(r, branches[r], tags[r], commits[r], mains, committed[r], staged[r], stale[r]),
                *(removed, staged[r] + removed + staged[r] // OUTSIDE_EVERY),
                *(quotient, remainder, limit, *at[:3], sizes.now - age, max(age // (mains + 2), 1)),
                *(bringing, at[3], shown, at[4]),
            )
        )
        counts = (committed[r], staged[r], stale[r], bringing, shown)
        at = [first + count for first, count in zip(at, counts, strict=True)]
    return rows


@attrs.frozen(eq=False)
class Ground:
    """A session, what is asked for, and in how many partitions the work is done."""

    spark: SparkSession
    sizes: Sizes
    partitions: int

    @cached_property
    def blocks(self) -> history.Blocks:
        return history.blocks(self.sizes.seed, self.sizes.straight)

    @cached_property
    def rows(self) -> list[tuple[int, ...]]:
        return repository_rows(self.sizes, self.blocks)

    @cached_property
    def repositories(self) -> DataFrame:
        """The plan as a table: `PLAN`."""
        columns = zip(*self.rows, strict=True)
        return self._table({name: pa.array(column, pa.int64()) for name, column in zip(PLAN, columns, strict=True)})

    def total(self, name: str) -> int:
        at = PLAN.index(name)
        return sum(row[at] for row in self.rows)

    def pieces(self, name: str, index: str) -> DataFrame:
        """The plan, each row as often as its column ``name`` says, with the ``index`` from 0 on."""
        size = min(max(self.total(name) // (self.partitions * PIECES_OF_PARTITION), 1), PIECE_MAX)
        at = PLAN.index(name)
        spans = [(*row, begin, min(begin + size, row[at])) for row in self.rows for begin in range(0, row[at], size)]
        names = (*PLAN, "begin", "end")
        columns = zip(*spans, strict=True) if spans else [()] * len(names)
        spread = self._table({name: pa.array(column, pa.int64()) for name, column in zip(names, columns, strict=True)})
        span = f.sequence(f.col("begin"), f.col("end") - 1)
        return self._spread(spread).select(*PLAN, f.explode(span).alias(index))

    def indices(self, count: int, index: str) -> DataFrame:
        """Numbers from 0 on."""
        return self.spark.range(0, count, 1, min(self.partitions, max(count // 1_000, 1))).withColumnRenamed(
            "id", index
        )

    def of_repository(self, frame: DataFrame) -> DataFrame:
        """The rows, each with the plan of its repository ``r``."""
        return frame.join(f.broadcast(self.repositories), "r")

    def _spread(self, frame: DataFrame) -> DataFrame:
        return frame.repartition(self.partitions, "r", "begin")

    def _table(self, columns: dict[str, pa.Array]) -> DataFrame:
        return of_arrow(self.spark, pa.table(columns))

    @cached_property
    def places(self) -> DataFrame:
        """The patterns as a table: ``place`` is the number of a pattern times the size of a block, plus the number of
        the commit in the block."""
        rows = [
            (
                at * self.blocks.size + place.number,
                place.parent,
                place.second,
                place.fork,
                list(place.line),
                place.rise,
                place.tip,
            )
            for at, pattern in enumerate(self.blocks.patterns)
            for place in pattern
        ]
        numbers = ("place", "parent", "second", "fork", "line", "rise", "tip")
        kinds = {name: ArrayType(IntegerType()) if name == "line" else LongType() for name in numbers}
        return self.spark.createDataFrame(rows, StructType([StructField(*each) for each in kinds.items()]))

    # Hashes and names.

    def hash(self, kind: str, *columns: Column) -> Column:
        """64 bits, of whole numbers. Of one column it is one-to-one: no two numbers have the same."""
        return f.xxhash64(f.lit(salt(self.sizes.seed, kind)), *(column.cast("bigint") for column in columns))

    def below(self, kind: str, bound: int | Column, *columns: Column) -> Column:
        return f.pmod(self.hash(kind, *columns), f.lit(bound) if isinstance(bound, int) else bound)

    def name(self, kind: str, *columns: Column) -> Column:
        """Up to 16 hexadecimal digits, as unique as `hash`."""
        return f.hex(self.hash(kind, *columns))

    def content_id(self, kind: str, *columns: Column) -> Column:
        """64 hexadecimal digits, where the real thing has a hash of its content."""
        told = f.concat_ws(":", f.lit(f"{salt(self.sizes.seed, kind):x}"), *columns)
        return f.sha2(told.cast("binary"), 256)

    def uid(self, r: Column) -> Column:
        return self.name("uid", r)

    def commit_id(self, r: Column, c: Column) -> Column:
        return self.content_id("commit", r, c)

    def address(self, number: Column) -> Column:
        """Of the object of this number among all, relative to its namespace."""
        return f.concat(f.lit("data/"), self.name("object", number))

    def sealed(self, r: Column, b: Column) -> Column:
        """How many sealed tokens a branch has: none, one or two."""
        return self.below("sealed", 3, r, b)

    def token(self, r: Column, b: Column, t: Column) -> Column:
        """A staging token of a branch: 0 is the open one, 1 the newest sealed one."""
        unique = self.name("token", r, b, t)
        return f.concat(repository_id(r), f.lit("-"), branch_id(b), f.lit(":"), self.uid(r), f.lit("."), unique)


def integer(a: Column, b: Column | int) -> Column:
    """One number divided by the other, rounded towards zero."""
    return f.call_function("div", a, f.lit(b) if isinstance(b, int) else b)


def repository_id(r: Column) -> Column:
    """Not padded: one id begins as another one does, and so do their namespaces."""
    return f.concat(f.lit("repo-"), r.cast("string"))


def namespace(r: Column) -> Column:
    return f.concat(f.lit(STORAGE), repository_id(r))


def branch_id(b: Column) -> Column:
    return f.when(b == 0, f.lit(DEFAULT_BRANCH)).otherwise(f.concat(f.lit("feature-"), b.cast("string")))


def home(repository: Column, uid: Column) -> Column:
    """The partition of an instance."""
    return f.concat(repository, f.lit("-"), uid)


def main_commit(ground: Ground, position: Column) -> Column:
    """`history.Blocks.main` of a column."""
    made = ground.blocks
    return integer(position, made.mains) * made.size + position % made.mains
