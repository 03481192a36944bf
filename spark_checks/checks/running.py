"""Runs the checks: pass by pass, findings written as they come, then counted; examples are bounded, counts are not."""

import time
from collections.abc import Collection, Iterator, Mapping
from typing import Final

import attrs
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import denominators, scanned, staging
from lakeproof.spark_checks.checks import commits, data, records, repositories, tokens
from lakeproof.spark_checks.checks.catalogue import BY_ID, CHECKS, PASSES, Check, Pass
from lakeproof.spark_checks.checks.rules import nothing, union
from lakeproof.spark_checks.dataset import Dataset
from lakeproof.spark_checks.decoding import Entities, decode
from lakeproof.spark_checks.denominators import RECORDS
from lakeproof.spark_checks.findings import FINDINGS
from lakeproof.spark_checks.progress import doing
from lakeproof.spark_checks.scanned import Scan

KINDS: Final = ("violation", "garbage", "note")
EXAMPLES_MAX: Final = 5
"""Of each id and kind. The first ones by subject, so that they are the same whenever the data is."""


@attrs.frozen
class Example:
    """A finding that is shown."""

    kind: str
    subject: str
    evidence: str


@attrs.frozen(kw_only=True)
class Outcome:
    """What became of one check. ``judged``: false where the dataset lacks a table that it needs. ``things``: how many
    there were to judge."""

    check: Check
    judged: bool
    things: int
    counts: Mapping[str, int]
    examples: tuple[Example, ...]

    def count(self, kind: str) -> int:
        return self.counts.get(kind, 0)

    @property
    def inconclusive(self) -> bool:
        """It judged nothing: there was nothing, or no table that shows it. What was found was there to be judged."""
        return not self.judged or not (self.things or self.counts)


@attrs.frozen(kw_only=True)
class Summary:
    """What became of all of them. ``rows``: how many were read, by table. ``seconds``: by pass; decoding is one of
    them. ``unsealed``: folders without a manifest."""

    where: str
    rows: Mapping[str, int]
    outcomes: tuple[Outcome, ...]
    seconds: Mapping[str, float]
    unsealed: tuple[str, ...] = ()

    @property
    def violated(self) -> bool:
        return any(outcome.count("violation") for outcome in self.outcomes)

    @property
    def inconclusive(self) -> tuple[str, ...]:
        """The ids that judged nothing."""
        return tuple(outcome.check.id for outcome in self.outcomes if outcome.inconclusive)


def chosen(dataset: Dataset, only: Collection[str]) -> tuple[str, ...]:
    """The ids that can be judged: those asked for, or all. Raises Unusable: one was asked for and cannot be."""
    for each in only:
        lacks = sorted(BY_ID[each].needs - dataset.tables)
        if lacks:
            raise Unusable(
                f"{dataset.where}: {each} needs {' and '.join(f'{name}/' for name in lacks)}, which it does not have; "
                "name a folder that has them with --beside, or leave this check out"
            )
    wanted = only or BY_ID
    return tuple(check.id for check in CHECKS if check.id in wanted and check.needs <= dataset.tables)


class Checks:
    """The checks of one dataset. What passes share is computed once, when it is first asked for, and kept."""

    def __init__(self, dataset: Dataset, entities: Entities, only: Collection[str]) -> None:
        self.dataset = dataset
        self.entities = entities
        self.only = frozenset(only)
        self._kept: dict[str, object] = {}
        self._scans: list[Scan] = []

    def run(self, part: Pass) -> list[DataFrame]:
        """The findings of a pass: FINDINGS, in one or more tables. The tables that the job which writes them reads to
        their ends: `scans`."""
        self._scans = []
        match part:
            case "records":
                return [records.check(self._read(*RECORDS), self.dataset.keys, self.only)]
            case "repositories":
                return [repositories.check(self.entities, self.only)]
            case "commits":
                return list(self._commits())
            case "tokens":
                return [tokens.check(self._read("branches", "staged"), self.only)]
            case "data":
                return list(self._data())

    @property
    def scans(self) -> tuple[Scan, ...]:
        """Of the last pass."""
        return tuple(self._scans)

    def _scanned(self, name: str, table: DataFrame) -> DataFrame:
        self._scans.append(Scan.of(name, table))
        return self._scans[-1].rows

    def _read(self, *names: str) -> Entities:
        """The entities, of which tables of these names are counted as they are read."""
        tables = attrs.asdict(self.entities, recurse=False)
        return Entities(**tables | {name: self._scanned(name, tables[name]) for name in names})

    def _commits(self) -> Iterator[DataFrame]:
        if self.only - {"meta-range-exists"}:
            yield commits.check(self.entities, self._walked(), self.only)
        if "meta-range-exists" in self.only:
            yield commits.check_trees(self.entities, self._trees(), self.only)

    def _data(self) -> Iterator[DataFrame]:
        homes = commits.homes(self.entities)
        reached = commits.reachable(self.entities, self._walked())
        if "committed-data-is-kept" in self.only:
            yield commits.check_readable(reached, homes, self._trees(), self.only)
        references = data.References(
            data.committed(reached, homes, self.dataset, self._trees()), tokens.shown(self._read("staged"), homes)
        )
        listing = attrs.evolve(self.dataset, objects=self._scanned("objects/", self.dataset.objects))
        yield data.check(references, data.suspects(references, listing), self.only)

    def _walked(self) -> commits.Walked:
        if "walked" not in self._kept:
            self._kept["walked"] = commits.walk(self._read("commits", "branches", "tags"))
        found = self._kept["walked"]
        assert isinstance(found, commits.Walked)
        return found

    def _trees(self) -> commits.Trees:
        if "trees" not in self._kept:
            metaranges = self._scanned("metaranges/", self.dataset.metaranges)
            ranges = self._scanned("ranges/", self.dataset.ranges)
            dataset = attrs.evolve(self.dataset, metaranges=metaranges, ranges=ranges)
            self._kept["trees"] = commits.trees(self.entities, dataset)
        found = self._kept["trees"]
        assert isinstance(found, commits.Trees)
        return found


def run(dataset: Dataset, only: Collection[str], target: str, examples_max: int = EXAMPLES_MAX) -> Summary:
    """Check a dataset, and write what is found to ``target`` (Parquet, FINDINGS). ``only``: ids, none for all.

    Raises Unusable: the target is there already; something of the dataset cannot be read, or is not there.
    """
    ids = chosen(dataset, only)
    seconds: dict[str, float] = {}
    spark = dataset.spark
    began = time.perf_counter()
    with doing(spark, f"decoding {dataset.where}"):
        entities = decode(dataset)
    seconds["decoding"] = time.perf_counter() - began
    checks = Checks(dataset, entities, ids)
    written = staging.write(nothing(spark), target)
    for part in PASSES:
        mine = [each for each in ids if BY_ID[each].part == part]
        if mine:
            began = time.perf_counter()
            with doing(spark, f"checking {part}: {', '.join(mine)}"):
                found = union(checks.run(part)).coalesce(_FILES_MAX)
                written = staging.write(found, target, to=written)
                scanned.demand_whole(checks.scans)
            seconds[part] = time.perf_counter() - began
    with doing(spark, "counting"):
        rows = denominators.rows_read(dataset, entities)
        things = denominators.judged(entities, rows)
        summary = summed(dataset, ids, only, staging.read(written, FINDINGS, spark), seconds, examples_max)
    dataset.noted.demand_same(spark)
    outcomes = tuple(attrs.evolve(each, things=things[each.check.id] * each.judged) for each in summary.outcomes)
    return attrs.evolve(summary, outcomes=outcomes, rows=rows, unsealed=dataset.unsealed)


_FILES_MAX: Final = 64
"""Of one pass; findings are few, as a rule."""


def summed(
    dataset: Dataset,
    ids: Collection[str],
    only: Collection[str],
    found: DataFrame,
    seconds: Mapping[str, float],
    examples_max: int,
) -> Summary:
    """Counts and examples of findings."""
    counts: dict[str, dict[str, int]] = {}
    for row in found.groupBy("id", "kind").count().collect():  # as many rows as there are ids and kinds
        counts.setdefault(row["id"], {})[row["kind"]] = row["count"]
    ordered = Window.partitionBy("id", "kind").orderBy("subject", "evidence")
    first = found.withColumn("rank", f.row_number().over(ordered)).where(f.col("rank") <= examples_max)
    examples: dict[str, list[Example]] = {}
    rows = first.collect() if counts else []
    for row in sorted(rows, key=lambda row: (KINDS.index(row["kind"]), row["rank"])):
        examples.setdefault(row["id"], []).append(Example(row["kind"], row["subject"], row["evidence"]))
    outcomes = tuple(
        Outcome(
            check=check,
            judged=check.id in ids,
            things=0,
            counts=counts.get(check.id, {}),
            examples=tuple(examples.get(check.id, ())),
        )
        for check in CHECKS
        if not only or check.id in only
    )
    return Summary(where=dataset.where, rows={}, outcomes=outcomes, seconds=seconds)
