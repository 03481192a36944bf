"""What lakeFS as it was built keeps, where it promises other things than the designs: severities, and its own garbage.

A *violation* is wrong data that can be reached through an accessible repository. What cannot be reached is *garbage*:
partitions of deleted repositories, commits that no branch or tag leads to, entries under tokens that no branch has, and
tokens that wait in ``cleanup-tokens`` to be dropped. lakeFS has no list of that; ordinary traffic leaves some. Of a
shop's hour::

    graveler       repos/shop              accessible: all in partition shop-7 is alive
    shop-7         branches/main -> c2     reachable: c2, c1; a parent of c1 that is missing is a violation
    shop-7         commits/c9 -> c8        no head leads there; c8 that is missing is garbage's business
    goner-5        commits/c1              no record of a repository: garbage
    goner-main:u   b                       no branch has the token: garbage

A repository that was created bare has no branch, no commit and no tag, and nothing says that it is bare: a note.
Source: lakeFS pkg/graveler/graveler.go, model.go and staging/manager.go.
Cost: beside that of the other checks, one scan of the records; repositories, and tokens of branches, go to all workers.
"""

from collections.abc import Collection
from typing import Final

import attrs
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from lakeproof.impl.migration.checks import METADATA, VERSION_KEY, unknown_version
from lakeproof.model import keys
from lakeproof.spark_checks.checks import repositories, tokens
from lakeproof.spark_checks.checks.rules import Rule, findings, union
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.data.decoding import Entities
from lakeproof.spark_checks.engine.workspace import stage
from lakeproof.spark_checks.findings import as_text, at, sentence, text

CLEANUP_TOKENS: Final = b"cleanup-tokens"
"""The partition of tokens whose entries are to be dropped: each is a key."""
_ENTITIES: Final = ("branches", "tags", "commits")


def version(dataset: Dataset) -> str:
    """Why the records of a store may mean something else than they do here; empty: they do not. Runs a job."""
    if "kv" not in dataset.tables:
        return ""  # its records were decoded before
    at_version = (f.col("partition_key") == f.lit(METADATA)) & (f.col("key") == f.lit(VERSION_KEY))
    found = dataset.kv.where(at_version).select("value").head()
    return unknown_version(None if found is None else bytes(found["value"] or b""))


def _partitions(frame: DataFrame) -> DataFrame:
    """Each once, of one column of bytes: ``partition``. Runs a job."""
    # Kept, because each of several checks joins with it.
    return stage(frame.toDF("partition").where("partition is not null").distinct(), "partitions")


def _in(partitions: DataFrame, frame: DataFrame, how: str = "left_semi") -> DataFrame:
    """The rows that lie in these partitions; those that do not, with ``left_anti``."""
    return frame.join(f.broadcast(partitions), frame["partition_key"] == partitions["partition"], how)


def _mark(partitions: DataFrame, frame: DataFrame, name: str, column: str = "partition_key") -> DataFrame:
    """The rows with a column that says whether their partition is among these."""
    own = partitions.withColumn(name, f.lit(True))
    joined = frame.join(f.broadcast(own), frame[column] == own["partition"], "left").drop("partition")
    return joined.withColumn(name, f.coalesce(f.col(name), f.lit(False)))


@attrs.frozen
class Living:
    """What can be reached. ``homes``: partitions of accessible repositories; ``tokens``: partitions of the staging
    tokens of their branches."""

    homes: DataFrame
    tokens: DataFrame

    @classmethod
    def of(cls, entities: Entities) -> "Living":
        """Runs two jobs."""
        # Tokens count only if a branch in an accessible repository has them, so homes come first.
        homes = _partitions(repositories.accessible(entities).select("home"))
        owned = tokens.list_owned(attrs.evolve(entities, branches=_in(homes, entities.branches))).where("live")
        return cls(homes, _partitions(owned.select(f.col("token").cast("binary"))))

    def only(self, entities: Entities) -> Entities:
        """The records that are alive."""
        tables = {name: _in(self.homes, getattr(entities, name)) for name in _ENTITIES}
        staged = _in(self.tokens, entities.staged)
        return attrs.evolve(entities, repositories=repositories.accessible(entities), staged=staged, **tables)

    def severity(self, frame: DataFrame) -> DataFrame:
        """The rows with ``kind``: violation where their partition is alive, or lakeFS' own; else garbage."""
        joined = _mark(self.tokens, _mark(self.homes, frame, "at_home"), "is_staged")
        # Records of repositories themselves are in lakeFS' own partition, whatever their state.
        alive = f.col("at_home") | f.col("is_staged") | (f.col("partition_key") == f.lit(keys.GRAVELER))
        return joined.withColumn("severity", f.when(alive, "violation").otherwise("garbage"))


def check_repositories(dataset: Dataset, entities: Entities, living: Living, only: Collection[str]) -> DataFrame:
    """active-is-complete, no-reachable-zombie, garbage-is-reclaimable, cleanup-spares-live."""
    frames = [_dead(entities, living, only), _named_for_others(entities, living, only)]
    if "active-is-complete" in only:
        frames.append(_incomplete(entities, only))
    if "cleanup-spares-live" in only:
        frames.append(_waiting(dataset, living, only))
    return union(frames)


def _dead(entities: Entities, living: Living, only: Collection[str]) -> DataFrame:
    """Entities in partitions of no accessible repository."""
    rows = union([getattr(entities, name).select("partition_key", "key") for name in _ENTITIES])
    evidence = f.lit("lies in a partition of no accessible repository")
    here = at()
    dead = _in(living.homes, rows, "left_anti")
    return findings(dead, [Rule("garbage-is-reclaimable", f.lit(True), here, evidence, "garbage")], only)


def _named_for_others(entities: Entities, living: Living, only: Collection[str]) -> DataFrame:
    """Tokens are named ``<repository>-<branch>:<uuid>`` when they are made; one of another name came from elsewhere."""
    owned = tokens.list_owned(attrs.evolve(entities, branches=_in(living.homes, entities.branches))).where("live")
    named = repositories.accessible(entities).select("home", "repository_id")
    rows = owned.join(f.broadcast(named), owned["partition_key"] == f.col("home"))
    # The comparison is in hexadecimal digits, two for each byte: keys may be no UTF-8. `substring` counts from 1.
    branch = f.expr(f"substring(hex(key), {2 * len(keys.BRANCHES_PREFIX) + 1})")
    digits = f.concat(f.hex("repository_id"), f.hex(f.lit("-")), branch, f.hex(f.lit(":")))
    expected = text(f.unhex(digits))
    here = at()
    evidence = sentence("has the token ", f.col("token"), ", expected a name that begins with ", expected)
    foreign = (f.col("token") != "") & ~f.startswith(f.hex("token"), digits)  # "": no token
    return findings(rows, [Rule("no-reachable-zombie", foreign, here, evidence, "note")], only)


def _incomplete(entities: Entities, only: Collection[str]) -> DataFrame:
    """As of the designs; but where a repository has nothing at all, it was created bare."""
    found = repositories.incomplete(entities, only)
    # A repository whose only branch cannot be decoded was not created bare.
    damaged = entities.undecodable.where("kind in ('branch', 'commit', 'tag')")
    tables = [damaged, *(getattr(entities, name) for name in _ENTITIES)]
    some = union([each.select("partition_key") for each in tables]).distinct()
    subjects = some.select(as_text(f.col("partition_key")).alias("subject")).withColumn("some", f.lit(True))
    rows = found.join(subjects, "subject", "left")
    bare = f.col("some").isNull()
    return rows.select(
        "id",
        f.when(bare, "note").otherwise(f.col("kind")).alias("kind"),
        "subject",
        f.when(bare, "has no branch, commit or tag: created bare, or lost")
        .otherwise(f.col("evidence"))
        .alias("evidence"),
    )


def _waiting(dataset: Dataset, living: Living, only: Collection[str]) -> DataFrame:
    """Tokens in ``cleanup-tokens``. Of one that a branch has, lakeFS will drop the entries."""
    waiting = dataset.kv.where(f.col("partition_key") == f.lit(CLEANUP_TOKENS)).select("key")
    rows = _mark(living.tokens, waiting, "alive", "key")
    alive = f.col("alive")
    evidence = f.when(alive, "waits in cleanup-tokens, and a branch has it").otherwise("waits in cleanup-tokens")
    kind = f.when(alive, "violation").otherwise("garbage")
    return findings(rows, [Rule("cleanup-spares-live", f.lit(True), text(f.col("key")), evidence, kind)], only)


def check_tokens(entities: Entities, living: Living, only: Collection[str]) -> DataFrame:
    """token-has-one-owner, staged-has-owner."""
    alive = attrs.evolve(entities, branches=_in(living.homes, entities.branches))
    found = tokens.check(alive, only)
    # Ordinary traffic of lakeFS leaves entries behind under tokens that no branch has.
    orphaned = (f.col("id") == "staged-has-owner") & (f.col("kind") == "violation")
    return found.withColumn("kind", f.when(orphaned, "garbage").otherwise(f.col("kind")))
