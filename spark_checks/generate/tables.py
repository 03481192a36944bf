"""Drafts as what is written: records of ``kv/``."""

from collections.abc import Callable, Mapping
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

_RECORDS: Final[Mapping[str, tuple[str | None, bytes, str, Callable[[], Column]]]] = {
    "repositories": (None, REPOSITORIES_PREFIX, "repository_id", wire.repository),
    "branches": ("home", BRANCHES_PREFIX, "branch_id", wire.branch),
    "tags": ("home", TAGS_PREFIX, "tag_id", wire.tag_value),
    "commits": ("home", COMMITS_PREFIX, "commit_id", wire.commit),
    "staged": ("token", STAGED_PREFIX, "path", wire.staged),
}
"""The columns of a draft that name partition (None: that of all repositories) and key; what the key begins with; the
value."""


def records(name: str, draft: DataFrame) -> DataFrame:
    """The rows of ``kv/`` that a draft becomes."""
    partition, prefix, named, value = _RECORDS[name]
    if name == "staged":
        draft = draft.withColumn("data", f.when(~f.col("tombstone"), wire.entry()))
        identity = f.when(~f.col("tombstone"), f.md5("data").cast("binary")).otherwise(f.lit(b""))
        draft = draft.withColumn("identity", identity)
    return draft.select(
        (f.lit(GRAVELER) if partition is None else f.col(partition).cast("binary")).alias("partition_key"),
        f.concat(f.lit(prefix), f.col(named).cast("binary")).alias("key"),
        value().alias("value"),
    )
