"""The records that the flows keep in the store: frozen, hashable values.

Source: graveler-on-kv.md, "Entities"; repository-operations-error-handling.md, "Solution".
"""

from enum import Enum

import attrs

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

Metadata = tuple[tuple[str, str], ...]
"""String to string, as sorted pairs: hashable, with one form per content."""


class RepositoryState(Enum):
    """The number is the one on the wire."""

    ACTIVE = 0
    DELETING = 1
    INITIAL = 2
    """Ours: Step 2 proposes it, lakeFS never shipped it."""
    DELETED = 3
    """Ours, for `hardened` only: the entry stays as a tombstone and its id is free."""


@attrs.frozen(kw_only=True, cache_hash=True)
class Repository:
    """A repository entry: whether an id is in use, by which instance, and in what state."""

    repository_id: RepositoryID
    storage_namespace: StorageNamespace
    default_branch_id: BranchID
    creation_date: int  # microseconds since 1970
    state: RepositoryState = RepositoryState.ACTIVE
    instance_uid: InstanceUID
    bare: bool = False


@attrs.frozen(kw_only=True, cache_hash=True)
class Branch:
    """A movable name for a commit, plus the writes not yet in one."""

    branch_id: BranchID
    commit_id: CommitID
    staging_token: StagingToken
    sealed_tokens: tuple[StagingToken, ...] = ()  # newest first
    hidden: bool = False

    def __attrs_post_init__(self) -> None:
        # A writer would add to a token that a committer has scanned already: its entry would be dropped uncommitted.
        assert self.staging_token not in self.sealed_tokens, f"{self.staging_token!r} is open and sealed at once"

    @property
    def tokens(self) -> tuple[StagingToken, ...]:
        """All tokens, newest first."""
        return (self.staging_token, *self.sealed_tokens)


@attrs.frozen(kw_only=True, cache_hash=True)
class Tag:
    """A fixed name for a commit."""

    tag_id: TagID
    commit_id: CommitID


@attrs.frozen(kw_only=True, cache_hash=True)
class Commit:
    """A point in a repository's history."""

    commit_id: CommitID
    committer: str
    message: str
    creation_date: int  # microseconds since 1970
    meta_range_id: MetaRangeID
    metadata: Metadata = ()
    parents: tuple[CommitID, ...] = ()
    version: int = 1
    generation: int = 1


@attrs.frozen(kw_only=True, cache_hash=True)
class StagedEntry:
    """An uncommitted change of one path; no data means that the path was deleted (a tombstone)."""

    key: bytes
    identity: bytes
    data: bytes | None


@attrs.frozen(kw_only=True, cache_hash=True)
class CleanupRecord:
    """A cleanup record: this instance's partition may be emptied."""

    repository_id: RepositoryID
    instance_uid: InstanceUID


Record = Repository | Branch | Tag | Commit | StagedEntry | CleanupRecord


def name_of(record: Record) -> bytes:
    """The last part of the key that a record says to have."""
    match record:
        case Repository():
            return record.repository_id.encode()
        case Branch():
            return record.branch_id.encode()
        case Commit():
            return record.commit_id.encode()
        case Tag():
            return record.tag_id.encode()
        case StagedEntry():
            return record.key
        case CleanupRecord():
            return f"{record.repository_id}/{record.instance_uid}".encode()
