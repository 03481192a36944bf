"""The records of ``kv/`` as typed tables: one pass, in Arrow batches.

What an address asks for is `lakeproof.spark_checks.data.kinds`' to say. A value that is no record of its kind, and a
key that no schema knows, become rows of ``undecodable``: nothing is dropped in silence.
Cost: some five microseconds a record; the tables are staged as Parquet, so that it is paid once.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs
import pyarrow as pa
from google.protobuf.message import DecodeError, Message
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.unknown_fields import UnknownFieldSet
from pyspark.sql import DataFrame

from lakeproof.impl.codec import graveler_pb2 as pb
from lakeproof.model import catalog_pb2
from lakeproof.model.catalog import AddressType
from lakeproof.model.records import RepositoryState
from lakeproof.spark_checks.data.dataset import Dataset, Keys, with_plain_namespace
from lakeproof.spark_checks.data.kinds import COPY, FOREIGN, design_kind, lakefs_kind, token
from lakeproof.spark_checks.engine import staging
from lakeproof.spark_checks.engine.staging import Written
from lakeproof.spark_checks.engine.tables import DECODED, Row, Wide
from lakeproof.spark_checks.engine.workspace import fresh

MICROSECONDS: Final = 1_000_000
TABLES: Final = Wide("table", DECODED)

Rows = dict[str, list[Row]]
"""By table."""


@attrs.frozen
class Entities:
    """What a dataset's records are: tables of the schemas in `lakeproof.spark_checks.engine.tables`."""

    repositories: DataFrame
    branches: DataFrame
    tags: DataFrame
    commits: DataFrame
    staged: DataFrame
    cleanups: DataFrame
    undecodable: DataFrame

    def homes(self) -> DataFrame:
        """The partition of each repository's entities, and its namespace: home, storage_namespace."""
        return self.repositories.select("home", "storage_namespace").distinct()


class _Wrong(ValueError):
    """A value that is no record. Says why."""


def decode(dataset: Dataset) -> Entities:
    """The typed tables of a dataset: its own, where it has them, else decoded from ``kv/``. Runs one job then. As in
    lakeFS, a slash at the end of a storage namespace means nothing."""
    tables = dataset.decoded
    if not tables:
        written = write(dataset, fresh(dataset.spark, "decoded"))  # once for all checks
        tables = staging.read_apart(written, TABLES, dataset.spark)
    return Entities(**tables | {"repositories": with_plain_namespace(tables["repositories"])})


def write(dataset: Dataset, target: str) -> Written:
    """Write the typed tables, one folder each: ``table=commits`` and so on; none where there are no rows."""
    keys_are = dataset.keys

    def decoded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from TABLES.batches(decode_batch(batch, keys_are))

    return staging.write(dataset.kv.mapInArrow(decoded, TABLES.schema), target, by=TABLES.kind)


def decode_batch(batch: pa.RecordBatch, keys_are: Keys) -> Rows:
    """The rows of each table that the records of a batch decode into. ``batch``: of the schema of ``kv/``."""
    kind_of = design_kind if keys_are == "design" else lakefs_kind
    found: Rows = {}
    columns = (batch.column(name).to_pylist() for name in ("partition_key", "key", "value"))
    for partition, key, value in zip(*columns, strict=True):
        kind = None if partition is None or key is None else kind_of(partition, key)
        if kind == FOREIGN:
            continue
        if kind is None:
            _wrong(found, partition, key, None, "no record of the key schema has such a key")
        elif not value:  # each record says its own name: read as one, an empty value would keep nothing
            _wrong(found, partition, key, kind, "there is no value")
        else:
            _decode(found, partition, key, kind, value, () if keys_are == "design" else _NEEDED.get(kind, ()))
    return found


def _decode(found: Rows, partition: bytes, key: bytes, kind: str, value: bytes, needed: tuple[str, ...]) -> None:
    try:
        if kind == COPY:
            _demand_copy(value)
            return
        if kind == "staged":
            row, problem = _staged_entry(partition, key, value)
            # The entry stays in `staged` nevertheless: it hides older ones, although its object is unknown.
            if problem is not None:
                _wrong(found, partition, key, "entry", problem)
            name = "staged"
        else:
            name, message_type, row_of = _KINDS[kind]
            message = message_type.FromString(value)
            for field in needed:
                if not getattr(message, field):
                    raise _Wrong(f"has no {field}, as where it was torn")
            row = row_of(partition, key, message)
            # It is judged by what is known of it; but a run that deletes must know all that it refers to.
            if kind in _REFERRING and len(unknown := UnknownFieldSet(message)):
                reason = f"field {unknown[0].field_number} is unknown, and may refer to data: of a newer lakeFS?"
                _wrong(found, partition, key, kind, reason)
    except (DecodeError, UnicodeDecodeError) as error:
        _wrong(found, partition, key, kind, " ".join(str(error).split()) or "not a protobuf message of this kind")
    except _Wrong as error:
        _wrong(found, partition, key, kind, str(error))
    else:
        found.setdefault(name, []).append(row)


def _demand_copy(value: bytes) -> None:
    """No table has copies: `lakeproof.spark_checks.uncommitted` reads them where they are. Raises _Wrong,
    UnicodeDecodeError."""
    began, space, address = value.decode().partition(" ")
    # The digits are counted first: for thousands of them `int` raises a ValueError that nothing here catches.
    number = int(began) if re.fullmatch(r"-?[0-9]{1,19}", began) else None
    if not space or not address or number is None or abs(number) > _LONG_MAX:
        raise _Wrong("no record of a copy: expected microseconds, a space and an address")


def _wrong(found: Rows, partition: bytes | None, key: bytes | None, kind: str | None, reason: str) -> None:
    found.setdefault("undecodable", []).append((partition, key, kind, reason))


def _repository(partition: bytes, key: bytes, message: pb.RepositoryData) -> Row:
    if message.state not in _STATES:
        raise _Wrong(f"repository state {message.state}: expected one of {sorted(_STATES)}")
    # The naive design has no instances: there the id alone is the partition.
    home = f"{message.id}-{message.instance_uid}" if message.instance_uid else message.id
    return (
        partition,
        key,
        message.id,
        message.storage_namespace,
        message.default_branch_id,
        _microseconds(message.creation_date),
        message.state,
        message.instance_uid,
        message.bare,
        home.encode(),
    )


def _branch(partition: bytes, key: bytes, message: pb.BranchData) -> Row:
    # Its entries would be open and sealed at once, and no order of the tokens would be right.
    if message.staging_token in message.sealed_tokens:
        raise _Wrong(f"branch {message.id!r}: staging token {message.staging_token!r} is open and sealed at once")
    sealed = list(message.sealed_tokens)
    return partition, key, message.id, message.commit_id, message.staging_token, sealed, message.hidden


def _tag(partition: bytes, key: bytes, message: pb.TagData) -> Row:
    return partition, key, message.id, message.commit_id


def _commit(partition: bytes, key: bytes, message: pb.CommitData) -> Row:
    return (
        partition,
        key,
        message.id,
        _microseconds(message.creation_date),
        message.meta_range_id,
        list(message.parents),
        message.version,
        message.generation,
        message.metadata.get("instance"),
    )


def _staged_entry(partition: bytes, key: bytes, value: bytes) -> tuple[Row, str | None]:
    """The row, and what is wrong with what the catalog says of the object."""
    message = pb.StagedEntryData.FromString(value)
    # Absent, and not only empty: an entry without data deletes what is below it.
    tombstone = not message.HasField("data")
    entry, problem = (_NO_ENTRY, None) if tombstone else _entry(message.data)
    return (partition, key, token(partition), message.key, tombstone, *entry), problem


def _entry(data: bytes) -> tuple[Row, str | None]:
    """What the catalog says of the object; else why it says nothing."""
    try:
        entry = catalog_pb2.EntryData.FromString(data)
    except (DecodeError, UnicodeDecodeError) as error:
        return _NO_ENTRY, " ".join(str(error).split()) or "not a protobuf message of the catalog"
    kind = entry.address_type
    # Enums of protobuf are open: a number that is unknown here arrives as it is.
    if kind not in _ADDRESS_TYPES:
        return _NO_ENTRY, f"address type {kind}: expected one of {sorted(_ADDRESS_TYPES)}"
    return (entry.address, kind, entry.size), None


_NO_ENTRY: Final[Row] = (None,) * 3


def _cleanup(partition: bytes, key: bytes, message: pb.CleanupRecordData) -> Row:
    return partition, key, message.repository_id, message.instance_uid


def _microseconds(timestamp: Timestamp) -> int:
    """Bounded: damaged values may hold seconds that no clock shows."""
    found: int = timestamp.seconds * MICROSECONDS + timestamp.nanos // 1000
    return found if -_LONG_MAX < found < _LONG_MAX else max(min(found, _LONG_MAX), -_LONG_MAX)


_LONG_MAX: Final = (1 << 63) - 1
_STATES: Final = frozenset(state.value for state in RepositoryState)
_ADDRESS_TYPES: Final = frozenset(kind.value for kind in AddressType)

_RowOf = Callable[[bytes, bytes, Any], Row]  # type: ignore[explicit-any]  # a message of its kind
_KINDS: Final[dict[str, tuple[str, type[Message], _RowOf]]] = {
    "repository": ("repositories", pb.RepositoryData, _repository),
    "branch": ("branches", pb.BranchData, _branch),
    "tag": ("tags", pb.TagData, _tag),
    "commit": ("commits", pb.CommitData, _commit),
    "cleanup": ("cleanups", pb.CleanupRecordData, _cleanup),
}
_NEEDED: Final = {"repository": ("instance_uid",), "branch": ("commit_id", "staging_token"), "tag": ("commit_id",)}
"""What each record of lakeFS has. (In the designs, a branch without a commit was deleted.) A row that lost it would be
an empty repository, or keep nothing."""
_REFERRING: Final = frozenset({"branch", "commit"})
"""Kinds of records by which data is kept."""
