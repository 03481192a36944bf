"""What a branch or a commit contains, as a snapshot shows it: paths to identities, staged over committed."""

from collections.abc import Iterator, Mapping

from lakeproof.model import keys
from lakeproof.model.committed import Entry, MalformedObject, decode_meta_range, decode_range, object_address
from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry
from lakeproof.model.snapshot import Snapshot

Contents = Mapping[bytes, bytes]
"""Path to identity."""


def merge_paths(base: Contents, source: Contents, destination: Contents) -> dict[bytes, bytes | None]:
    """Path to identity after a merge; None: the path is absent. Paths in conflict are left out."""
    found: dict[bytes, bytes | None] = {}
    for path in sorted({*base, *source, *destination}):
        before, theirs, ours = base.get(path), source.get(path), destination.get(path)
        if theirs in (before, ours):  # unchanged in the source, or changed alike in both
            found[path] = ours
        elif ours == before:  # changed in the source alone; else a conflict, which is left out
            found[path] = theirs
    return found


def entries(snapshot: Snapshot) -> Iterator[Repository]:
    """All repository entries, whatever their state."""
    for (partition, _), record in snapshot.store.items():
        if partition == keys.GRAVELER and isinstance(record, Repository):
            yield record


def branches(snapshot: Snapshot) -> dict[tuple[bytes, BranchID], Branch]:
    """The branches that are there, by partition and id. A record without a commit is a deleted branch."""
    return {
        (partition, record.branch_id): record
        for (partition, _), record in snapshot.store.items()
        if isinstance(record, Branch) and record.commit_id  # tombstone deletes leave a record that names no commit
    }


def branch_named(snapshot: Snapshot, branch_id: str) -> Branch | None:
    """The branch of this id in a store with one repository; None if it is not there."""
    found = [branch for (_, name), branch in branches(snapshot).items() if name == branch_id]
    assert len(found) <= 1, f"{len(found)} branches {branch_id!r}: this invariant is for stores with one repository"
    return found[0] if found else None


def commit_named(snapshot: Snapshot, commit_id: CommitID) -> Commit | None:
    """The commit of this id, in whatever repository: an id is the hash of its content."""
    key = keys.commit_key(commit_id)
    for (_, found), record in snapshot.store.items():
        if found == key and isinstance(record, Commit):
            return record
    return None


def content_of_commit(snapshot: Snapshot, commit_id: CommitID) -> dict[bytes, bytes] | None:
    """The entries of a commit; None if it, or an object of it, is missing or malformed."""
    commit = commit_named(snapshot, commit_id)
    if commit is None:
        return None
    # A metarange without entries has no object, see `lakeproof.model.committed`.
    if not commit.meta_range_id:
        return {}
    entries: dict[bytes, bytes] = {}
    try:
        for info in decode_meta_range(_object(snapshot, commit.meta_range_id)):
            found: tuple[Entry, ...] = decode_range(_object(snapshot, info.range_id))
            entries.update((entry.path, entry.identity) for entry in found)
    # One unreadable range makes the whole commit unreadable: what is missing could be any path.
    except (KeyError, MalformedObject):
        return None
    return entries


def _object(snapshot: Snapshot, object_id: str) -> bytes:
    """The object of this id, in whatever namespace: it is the hash of its content. Raises KeyError."""
    suffix = object_address("", object_id)
    for address, found in snapshot.objects.items():
        if address.endswith(suffix):
            return found.content
    raise KeyError(object_id)


def content_of_branch(snapshot: Snapshot, branch: Branch) -> dict[bytes, bytes] | None:
    """The entries of a branch: its tokens, newest first, over its head; None if the head cannot be read."""
    entries = content_of_commit(snapshot, branch.commit_id)
    if entries is None:
        return None
    # Oldest first, so that newer changes replace older ones.
    for token in reversed(branch.tokens):
        partition = keys.staging_partition(token)
        for (found, _), record in snapshot.store.items():
            if found != partition or not isinstance(record, StagedEntry):
                continue
            # A tombstone hides the committed entry and those of older tokens.
            entries.pop(record.key, None)
            if record.data is not None:
                entries[record.key] = record.identity
    return entries
