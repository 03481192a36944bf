"""Staging tokens: who owns them, and what branches show of the entries under them.

Cost: one scan of the staged entries for their owners, two for what is shown, of which entries under a branch with
sealed tokens are sorted by path.
"""

from collections.abc import Collection

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from lakeproof.spark_checks.checks.rules import Rule, findings, hint_join, union
from lakeproof.spark_checks.data.addresses import physical
from lakeproof.spark_checks.data.decoding import Entities
from lakeproof.spark_checks.engine import footers
from lakeproof.spark_checks.engine.workspace import stage as staged_rows
from lakeproof.spark_checks.findings import at, is_named, sentence, text


def list_owned(entities: Entities) -> DataFrame:
    """The tokens of all branches: token, rank (0: the open one, then the newest sealed one), partition_key, key, live
    (a deleted branch's record may be there still), several (whether the branch has more than one)."""
    sealed = f.coalesce("sealed_tokens", f.array().cast("array<string>"))
    tokens = f.concat(f.array("staging_token"), sealed)  # position 0 is the open token
    rows = entities.branches.select(
        "partition_key",
        "key",
        is_named("commit_id").alias("live"),
        (f.size(sealed) > 0).alias("several"),
        f.posexplode(tokens).alias("rank", "token"),
    )
    return rows.where("token is not null")  # a branch without a token has staged nothing


def check(entities: Entities, only: Collection[str]) -> DataFrame:
    """token-has-one-owner, staged-has-owner."""
    tokens = list_owned(entities)
    branch = at()
    shared = (
        tokens.where("live")
        .groupBy("token")
        .agg(f.count("*").alias("times"), f.min(branch).alias("one"), f.max(branch).alias("other"))
    )
    evidence = sentence("belongs to ", f.col("one"), " and to ", f.col("other"), ", ", f.col("times"), " times")
    frames = [findings(shared, [Rule("token-has-one-owner", f.col("times") > 1, f.col("token"), evidence)], only)]

    known = tokens.groupBy("token").agg(f.max("live").alias("live"))
    # A partition that is no text belongs to no token, and must still be a subject.
    name = f.coalesce("token", text(f.col("partition_key")))
    staged = entities.staged.groupBy(name.alias("token")).agg(f.count("*").alias("entries"))
    rows = staged.join(known, "token", "left")
    deleted = f.col("live").isNotNull()
    count = f.concat(f.col("entries").cast("string"), f.when(f.col("entries") == 1, " entry").otherwise(" entries"))
    whose = f.when(deleted, " of a deleted branch").otherwise(", and no branch has the token")
    evidence, kind = sentence(count, whose), f.when(deleted, "garbage").otherwise("violation")
    # Null: no branch has the token. False: only a deleted branch has it.
    orphaned = ~f.coalesce("live", f.lit(False))
    frames.append(findings(rows, [Rule("staged-has-owner", orphaned, f.col("token"), evidence, kind)], only))
    return union(frames)


def list_shown(entities: Entities, repositories: DataFrame) -> DataFrame:
    """The staged objects that branches show, the newest change of each path: repository, namespace, branch, path,
    address (physical). One row for each path of a branch.

    repositories: home, namespace, repository.
    """
    live = list_owned(entities).where("live")
    tokens = live.join(repositories, live["partition_key"] == repositories["home"]).select(
        "token", "rank", "several", "repository", "namespace", f.xxhash64("partition_key", "key").alias("branch"), "key"
    )
    tokens = staged_rows(tokens, "tokens")
    count = footers.count(tokens)
    change = ("tombstone", "address", "address_type")
    staged = entities.staged.select("token", "path", *change)
    # Most branches have one token, and nothing hides anything there. Only the others pay for a sort by path.
    alone = staged.join(hint_join(tokens.where(~f.col("several")), count), "token")
    stacked = staged.join(hint_join(tokens.where("several"), count), "token")
    newest = stacked.groupBy("repository", "branch", "path").agg(
        # The least rank is the newest token: its entry hides older ones, and so does its tombstone, which goes below.
        f.min_by(f.struct("namespace", "key", *change), "rank").alias("change")
    )
    columns = ("repository", "namespace", "branch", "key", "path", *change)
    merged = alone.select(*columns).unionAll(newest.select("repository", "branch", "path", "change.*").select(*columns))
    # After the merge: a tombstone must first hide what is under it.
    there = ~f.coalesce("tombstone", f.lit(False)) & is_named("address")
    where = physical(f.col("namespace"), f.col("address"), f.coalesce("address_type", f.lit(0)))
    return merged.where(there).select("repository", "namespace", "branch", "key", "path", where.alias("address"))


def namespaces(entities: Entities, repositories: DataFrame) -> DataFrame:
    """The tokens of live branches, with the namespace of their repository: token, namespace. Each token once."""
    live = list_owned(entities).where("live")
    rows = live.join(repositories, live["partition_key"] == repositories["home"])
    return rows.groupBy("token").agg(f.min("namespace").alias("namespace"))
