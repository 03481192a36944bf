"""The key schema, in one place: where each record lives, and what lives at an address.

Source: graveler-on-kv.md, "Suggested Key Schema"; repository-operations-error-handling.md, "Decision", Step 2 (the
``graveler_deleted`` partition, which that document spells in three ways).

The key builders refuse only what could break out of its key, so that scenarios may be terse (``"r"``); `parse` knows
exactly the addresses that they can build. lakeFS' own rules for what users may choose are stricter.
"""

from functools import lru_cache
from typing import Final, Literal

import attrs

from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, RepositoryID, StagingToken, TagID

GRAVELER: Final = b"graveler"
DELETED: Final = b"graveler_deleted"
REPOSITORIES_PREFIX: Final = b"repos/"
BRANCHES_PREFIX: Final = b"branches/"
COMMITS_PREFIX: Final = b"commits/"
TAGS_PREFIX: Final = b"tags/"
STAGED_PREFIX: Final = b"key/"
CLEANUP_PREFIX: Final = b"repo/"
NOTED_TOKENS_PREFIX: Final = b"noted-tokens/"
"""Ours, in the partition of a repository: of the keys that name a staging token, for a cleaner. Not lakeFS'."""

_RESERVED: Final = (GRAVELER, DELETED)

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

    @property
    def address(self) -> tuple[bytes, bytes]:
        """(partition, key): what `parse` was given."""
        return self.partition, _PREFIXES[self.kind] + self.name

    @property
    def instance(self) -> tuple[RepositoryID, InstanceUID] | None:
        """Which instance of a repository the record belongs to, where the address tells: branches, commits and tags
        in a partition with a uid, and cleanup records."""
        if self.kind == "cleanup":
            repository_id, _, uid = self.name.partition(b"/")
        elif self.kind in ("branch", "commit", "tag"):
            # The last hyphen: ids may contain some, uids none.
            repository_id, _, uid = self.partition.rpartition(b"-")
        else:
            return None
        if not repository_id or not uid:
            return None
        return RepositoryID(repository_id.decode()), InstanceUID(uid.decode())


_PREFIXES: Final[dict[Kind, bytes]] = {
    "repository": REPOSITORIES_PREFIX,
    "branch": BRANCHES_PREFIX,
    "commit": COMMITS_PREFIX,
    "tag": TAGS_PREFIX,
    "staged": STAGED_PREFIX,
    "cleanup": CLEANUP_PREFIX,
}


def repository_key(repository_id: RepositoryID) -> bytes:
    """In partition `GRAVELER`."""
    return REPOSITORIES_PREFIX + _plain("repository id", repository_id)


def repository_partition(repository_id: RepositoryID, instance_uid: InstanceUID) -> bytes:
    """The partition of all that belongs to one instance of a repository. Unique: a uid has no hyphen, so the last
    hyphen is where it begins."""
    return _plain("repository id", repository_id) + b"-" + _uid(instance_uid)


def naive_partition(repository_id: RepositoryID) -> bytes:
    """The partition of a repository before there were uids: every instance of an id shares it.

    One store follows either this scheme or `repository_partition`: id ``a-b`` here is ``b`` of ``a`` there.
    """
    # A repository named "graveler" would share the partition of all entries.
    return _require_unreserved("repository id", _plain("repository id", repository_id))


def branch_key(branch_id: BranchID) -> bytes:
    """In the partition of a repository."""
    return BRANCHES_PREFIX + _plain("branch id", branch_id)


def commit_key(commit_id: CommitID) -> bytes:
    """In the partition of a repository."""
    return COMMITS_PREFIX + _plain("commit id", commit_id)


def tag_key(tag_id: TagID) -> bytes:
    """In the partition of a repository."""
    return TAGS_PREFIX + _text("tag id", tag_id)  # a tag id may contain slashes, unlike a branch id


def staging_partition(token: StagingToken) -> bytes:
    """The partition of the entries staged under a token."""
    return _require_unreserved("staging token", _text("staging token", token))


def staged_key(path: bytes) -> bytes:
    """In the partition of a staging token."""
    if not path:
        raise InvalidName("path b'': expected at least one byte; name an object")
    return STAGED_PREFIX + path


def cleanup_key(repository_id: RepositoryID, instance_uid: InstanceUID) -> bytes:
    """In partition `DELETED`."""
    return CLEANUP_PREFIX + _plain("repository id", repository_id) + b"/" + _uid(instance_uid)


@lru_cache(1 << 16)
def parse(partition: bytes, key: bytes) -> Parsed | None:
    """What lives at an address; None if no function above leads there. Inverts them."""
    if partition == GRAVELER:
        return _parsed_key("repository", partition, key)
    if partition == DELETED:
        return _parsed_key("cleanup", partition, key)
    # No prefix begins another one, so that at most one kind fits.
    kinds: tuple[Kind, ...] = ("branch", "commit", "tag", "staged")
    for kind in kinds:
        if key.startswith(_PREFIXES[kind]):
            return _parsed_key(kind, partition, key)
    return None


def _parsed_key(kind: Kind, partition: bytes, key: bytes) -> Parsed | None:
    prefix = _PREFIXES[kind]
    name = key.removeprefix(prefix)
    if not key.startswith(prefix) or not name or not partition:
        return None
    try:
        # The builders are the rules: what they would refuse is no address of the schema.
        _check(kind, partition.decode(), name)
    except ValueError:
        return None
    return Parsed(kind=kind, name=name, partition=partition)


def _check(kind: Kind, partition: str, name: bytes) -> None:
    """Raises ValueError, if only because something is not UTF-8, for what the key builders would have refused."""
    match kind:
        case "staged":
            staging_partition(StagingToken(partition))
        case "cleanup":
            repository_id, _, uid = name.decode().partition("/")
            cleanup_key(RepositoryID(repository_id), InstanceUID(uid))
        case "tag":
            _plain("partition", partition)
            _text("tag id", name.decode())
        case "repository" | "branch" | "commit":
            _plain("partition", partition)
            _plain(kind, name.decode())


def _text(what: str, name: str) -> bytes:
    if not name or "\0" in name:
        raise InvalidName(f"{what} {name!r}: expected a name without NUL that is not empty; leave the NUL out")
    try:
        return name.encode()
    except UnicodeEncodeError:
        # JSON can bring lone surrogates into a str, and a key is bytes.
        raise InvalidName(f"{what} {name!r}: expected text; a lone surrogate has no UTF-8, leave it out") from None


def _plain(what: str, name: str) -> bytes:
    if "/" in name:
        raise InvalidName(f"{what} {name!r}: expected no '/', which would break out of its key; leave it out")
    return _text(what, name)


def _uid(instance_uid: InstanceUID) -> bytes:
    if "-" in instance_uid:
        raise InvalidName(
            f"instance uid {instance_uid!r}: expected no '-': it would blur where the repository id ends; leave it out"
        )
    return _plain("instance uid", instance_uid)


def _require_unreserved(what: str, partition: bytes) -> bytes:
    if partition in _RESERVED:  # else its scan would show the entries of all repositories
        raise InvalidName(f"{what} {partition.decode()!r}: the partition of that name is taken; choose another")
    return partition
