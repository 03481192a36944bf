"""Snapshots of the model as datasets, so that what judges the one can be held against what judges the other.

Many snapshots fit into one dataset if they share no names: `isolated` gives each its own. Nothing here needs Spark.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import to_arrow_schema

from lakeproof.impl.codec import encode
from lakeproof.model import keys
from lakeproof.model.catalog import NotAnObjectEntry, ObjectEntry, decode_object_entry, encode_object_entry, is_full
from lakeproof.model.committed import (
    MalformedObject,
    RangeInfo,
    content_id,
    decode_meta_range,
    decode_range,
    encode_meta_range,
    encode_range,
)
from lakeproof.model.identifiers import (
    BranchID,
    CommitID,
    InstanceUID,
    MetaRangeID,
    RepositoryID,
    StagingToken,
    StorageNamespace,
)
from lakeproof.model.kv import Address
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, StagedEntry, Tag
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks.tables import AT_REST

INTERNAL: Final = "/_lakefs/"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@attrs.define
class Tables:
    """Rows of the four tables at rest, in the order of their columns."""

    kv: list[tuple[bytes, bytes, bytes]] = attrs.Factory(list)
    metaranges: list[tuple[str, str]] = attrs.Factory(list)
    ranges: list[tuple[str, str, str | None, str, int | None]] = attrs.Factory(list)
    objects: list[tuple[str, str, int, datetime]] = attrs.Factory(list)

    def extend(self, other: "Tables") -> None:
        self.kv += other.kv
        self.metaranges += other.metaranges
        self.ranges += other.ranges
        self.objects += other.objects


def tables(found: Snapshot) -> Tables:
    """The rows of a snapshot. What lies where ranges and metaranges do, and is neither, is only listed.

    Raises ValueError: a committed address that ``ranges/``, which has no types, cannot tell.
    """
    made = Tables()
    for (partition, key), record in found.store.items():
        made.kv.append((partition, key, record if isinstance(record, bytes) else encode(record)))
    namespaces = {each.storage_namespace for each in found.store.values() if isinstance(each, Repository)}
    for address, stored in found.objects.items():
        namespace, relative = _place(address, namespaces)
        modified = _EPOCH + timedelta(microseconds=stored.last_modified)
        made.objects.append((namespace, relative, len(stored.content), modified))
        _, internal, object_id = address.rpartition(INTERNAL)
        if internal:
            _tell(made, object_id, stored.content)
    return made


def _place(address: str, namespaces: Iterable[str]) -> tuple[str, str]:
    """Namespace and relative address; of an object in none, what comes before and after the last slash."""
    for namespace in sorted(namespaces, key=len, reverse=True):
        if address.startswith(f"{namespace}/"):
            return namespace, address[len(namespace) + 1 :]
    namespace, _, relative = address.rpartition("/")
    return namespace, relative


def _tell(made: Tables, object_id: str, content: bytes) -> None:
    infos = _infos(content)
    if infos is not None:
        made.metaranges += [(object_id, info.range_id) for info in infos]
        return
    try:
        entries = decode_range(content)
    except MalformedObject:
        return
    for entry in entries:
        try:
            found = decode_object_entry(entry.data)
        except NotAnObjectEntry:
            found = None
        path = entry.path.decode("utf-8", "backslashreplace")
        address = None if found is None else _untyped(found)
        size = None if found is None else found.size_bytes
        made.ranges.append((object_id, path, address, entry.identity.decode("utf-8", "backslashreplace"), size))


def _infos(content: bytes) -> tuple[RangeInfo, ...] | None:
    try:
        return decode_meta_range(content)
    except MalformedObject:
        return None


def _untyped(entry: ObjectEntry) -> str:
    if entry.address and is_full(entry) != ("://" in entry.address):
        raise ValueError(
            f"{entry.address!r} is {entry.address_type.name}: expected a scheme in full addresses and none in relative "
            "ones, where there is no column for the type; use an address that shows it"
        )
    return entry.address


def write(made: Tables, folder: Path) -> None:
    """A dataset in a folder, which is made; one file a table."""
    columns: Mapping[str, list[tuple[object, ...]]] = attrs.asdict(made, recurse=False)
    for name, schema in AT_REST.items():
        arrow = to_arrow_schema(schema, timezone="UTC")
        rows = columns[name]
        by_column = list(zip(*rows, strict=True)) or [()] * len(arrow)
        arrays = [pa.array(values, field.type) for values, field in zip(by_column, arrow, strict=True)]
        target = folder / name
        target.mkdir(parents=True)
        pq.write_table(pa.Table.from_arrays(arrays, schema=arrow), target / "part.parquet")


def isolated(found: Snapshot, case: str) -> Snapshot:
    """The same snapshot with other names, none of which another case has: repositories, instances, tokens, namespaces,
    ranges and metaranges. Names of branches, tags and paths stay, as do ids of commits that do not tell an instance.

    Raises ValueError: a repository id has a hyphen, so that ``<id>-<uid>`` could not be told from an id.
    """
    renaming = _Renaming(case)
    store = dict(renaming.item(address, record) for address, record in found.store.items())
    objects = dict(renaming.object(address, stored) for address, stored in found.objects.items())
    return attrs.evolve(found, store=store, objects=objects)


@attrs.frozen
class _Renaming:
    case: str

    def item(self, address: Address, record: Record | bytes) -> tuple[Address, Record | bytes]:
        partition, key = address
        if isinstance(record, bytes):
            own = partition if partition in (keys.GRAVELER, keys.DELETED) else self.partition(partition)
            return (own, key + self.case.encode()), record
        renamed = self.record(record)
        match renamed:
            case Repository():
                return (partition, keys.repository_key(renamed.repository_id)), renamed
            case CleanupRecord():
                return (partition, keys.cleanup_key(renamed.repository_id, renamed.instance_uid)), renamed
            case Commit():
                return (self.partition(partition), keys.commit_key(renamed.commit_id)), renamed
            case _:
                return (self.partition(partition), key), renamed

    def record(self, record: Record) -> Record:
        match record:
            case Repository():
                return attrs.evolve(
                    record,
                    repository_id=self.repository(record.repository_id),
                    instance_uid=self.uid(record.instance_uid),
                    storage_namespace=StorageNamespace(self.absolute(record.storage_namespace)),
                )
            case CleanupRecord():
                return CleanupRecord(
                    repository_id=self.repository(record.repository_id), instance_uid=self.uid(record.instance_uid)
                )
            case Branch():
                return attrs.evolve(
                    record,
                    branch_id=BranchID(record.branch_id),
                    commit_id=self.commit(record.commit_id),
                    staging_token=self.token(record.staging_token),
                    sealed_tokens=tuple(self.token(token) for token in record.sealed_tokens),
                )
            case Tag():
                return attrs.evolve(record, commit_id=self.commit(record.commit_id))
            case Commit():
                metadata = tuple(
                    (name, self.uid(InstanceUID(value)) if name == "instance" and value else value)
                    for name, value in record.metadata
                )
                return attrs.evolve(
                    record,
                    commit_id=self.commit(record.commit_id),
                    parents=tuple(self.commit(parent) for parent in record.parents),
                    meta_range_id=MetaRangeID(self.content(record.meta_range_id)),
                    metadata=metadata,
                )
            case StagedEntry():
                data = record.data
                return record if data is None else attrs.evolve(record, data=self.data(data))

    def repository(self, repository_id: str) -> RepositoryID:
        if "-" in repository_id:
            raise ValueError(f"repository id {repository_id!r}: expected no hyphen; rename it in the scenario")
        return RepositoryID(f"{self.case}{repository_id}")

    def uid(self, uid: InstanceUID) -> InstanceUID:
        return InstanceUID(f"{self.case}{uid}") if uid else uid

    def token(self, token: str) -> StagingToken:
        """``<repository>-<branch>:<instance>.<unique>``, or anything."""
        name, colon, rest = token.rpartition(":")
        return StagingToken(f"{self.case}{name}{colon}{self.case}{rest}" if colon else f"{self.case}{token}")

    def partition(self, partition: bytes) -> bytes:
        name = partition.decode()
        if ":" in name:
            return self.token(name).encode()
        repository_id, hyphen, uid = name.rpartition("-")
        return f"{self.case}{repository_id}-{self.case}{uid}".encode() if hyphen else f"{self.case}{name}".encode()

    def commit(self, commit_id: str) -> CommitID:
        return CommitID(f"c.{self.case}{commit_id[2:]}" if commit_id.startswith("c.") else commit_id)

    def absolute(self, address: str) -> str:
        scheme, mark, rest = address.partition("://")
        return f"{scheme}://{self.case}.{rest}" if mark else f"{self.case}.{address}"

    def content(self, object_id: str) -> str:
        return content_id(f"{self.case} {object_id}".encode()) if object_id else object_id

    def data(self, data: bytes) -> bytes:
        try:
            entry = decode_object_entry(data)
        except NotAnObjectEntry:
            return data
        full = entry.address and is_full(entry)
        return encode_object_entry(attrs.evolve(entry, address=self.absolute(entry.address))) if full else data

    def object(self, address: str, stored: StoredObject) -> tuple[str, StoredObject]:
        namespace, internal, object_id = address.rpartition(INTERNAL)
        if not internal:
            return self.absolute(address), stored
        where = f"{self.absolute(namespace)}{internal}{self.content(object_id)}"
        return where, attrs.evolve(stored, content=self._tree(stored.content))

    def _tree(self, content: bytes) -> bytes:
        infos = _infos(content)
        if infos is not None:
            return encode_meta_range(attrs.evolve(info, range_id=self.content(info.range_id)) for info in infos)
        try:
            entries = decode_range(content)
        except MalformedObject:
            return content
        return encode_range(attrs.evolve(entry, data=self.data(entry.data)) for entry in entries)
