"""A folder of histories as a table of events: a file of JSON Lines is a history, and so are the rows of Parquet files
with one name. Files are read in parallel, each by one task, as a stream.

Source of the formats: docs/histories.md.
"""

import json
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from lakeproof.histories import Unreadable, json_lines
from lakeproof.histories.errors import shorten_value
from lakeproof.histories.events import NEMESIS
from lakeproof.histories.reader import Lines
from lakeproof.plain_json import decode
from lakeproof.spark_checks.data.dataset import read_table
from lakeproof.spark_checks.engine import folders
from lakeproof.spark_checks.engine.engines import cores
from lakeproof.spark_checks.engine.layout import is_hidden
from lakeproof.spark_checks.engine.tables import LONG, STRING, table
from lakeproof.spark_checks.engine.tables import batches as batches_of
from lakeproof.words import Unusable

EVENTS: Final = table(history=STRING, key=STRING, number=LONG, f=STRING, event=STRING)
"""history: its name; key: as JSON, null: none; number: its place; f: null where it is not invoked; event: JSON."""

PARQUET: Final = table(
    history=STRING, index=LONG, process=STRING, type=STRING, f=STRING, key=STRING, value=STRING, time=LONG
)
"""Rows of a history as Parquet: key and value are JSON texts; index is the order in which events were recorded."""

ENDINGS: Final = (".jsonl", ".ndjson", ".json")
_OF_EVENTS: Final = {"jsonl", "ndjson", "json", "edn", "parquet"}
"""In names of files that may hold events: ``x.jsonl.gz``."""
_ARROW: Final = pa.schema(
    [("history", pa.string()), ("key", pa.string()), ("number", pa.int64()), ("f", pa.string()), ("event", pa.string())]
)

Event = tuple[str, str | None, int, str | None, str]


def events(spark: SparkSession, folder: Path) -> DataFrame:
    """All events of a folder: `EVENTS`. JSON Lines are found at any depth; if there are none, it is a Parquet table.

    Raises Unusable: there is nothing to read; and, when the table is read, for a line that is no event.
    """
    every = [Path(each.full) for each in folders.files(str(folder)) or ()]
    files = [str(each) for each in every if each.suffix.lower() in ENDINGS]  # as text: they go to the workers as rows
    kind, endings = ("JSON Lines", ENDINGS) if files else ("Parquet", (".parquet",))
    for each in every:
        looks_so = _OF_EVENTS & {*each.name.lower().split(".")[1:]} and not is_hidden(each.name)
        if looks_so and each.suffix.lower() not in endings:
            raise Unusable(f"{each}: is not read beside or as {kind}; unpack it, or take it away")
    if not files:
        return _of_parquet(read_table(spark, str(folder), PARQUET))
    root = str(folder)
    # A task reads whole files, since the events of a history depend on those before them.
    parts = min(len(files), 4 * cores(spark))

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for path in batch.column("path").to_pylist():
                yield from batches_of(of_file(path, str(Path(path).relative_to(root))), _ARROW)

    paths = spark.createDataFrame([(path,) for path in files], table(path=STRING)).repartition(parts)
    return paths.mapInArrow(read, EVENTS)


def of_file(path: str, name: str) -> Iterator[Event]:
    """The events of a file of JSON Lines, each with the key of its operation. Memory: the operations that are open.

    Raises Unusable: names the line.
    """
    splitter = _Splitter()
    number, text = 0, ""
    try:
        opened = Path(path).open("rb")  # noqa: SIM115  # it is closed below
    except OSError as error:
        raise Unusable(f"{path}: cannot be read ({error.strerror}); make it accessible") from None
    with opened as file:

        def lines() -> Iterator[tuple[int, str]]:
            nonlocal number, text
            for line in Lines(file):
                number, text = line
                yield line

        try:
            for _ in json_lines.read(lines(), splitter):  # type: ignore[arg-type]  # of a recorder, only `add` is called
                # The line as it was: the checker reads it again, with the others of its key.
                yield name, splitter.key, number, splitter.f, text.strip()
        except Unreadable as error:
            raise Unusable(f"{path}: {error}") from None


class _Splitter:
    """In the place of a recorder: to which key an event belongs. The rest of what an event must be is checked with the
    others of its key."""

    def __init__(self) -> None:
        self.open: dict[Hashable, str | None] = {}
        self.key: str | None = None
        self.f: str | None = None

    def add(self, process: Hashable, type_: str, f_: str, key: object, value: object, time: object, line: int) -> None:
        text = None if key is None else _spell(key)
        if type_ == "invoke":
            if process in self.open:
                raise Unreadable(
                    f"process {shorten_value(process)} invoked {f_} before its last operation had returned", line
                )
            # Noted for the return, which need not say its key again.
            self.open[process] = self.key = text
            self.f = f_
            return
        if process not in self.open:
            # What injects faults is no client. Its event goes with the key of the event before, and counts for nothing.
            if type_ == "info" and process in NEMESIS:
                return
            raise Unreadable(f"process {shorten_value(process)} returned, and had invoked nothing", line)
        # Only an invocation counts for the choice of the model.
        self.key, self.f = self.open.pop(process), None


def _spell(key: object) -> str:
    # One text for each key, in whatever order the fields of an object are; of half a character, too.
    return json.dumps(key, sort_keys=True)


def _of_parquet(rows: DataFrame) -> DataFrame:
    """Each row as the line that a file would have. A row without a key is of the history's one object."""
    plain = f.to_json(f.struct("process", "type", "f", "time"))
    key, value = (f.coalesce(f.col(name), f.lit("null")) for name in ("key", "value"))
    # Key and value are JSON already: as texts of the struct they would be quoted. No value of the struct ends with
    # a brace, so that one is cut off.
    line = f.concat(f.rtrim(plain, f.lit("}")), f.lit(', "key": '), key, f.lit(', "value": '), value, f.lit("}"))
    found = rows.select(
        f.coalesce("history", f.lit("")).alias("history"),
        "key",
        f.col("index").alias("number"),
        f.when(f.col("type") == "invoke", f.col("f")).alias("f"),
        line.alias("event"),
    )
    return found.mapInArrow(_respell_keys, EVENTS)


def _respell_keys(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Each key as a file's is spelled: events are put together by its text, and JSON has several for one value."""
    for batch in batches:
        rows = zip(*map(pa.Array.to_pylist, batch.columns), strict=True)
        yield from batches_of((_respell(*row) for row in rows), _ARROW)


def _respell(history: str, key: str | None, number: int | None, f_: str | None, event: str) -> Event:
    """Raises Unusable."""
    where = history or "the table"
    if number is None:
        raise Unusable(f"{where}: an event has no index, by which its place is known; write the table again")
    try:
        found = None if key is None else decode(key)
    except (ValueError, RecursionError):
        raise Unusable(f"{where}: line {number}: key {shorten_value(key)} is no JSON; write it as JSON") from None
    return history, None if found is None else _spell(found), number, f_, event
