"""The tables ``metaranges/``, ``ranges/`` and ``objects/`` of a dataset, made of what lies in the object store.

Each namespace is listed by a task, and the SSTables that are listed are read by tasks, each once. What is under one id
in several namespaces has one content, for ids are hashes of it, and tables of another content are not whole; but
whether it is there is looked up in each namespace: `Stored.tables` has a row for each file.
Cost: one listing of all objects, and the bytes of all SSTables.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import attrs
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema

from lakeproof.model.catalog import AddressType
from lakeproof.spark_checks.data.addresses import INTERNAL_PREFIX
from lakeproof.spark_checks.data.stored import stores, trees
from lakeproof.spark_checks.data.stored.sstable import NotATable, Unsupported
from lakeproof.spark_checks.data.stored.stores import Blockstore
from lakeproof.spark_checks.engine import staging
from lakeproof.spark_checks.engine.engines import cores
from lakeproof.spark_checks.engine.tables import (
    BINARY,
    LONG,
    METARANGES,
    OBJECTS,
    RANGES,
    STRING,
    VERSIONS,
    Row,
    Wide,
    batches,
    no_rows,
    table,
)
from lakeproof.spark_checks.engine.workspace import fresh
from lakeproof.words import Unusable

if TYPE_CHECKING:
    from obstore.store import ObjectStore

TABLES: Final = table(storage_namespace=STRING, id=STRING, type=STRING, why=STRING)
"""A row for each SSTable that was listed. ``type``: ranges, metaranges, or null. ``why`` it cannot be read; null: it
was read, all of it."""
PARTS: Final = table(meta_range_id=STRING, range_id=STRING, first=BINARY, last=BINARY, entries=LONG)
"""What metaranges say of their ranges, and, with a null ``meta_range_id``, what ranges are."""
_LISTED: Final = table(**{field.name: field.dataType for field in (*OBJECTS, *VERSIONS)})
_ID: Final = f"^{INTERNAL_PREFIX}[0-9a-f]{{64}}$"
_OF_FILE: Final = Wide("kind", {"tables": TABLES, "metaranges": METARANGES, "ranges": RANGES, "parts": PARTS})
"""What it is, what it holds."""
_LISTED_ARROW: Final = to_arrow_schema(_LISTED, timezone="UTC")


@attrs.frozen
class Stored:
    """What lies there. ``versions``: ``objects`` with ETags; None: files have none. ``tables``: `TABLES`; ``parts``:
    `PARTS`."""

    objects: DataFrame
    versions: DataFrame | None
    metaranges: DataFrame
    ranges: DataFrame
    tables: DataFrame
    parts: DataFrame


def load(spark: SparkSession, blockstore: Blockstore, namespaces: frozenset[str]) -> Stored:
    """List the namespaces, and those beside them without a repository, and read the SSTables. Two jobs.

    Raises Unusable: the store cannot be read, or a namespace is not in it.
    """
    blockstore.demand_there()
    all_ = [*sorted(namespaces), *blockstore.neighbours(namespaces)]
    places = [(each, *blockstore.where(each)) for each in all_]
    listed = staging.write(_listing(spark, places), fresh(spark, "objects"))
    versions = staging.read(listed, _LISTED, spark)
    # The files have more columns. Read with the smaller schema, the listing is the same table as that of a dataset.
    objects = spark.read.schema(OBJECTS).parquet(listed.where) if listed.rows else no_rows(spark, OBJECTS)
    ids = versions.where(f.col("address").rlike(_ID)).select("storage_namespace", "address")
    by = {each: (store, prefix) for each, store, prefix in places}

    def read(found: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # Opened in the task: a connection cannot be pickled.
        opened: dict[str, ObjectStore] = {}
        whole: set[str] = set()  # names whose content this task has given out
        for batch in found:
            for namespace, address in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                store, prefix = by[namespace]
                if store not in opened:
                    opened[store] = stores.open_store(store)
                path = f"{prefix}/{address}" if prefix else address
                name = address.removeprefix(INTERNAL_PREFIX)
                yield from _OF_FILE.batches(_rows_of(namespace, name, stores.content(opened[store], path), whole))

    pieces = max(4 * cores(spark), 1)
    # One id, one task: its content is emitted once.
    made = ids.repartition(pieces, "address").mapInArrow(read, _OF_FILE.schema)
    written = staging.write(made, fresh(spark, "sstables"), by=_OF_FILE.kind)
    has_tags = blockstore.folder is None
    return Stored(objects, versions if has_tags else None, **staging.read_apart(written, _OF_FILE, spark))


def _listing(spark: SparkSession, places: Sequence[tuple[str, str, str]]) -> DataFrame:
    """A task for each namespace."""

    def listed(found: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in found:
            for number in batch.column("id").to_pylist():
                namespace, store, prefix = places[number]
                # Generated one by one: a namespace may have more objects than fit into memory.
                rows = (
                    (namespace, each.path, each.size_bytes, each.last_modified, each.e_tag, None)
                    for each in stores.objects(store, prefix)
                )
                yield from batches(rows, _LISTED_ARROW)

    count = max(len(places), 1)
    return spark.range(0, len(places), 1, count).select("id").mapInArrow(listed, _LISTED)


def _rows_of(namespace: str, name: str, file: bytes | None, whole: set[str]) -> dict[str, list[Row]]:
    """Rows for one SSTable: what it is, and what it holds, unless another namespace had it already. ``whole``: the
    names of those. Raises Unusable: only a newer lakeFS can have written it."""
    try:
        if file is None:
            raise NotATable("was listed, and is gone")
        found = trees.read(file, name)
        rows = {} if name in whole else _rows_in(found, name)
    except NotATable as error:
        return {"tables": [(namespace, name, None, str(error))]}
    except Unsupported as error:
        raise Unusable(
            f"{namespace}/{INTERNAL_PREFIX}{name}: cannot be judged: {error}; leave out --blockstore, or report it"
        ) from None
    # Only now: a damaged copy in one namespace must not hide a whole one in another.
    whole.add(name)
    return {"tables": [(namespace, name, found.type, None)], **rows}


def _rows_in(found: trees.Stored, name: str) -> dict[str, list[Row]]:
    if found.type == "ranges":
        # To hold against what metaranges say of the range.
        first, last = (found.entries[0].path, found.entries[-1].path) if found.entries else (b"", b"")
        return {
            "parts": [(None, name, first, last, len(found.entries))],
            "ranges": [
                # Keys of lakeFS are bytes.
                (name, each.path.decode(errors="backslashreplace"), _address(each), each.checksum, each.size_bytes)
                for each in found.entries
            ],
        }
    return {
        # A row without a range: the metarange is there, and has no entries.
        "metaranges": [(name, part.range_id) for part in found.ranges] or [(name, None)],
        "parts": [(name, part.range_id, part.first, part.last, part.count) for part in found.ranges],
    }


def _address(entry: trees.Entry) -> str:
    """As ``ranges/`` has it: full if it has a scheme, else relative to the namespace of the repository that refers to
    it. Raises Unsupported."""
    full = "://" in entry.address
    meant = {AddressType.RELATIVE.value: False, AddressType.FULL.value: True}.get(entry.address_type, full)
    # ``ranges/`` has no types, and several repositories may share a range: none of their namespaces could be put in.
    if meant != full:
        what, how = ("full", "without") if meant else ("relative", "with")
        raise Unsupported(f"the entry of {entry.path!r} has the {what} address {entry.address!r}, {how} a scheme")
    return entry.address
