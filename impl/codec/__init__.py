"""Records to bytes and back, wire-compatible with lakeFS.

Encoding is deterministic: equal records have equal bytes, which the predicates of ``set_if`` rely on. Unknown fields
are tolerated when reading, so dumps of a newer lakeFS can be read; they, lakeFS' ``read_only`` and ``storage_id``, and
what is below a microsecond are not kept: what was read is not to be written back as it is.

Both ways are memoised, because searches ask for the same few records millions of times.
Source: lakeFS ``pkg/graveler/graveler.proto``; see ``graveler.proto`` here for what is ours.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from lakeproof.model import keys
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
from lakeproof.model.messages import Later
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, RepositoryState, StagedEntry, Tag

MICROSECONDS: Final = 1_000_000
_CACHE: Final = 1 << 16

if TYPE_CHECKING:
    from google.protobuf import message as protobuf
    from google.protobuf import timestamp_pb2 as times

    from lakeproof.impl.codec import graveler_pb2 as pb
else:
    pb, times = Later("lakeproof.impl.codec.graveler_pb2"), Later("google.protobuf.timestamp_pb2")
    protobuf = Later("google.protobuf.message")

M = TypeVar("M", bound="protobuf.Message")


class Undecodable(ValueError):
    """Bytes that are no record of the kind that their address asks for."""


class NotAMessage(Undecodable):
    """Bytes that are no message at all: what a field of it says plays no part."""


@lru_cache(_CACHE)
def encode(record: Record) -> bytes:
    """The bytes of a record. Raises ValueError for a number that its field cannot hold."""
    # Protobuf may order the pairs of a map differently each time.
    return _message(record).SerializeToString(deterministic=True)


def _message(record: Record) -> "protobuf.Message":
    match record:
        case Repository():
            return pb.RepositoryData(
                id=record.repository_id,
                storage_namespace=record.storage_namespace,
                default_branch_id=record.default_branch_id,
                creation_date=_timestamp(record.creation_date),
                state=record.state.value,  # type: ignore[arg-type]  # the numbers are those of the wire
                instance_uid=record.instance_uid,
                bare=record.bare,
            )
        case Branch():
            return pb.BranchData(
                id=record.branch_id,
                commit_id=record.commit_id,
                staging_token=record.staging_token,
                sealed_tokens=record.sealed_tokens,
                hidden=record.hidden,
            )
        case Tag():
            return pb.TagData(id=record.tag_id, commit_id=record.commit_id)
        case Commit():
            # `decode_commit` sorts them: a record that is not sorted would not come back equal.
            assert list(record.metadata) == sorted(dict(record.metadata).items()), "metadata is not sorted, or repeats"
            return pb.CommitData(
                id=record.commit_id,
                committer=record.committer,
                message=record.message,
                creation_date=_timestamp(record.creation_date),
                meta_range_id=record.meta_range_id,
                metadata=dict(record.metadata),
                parents=record.parents,
                version=record.version,
                generation=record.generation,
            )
        case StagedEntry():
            return pb.StagedEntryData(key=record.key, identity=record.identity, data=record.data)
        case CleanupRecord():
            return pb.CleanupRecordData(repository_id=record.repository_id, instance_uid=record.instance_uid)


@lru_cache(_CACHE)
def decode_repository(value: bytes) -> Repository:
    """Raises Undecodable."""
    message = _parse(pb.RepositoryData, value)
    try:
        state = RepositoryState(message.state)  # proto3 keeps a number that the enumeration does not have
    except ValueError as error:
        known = [state.value for state in RepositoryState]
        raise Undecodable(f"repository state {message.state}: expected one of {known}") from error
    return Repository(
        repository_id=RepositoryID(message.id),
        storage_namespace=StorageNamespace(message.storage_namespace),
        default_branch_id=BranchID(message.default_branch_id),
        creation_date=_microseconds(message.creation_date),
        state=state,
        instance_uid=InstanceUID(message.instance_uid),
        bare=message.bare,
    )


@lru_cache(_CACHE)
def decode_branch(value: bytes) -> Branch:
    """Raises Undecodable."""
    message = _parse(pb.BranchData, value)
    # A writer would stage under a token that a committer may have scanned already.
    if message.staging_token in message.sealed_tokens:
        raise Undecodable(f"branch {message.id!r}: staging token {message.staging_token!r} is open and sealed at once")
    return Branch(
        branch_id=BranchID(message.id),
        commit_id=CommitID(message.commit_id),
        staging_token=StagingToken(message.staging_token),
        sealed_tokens=tuple(StagingToken(token) for token in message.sealed_tokens),
        hidden=message.hidden,
    )


@lru_cache(_CACHE)
def decode_tag(value: bytes) -> Tag:
    """Raises Undecodable."""
    message = _parse(pb.TagData, value)
    return Tag(tag_id=TagID(message.id), commit_id=CommitID(message.commit_id))


@lru_cache(_CACHE)
def decode_commit(value: bytes) -> Commit:
    """Raises Undecodable."""
    message = _parse(pb.CommitData, value)
    return Commit(
        commit_id=CommitID(message.id),
        committer=message.committer,
        message=message.message,
        creation_date=_microseconds(message.creation_date),
        meta_range_id=MetaRangeID(message.meta_range_id),
        metadata=tuple(sorted(message.metadata.items())),  # a map has no order
        parents=tuple(CommitID(parent) for parent in message.parents),
        version=message.version,
        generation=message.generation,
    )


@lru_cache(_CACHE)
def decode_staged_entry(value: bytes) -> StagedEntry:
    """Raises Undecodable. An entry without data is a tombstone."""
    message = _parse(pb.StagedEntryData, value)
    # Presence, not emptiness: an entry may have empty data, and is no tombstone then.
    data = message.data if message.HasField("data") else None
    return StagedEntry(key=message.key, identity=message.identity, data=data)


@lru_cache(_CACHE)
def decode_cleanup_record(value: bytes) -> CleanupRecord:
    """Raises Undecodable."""
    message = _parse(pb.CleanupRecordData, value)
    return CleanupRecord(
        repository_id=RepositoryID(message.repository_id), instance_uid=InstanceUID(message.instance_uid)
    )


_DECODERS: Final[dict[str, Callable[[bytes], Record]]] = {
    "repository": decode_repository,
    "branch": decode_branch,
    "tag": decode_tag,
    "commit": decode_commit,
    "staged": decode_staged_entry,
    "cleanup": decode_cleanup_record,
}


@lru_cache(_CACHE)
def decode_at(partition: bytes, key: bytes, value: bytes) -> Record | None:
    """The record at an address; None where the key schema knows no record.

    Raises:
        Undecodable: the bytes are not of the kind that the address asks for; names the address.
    """
    parsed = keys.parse(partition, key)
    if parsed is None:
        return None
    try:
        return _DECODERS[parsed.kind](value)
    except Undecodable as error:
        # The cause is kept: diagnostics tell by it whether the message may be shown.
        raise Undecodable(f"{partition!r} {key!r}: not a {parsed.kind} record: {error}") from error


def _parse(kind: type[M], value: bytes) -> M:
    message = kind()
    try:
        message.ParseFromString(value)
    # For text that is not UTF-8, the implementation of protobuf in C raises the first, the one in Python the second.
    except (protobuf.DecodeError, UnicodeDecodeError) as error:
        raise NotAMessage(f"{value[:32]!r} is no {kind.__name__}") from error
    return message


def _timestamp(microseconds: int) -> "times.Timestamp":
    # Rounds down, so that nanos is not negative before 1970, as Timestamp demands.
    seconds, rest = divmod(microseconds, MICROSECONDS)
    return times.Timestamp(seconds=seconds, nanos=rest * 1000)


def _microseconds(timestamp: "times.Timestamp") -> int:
    return timestamp.seconds * MICROSECONDS + timestamp.nanos // 1000  # what is below a microsecond is dropped
