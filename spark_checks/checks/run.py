"""Runs the checks: pass by pass, findings written as they come, then counted; examples are bounded, counts are not.

Example: a repository r with the commit c1, and a branch main at it; a branch b at c2 and a tag v at c3, which are not
there. Three checks of the pass over commits were selected::

    check                    things to judge        found
    head-exists              3 branches and tags    2 violations: r-u branches/b names commit c2, which is not there;
                                                    r-u tags/v names commit c3, which is not there
    commits-have-no-cycle    1 commit               nothing
    meta-range-exists        0: c1 names none       nothing, which is *inconclusive*
"""

import time
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Final

import attrs
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

from lakeproof.spark_checks.checks import commits, data, lakefs, records, repositories, stored, tokens
from lakeproof.spark_checks.checks.catalogue import BY_ID, CHECKS, EVERY, OF_LAKEFS, PASSES, REPOSITORIES, Check, Pass
from lakeproof.spark_checks.checks.lakefs import Living
from lakeproof.spark_checks.checks.rules import nothing, union
from lakeproof.spark_checks.data import denominators
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.data.decoding import Entities, decode
from lakeproof.spark_checks.engine import footers, staging
from lakeproof.spark_checks.engine.engines import engine_of
from lakeproof.spark_checks.engine.progress import doing
from lakeproof.spark_checks.findings import FINDINGS
from lakeproof.words import Unusable

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
        # A finding counts as a thing, although `things` is counted in another way, and may be 0.
        return not self.judged or not (self.things or self.counts)


@attrs.frozen(kw_only=True)
class Summary:
    """What became of all of them. ``rows``: how many were read, by table. ``seconds``: by pass; decoding is one of
    them. ``unsealed``: folders without a manifest. ``version``: why the records may mean something else; empty: they do
    not. ``engine``: what has run them. ``until``: the date of the newest commit, microseconds since 1970; None: there
    is none."""

    where: str
    rows: Mapping[str, int]
    outcomes: tuple[Outcome, ...]
    seconds: Mapping[str, float]
    unsealed: tuple[str, ...] = ()
    version: str = ""
    engine: str = ""
    until: int | None = None

    @property
    def violated(self) -> bool:
        return any(outcome.count("violation") for outcome in self.outcomes)

    @property
    def inconclusive(self) -> tuple[str, ...]:
        """The ids that judged nothing."""
        return tuple(outcome.check.id for outcome in self.outcomes if outcome.inconclusive)


def applicable_checks(dataset: Dataset) -> tuple[Check, ...]:
    """The checks that apply to a dataset, whether it has what they need or not."""
    if dataset.keys != "lakefs":
        return CHECKS
    # Tokens to be dropped are rows of kv/ there, and in no typed table.
    needs = BY_ID["cleanup-spares-live"].needs | {"kv"}
    checks = (attrs.evolve(each, needs=needs) if each.id == "cleanup-spares-live" else each for each in CHECKS)
    # Checks of the object store would otherwise be shown as not judged for each plain dump.
    return (*checks, *(each for each in OF_LAKEFS if each.needs - {REPOSITORIES} <= dataset.tables))


def choose_ids(dataset: Dataset, only: Collection[str], *, is_part: bool = False) -> tuple[str, ...]:
    """The ids that can be judged: the selected ones, or all. ``is_part``: there is no record of a repository.

    Raises Unusable: a selected one cannot be.
    """
    has = dataset.tables | (frozenset() if is_part else {REPOSITORIES})
    applicable = {each.id: each for each in applicable_checks(dataset)}
    for each in only:
        # Only what was chosen must be judged. Without a choice, what cannot be judged is shown so.
        lacks = sorted(applicable.get(each, EVERY[each]).needs - has)
        if lacks or each not in applicable:
            needs = f"needs {' and '.join(f'{name}/' for name in lacks)}" if lacks else "is for stores of lakeFS"
            raise Unusable(
                f"{dataset.where}: {each} {needs}, which it does not have; name a folder that has them with --beside, "
                "or the object store with --blockstore, or leave this check out"
            )
    wanted = only or EVERY
    return tuple(check.id for check in applicable.values() if check.id in wanted and check.needs <= has)


def is_part(dataset: Dataset, entities: Entities) -> bool:
    """Whether a store of lakeFS has no record of a repository, so that it is a part of one: nothing says what can be
    reached. Runs a job."""
    if dataset.keys != "lakefs" or footers.count(entities.repositories):
        return False
    return entities.undecodable.where("kind = 'repository'").isEmpty()


class Checks:
    """The checks of one dataset. What passes share is computed once, when it is first needed, and kept.

    living: what can be reached in a store of lakeFS; None: severities are those of the designs.
    """

    def __init__(
        self, dataset: Dataset, entities: Entities, only: Collection[str], living: Living | None = None
    ) -> None:
        self.dataset = dataset
        self.entities = entities
        self.only = frozenset(only)
        self.living = living

    def run(self, part: Pass) -> list[DataFrame]:
        """The findings of a pass: FINDINGS, in one or more tables."""
        match part:
            case "records":
                return [records.check(self.entities, self.dataset.keys, self.only, self.living)]
            case "repositories" if self.living is not None:
                return [lakefs.check_repositories(self.dataset, self.entities, self.living, self.only)]
            case "repositories":
                return [repositories.check(self.entities, self.only)]
            case "commits":
                return list(self._commits())
            case "tokens" if self.living is not None:
                return [lakefs.check_tokens(self.entities, self.living, self.only)]
            case "tokens":
                return [tokens.check(self.entities, self.only)]
            case "data":
                return list(self._data())

    @property
    def alive(self) -> Entities:
        """The entities that can be reached, as far as there is a difference."""
        return self.entities if self.living is None else self.living.only(self.entities)

    def _commits(self) -> Iterator[DataFrame]:
        like_lakefs = self.dataset.keys == "lakefs"
        # Without these ids no walk is needed: trees use it in lakeFS only, for their severity.
        if self.only - {"meta-range-exists"}:
            yield commits.check(self.alive, self._walked, self.only, like_lakefs=like_lakefs)
        if "meta-range-exists" in self.only:
            walked = self._walked if like_lakefs else None
            yield commits.check_trees(self.alive, self._trees, self.only, walked)

    def _data(self) -> Iterator[DataFrame]:
        alive = self.alive
        homes = commits.homes(alive)
        reached = commits.reachable(alive, self._walked)
        if "committed-data-is-kept" in self.only:
            yield commits.check_readable(reached, homes, self._trees, self.only)
        if self.only & stored.IDS and self.dataset.stored is not None:
            yield stored.check_tables(alive, reached, self.dataset.stored, self.only)
        of_objects = self.only & (stored.IDS - {"table-is-sound"})
        if not self.only & data.IDS and not of_objects:
            return  # no selected check needs objects
        references = data.References(
            # Commits that cannot be read are a finding of their own, and left out here.
            data.join_committed(reached, homes, self.dataset, self._trees),
            tokens.list_shown(attrs.evolve(self.entities, branches=alive.branches), homes),
        )
        lake = self.dataset.keys == "lakefs"
        yield data.check(references, data.suspects(references, self.dataset), self.only, like_lakefs=lake)
        if of_objects:
            sizes = stored.sizes(references.committed, self.dataset, alive.staged, tokens.namespaces(alive, homes))
            yield stored.check_objects(references, sizes, self.dataset, self.only)

    @cached_property
    def _walked(self) -> DataFrame:
        return commits.walk(self.alive)

    @cached_property
    def _trees(self) -> DataFrame:
        return commits.trees(self.alive, self.dataset)


def run(dataset: Dataset, only: Collection[str], target: str) -> Summary:
    """Check a dataset, and write what is found to ``target`` (Parquet, FINDINGS). ``only``: ids, none for all.

    Raises Unusable: the target is there already; something of the dataset cannot be read, is not there, or is there
    twice.
    """
    choose_ids(dataset, only)  # before anything is read
    seconds: dict[str, float] = {}
    spark = dataset.spark
    began = time.perf_counter()
    with doing(spark, f"decoding {dataset.where}"):
        entities = decode(dataset)
        records.demand_single(dataset.where, entities)
    seconds["decoding"] = time.perf_counter() - began
    # Known only now: it needs the decoded records.
    part_of_store = is_part(dataset, entities)
    ids = choose_ids(dataset, only, is_part=part_of_store)
    living = Living.of(entities) if dataset.keys == "lakefs" and not part_of_store else None
    checks = Checks(dataset, entities, ids, living)
    # An empty table first: passes append to it, and the columns are there even if nothing is found.
    written = staging.write(nothing(spark), target)
    for part in PASSES:
        mine = [each for each in ids if EVERY[each].part == part]
        if mine:
            began = time.perf_counter()
            with doing(spark, f"checking {part}: {', '.join(mine)}"):
                written = staging.write(union(checks.run(part)), target, to=written)
            seconds[part] = time.perf_counter() - began
    with doing(spark, "counting"):
        rows = denominators.rows_read(dataset, entities)
        things = denominators.count_judged(checks.alive, rows)
        until = denominators.newest_commit(entities)
        counts, examples = _sum_findings(staging.read(written, FINDINGS, spark))
    # After all passes and before any verdict: files that changed meanwhile make it one about two datasets.
    dataset.demand_read()
    outcomes = tuple(
        Outcome(
            check=check,
            judged=check.id in ids,
            things=things[check.id] if check.id in ids else 0,
            counts=counts.get(check.id, {}),
            examples=tuple(examples.get(check.id, ())),
        )
        for check in applicable_checks(dataset)
        if not only or check.id in only
    )
    return Summary(
        where=dataset.where,
        rows=rows,
        outcomes=outcomes,
        seconds=seconds,
        unsealed=dataset.unsealed,
        version="" if living is None else lakefs.version(dataset),
        engine=engine_of(spark).shown,
        until=until,
    )


def _sum_findings(found: DataFrame) -> tuple[dict[str, dict[str, int]], dict[str, list[Example]]]:
    """Counts of findings, by id and kind; and examples, by id."""
    counts: dict[str, dict[str, int]] = {}
    for row in found.groupBy("id", "kind").count().collect():  # as many rows as there are ids and kinds
        counts.setdefault(row["id"], {})[row["kind"]] = row["count"]
    # The driver takes in a few rows of each id and kind, however many findings there are.
    ordered = Window.partitionBy("id", "kind").orderBy("subject", "evidence")
    first = found.withColumn("rank", f.row_number().over(ordered)).where(f.col("rank") <= EXAMPLES_MAX)
    examples: dict[str, list[Example]] = {}
    rows = first.collect() if counts else []
    for row in sorted(rows, key=lambda row: (KINDS.index(row["kind"]), row["rank"])):
        examples.setdefault(row["id"], []).append(Example(row["kind"], row["subject"], row["evidence"]))
    return counts, examples
