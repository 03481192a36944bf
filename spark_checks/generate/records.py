"""Rows of ``kv/`` and of the listing, from plain values. Pure."""

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
from lakeproof.model.records import Branch, CleanupRecord, Commit, Repository, RepositoryState, StagedEntry, Tag
from lakeproof.spark_checks.generate.plan import DEFAULT_BRANCH, STORAGE


class KV(NamedTuple):
    """A row of ``kv/``."""

    partition: bytes
    key: bytes
    value: bytes


class Listed(NamedTuple):
    """A row of ``objects/``; the time in microseconds."""

    storage_namespace: str
    address: str
    size_bytes: int
    last_modified: int


def repository(
    repository_id: str, uid: str, date: int, state: RepositoryState = RepositoryState.ACTIVE, bare: bool = False
) -> KV:
    record = Repository(
        repository_id=RepositoryID(repository_id),
        storage_namespace=StorageNamespace(STORAGE + repository_id),
        default_branch_id=BranchID(DEFAULT_BRANCH),
        creation_date=date,
        state=state,
        instance_uid=InstanceUID(uid),
        bare=bare,
    )
    return KV(keys.GRAVELER, keys.repository_key(record.repository_id), encode(record))


def cleanup(repository_id: str, uid: str) -> KV:
    record = CleanupRecord(repository_id=RepositoryID(repository_id), instance_uid=InstanceUID(uid))
    return KV(keys.DELETED, keys.cleanup_key(record.repository_id, record.instance_uid), encode(record))


def branch(home: str, name: str, commit_id: str, token: str, sealed: tuple[str, ...] = ()) -> KV:
    record = Branch(
        branch_id=BranchID(name),
        commit_id=CommitID(commit_id),
        staging_token=StagingToken(token),
        sealed_tokens=tuple(map(StagingToken, sealed)),
    )
    return KV(home.encode(), keys.branch_key(record.branch_id), encode(record))


def tag(home: str, name: str, commit_id: str, named: str | None = None) -> KV:
    """``named``: the id in the record, where it is not that of the key."""
    record = Tag(tag_id=TagID(named or name), commit_id=CommitID(commit_id))
    return KV(home.encode(), keys.tag_key(TagID(name)), encode(record))


def commit(
    home: str,
    commit_id: str,
    date: int,
    *,
    parents: tuple[str, ...] = (),
    generation: int = 2,
    meta_range_id: str = "",
    instance: str = "",
    committer: str = "user-0",
    message: str = "planted",
) -> KV:
    record = Commit(
        commit_id=CommitID(commit_id),
        committer=committer,
        message=message,
        creation_date=date,
        meta_range_id=MetaRangeID(meta_range_id),
        metadata=(("instance", instance),) if instance else (),
        parents=tuple(map(CommitID, parents)),
        generation=generation,
    )
    return KV(home.encode(), keys.commit_key(record.commit_id), encode(record))


def staged(token: str, path: str, entry: ObjectEntry | None) -> KV:
    """None: a tombstone."""
    data = None if entry is None else encode_object_entry(entry)
    record = StagedEntry(key=path.encode(), identity=b"" if data is None else identity_of(data), data=data)
    return KV(token.encode(), keys.staged_key(record.key), encode(record))
