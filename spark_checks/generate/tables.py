"""Drafts as what is written: records of ``kv/``, and the typed tables that they decode into."""

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.model.keys import (
    BRANCHES_PREFIX,
    COMMITS_PREFIX,
    GRAVELER,
    REPOSITORIES_PREFIX,
    STAGED_PREFIX,
    TAGS_PREFIX,
)
from lakeproof.spark_checks.generate import wire
from lakeproof.spark_checks.generate.ground import home
from lakeproof.spark_checks.tables import DECODED


def _key(prefix: bytes, name: Column) -> Column:
    return f.concat(f.lit(prefix), name.cast("binary"))


def _strings(*columns: Column) -> Column:
    """Those of at most two that are not null, as an array: the second one is null if the first is."""
    one, other = columns
    none = f.array().cast("array<string>")
    return f.when(one.isNull(), none).when(other.isNull(), f.array(one)).otherwise(f.array(one, other))


def _encoded_repositories(frame: DataFrame) -> DataFrame:
    return frame.select(
        "*",
        f.lit(GRAVELER).alias("partition_key"),
        _key(REPOSITORIES_PREFIX, f.col("repository_id")).alias("key"),
        wire.repository().alias("value"),
        home(f.col("repository_id"), f.col("instance_uid")).cast("binary").alias("home"),
    )


def _encoded_branches(frame: DataFrame) -> DataFrame:
    return frame.select(
        "*",
        f.col("home").cast("binary").alias("partition_key"),
        _key(BRANCHES_PREFIX, f.col("branch_id")).alias("key"),
        wire.branch().alias("value"),
        _strings(f.col("sealed_1"), f.col("sealed_2")).alias("sealed_tokens"),
        f.lit(False).alias("hidden"),
    )


def _encoded_tags(frame: DataFrame) -> DataFrame:
    return frame.select(
        "*",
        f.col("home").cast("binary").alias("partition_key"),
        _key(TAGS_PREFIX, f.col("tag_id")).alias("key"),
        wire.tag_value().alias("value"),
    )


def _encoded_commits(frame: DataFrame) -> DataFrame:
    return frame.select(
        "*",
        f.col("home").cast("binary").alias("partition_key"),
        _key(COMMITS_PREFIX, f.col("commit_id")).alias("key"),
        wire.commit().alias("value"),
        _strings(f.col("first_parent"), f.col("second_parent")).alias("parents"),
        f.lit(1).alias("version"),
    )


def _encoded_staged(frame: DataFrame) -> DataFrame:
    there = ~f.col("tombstone")
    frame = frame.withColumn("data", f.when(there, wire.entry()))
    frame = frame.withColumn("identity", f.when(there, f.md5("data").cast("binary")).otherwise(f.lit(b"")))
    return frame.select(
        *(name for name in frame.columns if name != "path"),
        f.col("path").cast("binary").alias("path"),
        f.col("token").cast("binary").alias("partition_key"),
        _key(STAGED_PREFIX, f.col("path")).alias("key"),
        wire.staged().alias("value"),
    )


_ENCODED: Final = {
    "repositories": _encoded_repositories,
    "branches": _encoded_branches,
    "tags": _encoded_tags,
    "commits": _encoded_commits,
    "staged": _encoded_staged,
}


def records(name: str, draft: DataFrame) -> DataFrame:
    """The rows of ``kv/`` that a draft becomes."""
    return _ENCODED[name](draft).select("partition_key", "key", "value")


def typed(name: str, draft: DataFrame) -> DataFrame:
    """The rows of a typed table that a draft becomes."""
    made = _ENCODED[name](draft)
    return made.select(*(f.col(each.name).cast(each.dataType) for each in DECODED[name]))
