"""Drafts as what is written: records of ``kv/``, encoded as protobuf messages, a batch at a time."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import pyarrow as pa
from google.protobuf.timestamp_pb2 import Timestamp
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from lakeproof.impl.codec import graveler_pb2 as pb
from lakeproof.model import catalog_pb2
from lakeproof.model.catalog import identity_of
from lakeproof.model.keys import (
    BRANCHES_PREFIX,
    COMMITS_PREFIX,
    GRAVELER,
    REPOSITORIES_PREFIX,
    STAGED_PREFIX,
    TAGS_PREFIX,
)
from lakeproof.spark_checks.engine import batches
from lakeproof.spark_checks.engine.tables import KV

_ARROW: Final = to_arrow_schema(KV)


def _moment(microseconds: int) -> Timestamp:
    return Timestamp(seconds=microseconds // 1_000_000, nanos=microseconds % 1_000_000 * 1000)


def _some(*texts: str | None) -> list[str]:
    return [each for each in texts if each]


def _repositories(drafts: pa.RecordBatch) -> Iterator[bytes]:
    for row in drafts.to_pylist():
        yield pb.RepositoryData(
            id=row["repository_id"],
            storage_namespace=row["storage_namespace"],
            default_branch_id=row["default_branch_id"],
            creation_date=_moment(row["creation_date"]),
            state=row["state"],
            instance_uid=row["instance_uid"],
            bare=row["bare"],
        ).SerializeToString()


def _branches(drafts: pa.RecordBatch) -> Iterator[bytes]:
    for row in drafts.to_pylist():
        yield pb.BranchData(
            id=row["branch_id"],
            commit_id=row["commit_id"],
            staging_token=row["staging_token"],
            sealed_tokens=_some(row["sealed_1"], row["sealed_2"]),
        ).SerializeToString()


def _tags(drafts: pa.RecordBatch) -> Iterator[bytes]:
    for row in drafts.to_pylist():
        yield pb.TagData(id=row["tag_id"], commit_id=row["commit_id"]).SerializeToString()


def _commits(drafts: pa.RecordBatch) -> Iterator[bytes]:
    for row in drafts.to_pylist():
        yield pb.CommitData(
            id=row["commit_id"],
            committer=row["committer"],
            message=row["message"],
            creation_date=_moment(row["creation_date"]),
            meta_range_id=row["meta_range_id"],
            metadata={} if row["instance"] is None else {"instance": row["instance"]},
            parents=_some(row["first_parent"], row["second_parent"]),
            version=1,
            generation=row["generation"],
        ).SerializeToString()


def _staged(drafts: pa.RecordBatch) -> Iterator[bytes]:
    """A tombstone has neither identity nor data."""
    for row in drafts.to_pylist():
        staged = pb.StagedEntryData(key=row["path"].encode())
        if not row["tombstone"]:
            staged.data = catalog_pb2.EntryData(
                address=row["address"],
                last_modified=_moment(row["last_modified"]),
                size=row["size_bytes"],
                e_tag=row["e_tag"],
                address_type=row["address_type"],
                content_type=row["content_type"],
            ).SerializeToString()
            staged.identity = identity_of(staged.data)
        yield staged.SerializeToString()


_RECORDS: Final[Mapping[str, tuple[str | None, bytes, str, Callable[[pa.RecordBatch], Iterator[bytes]]]]] = {
    "repositories": (None, REPOSITORIES_PREFIX, "repository_id", _repositories),
    "branches": ("home", BRANCHES_PREFIX, "branch_id", _branches),
    "tags": ("home", TAGS_PREFIX, "tag_id", _tags),
    "commits": ("home", COMMITS_PREFIX, "commit_id", _commits),
    "staged": ("token", STAGED_PREFIX, "path", _staged),
}
"""The columns of a draft that name partition (None: that of all repositories) and key; what the key begins with; the
value."""


def records(name: str, draft: DataFrame) -> DataFrame:
    """The rows of ``kv/`` that a draft becomes. Cost: ten microseconds a row."""

    def encoded(found: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        partition, prefix, named, value = _RECORDS[name]
        for drafts in found:
            keys = [prefix + each.encode() for each in drafts.column(named).to_pylist()]
            homes = [GRAVELER] * len(keys)
            if partition is not None:
                homes = [each.encode() for each in drafts.column(partition).to_pylist()]
            yield batches.batch([*zip(homes, keys, value(drafts), strict=True)], _ARROW)

    return draft.mapInArrow(encoded, KV)
