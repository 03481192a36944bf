"""What diagnostics find: rows for what there is, findings for what is wrong with it."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

import attrs

from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, RepositoryID, StagingToken, TagID

FindingKind = Literal[
    "damaged",
    "undecodable",
    "misplaced",
    "bad-name",
    "dangling",
    "no-default-branch",
    "shared-token",
    "unreadable",
    "stray",
    "unknown-key",
    "unowned-token",
    "changed-meanwhile",
    "left-over",
    "bare",
    "part",
    "version",
]
UNJUDGED: Final = frozenset({"part", "version"})
NOTES: Final = UNJUDGED | {"unknown-key", "unowned-token", "changed-meanwhile", "left-over", "bare"}
"""Findings that say nothing bad: keys of no known entity, entries that a commit or a reset has left to be dropped,
repositories that changed while they were read; and of lakeFS what a deleted repository has left, a repository that was
created bare, that there is but a part of a store, and that the records may mean something else (`UNJUDGED`)."""


@attrs.frozen
class Diagnosis:
    """Something worth a look, and where it is. An empty key means the whole partition, and an empty partition the
    whole store."""

    kind: FindingKind
    partition: bytes
    key: bytes
    message: str


@attrs.frozen(kw_only=True)
class RepositoryRow:
    repository_id: RepositoryID
    instance_uid: InstanceUID
    state: str
    bare: bool
    default_branch_id: BranchID
    storage_namespace: str  # without credentials
    creation_date: int  # microseconds since 1970
    branches: int
    commits: int
    tags: int


@attrs.frozen(kw_only=True)
class BranchRow:
    repository_id: RepositoryID
    instance_uid: InstanceUID
    branch_id: BranchID
    commit_id: CommitID
    staging_token: StagingToken
    sealed_tokens: tuple[StagingToken, ...]
    hidden: bool
    deleted: bool


@attrs.frozen(kw_only=True)
class CommitRow:
    repository_id: RepositoryID
    instance_uid: InstanceUID
    commit_id: CommitID
    parents: tuple[CommitID, ...]
    meta_range_id: str
    creation_date: int  # microseconds since 1970
    version: int
    generation: int
    message_characters: int
    metadata_pairs: int


@attrs.frozen(kw_only=True)
class TagRow:
    repository_id: RepositoryID
    instance_uid: InstanceUID
    tag_id: TagID
    commit_id: CommitID


@attrs.frozen(kw_only=True)
class StagingRow:
    """A staging token, open or sealed, and what is staged under it."""

    staging_token: StagingToken
    owners: tuple[str, ...]  # as "repository-uid/branch"
    entries: int
    tombstones: int
    data_bytes: int


@attrs.frozen(kw_only=True)
class CleanupRow:
    """A cleanup record, and how many entities of that instance are left."""

    repository_id: RepositoryID
    instance_uid: InstanceUID
    left: int


@attrs.frozen(kw_only=True)
class Collected:
    """All that was found, each kind in the order of its keys."""

    collected_at: int  # microseconds since 1970
    repositories: tuple[RepositoryRow, ...]
    branches: tuple[BranchRow, ...]
    commits: tuple[CommitRow, ...]
    tags: tuple[TagRow, ...]
    staging: tuple[StagingRow, ...]
    cleanup: tuple[CleanupRow, ...]
    findings: tuple[Diagnosis, ...]

    @property
    def tables(self) -> dict[str, Sequence[attrs.AttrsInstance]]:
        """Rows by the kind of entity."""
        names = ("repositories", "branches", "commits", "tags", "staging", "cleanup")
        return {name: getattr(self, name) for name in names}

    @property
    def complete(self) -> bool:
        """Whether everything could be read."""
        # Of a part of a store, or of an unknown version, the rest may mean something else.
        return not any(finding.kind in {"unreadable", *UNJUDGED} for finding in self.findings)

    @property
    def sound(self) -> bool:
        """Whether nothing bad was found, as far as everything could be read."""
        # What was not read is neither good nor bad, see `complete`.
        return all(finding.kind == "unreadable" or finding.kind in NOTES for finding in self.findings)

    @property
    def summary(self) -> dict[str, object]:
        """Counts, ready for JSON."""
        return {
            "format": "lakeproof diagnostics",
            "version": 1,
            "collected_at": self.collected_at,
            "complete": self.complete,
            "rows": {name: len(rows) for name, rows in self.tables.items()},
            "staged_entries": sum(row.entries for row in self.staging),
            "repository_states": dict(sorted(Counter(row.state for row in self.repositories).items())),
            "findings": dict(sorted(Counter(finding.kind for finding in self.findings).items())),
        }
