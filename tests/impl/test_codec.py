"""Records on the wire: what is written is read back, and both are what lakeFS writes and reads."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl import codec
from lakeproof.impl.codec import Undecodable, decode_at, encode, graveler_pb2
from lakeproof.model import catalog_pb2, keys
from lakeproof.model.identifiers import (
    BranchID,
    CommitID,
    InstanceUID,
    MetaRangeID,
    RepositoryID,
    StagingToken,
    StorageNamespace,
    TagID,
)
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, RepositoryState, StagedEntry, Tag

text = st.text(max_size=8)
tokens = text.map(StagingToken)
commit_ids = text.map(CommitID)
int32s = st.integers(-(2**31), 2**31 - 1)
# What a Timestamp is meant to hold: the years 1 to 9999.
microseconds = st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999)

repositories = st.builds(
    Repository,
    repository_id=text.map(RepositoryID),
    storage_namespace=text.map(StorageNamespace),
    default_branch_id=text.map(BranchID),
    creation_date=microseconds,
    state=st.sampled_from(RepositoryState),
    instance_uid=text.map(InstanceUID),
    bare=st.booleans(),
)
branches = st.lists(tokens, min_size=1, max_size=4, unique=True).flatmap(
    lambda unique: st.builds(
        Branch,
        branch_id=text.map(BranchID),
        commit_id=commit_ids,
        staging_token=st.just(unique[0]),
        sealed_tokens=st.just(tuple(unique[1:])),
        hidden=st.booleans(),
    )
)
commits = st.builds(
    Commit,
    commit_id=commit_ids,
    committer=text,
    message=text,
    creation_date=microseconds,
    meta_range_id=text.map(MetaRangeID),
    metadata=st.dictionaries(text, text, max_size=5).map(lambda found: tuple(sorted(found.items()))),
    parents=st.lists(commit_ids, max_size=3).map(tuple),
    version=int32s,
    generation=int32s,
)
tags = st.builds(Tag, tag_id=text.map(TagID), commit_id=commit_ids)
staged_entries = st.builds(
    StagedEntry, key=st.binary(max_size=8), identity=st.binary(max_size=8), data=st.none() | st.binary(max_size=8)
)
cleanup_records = st.builds(CleanupRecord, repository_id=text.map(RepositoryID), instance_uid=text.map(InstanceUID))
records = st.one_of(repositories, branches, commits, tags, staged_entries, cleanup_records)

PARTITION = keys.repository_partition(RepositoryID("r"), InstanceUID("u"))


HOMES = {
    Repository: (keys.GRAVELER, keys.repository_key(RepositoryID("r"))),
    Branch: (PARTITION, keys.branch_key(BranchID("main"))),
    Commit: (PARTITION, keys.commit_key(CommitID("c"))),
    Tag: (PARTITION, keys.tag_key(TagID("v1"))),
    StagedEntry: (keys.staging_partition(StagingToken("t")), keys.staged_key(b"a/b")),
    CleanupRecord: (keys.DELETED, keys.cleanup_key(RepositoryID("r"), InstanceUID("u"))),
}
"""Where a record of each kind may live."""


@given(records)
def test_what_is_written_is_read_back(record: Record) -> None:
    assert decode_at(*HOMES[type(record)], encode(record)) == record


REPOSITORY = Repository(
    repository_id=RepositoryID("r"),
    storage_namespace=StorageNamespace("mem://r"),
    default_branch_id=BranchID("main"),
    creation_date=3_000_004,
    state=RepositoryState.DELETING,
    instance_uid=InstanceUID("u"),
)
BRANCH = Branch(
    branch_id=BranchID("b"),
    commit_id=CommitID("c"),
    staging_token=StagingToken("t3"),
    sealed_tokens=(StagingToken("t2"), StagingToken("t1")),
)
COMMIT = Commit(
    commit_id=CommitID("c"),
    committer="me",
    message="hi",
    creation_date=1_000_000,
    meta_range_id=MetaRangeID("m"),
    metadata=(("a", "1"), ("b", "2")),
    parents=(CommitID("p"), CommitID("q")),
    version=1,
    generation=300,
)

# Each line one field: tag (number * 8 + wire type), length where there is one, content.
VECTORS: dict[Record, bytes] = {
    REPOSITORY: (
        b"\x0a\x01r"  # 1 id
        b"\x12\x07mem://r"  # 2 storage_namespace
        b"\x1a\x04main"  # 3 default_branch_id
        b"\x22\x05\x08\x03\x10\xa0\x1f"  # 4 creation_date: {1 seconds: 3, 2 nanos: 4000 = 0x1f * 128 + 0x20}
        b"\x28\x01"  # 5 state: IN_DELETION
        b"\x32\x01u"  # 6 instance_uid
    ),
    BRANCH: b"\x0a\x01b\x12\x01c\x1a\x02t3\x22\x02t2\x22\x02t1",
    COMMIT: (
        b"\x0a\x01c\x12\x02me\x1a\x02hi"
        b"\x22\x02\x08\x01"  # 4 creation_date: {1 seconds: 1}
        b"\x2a\x01m"
        b"\x32\x06\x0a\x01a\x12\x011\x32\x06\x0a\x01b\x12\x012"  # 6 metadata: an entry {1 key, 2 value} each, sorted
        b"\x3a\x01p\x3a\x01q"
        b"\x40\x01"  # 8 version
        b"\x48\xac\x02"  # 9 generation: 300 = 2 * 128 + 44
    ),
    Tag(tag_id=TagID("v1"), commit_id=CommitID("c")): b"\x0a\x02v1\x12\x01c",
    StagedEntry(key=b"k", identity=b"i", data=b"d"): b"\x0a\x01k\x12\x01i\x1a\x01d",
    StagedEntry(key=b"k", identity=b"i", data=b""): b"\x0a\x01k\x12\x01i\x1a\x00",
    StagedEntry(key=b"k", identity=b"", data=None): b"\x0a\x01k",  # as lakeFS writes a tombstone
    CleanupRecord(repository_id=RepositoryID("r"), instance_uid=InstanceUID("u")): b"\x0a\x01r\x12\x01u",
}


@pytest.mark.parametrize(("record", "wire"), VECTORS.items(), ids=lambda value: type(value).__name__)
def test_bytes_spelled_out_by_hand_are_written_and_read(record: Record, wire: bytes) -> None:
    assert encode(record) == wire
    assert decode_at(*HOMES[type(record)], wire) == record


def test_fields_that_we_do_not_know_are_skipped() -> None:
    # 7 read_only and 8 storage_id of a newer lakeFS, and field 15 of one that is newer still.
    wire = encode(REPOSITORY) + b"\x38\x01\x42\x01s\x7a\x03new"
    assert codec.decode_repository(wire) == REPOSITORY


def test_where_the_schema_knows_no_record_nothing_is_decoded() -> None:
    assert decode_at(b"kv-internal-metadata", b"kv/schema", b"\xff") is None
    assert decode_at(keys.GRAVELER, b"branches/main", encode(BRANCH)) is None


@pytest.mark.parametrize(
    ("record", "wire", "reason"),
    [
        (REPOSITORY, b"\xff", "is no RepositoryData"),
        (REPOSITORY, b"\x0a\x05ab", "is no RepositoryData"),  # cut short
        (REPOSITORY, b"\x0a\x01\xff", "is no RepositoryData"),  # a string that is not UTF-8
        (REPOSITORY, b"\x28\x07", r"repository state 7: expected one of \[0, 1, 2, 3\]"),
        (BRANCH, b"\x1a\x01t\x22\x01t", "staging token 't' is open and sealed at once"),
        (COMMIT, b"\x0a", "is no CommitData"),
    ],
)
def test_what_cannot_be_decoded_is_named_with_its_address(record: Record, wire: bytes, reason: str) -> None:
    partition, key = HOMES[type(record)]
    with pytest.raises(Undecodable, match=reason) as caught:
        decode_at(partition, key, wire)
    assert repr(partition) in str(caught.value)
    assert repr(key) in str(caught.value)


@pytest.mark.parametrize("module", [graveler_pb2, catalog_pb2], ids=["graveler", "catalog"])
def test_a_generated_module_is_current(module: ModuleType, tmp_path: Path) -> None:
    folder, name = Path(str(module.__file__)).parent, str(module.__name__).rpartition(".")[2].removesuffix("_pb2")
    assert f"{name}.proto" == module.DESCRIPTOR.name
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", f"--pyi_out={tmp_path}"]
    subprocess.run([*command, f"--descriptor_set_out={tmp_path}/{name}.binpb", f"{name}.proto"], check=True)
    for made in (f"{name}.binpb", f"{name}_pb2.pyi"):
        assert (tmp_path / made).read_bytes() == (folder / made).read_bytes(), (
            f"{made} is out of date: run the command at the top of {name}.proto"
        )
