"""Repositories and what belongs to them: zombies, garbage, completeness, cleanup records.

Whose a record is, it says itself (`whose`), or, where it does not, its partition does. This is
`lakeproof.model.invariants.repositories`, which asks only of those that say it.
Cost: one scan of branches, tags and commits; repositories and cleanup records go to every worker.
"""

from collections.abc import Collection

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.model import keys
from lakeproof.model.records import RepositoryState
from lakeproof.spark_checks.checks.rules import Rule, findings, nothing, union
from lakeproof.spark_checks.data.decoding import Entities
from lakeproof.spark_checks.findings import at, sentence


def check(entities: Entities, only: Collection[str]) -> DataFrame:
    """no-reachable-zombie, garbage-is-reclaimable, active-is-complete, cleanup-spares-live."""
    frames = [nothing(entities.repositories.sparkSession)]  # a union needs a table, whatever was chosen
    if {"no-reachable-zombie", "garbage-is-reclaimable"} & set(only):
        frames.append(strays(entities, only))
    if "active-is-complete" in only:
        frames.append(incomplete(entities, only))
    if "cleanup-spares-live" in only:
        frames.append(find_endangered(entities, only))
    return union(frames)


def accessible(entities: Entities) -> DataFrame:
    """The repositories that can be reached."""
    return entities.repositories.where(f.col("state") == RepositoryState.ACTIVE.value)


def named_partition(repository_id: Column, uid: Column) -> Column:
    """The partition of an instance; of its id alone, where it has no uid."""
    bare = f.coalesce(uid, f.lit("")) == ""
    return f.when(bare, repository_id).otherwise(f.concat_ws("-", repository_id, uid)).cast("binary")


def partitions() -> Column:
    """Where the entities of a repository are looked for: the partition of its instance, that of its id alone, and that
    of its creation date."""
    home = f.coalesce("home", named_partition(f.col("repository_id"), f.col("instance_uid")))
    dated = f.concat_ws("-", "repository_id", f.col("creation_date").cast("string")).cast("binary")
    # Three designs: with a uid, without one, and with the creation date in its place.
    return f.array_distinct(f.array(home, f.col("repository_id").cast("binary"), dated))


def name_subject() -> Column:
    """How a repository is named as a subject."""
    return f.concat_ws("-", "repository_id", f.coalesce("instance_uid", f.lit("")))


def entities_with_owner(entities: Entities) -> DataFrame:
    """Branches, tags and commits: partition_key, key, whose (null where the record does not say), sealed. A branch has
    a row more for each other instance that its sealed tokens name."""
    # A token of the designs is <repository>-<branch>:<uid>.<unique part>: the uid is between the last ":" and the ".".
    rest, former = (f.regexp_extract(token, r"(?s)^.*:([^.:]+)\.[^:]*$", 1) for token in ("staging_token", "former"))
    sealed = entities.branches.select("*", f.explode("sealed_tokens").alias("former"))
    sealed = sealed.where((former != "") & (former != rest)).select("partition_key", "key", former.alias("former"))
    # A tag does not say its instance. The first commit of an instance is c.<uid> in the flows, and a tag may name it.
    of_commit = f.regexp_extract(f.col("commit_id"), r"(?s)^c\.(.+)$", 1)
    owners = (
        (entities.branches, rest, False),
        (sealed.distinct(), f.col("former"), True),  # several of them may name one instance
        (entities.tags, of_commit, False),
        (entities.commits, f.col("instance"), False),
    )
    return union(
        [
            frame.select("partition_key", "key", f.when(whose != "", whose).alias("whose"), f.lit(more).alias("sealed"))
            for frame, whose, more in owners  # "": no instance
        ]
    )


def strays(entities: Entities, only: Collection[str]) -> DataFrame:
    """What is where another instance can be reached (zombies), and what belongs to none that can be."""
    live = accessible(entities)
    homes = live.select(f.explode(partitions()).alias("partition"), "instance_uid", name_subject().alias("owner"))
    homes = (
        # Two repositories can share a partition: that of r with the uid u is that of a repository r-u without one.
        homes.where("partition is not null")
        .groupBy("partition")
        .agg(f.collect_set(f.coalesce("instance_uid", f.lit(""))).alias("instances"), f.min("owner").alias("owner"))
    )
    cleanups = entities.cleanups.select(
        named_partition(f.col("repository_id"), f.col("instance_uid")).alias("partition"), "instance_uid"
    )
    entries = entities.repositories.select(f.explode(partitions()).alias("partition"), "instance_uid")
    # What a cleaner can find: it starts from cleanup records, and from entries of repositories in any state.
    led = cleanups.unionAll(entries)
    known = led.select("partition").where("partition is not null").distinct().withColumn("led", f.lit(True))
    # An instance is live if any record of it is: `max` of true and false is true.
    instances = live.select(f.col("instance_uid").alias("uid"), f.lit(True).alias("uid_live"))
    instances = instances.unionAll(led.select(f.col("instance_uid").alias("uid"), f.lit(False)))
    instances = instances.where("uid is not null").groupBy("uid").agg(f.max("uid_live").alias("uid_live"))

    frame = entities_with_owner(entities)
    # Left joins: what leads nowhere is just what is looked for.
    frame = frame.join(f.broadcast(homes), frame["partition_key"] == f.col("partition"), "left").drop("partition")
    frame = frame.join(f.broadcast(known), frame["partition_key"] == f.col("partition"), "left").drop("partition")
    frame = frame.join(f.broadcast(instances), f.col("whose") == f.col("uid"), "left")

    here = at()
    whose = f.col("whose")
    reached = f.col("owner").isNotNull()
    # One partition may be that of two repositories, if one of them is named as instances are; each is looked up.
    foreign = (f.size("instances") > 1) | ~f.array_contains("instances", whose)
    # The record's own word goes first. Where it says nothing, its partition decides.
    unreachable = f.when(whose.isNotNull(), ~f.coalesce("uid_live", f.lit(False))).otherwise(~reached)
    found = f.when(whose.isNotNull(), f.col("uid").isNotNull()).otherwise(f.coalesce("led", f.lit(False)))
    belongs = f.when(whose.isNotNull(), sentence("belongs to instance ", whose)).otherwise(
        f.lit("lies in a partition of no accessible repository")
    )
    leads = f.when(found, f.lit(", and an entry or a cleanup record leads to it")).otherwise(
        f.lit(", and no entry and no cleanup record leads to it")
    )
    zombie = sentence("belongs to instance ", whose, " and is reachable through ", f.col("owner"))
    kind = f.when(found, "garbage").otherwise("violation")
    rules = (
        Rule("no-reachable-zombie", reached & whose.isNotNull() & foreign, here, zombie),
        Rule("garbage-is-reclaimable", unreachable & ~f.col("sealed"), here, f.concat(belongs, leads), kind),
    )
    return findings(frame, rules, only)


def incomplete(entities: Entities, only: Collection[str]) -> DataFrame:
    """Accessible repositories without their default branch, or without its commit."""
    # A bare repository is created without a branch.
    wanted = accessible(entities).where(~f.coalesce("bare", f.lit(False)))
    wanted = wanted.select(
        f.col("key").alias("entry"),
        name_subject().alias("subject"),
        "repository_id",
        "default_branch_id",
        f.concat(f.lit(keys.BRANCHES_PREFIX), f.col("default_branch_id").cast("binary")).alias("branch_key"),
        f.posexplode(partitions()).alias("rank", "partition"),
    )
    # The partition of a repository r-1 without a uid would be that of the instance 1 of r.
    homes = entities.repositories.select(f.col("repository_id").alias("of"), partitions()[0].alias("home"))
    of_other = (f.col("partition") == f.col("home")) & (f.col("repository_id") != f.col("of"))
    wanted = wanted.join(f.broadcast(homes), of_other, "left_anti")
    branches = entities.branches.select("partition_key", "key", "commit_id")
    on_branch = (wanted["partition"] == branches["partition_key"]) & (wanted["branch_key"] == branches["key"])
    with_branch = wanted.join(branches, on_branch, "left").select(
        "entry",
        "subject",
        "rank",
        "default_branch_id",
        "partition",
        branches["key"].isNotNull().alias("has_branch"),
        f.coalesce("commit_id", f.lit("")).alias("head"),
        f.concat(f.lit(keys.COMMITS_PREFIX), f.col("commit_id").cast("binary")).alias("commit_key"),
    )
    with_branch = f.broadcast(with_branch)
    commits = entities.commits.select("partition_key", "key")
    on_commit = (f.col("partition") == commits["partition_key"]) & (f.col("commit_key") == commits["key"])
    # Commits are many: the few that default branches name are found first, and joined then.
    there = commits.join(with_branch, on_commit, "left_semi").distinct()
    on_there = (f.col("partition") == there["partition_key"]) & (f.col("commit_key") == there["key"])
    rows = with_branch.join(there, on_there, "left").withColumn("complete", there["key"].isNotNull())
    # The first partition with the branch counts, as in the model.
    # Structs compare field by field: false before true, so that a partition with the branch comes first, and of several
    # the one that is looked at first.
    state = f.struct((~f.col("has_branch")).alias("no_branch"), "rank", "complete", "head")
    # By entry: two of them may name one instance, and different branches.
    judged = rows.groupBy("entry", "subject", "default_branch_id").agg(f.min(state).alias("best"))
    best, named = f.col("best"), f.concat_ws(" ", f.lit("its default branch"), "default_branch_id")
    lacks = f.when(best["no_branch"] | (best["head"] == ""), named)
    lacks = lacks.otherwise(sentence("the commit ", best["head"], " of its default branch"))
    evidence, broken = sentence("is accessible and lacks ", lacks), best["no_branch"] | ~best["complete"]
    return findings(judged, [Rule("active-is-complete", broken, f.col("subject"), evidence)], only)


def find_endangered(entities: Entities, only: Collection[str]) -> DataFrame:
    """Cleanup records of instances that are accessible."""
    live = accessible(entities).select("repository_id", f.coalesce("instance_uid", f.lit("")).alias("uid")).distinct()
    named = entities.cleanups.withColumn("uid", f.coalesce("instance_uid", f.lit("")))
    rows = named.join(live, ["repository_id", "uid"])
    evidence = sentence("names an accessible repository, ", f.concat_ws("-", "repository_id", "uid"))
    return findings(rows, [Rule("cleanup-spares-live", f.lit(True), at(), evidence)], only)
