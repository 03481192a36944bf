"""The graph of commits on Spark: each repository's on one worker, where `graph` judges it; metaranges and their ranges.

Records go there as fingerprints of 64 bits (partition and key), 40 bytes a commit. What is reported is so: a missing
parent has no fingerprint among the commits. Of n commits in a repository, one that is missing is taken to be there
with a probability of n in 2^64.
Cost: two scans of commits, one shuffle of their fingerprints by repository; metaranges are read twice, of ranges the
ids.
"""

from collections.abc import Collection

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.model import keys
from lakeproof.spark_checks.checks import graph
from lakeproof.spark_checks.checks.graph_worker import judge_batches
from lakeproof.spark_checks.checks.rules import Rule, findings, union
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.data.decoding import Entities
from lakeproof.spark_checks.engine import footers
from lakeproof.spark_checks.engine.engines import gather_repositories
from lakeproof.spark_checks.engine.tables import INT, LONG, table
from lakeproof.spark_checks.engine.workspace import stage
from lakeproof.spark_checks.findings import at, is_named, sentence

JUDGED = table(node=LONG, bits=INT, expected=LONG, lost=INT)
"""As `graph_worker.NAMES` has it."""


def node() -> Column:
    """The fingerprint of a record."""
    return f.xxhash64("partition_key", "key")


def _commit(commit_id: Column) -> Column:
    key = f.concat(f.lit(keys.COMMITS_PREFIX), f.coalesce(commit_id, f.lit("")).cast("binary"))
    # The key is made of the id, so that a parent and the record that it names have one fingerprint.
    return f.xxhash64("partition_key", key)


def heads(entities: Entities) -> DataFrame:
    """Branches and tags that name a commit: partition_key, key, commit_id. A branch without one was deleted."""
    both = [frame.select("partition_key", "key", "commit_id") for frame in (entities.branches, entities.tags)]
    return union(both).where(is_named("commit_id"))


def with_bit(walked: DataFrame, bit: int) -> DataFrame:
    """Of what `walk` has found."""
    return walked.where(f.col("bits").bitwiseAND(bit) != 0)


def walk(entities: Entities) -> DataFrame:
    """Judge all commits: `JUDGED`, of those with a bit. It is kept: it is small where the graph is sound and little
    dangles."""
    commits = entities.commits.select(
        node().alias("node"),
        f.xxhash64("partition_key").alias("repository"),
        f.lit(False).alias("head"),
        f.coalesce("generation", f.lit(0)).cast("bigint").alias("generation"),
        f.coalesce("creation_date", f.lit(0)).alias("date"),
        # A null list would have no length, and a null parent is one that is missing.
        f.transform(f.coalesce("parents", f.array().cast("array<string>")), _commit).alias("parents"),
    )
    # A head is a node whose only parent is its commit, so that one lookup serves heads and parents.
    named = heads(entities).select(
        node().alias("node"),
        f.xxhash64("partition_key").alias("repository"),
        f.lit(True).alias("head"),
        f.lit(0).cast("bigint").alias("generation"),
        f.lit(0).cast("bigint").alias("date"),
        f.array(_commit(f.col("commit_id"))).alias("parents"),
    )
    # The name of the repository only decides about the task; without it a commit is 40 bytes.
    nodes = gather_repositories(commits.unionAll(named), "repository", footers.count(entities.commits)).drop(
        "repository"
    )
    return stage(nodes.mapInArrow(judge_batches, JUDGED), "judged")


def check(entities: Entities, walked: DataFrame, only: Collection[str], *, like_lakefs: bool = False) -> DataFrame:
    """head-exists, parents-exist, generation-is-right, child-is-not-older, commits-have-no-cycle; like lakeFS also
    commit-is-reachable, and what is wrong with a commit that no head leads to is garbage."""
    bits = f.col("bits")
    dangling = graph.UNREACHABLE if like_lakefs else 0
    wrong = with_bit(walked, graph.MISSING | graph.GENERATION | graph.OLDER | graph.CYCLE | dangling)

    def has(bit: int) -> Column:
        return bits.bitwiseAND(bit) != 0

    # Nodes of heads have no other bit than MISSING: see `graph.judge`.
    named = heads(entities).withColumn("node", node()).join(wrong, "node")
    missing = sentence("names commit ", f.col("commit_id"), ", which is not there")
    frames = [findings(named, [Rule("head-exists", has(graph.MISSING), at(), missing)], only)]

    commits = entities.commits.withColumn("node", node()).join(wrong, "node")
    parents = f.concat_ws(", ", "parents")
    # `get` of an index beyond the list is null; an index of -1, of a commit without MISSING, is one.
    lost = f.coalesce(f.get("parents", f.col("lost")), f.lit("null"))
    generation = sentence(
        "has generation ",
        f.coalesce("generation", f.lit(0)).cast("string"),
        f.when(has(graph.MISSING), f.lit(", expected at least ")).otherwise(f.lit(", expected ")),
        f.col("expected").cast("string"),
    )
    # No reader of a branch or tag comes to a commit that no head leads to.
    kind = f.when(f.lit(like_lakefs) & has(graph.UNREACHABLE), "garbage").otherwise("violation")
    rules = (
        Rule("parents-exist", has(graph.MISSING), at(), sentence("lacks its parent ", lost), kind),
        Rule("generation-is-right", has(graph.GENERATION), at(), generation, kind),
        Rule("child-is-not-older", has(graph.OLDER), at(), sentence("is dated before a parent, of ", parents), "note"),
        Rule("commits-have-no-cycle", has(graph.CYCLE), at(), sentence("is its own ancestor, by ", parents), kind),
        Rule("commit-is-reachable", has(graph.UNREACHABLE), at(), f.lit("no branch and no tag leads to it"), "garbage"),
    )
    frames.append(findings(commits, rules, only))
    return union(frames)


def trees(entities: Entities, dataset: Dataset) -> DataFrame:
    """The metaranges of commits that are not there, or lack a range: meta_range_id, why. Kept."""
    # Distinct first: many commits, after a revert or on many branches, have one metarange.
    wanted = with_meta_range(entities.commits).select("meta_range_id").distinct()
    absent = wanted.join(dataset.metaranges.select("meta_range_id"), "meta_range_id", "left_anti")
    # A range has a row for each entry.
    known = dataset.ranges.select("range_id").distinct()
    listed = dataset.metaranges.where("range_id is not null")  # a row without one is an empty metarange's
    partial = listed.join(known, "range_id", "left_anti").groupBy("meta_range_id").agg(f.min("range_id").alias("lost"))
    torn = absent.select("meta_range_id", f.lit("is not there").alias("why")).unionAll(
        partial.select("meta_range_id", sentence("lacks its range ", f.col("lost")).alias("why"))
    )
    return stage(torn, "torn")


def with_meta_range(commits: DataFrame) -> DataFrame:
    """The commits that hold something."""
    return commits.where(is_named("meta_range_id"))


def check_trees(
    entities: Entities, torn: DataFrame, only: Collection[str], walked: DataFrame | None = None
) -> DataFrame:
    """meta-range-exists. ``walked``: that of a commit which no head leads to is garbage."""
    rows = with_meta_range(entities.commits).join(torn, "meta_range_id")
    if walked is None:
        return findings(rows, [Rule("meta-range-exists", f.lit(True), at(), _unreadable())], only)
    lost = with_bit(walked, graph.UNREACHABLE).select("node").withColumn("dangling", f.lit(True))
    rows = rows.withColumn("node", node()).join(lost, "node", "left")
    kind = f.when(f.col("dangling").isNotNull(), "garbage").otherwise("violation")
    return findings(rows, [Rule("meta-range-exists", f.lit(True), at(), _unreadable(), kind)], only)


def _unreadable() -> Column:
    return sentence("metarange ", f.col("meta_range_id"), " ", f.col("why"))


def reachable(entities: Entities, walked: DataFrame) -> DataFrame:
    """The commits that heads lead to, of those that hold something."""
    lost = with_bit(walked, graph.UNREACHABLE).select("node")
    return with_meta_range(entities.commits).withColumn("node", node()).join(lost, "node", "left_anti")


def homes(entities: Entities) -> DataFrame:
    """Repositories, whatever their state: home, namespace, repository (its fingerprint)."""
    rows = entities.repositories.select("home", f.col("storage_namespace").alias("namespace"))
    # Both parts are in the fingerprint: a partition that two records of repositories share has two namespaces.
    whole = rows.where("home is not null and namespace is not null").distinct()
    return f.broadcast(whole.withColumn("repository", f.xxhash64("home", "namespace")))


def check_readable(commits: DataFrame, repositories: DataFrame, torn: DataFrame, only: Collection[str]) -> DataFrame:
    """committed-data-is-kept, as far as it is about reachable commits that cannot be read."""
    # A semi-join: a partition that two records of repositories share must not make two findings of one commit.
    owned = commits.join(repositories, commits["partition_key"] == repositories["home"], "left_semi")
    rows = owned.join(torn, "meta_range_id")
    evidence = sentence("a reachable commit cannot be read: ", _unreadable())
    return findings(rows, [Rule("committed-data-is-kept", f.lit(True), at(), evidence)], only)
