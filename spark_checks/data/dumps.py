"""Files with lakeFS' store, staged as Parquet: its JSON dump, ``{"version", "timestamp", "entries": [{"partition",
"key", "value"}]}``, one document of any size, which is read as a stream; and JSON Lines, one row each. What the fields
are in is `lakeproof.impl.stores.dumped`'s to say."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import ijson
import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import DataFrame, SparkSession

from lakeproof.impl.stores import dumped
from lakeproof.impl.stores.dumped import NotADump, Row
from lakeproof.spark_checks.engine import places, staging
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.staging import Written
from lakeproof.spark_checks.engine.tables import KV, batches
from lakeproof.spark_checks.engine.workspace import fresh
from lakeproof.words import Unusable

SCHEMA: Final = pa.schema([(name, pa.binary()) for name in ("partition_key", "key", "value")])
PART: Final = "part-0.parquet"


def staged_dump(spark: SparkSession, path: Path) -> DataFrame:
    """The entries of a dump as the table kv. Memory for one batch.

    Raises Unusable: the file is no such dump; names the entry.
    """
    where = fresh(spark, "kv")
    target = places.local(where)
    if target is not None:
        return staging.read(Written(where, {"": _write(path, target)}), KV, spark)
    with tempfile.TemporaryDirectory(prefix="lakeproof-dump-") as beside:
        rows = _write(path, Path(beside))
        with (Path(beside) / PART).open("rb") as file:
            folder_at(where).copy(PART, file)
    return staging.read(Written(where, {"": rows}), KV, spark)


def _write(path: Path, folder: Path) -> int:
    """How many entries there are."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = 0
    with parquet.ParquetWriter(folder / PART, SCHEMA) as writer:
        for batch in batches(entries(path), SCHEMA):
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows


def entries(path: Path) -> Iterator[Row]:
    """The rows of a file: partition, key and value.

    Raises Unusable, also where the document ends too early.
    """
    try:
        if dumped.is_lines(path):
            yield from dumped.lines(path)
            return
        notation = dumped.decide_notation(_objects(path))
        for number, entry in enumerate(_objects(path)):
            yield dumped.row(f"{path}: entry {number}", entry, notation)
    except NotADump as error:
        raise Unusable(str(error)) from None
    except OSError as error:
        raise Unusable(f"{path}: cannot be read ({error.strerror}); make it accessible") from None


def _objects(path: Path) -> Iterator[dict[str, object]]:
    """The entries of a document as they are. A repository without records has a dump without "entries".

    Raises Unusable.
    """
    number = -1
    try:
        with path.open("rb") as file:
            for number, entry in enumerate(ijson.items(file, "entries.item")):
                if not isinstance(entry, dict):
                    raise Unusable(f"{path}: entry {number} is {entry!r}, expected an object; write the dump again")
                yield entry
            if number < 0:
                file.seek(0)
                _demand_dump(path, {(prefix, event) for prefix, event, _ in ijson.parse(file)})
    except ijson.JSONError as error:
        why = " ".join(str(error).split())[:120]
        raise Unusable(f"{path}: no JSON after entry {number + 1} ({why}); write the dump again") from None
    except UnicodeDecodeError as error:
        raise Unusable(f"{path}: not UTF-8 after entry {number + 1} ({error.reason}); write the dump again") from None


def _demand_dump(path: Path, events: set[tuple[str, str]]) -> None:
    """Of a document without an entry. Raises Unusable."""
    lists = {event for prefix, event in events if prefix == "entries"}
    if lists - {"start_array", "end_array"} or not (lists or ("version", "string") in events):
        raise Unusable(f'{path}: has no list "entries", expected a dump of lakeFS\' store; name another file')
