"""Rows of ``kv/`` and of the listing, from plain values. Pure."""

from collections.abc import Iterable
from typing import NamedTuple

from lakeproof.impl.codec import encode
from lakeproof.model import keys
from lakeproof.model.catalog import ObjectEntry, encode_object_entry, identity_of
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
from lakeproof.spark_checks.generate.plan import DEFAULT_BRANCH, STORAGE


class KV(NamedTuple):
    """A row of ``kv/``."""

    partition: bytes
    key: bytes
    value: bytes


class ListedObject(NamedTuple):
    """A row of ``objects/``; the time in microseconds."""

    storage_namespace: str
    address: str
    size_bytes: int
    last_modified: int


def repository(
    repository_id: str,
    uid: str,
    date: int = 0,
    state: RepositoryState = RepositoryState.ACTIVE,
    bare: bool = False,
    namespace: str = "",
) -> Repository:
    return Repository(
        repository_id=RepositoryID(repository_id),
        storage_namespace=StorageNamespace(namespace or STORAGE + repository_id),
        default_branch_id=BranchID(DEFAULT_BRANCH),
        creation_date=date,
        state=state,
        instance_uid=InstanceUID(uid),
        bare=bare,
    )


def cleanup(repository_id: str, uid: str) -> CleanupRecord:
    return CleanupRecord(repository_id=RepositoryID(repository_id), instance_uid=InstanceUID(uid))


def branch(name: str, commit_id: str, token: str, sealed: Iterable[str] = ()) -> Branch:
    return Branch(
        branch_id=BranchID(name),
        commit_id=CommitID(commit_id),
        staging_token=StagingToken(token),
        sealed_tokens=tuple(map(StagingToken, sealed)),
    )


def tag(name: str, commit_id: str) -> Tag:
    return Tag(tag_id=TagID(name), commit_id=CommitID(commit_id))


def commit(
    commit_id: str,
    date: int = 0,
    *,
    parents: Iterable[str] = (),
    generation: int = 1,
    meta_range_id: str = "",
    instance: str = "",
) -> Commit:
    return Commit(
        commit_id=CommitID(commit_id),
        committer="user-0",
        message="made",
        creation_date=date,
        meta_range_id=MetaRangeID(meta_range_id),
        metadata=(("instance", instance),) if instance else (),  # as the flows say whose a commit is
        parents=tuple(map(CommitID, parents)),
        generation=generation,
    )


def staged_entry(path: str, entry: ObjectEntry | None) -> StagedEntry:
    """None: a tombstone."""
    # A staged entry without data is a tombstone.
    data = None if entry is None else encode_object_entry(entry)
    return StagedEntry(key=path.encode(), identity=b"" if data is None else identity_of(data), data=data)


def key(record: Record) -> bytes:
    """Under which it lies in its partition."""
    match record:
        case Repository():
            return keys.repository_key(record.repository_id)
        case Branch():
            return keys.branch_key(record.branch_id)
        case Tag():
            return keys.tag_key(record.tag_id)
        case Commit():
            return keys.commit_key(record.commit_id)
        case StagedEntry():
            return keys.staged_key(record.key)
        case CleanupRecord():
            return keys.cleanup_key(record.repository_id, record.instance_uid)


def kv(home: str | bytes, record: Record) -> KV:
    """A record in a partition."""
    return KV(home if isinstance(home, bytes) else home.encode(), key(record), encode(record))
