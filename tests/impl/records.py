"""Small records, and where they are stored: as bytes, or as a snapshot has them."""

from typing import Final

from lakeproof.impl.codec import encode
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv
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
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, StagedEntry, Tag

REPOSITORY: Final = Repository(
    repository_id=RepositoryID("r"),
    storage_namespace=StorageNamespace("mem://r"),
    default_branch_id=BranchID("main"),
    creation_date=0,
    instance_uid=InstanceUID("u"),
)
P: Final = uid_partition(REPOSITORY)
TOKEN: Final = StagingToken("r-main:t")


def tag(name: str) -> Tag:
    return Tag(tag_id=TagID(name), commit_id=CommitID("c"))


def branch(name: str, commit_id: str = "c") -> Branch:
    return Branch(branch_id=BranchID(name), commit_id=CommitID(commit_id), staging_token=StagingToken(f"r-{name}:t"))


def commit(name: str, *parents: str) -> Commit:
    return Commit(
        commit_id=CommitID(name),
        committer="",
        message="",
        creation_date=0,
        meta_range_id=MetaRangeID(""),
        parents=tuple(CommitID(parent) for parent in parents),
    )


def staged(path: bytes, data: bytes | None = b"") -> StagedEntry:
    return StagedEntry(key=path, identity=b"", data=data)


def address(record: Record) -> kv.Address:
    match record:
        case Repository():
            return keys.GRAVELER, keys.repository_key(record.repository_id)
        case Branch():
            return P, keys.branch_key(record.branch_id)
        case Commit():
            return P, keys.commit_key(record.commit_id)
        case Tag():
            return P, keys.tag_key(record.tag_id)
        case StagedEntry():
            return keys.staging_partition(TOKEN), keys.staged_key(record.key)
        case CleanupRecord():
            return keys.DELETED, keys.cleanup_key(record.repository_id, record.instance_uid)


def held(*records: Record) -> dict[kv.Address, Record | bytes]:
    """What a snapshot of a store that holds these has."""
    return {address(record): record for record in records}


def staged_under(token: str, *entries: StagedEntry) -> dict[kv.Address, Record | bytes]:
    """The same of entries under a token."""
    return {(keys.staging_partition(StagingToken(token)), keys.staged_key(each.key)): each for each in entries}


def stored(*records: Record) -> dict[kv.Address, bytes]:
    """The contents of a store that holds these."""
    return {address(record): encode(record) for record in records}
