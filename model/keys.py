"""The key schema, in one place: where each record lives, and what lives at an address.

Source: graveler-on-kv.md, "Suggested Key Schema"; repository-operations-error-handling.md, "Decision", Step 2 (the
``graveler_deleted`` partition, which that document spells in three ways). Name rules follow lakeFS' validators.
"""

import re
from typing import Final, Literal

import attrs

from model.identifiers import BranchID, CommitID, InstanceUID, RepositoryID, StagingToken, TagID

GRAVELER: Final = b"graveler"
DELETED: Final = b"graveler_deleted"
REPOSITORIES_PREFIX: Final = b"repos/"
BRANCHES_PREFIX: Final = b"branches/"
COMMITS_PREFIX: Final = b"commits/"
TAGS_PREFIX: Final = b"tags/"
STAGED_PREFIX: Final = b"key/"
CLEANUP_PREFIX: Final = b"repo/"

_REPOSITORY_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{2,62}")
_BRANCH_ID: Final = re.compile(r"\w[-\w]*", re.ASCII)
_TAG_FORBIDDEN: Final = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|\.lock(/|$)")

Kind = Literal["repository", "branch", "commit", "tag", "staged", "cleanup"]


class InvalidName(ValueError):
    """A name that the schema cannot hold. Says the name, what is expected, and what to use instead."""


@attrs.frozen(kw_only=True)
class Parsed:
    """What lives at an address: the kind of record, and the names in its key."""

    kind: Kind
    name: bytes
    """The id; of a staged entry its path; of a cleanup record ``<id>/<uid>``."""
    partition: bytes


def repository_key(repository_id: RepositoryID) -> bytes:
    """In partition `GRAVELER`."""
    return REPOSITORIES_PREFIX + _plain("repository id", repository_id)


def repository_partition(repository_id: RepositoryID, instance_uid: InstanceUID) -> bytes:
    """The partition of all that belongs to one instance of a repository. Unique: a uid has no hyphen, so the last
    hyphen is where it begins."""
    return _plain("repository id", repository_id) + b"-" + _uid(instance_uid)


def naive_partition(repository_id: RepositoryID) -> bytes:
    """The partition of a repository before there were uids: every instance of an id shares it."""
    return _plain("repository id", repository_id)


def branch_key(branch_id: BranchID) -> bytes:
    """In the partition of a repository."""
    return BRANCHES_PREFIX + _plain("branch id", branch_id)


def commit_key(commit_id: CommitID) -> bytes:
    """In the partition of a repository."""
    return COMMITS_PREFIX + _plain("commit id", commit_id)


def tag_key(tag_id: TagID) -> bytes:
    """In the partition of a repository."""
    return TAGS_PREFIX + _text("tag id", tag_id)


def staging_partition(token: StagingToken) -> bytes:
    """The partition of the entries staged under a token."""
    return _text("staging token", token)


def staged_key(path: bytes) -> bytes:
    """In the partition of a staging token."""
    if not path:
        raise InvalidName("path is empty; name an object")
    return STAGED_PREFIX + path


def cleanup_key(repository_id: RepositoryID, instance_uid: InstanceUID) -> bytes:
    """In partition `DELETED`."""
    return CLEANUP_PREFIX + _plain("repository id", repository_id) + b"/" + _uid(instance_uid)


def parse(partition: bytes, key: bytes) -> Parsed | None:
    """What lives at an address; None if the schema knows no such place. Inverts the functions above."""
    if partition == GRAVELER:
        return _parsed("repository", partition, key, REPOSITORIES_PREFIX)
    if partition == DELETED:
        found = _parsed("cleanup", partition, key, CLEANUP_PREFIX)
        return found if found is not None and found.name.count(b"/") == 1 else None
    prefixes: tuple[tuple[Kind, bytes], ...] = (
        ("branch", BRANCHES_PREFIX),
        ("commit", COMMITS_PREFIX),
        ("tag", TAGS_PREFIX),
        ("staged", STAGED_PREFIX),
    )
    for kind, prefix in prefixes:
        if key.startswith(prefix):
            return _parsed(kind, partition, key, prefix)
    return None


def _parsed(kind: Kind, partition: bytes, key: bytes, prefix: bytes) -> Parsed | None:
    name = key.removeprefix(prefix)
    if not key.startswith(prefix) or not name or not partition:
        return None
    return Parsed(kind=kind, name=name, partition=partition)


def validate_repository_id(repository_id: str) -> RepositoryID:
    """As lakeFS: 3 to 63 lower-case letters, digits and hyphens, not starting with a hyphen."""
    if not _REPOSITORY_ID.fullmatch(repository_id):
        raise InvalidName(
            f"repository id {repository_id!r}: expected 3 to 63 of a-z, 0-9 and '-', starting with a letter or digit"
        )
    return RepositoryID(repository_id)


def validate_branch_id(branch_id: str) -> BranchID:
    """As lakeFS: word characters and hyphens, not starting with a hyphen."""
    if not _BRANCH_ID.fullmatch(branch_id):
        raise InvalidName(f"branch id {branch_id!r}: expected letters, digits, '_' and '-', not starting with '-'")
    return BranchID(branch_id)


def validate_tag_id(tag_id: str) -> TagID:
    """As lakeFS, which takes git's rules for reference names."""
    parts = tag_id.split("/")
    bad = not tag_id or tag_id == "@" or tag_id.endswith((".", "/")) or _TAG_FORBIDDEN.search(tag_id)
    if bad or any(not part or part.startswith(".") for part in parts):
        raise InvalidName(f"tag id {tag_id!r}: expected a git reference name: no spaces, '..', '~^:?*[\\', '@{{'")
    return TagID(tag_id)


def _text(what: str, name: str) -> bytes:
    if not name or "\0" in name:
        raise InvalidName(f"{what} {name!r}: expected a name without NUL that is not empty")
    return name.encode()


def _plain(what: str, name: str) -> bytes:
    if "/" in name:
        raise InvalidName(f"{what} {name!r}: a '/' would break out of its key; leave it out")
    return _text(what, name)


def _uid(instance_uid: InstanceUID) -> bytes:
    if "-" in instance_uid:
        raise InvalidName(f"instance uid {instance_uid!r}: a '-' would blur where the repository id ends; leave it out")
    return _plain("instance uid", instance_uid)
