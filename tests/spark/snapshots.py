"""Snapshots of the model as datasets, so that what judges the one can be held against what judges the other.

Nothing here needs Spark.
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
from lakeproof.model.catalog import NotAnObjectEntry, ObjectEntry, decode_object_entry, is_full
from lakeproof.model.committed import (
    MalformedObject,
    RangeInfo,
    decode_meta_range,
    decode_range,
)
from lakeproof.model.records import Repository
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks.engine.tables import AT_REST

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


def write(made: Tables, folder: Path, files: int = 1) -> None:
    """A dataset in a folder, which is made. ``files``: of each table."""
    columns: Mapping[str, list[tuple[object, ...]]] = attrs.asdict(made, recurse=False)
    for name, schema in AT_REST.items():
        arrow = to_arrow_schema(schema, timezone="UTC")
        rows = columns[name]
        by_column = list(zip(*rows, strict=True)) or [()] * len(arrow)
        arrays = [pa.array(values, field.type) for values, field in zip(by_column, arrow, strict=True)]
        target = folder / name
        target.mkdir(parents=True)
        whole = pa.Table.from_arrays(arrays, schema=arrow)
        size = -(-len(whole) // files)
        for number in range(files):
            name = f"part-{number}.parquet" if files > 1 else "part.parquet"
            pq.write_table(whole.slice(number * size, size), target / name)
