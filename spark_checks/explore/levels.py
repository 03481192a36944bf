"""Levels as DataFrames: packed states in Parquet, expanded and deduplicated by Spark.

Each step of a search reads files and writes files, so that no plan grows with the depth of the search, and what a lost
worker has to do again is one step. The driver takes in counts, one state for each thing that its tables lack, and
the projections that no level before has brought, one partition of them at a time.

Example: the first round at level 2 in `lakeproof.spark_checks.explore.search`. What workers write of its three states,
one word each, unpacked here as (node of a, node of b, counter)::

    tag=0    (2, 0, 1)    count: the number of the thing that it lacks, and speaks for
    tag=0    (0, 2, 1)    the same of another thing
    tag=1    (1, 2, 1)    count 2, of all transitions of the task
    tag=1    (2, 1, 1)    count 0

Those of tag 0 are expanded in the next round. Those of tag 1 belong to the next level; a tag of -1 or less has answers
to a question.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, reduce
from typing import Final

import attrs
import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sql
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from lakeproof.search.packing import Layout, Words
from lakeproof.spark_checks.engine import folders, staging, workspace
from lakeproof.spark_checks.engine.staging import Written
from lakeproof.spark_checks.engine.tables import of_arrow
from lakeproof.spark_checks.explore import worker
from lakeproof.spark_checks.explore.masks import LACKING, Job, Question

Row = tuple[int, ...]
"""The words of a state."""

Task = Callable[[Job, Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

WITNESSES_MAX: Final = 4096
"""So many unknown things are compiled at once; others wait for the next round."""

PARTITION_ROWS: Final = 1 << 22
"""A shuffle partition should not have to tell apart more states than that."""


@attrs.frozen
class Part:
    """Packed states that are kept: ``count`` rows with this tag under ``path``. Distinct if they come of one step."""

    path: str
    tag: int
    layout: Layout
    count: int


@attrs.frozen(eq=False)
class Expanded:
    """What came of a part. ``successors``: with how many ranks on they belong. ``lacking``: states that lack something,
    with ``witnesses`` that show what, under the part's job's layout."""

    successors: tuple[tuple[int, Part], ...]
    answers: tuple[Part, ...]
    lacking: Part | None
    witnesses: Words
    transitions: int


@attrs.frozen(eq=False)
class Sought:
    """A state that was looked for, the least one; None if none of those that could be expanded is right. Then
    ``witnesses`` show what the others lack."""

    row: Row | None
    witnesses: Words


class SparkLevels:
    """Keeps levels, and works on them, under a work folder of the session: one that all workers see. Rows are words
    under the layout of the job or under the given one."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._partitions = int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
        self._written: dict[str, Written] = {}
        self._old: list[Written] = []
        self._old_layout = Layout((), 1)
        self._paths: list[str] = []

    def keep(self, words: Words, layout: Layout) -> Part:
        """States of the driver's."""
        path = self._path("level")
        self._write(self._frame(LACKING, words), path)
        return Part(path, LACKING, layout, len(words[0]))

    def merged(self, parts: Sequence[Part], layout: Layout) -> Part:
        """All states of these parts, each once."""
        # A part of one step is distinct already. It may have an older layout: `_read` repacks it.
        if len(parts) == 1:
            return parts[0]
        path = self._path("level")
        total = sum(part.count for part in parts)
        with_all = reduce(DataFrame.unionAll, [self._read(part, layout) for part in parts])
        self._scale(total)
        # The stride does not matter from here on, so all states get one tag, and lie in one folder.
        tagged = with_all.distinct().select(sql.lit(1).alias("tag"), sql.lit(0).cast("long").alias("count"), "*")
        self._write(tagged, path)
        for part in parts:
            self.drop(part)
        (count, _), *_ = self._counts(path).values()
        return Part(path, 1, layout, count)

    def expanded(self, part: Part, job: Job) -> Expanded:
        path, layout = self._path("step"), job.kernel.layout
        names = worker.names(layout.words)
        self._scale(part.count)
        rows = self._mapped(part, job, worker.expand, ["tag", "count", *names])
        self._write(
            # A state can come from several tasks, and its counts add up to transitions. A lacking state comes from
            # one task alone, since the part is distinct: the sum leaves the name that it has for a count.
            rows.groupBy("tag", *names).agg(sql.sum("count").alias("count")).select("tag", "count", *names),
            path,
        )
        counts = self._counts(path)
        kept = {tag: Part(path, tag, layout, count) for tag, (count, _) in counts.items()}
        lacking = kept.get(LACKING)
        return Expanded(
            successors=tuple((tag, part) for tag, part in kept.items() if tag > LACKING),
            answers=tuple(part for tag, part in kept.items() if tag < LACKING),
            lacking=lacking,
            witnesses=[np.zeros(0, np.uint64)] * layout.words if lacking is None else self._witnesses(lacking),
            transitions=sum(total for tag, (_, total) in counts.items() if tag > LACKING),
        )

    def fresh(self, answers: Sequence[Part], layout: Layout) -> Iterator[tuple[int, Row]]:
        """The answers that are new, with their tags, in order; from then on they are old. Exhaust it."""
        if not answers:
            return
        names = worker.names(layout.words)
        parts = [self._read(part, layout).select(sql.lit(part.tag).alias("tag"), "*") for part in answers]
        found = reduce(DataFrame.unionAll, parts)
        # Parts of different tags have no row in common, and each is distinct by itself.
        found = found.distinct() if len(parts) > len({part.tag for part in answers}) else found
        if self._old:
            self._renew(layout)
            found = found.join(self._answers(self._old, layout), ["tag", *names], "left_anti")
        new = self._remembered(found, layout)
        # The order makes the first violation the same in each run. The driver holds one partition and the next.
        for tag, *words in map(_to_unsigned, new.orderBy("tag", *names).toLocalIterator(prefetchPartitions=True)):
            yield tag, tuple(words)
        # Not before the loop has ended: the partitions that are still to come are read from these files.
        for part in answers:
            self.drop(part)

    def remember(self, tag: int, words: Words, layout: Layout) -> None:
        """Take answers for old."""
        self._renew(layout)
        self._remembered(self._frame(tag, words).drop("count"), layout)

    def _remembered(self, answers: DataFrame, layout: Layout) -> DataFrame:
        """The same rows, in files."""
        self._old.append(staging.write(answers, self._path("answers")))
        self._old_layout = layout
        return self._answers(self._old[-1:], layout)

    def _renew(self, layout: Layout) -> None:
        """Write old answers under a new layout, all in one."""
        if self._old and layout != self._old_layout:
            path = self._path("answers")
            rows = repack_rows(self._answers(self._old, self._old_layout), self._old_layout, layout, "tag")
            new = staging.write(rows, path)
            # The copy under the new layout is complete here.
            for old in self._old:
                folders.delete(old.where)
            self._old, self._old_layout = [new], layout

    def _answers(self, tables: Sequence[Written], layout: Layout) -> DataFrame:
        return staging.read_together(tables, _schema(worker.names(layout.words), "tag"), self._spark)

    def located(self, part: Part, job: Job, question: Question, target: Row) -> Sought:
        """A state that has this projection."""
        return self._sought(part, job, partial(worker.locate, question=question, target=target))

    def preceding(self, part: Part, job: Job, target: Row) -> Sought:
        """A predecessor of a state."""
        return self._sought(part, job, partial(worker.preceding, target=target))

    def drop(self, part: Part) -> None:
        folders.delete(f"{part.path}/tag={part.tag}")

    def clear(self) -> None:
        for path in self._paths:
            # `workspace.fresh` makes a folder for each path, with the path's own folder in it.
            folders.delete(path.rpartition("/")[0])
        self._paths, self._old = [], []
        self._written = {}
        self._spark.conf.set("spark.sql.shuffle.partitions", str(self._partitions))

    def _path(self, name: str) -> str:
        self._paths.append(workspace.fresh(self._spark, name))
        return self._paths[-1]

    def _scale(self, rows: int) -> None:
        """More partitions for a large level: what one of them tells apart must fit into a task's memory."""
        # Rounded up. Small levels fall back to the number of the session.
        partitions = max(self._partitions, -(-rows // PARTITION_ROWS))
        self._spark.conf.set("spark.sql.shuffle.partitions", str(partitions))

    def _frame(self, tag: int, words: Words) -> DataFrame:
        # A count of 0: the driver has counted the transitions to these states, and they lack nothing yet.
        batches = worker.batches_of(tag, np.zeros(len(words[0]), np.int64), words)
        return of_arrow(self._spark, pa.Table.from_batches(batches))

    def _write(self, rows: DataFrame, path: str) -> None:
        self._written[path] = staging.write(rows, path, by="tag")

    def _counts(self, path: str) -> dict[int, tuple[int, int]]:
        """By tag: how many rows there are, and the sum of their counts."""
        rows = staging.read(self._written[path], _schema([], "tag", "count"), self._spark)
        # Counts of lacking states are names of what they lack, and must not be added.
        transitions = sql.sum(sql.when(sql.col("tag") > LACKING, sql.col("count")))
        counted = rows.groupBy("tag").agg(sql.count("*"), transitions).collect()
        return {tag: (count, total or 0) for tag, count, total in sorted(counted, key=lambda row: int(row[0]))}

    def _read(self, part: Part, layout: Layout) -> DataFrame:
        """The states of a part under a later layout."""
        names = worker.names(part.layout.words)
        # The files keep the layout of their step: a projection at each read repacks them.
        return repack_rows(self._part(part, _schema(names)), part.layout, layout)

    def _part(self, part: Part, schema: StructType) -> DataFrame:
        return staging.read(self._written[part.path], schema, self._spark, f"tag={part.tag}")

    def _witnesses(self, lacking: Part) -> Words:
        names = worker.names(lacking.layout.words)
        # Several tasks may have a witness for the same unknown thing: one of them makes the driver compile it.
        rows = self._part(lacking, _schema(names, "count")).where("count != 0")
        found = _one_each(rows, "count", names=names).orderBy("count").limit(WITNESSES_MAX).toArrow()
        return worker.words_of(found.combine_chunks(), lacking.layout.words)

    def _mapped(self, part: Part, job: Job, task: Task, columns: Sequence[str]) -> DataFrame:
        rows = self._read(part, job.kernel.layout)
        return rows.mapInArrow(partial(task, job), _schema([], *columns))

    def _sought(self, part: Part, job: Job, task: Task) -> Sought:
        names = worker.names(job.kernel.layout.words)
        rows = self._mapped(part, job, task, ["tag", "count", *names])
        # Hits come first, since their tag is the greater one; below them is one witness for each unknown thing.
        found = _one_each(rows, "tag", "count", names=names).orderBy(sql.desc("tag")).limit(WITNESSES_MAX).toArrow()
        words = worker.words_of(found.combine_chunks(), len(names))
        hit = len(words[0]) > 0 and found["tag"][0].as_py() == worker.HIT
        row = tuple(int(word[0]) for word in words) if hit else None
        return Sought(row, words)


def _one_each(rows: DataFrame, *by: str, names: Sequence[str]) -> DataFrame:
    """The least row of each group."""
    return rows.groupBy(*by).agg(sql.min(sql.struct(*names)).alias("row")).select(*by, "row.*")


def _to_unsigned(row: Sequence[int]) -> Row:
    """A tag and words as Spark has them; tags are negative."""
    return (row[0], *(word % (1 << 64) for word in row[1:]))  # Spark has no unsigned integers


def _schema(names: Sequence[str], *before: str) -> StructType:
    kinds = [(name, IntegerType() if name == "tag" else LongType()) for name in (*before, *names)]
    return StructType([StructField(name, kind) for name, kind in kinds])


def repack_rows(rows: DataFrame, old: Layout, new: Layout, *keep: str) -> DataFrame:
    """The same states under a later layout, as `lakeproof.search.packing.repack` has them."""
    if old == new:
        return rows
    words: list[list[Column]] = [[] for _ in range(new.words)]
    # A later layout may have more columns. They are 0, the number of the initial value, in all states of the older one.
    for source, target in zip(old.places, new.places, strict=False):
        if source.bits:
            # A field of 64 bits is all of its word. The mask takes away what a sign has filled in.
            field = sql.shiftright(sql.col(f"w{source.word}"), source.shift)
            field = field.bitwiseAND(sql.lit(source.mask)) if source.bits < 64 else field
            words[target.word].append(sql.shiftleft(field, target.shift))
    packed = [reduce(Column.bitwiseOR, parts) if parts else sql.lit(0).cast("long") for parts in words]
    return rows.select(*keep, *(column.alias(f"w{at}") for at, column in enumerate(packed)))
