"""Messages as expressions, at the edges of their fields, against the encoders in Python."""

import pytest
from google.protobuf.internal.encoder import _VarintBytes  # type: ignore[attr-defined]
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from lakeproof.impl.codec import encode
from lakeproof.model.catalog import AddressType, ObjectEntry, encode_object_entry, identity_of
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, MetaRangeID, RepositoryID, StorageNamespace
from lakeproof.model.records import Commit, Repository, RepositoryState, StagedEntry
from lakeproof.spark_checks.generate import wire
from lakeproof.spark_checks.generate.records import DRAFTS

EDGES = [0, 1, 127, 128, (1 << 14) - 1, 1 << 14, (1 << 21) - 1, 1 << 21, (1 << 28) - 1, 1 << 28, (1 << 35) - 1]
TIMES = [0, 1, 999_999, 1_000_000, 127_000_000, 1_767_225_600_000_000, 1_767_225_600_123_456, (1 << 52) - 1]


def encoded(spark: SparkSession, kind: str, drafts: list[dict[str, object]], message: str) -> list[bytes]:
    """What the expressions make of drafts."""
    columns = dict(DRAFTS[kind])
    if message == "staged":
        columns |= {"identity": "binary", "data": "binary"}
    schema = ", ".join(f"{name} {type_}" for name, type_ in columns.items())
    rows = [tuple(draft[name] for name in columns) for draft in drafts]
    found = spark.createDataFrame(rows, schema).coalesce(1).select(getattr(wire, message)()).collect()
    return [bytes(row[0]) for row in found]


@settings(max_examples=5, deadline=None)
@given(st.lists(st.integers(0, (1 << 63) - 1), min_size=50, max_size=200))
def test_a_varint_is_protobufs(spark: SparkSession, numbers: list[int]) -> None:
    numbers = [*numbers, *EDGES, (1 << 63) - 1]
    for groups in (5, 9):
        fit = [number for number in numbers if number < 1 << 7 * groups]
        frame = spark.createDataFrame([(number,) for number in fit], "n bigint").coalesce(1)
        found = [bytes(row[0]) for row in frame.select(f.expr(wire.varint("n", groups))).collect()]
        assert found == [_VarintBytes(number) for number in fit]


def test_a_repository_is_the_codecs(spark: SparkSession) -> None:
    made = [
        Repository(
            repository_id=RepositoryID("r" * length),
            storage_namespace=StorageNamespace("s3://b"),
            default_branch_id=BranchID("main"),
            creation_date=time,
            state=state,
            instance_uid=InstanceUID("" if bare else "u"),
            bare=bare,
        )
        for length, time in zip((1, 63, 127), TIMES[-3:], strict=True)
        for state in RepositoryState
        for bare in (False, True)
    ]
    drafts: list[dict[str, object]] = [
        {name: getattr(each, name) for name in DRAFTS["repositories"]} | {"state": each.state.value} for each in made
    ]
    assert encoded(spark, "repositories", drafts, "repository") == list(map(encode, made))


def test_a_commit_is_the_codecs(spark: SparkSession) -> None:
    made = [
        Commit(
            commit_id=CommitID("c"),
            committer="",
            message="m",
            creation_date=time,
            meta_range_id=MetaRangeID("f" * (generation % 2 * 64)),
            metadata=(("instance", "u"),) if generation % 3 else (),
            parents=tuple(map(CommitID, parents)),
            generation=generation,
        )
        for time in TIMES
        for generation in (1, 127, 128, 20_000_000, (1 << 31) - 1)
        for parents in ((), ("p",), ("p", "q" * 64))
    ]
    drafts: list[dict[str, object]] = [
        {
            "home": "",
            "commit_id": each.commit_id,
            "creation_date": each.creation_date,
            "meta_range_id": each.meta_range_id,
            "first_parent": each.parents[0] if each.parents else None,
            "second_parent": each.parents[1] if len(each.parents) > 1 else None,
            "generation": each.generation,
            "instance": dict(each.metadata).get("instance"),
            "committer": each.committer,
            "message": each.message,
        }
        for each in made
    ]
    assert encoded(spark, "commits", drafts, "commit") == list(map(encode, made))


@pytest.fixture(scope="module")
def entries() -> list[ObjectEntry]:
    # The catalog's encoder leaves out a time of 0, which no generated object has.
    return [
        ObjectEntry(
            address="a" * (1 + size % 127),
            address_type=kind,
            e_tag="e" * (size % 17),
            size_bytes=size,
            last_modified=time,
            content_type="text/csv" if size % 2 else "",
        )
        for size in EDGES
        for time in TIMES[1:]
        for kind in AddressType
    ]


def _staged_draft(entry: ObjectEntry) -> dict[str, object]:
    same = {name: getattr(entry, name) for name in ("address", "size_bytes", "last_modified", "e_tag", "content_type")}
    return {"token": "", "path": "p", "tombstone": False, "address_type": entry.address_type.value, **same}


def test_an_entry_is_the_catalogs(spark: SparkSession, entries: list[ObjectEntry]) -> None:
    drafts = [_staged_draft(entry) for entry in entries]
    assert encoded(spark, "staged", drafts, "entry") == list(map(encode_object_entry, entries))


def test_a_staged_entry_is_the_codecs(spark: SparkSession, entries: list[ObjectEntry]) -> None:
    made = [StagedEntry(key=b"p", identity=b"", data=None)]
    drafts = [_staged_draft(entries[0]) | {"tombstone": True, "identity": b"", "data": None}]
    for entry in entries[::7]:
        data = encode_object_entry(entry)
        made.append(StagedEntry(key=b"p", identity=identity_of(data), data=data))
        drafts.append(_staged_draft(entry) | {"identity": identity_of(data), "data": data})
    assert encoded(spark, "staged", drafts, "staged") == list(map(encode, made))
