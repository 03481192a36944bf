"""Records as rows of what diagnostics collect: counts and names, no content of users."""

import re
from collections import Counter
from collections.abc import Collection
from typing import Final

from lakeproof.impl.diagnostics.findings import Row
from lakeproof.impl.refs.branches import is_tombstone
from lakeproof.model.records import Branch, Commit, Repository, Tag

Entity = Branch | Commit | Tag
# A namespace is a URL: s3://key:secret@bucket, or a query with a signature.
_CREDENTIALS: Final = re.compile(r"(?<=://)[^/?#]*@|[?#].*", re.DOTALL)
TABLE_OF: Final[dict[type[Entity], str]] = {Branch: "branches", Commit: "commits", Tag: "tags"}
_SHOWN: Final[dict[type[Entity], tuple[str, ...]]] = {
    Branch: ("branch_id", "commit_id", "staging_token", "sealed_tokens", "hidden"),
    Commit: ("commit_id", "parents", "meta_range_id", "creation_date", "version", "generation"),
    Tag: ("tag_id", "commit_id"),
}
"""Fields that are shown as they are."""


def repository_row(repository: Repository, entities: Collection[Entity]) -> Row:
    """The namespace without credentials, the date in microseconds since 1970."""
    counts = Counter(type(entity) for entity in entities)
    return {
        "repository_id": repository.repository_id,
        "instance_uid": repository.instance_uid,
        "state": repository.state.name.lower(),
        "bare": repository.bare,
        "default_branch_id": repository.default_branch_id,
        "storage_namespace": _CREDENTIALS.sub("", repository.storage_namespace),
        "creation_date": repository.creation_date,
        **{table: counts[kind] for kind, table in TABLE_OF.items()},
    }


def entity_row(repository: Repository, entity: Entity) -> Row:
    """A row of the table of its kind."""
    row: dict[str, object] = {"repository_id": repository.repository_id, "instance_uid": repository.instance_uid}
    row |= {field: getattr(entity, field) for field in _SHOWN[type(entity)]}
    match entity:
        case Branch():
            row["deleted"] = is_tombstone(entity)
        case Commit():
            row |= {"message_characters": len(entity.message), "metadata_pairs": len(entity.metadata)}
    return row
