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
    number = 0
    begun = version = False
    entry: dict[str, object] = {}
    try:
        with path.open("rb") as file:
            for prefix, event, value in ijson.parse(file):
                begun = begun or (prefix, event) == ("entries", "start_array")
                if prefix == "entries" and event not in ("start_array", "end_array"):
                    version = False
                    break
                version = version or (prefix, event) == ("version", "string")
                if (prefix, event) == ("entries.item", "start_map"):
                    entry = {}
                elif prefix.startswith("entries.item.") and event in ("string", "number", "null", "boolean"):
                    entry[prefix.removeprefix("entries.item.")] = value
                elif (prefix, event) == ("entries.item", "end_map"):
                    yield entry
                    number += 1
                elif prefix == "entries.item" and event != "map_key":
                    raise Unusable(f"{path}: entry {number} is {value!r}, expected an object; write the dump again")
    except ijson.JSONError as error:
        why = " ".join(str(error).split())[:120]
        raise Unusable(f"{path}: no JSON after entry {number} ({why}); write the dump again") from None
    except UnicodeDecodeError as error:
        raise Unusable(f"{path}: not UTF-8 after entry {number} ({error.reason}); write the dump again") from None
    if not begun and not version:
        raise Unusable(f'{path}: has no list "entries", expected a dump of lakeFS\' store; name another file')
