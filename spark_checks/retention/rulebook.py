"""The rules of all repositories of a dataset: lakeFS' own file for all of them, or one for each.

``{"default_retention_days": 21, "branches": [...]}`` is for every repository. With
``{"default": RULES, "repositories": {"<id>": RULES}}`` a repository that is named has its own rules, and those alone.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

import attrs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from lakeproof.model.identifiers import BranchID
from lakeproof.model.retention import InvalidRules, Rules
from lakeproof.plain_json import decode
from lakeproof.spark_checks.data.decoding import Entities
from lakeproof.spark_checks.engine.tables import LONG, STRING, table
from lakeproof.words import Unusable

ALL: Final = ""
"""The book of the repositories that have none of their own."""

_OLDEST: Final = -(1 << 63)
_LIMITS: Final = table(book=STRING, limit=LONG)
_BRANCH_LIMITS: Final = table(book=STRING, branch_id=STRING, limit=LONG)


@attrs.frozen
class Rulebook:
    """``default``: for repositories that are not named."""

    default: Rules
    repositories: Mapping[str, Rules] = attrs.field(factory=dict)

    @property
    def books(self) -> dict[str, Rules]:
        """All rules, by repository; the default's name is `ALL`."""
        return {ALL: self.default, **self.repositories}

    def limits(self, spark: SparkSession, now: int) -> DataFrame:
        """book, limit: the threshold of what no rule names."""
        rows = [(book, _limit(rules, None, now)) for book, rules in self.books.items()]
        return spark.createDataFrame(rows, _LIMITS)

    def branch_limits(self, spark: SparkSession, now: int) -> DataFrame:
        """book, branch_id, limit: of the branches that are named."""
        rows = [
            (book, branch, _limit(rules, branch, now))
            for book, rules in self.books.items()
            for branch, _ in rules.branches
        ]
        return spark.createDataFrame(rows, _BRANCH_LIMITS)

    def strangers(self, entities: Entities) -> list[str]:
        """What the rules name and the dataset does not have: a note for each, sorted."""
        # Rules that name nothing need no job.
        if not self.repositories and not self.default.branches:
            return []
        spark = entities.branches.sparkSession
        ids = entities.repositories.select("repository_id").distinct()
        named = spark.createDataFrame([(each,) for each in self.repositories], table(repository_id=STRING))
        missing = [str(row[0]) for row in named.join(ids, "repository_id", "left_anti").collect()]
        notes = [f"the rules name repository {each!r}, which is not there" for each in missing]
        homes = entities.repositories.select("home", "repository_id")
        there = entities.branches.join(homes, entities.branches["partition_key"] == homes["home"])
        own = f.when(f.col("repository_id").isin(*self.repositories), f.col("repository_id")).otherwise(ALL)
        known = there.select(own.alias("book"), "branch_id").distinct()
        unknown = self.branch_limits(spark, 0).join(known, ["book", "branch_id"], "left_anti")
        for book, branch, _ in unknown.collect():
            of = f" of repository {book!r}" if book else ""
            # Of a repository that is missing there is a note already.
            if book not in missing:
                notes.append(f"the rules name branch {branch!r}{of}, which is not there: the rule keeps nothing")
        return sorted(notes)


def _limit(rules: Rules, branch: BranchID | None, now: int) -> int:
    """No date is older than what 64 bits can say."""
    # Rules allow 2³¹ days, which is more microseconds before `now` than 64 bits have.
    return max(rules.threshold(branch, now), _OLDEST)


def read(path: Path) -> Rulebook:
    """Raises Unusable."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}; name a file with rules") from None
    try:
        return parse(text)
    except InvalidRules as error:
        raise Unusable(f"{path}: {error}") from None


def parse(text: bytes) -> Rulebook:
    """Raises InvalidRules."""
    try:
        found: object = decode(text.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        found = None
    # A file of lakeFS' format, or of none, or with a field twice: `Rules.parse` says what is wrong with it.
    if not isinstance(found, dict) or "repositories" not in found:
        return Rulebook(Rules.parse(text))
    fields = cast("dict[str, object]", found)
    unknown = sorted(fields.keys() - {"default", "repositories"})
    if unknown:
        raise InvalidRules(f"the rules: {unknown[0]!r}, expected 'default' and 'repositories'; correct its spelling")
    if "default" not in fields:
        raise InvalidRules("the rules: 'default' is missing, for repositories that are not named; add it")
    named = fields["repositories"]
    if not isinstance(named, dict):
        raise InvalidRules(f"repositories: {named!r}, expected rules by repository id; put them in braces")
    if ALL in named:  # in `books` they would take the place of the default
        raise InvalidRules(f"repositories: rules of {ALL!r}, expected the id of a repository; write it")
    own = {
        each: _parse_one(f"repositories[{each!r}]", rules) for each, rules in cast("dict[str, object]", named).items()
    }
    return Rulebook(_parse_one("default", fields["default"]), own)


def _parse_one(where: str, found: object) -> Rules:
    try:
        # As text once more, so that one parser decides what a rule may be.
        return Rules.parse(json.dumps(found))
    except InvalidRules as error:
        raise InvalidRules(f"{where}: {error}") from None
