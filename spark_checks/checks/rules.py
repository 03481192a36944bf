"""Rules over one table: however many there are, its rows are read once."""

from collections.abc import Collection, Sequence
from functools import reduce
from operator import or_

import attrs
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from lakeproof.spark_checks.engine import footers
from lakeproof.spark_checks.engine.tables import no_rows
from lakeproof.spark_checks.engine.workspace import stage
from lakeproof.spark_checks.findings import FINDINGS

BROADCAST_ROWS_MAX = 1_000_000
"""Rows of a narrow table, up to which it is sent to every worker instead of shuffling the large one."""


@attrs.frozen
class Rule:
    """Where ``broken`` is true, a row is a finding. ``subject`` and ``evidence`` are evaluated there only."""

    id: str
    broken: Column
    subject: Column
    evidence: Column
    kind: str | Column = "violation"


def findings(frame: DataFrame, rules: Sequence[Rule], only: Collection[str]) -> DataFrame:
    """The rows that break a rule whose id is selected. A row may break several. No rule: no rows."""
    chosen = [rule for rule in rules if rule.id in only]
    if not chosen:
        return nothing(frame.sparkSession)
    # A condition that is null breaks nothing; without `coalesce` one null rule would hide what another one has found.
    broken = reduce(or_, (f.coalesce(rule.broken, f.lit(False)) for rule in chosen))
    # One pass for all rules: a row becomes the list of its findings, and the nulls of rules that it keeps are dropped.
    made = f.array_compact(f.array(*(f.when(rule.broken, _finding(rule)) for rule in chosen)))
    return frame.where(broken).select(f.inline(made))


def _finding(rule: Rule) -> Column:
    kind = f.lit(rule.kind) if isinstance(rule.kind, str) else rule.kind
    # A null in a sentence would make all of it null, and a finding without a subject cannot be counted.
    shown = (f.coalesce(column, f.lit("null")) for column in (rule.subject, rule.evidence))
    return f.struct(f.lit(rule.id), kind, *shown).cast(FINDINGS)


def nothing(spark: SparkSession) -> DataFrame:
    """No findings."""
    return no_rows(spark, FINDINGS)


def union(frames: Sequence[DataFrame]) -> DataFrame:
    """All rows of tables with equal columns; at least one table."""
    return reduce(DataFrame.unionAll, frames)


def beside(frame: DataFrame) -> DataFrame:
    """A table for the smaller side of a join: sent to every worker where it is small, else hashed part by part.
    It is staged, because it is counted."""
    kept = stage(frame, "beside")
    return hint_join(kept, footers.count(kept))


def hint_join(frame: DataFrame, rows: int) -> DataFrame:
    """The same, where it is known how many rows there are at most."""
    # The hint spares the sort of both sides.
    return f.broadcast(frame) if rows <= BROADCAST_ROWS_MAX else frame.hint("shuffle_hash")
