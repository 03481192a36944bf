"""Records as rows of what diagnostics collect: counts and names, no content of users."""

import re
from collections import Counter
from collections.abc import Collection
from typing import Final

from lakeproof.impl.diagnostics.findings import BranchRow, CommitRow, RepositoryRow, TagRow
from lakeproof.impl.refs.branches import is_tombstone
from lakeproof.model.records import Branch, Commit, Repository, Tag

Entity = Branch | Commit | Tag
# A namespace is a URL: s3://key:secret@bucket, or a query with a signature.
_CREDENTIALS: Final = re.compile(r"(?<=://)[^/?#]*@|[?#].*", re.DOTALL)


def repository_row(repository: Repository, entities: Collection[Entity]) -> RepositoryRow:
    counts = Counter(type(entity) for entity in entities)
    return RepositoryRow(
        repository_id=repository.repository_id,
        instance_uid=repository.instance_uid,
        state=repository.state.name.lower(),
        bare=repository.bare,
        default_branch_id=repository.default_branch_id,
        storage_namespace=_CREDENTIALS.sub("", repository.storage_namespace),
        creation_date=repository.creation_date,
        branches=counts[Branch],
        commits=counts[Commit],
        tags=counts[Tag],
    )


def branch_row(repository: Repository, branch: Branch) -> BranchRow:
    return BranchRow(
        repository_id=repository.repository_id,
        instance_uid=repository.instance_uid,
        branch_id=branch.branch_id,
        commit_id=branch.commit_id,
        staging_token=branch.staging_token,
        sealed_tokens=branch.sealed_tokens,
        hidden=branch.hidden,
        deleted=is_tombstone(branch),
    )


def commit_row(repository: Repository, commit: Commit) -> CommitRow:
    return CommitRow(
        repository_id=repository.repository_id,
        instance_uid=repository.instance_uid,
        commit_id=commit.commit_id,
        parents=commit.parents,
        meta_range_id=commit.meta_range_id,
        creation_date=commit.creation_date,
        version=commit.version,
        generation=commit.generation,
        message_characters=len(commit.message),
        metadata_pairs=len(commit.metadata),
    )


def tag_row(repository: Repository, tag: Tag) -> TagRow:
    return TagRow(
        repository_id=repository.repository_id,
        instance_uid=repository.instance_uid,
        tag_id=tag.tag_id,
        commit_id=tag.commit_id,
    )
