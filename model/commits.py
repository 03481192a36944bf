"""Commit ids are content addresses: SHA-256 of a canonical form.

The form is that of `canonical`: every field in a fixed order, each preceded by its length, so that no two commits share
one. Adding the same commit twice is therefore the same as adding it once. What is not part of it: the id itself.
Source: graveler-on-kv.md, "Commit"; lakeFS' ``pkg/graveler/ref`` derives its ids from the same fields.
"""

import hashlib
from collections.abc import Callable, Iterable
from typing import Final

import attrs

from lakeproof.model.identifiers import CommitID
from lakeproof.model.records import Commit

FORMAT: Final = b"commit:v1"


def canonical(commit: Commit) -> bytes:
    """The bytes that a commit's id is the hash of."""
    fields: list[bytes] = [
        commit.committer.encode(),
        commit.message.encode(),
        str(commit.creation_date).encode(),  # in microseconds: two like commits at different times have different ids
        commit.meta_range_id.encode(),
        str(commit.version).encode(),
        str(commit.generation).encode(),
        # The counts keep lists apart: else a parent could pass for the first part of the metadata.
        *_count_prefixed([parent.encode() for parent in commit.parents]),
        *_count_prefixed([part.encode() for pair in commit.metadata for part in pair]),
    ]
    # FORMAT: a later form shares no ids with this one.
    return FORMAT + b"".join(len(field).to_bytes(8) + field for field in fields)


def _count_prefixed(fields: list[bytes]) -> list[bytes]:
    return [str(len(fields)).encode(), *fields]


def content_address(commit: Commit) -> CommitID:
    """64 hexadecimal digits."""
    return CommitID(hashlib.sha256(canonical(commit)).hexdigest())


def ancestors(heads: Iterable[CommitID], parents: Callable[[CommitID], Iterable[CommitID]]) -> frozenset[CommitID]:
    """What some commits lead to over all parents, themselves too. Cost: linear."""
    found: set[CommitID] = set()
    todo = list(heads)
    while todo:
        commit_id = todo.pop()
        # Merges make diamonds: without this a commit would be walked once for each path to it.
        if commit_id not in found:
            found.add(commit_id)
            todo.extend(parents(commit_id))
    return frozenset(found)


def with_content_id(commit: Commit) -> Commit:
    """The commit under the id that its content gives it."""
    return attrs.evolve(commit, commit_id=content_address(commit))
