"""Files with lakeFS' store, staged as Parquet: its JSON dump, ``{"version", "timestamp", "entries": [{"partition",
"key", "value"}]}``, one document of any size, which is read as a stream; and JSON Lines, one row each. What the fields
are in is `lakeproof.impl.stores.dumped`'s to say."""

from collections.abc import Iterator
from pathlib import Path

import ijson
from pyspark.sql import DataFrame, SparkSession

from lakeproof.impl.stores import dumped
from lakeproof.impl.stores.dumped import NotADump, Row
from lakeproof.spark_checks.engine.tables import KV
from lakeproof.spark_checks.engine.workspace import stage_rows
from lakeproof.words import Unusable


def staged_dump(spark: SparkSession, path: Path) -> DataFrame:
    """The entries of a dump as the table kv. Memory for one batch.

    Raises Unusable: the file is no such dump; names the entry.
    """
    return stage_rows(spark, entries(path), KV)


def entries(path: Path) -> Iterator[Row]:
    """The rows of a file: partition, key and value.

    Raises Unusable, also where the document ends too early.
    """
    try:
        if dumped.is_lines(path):
            yield from dumped.lines(path)
            return
        # The file is read twice, since the first entries may fit both notations and a later one decides.
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
                # No entry was met: either the list is empty, or the document is something else.
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
