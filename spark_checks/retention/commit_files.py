"""The commits of a run as CSV, ``commits/``: a folder for each repository, as Spark partitions tables.

Spark's own writer asks the local file system for a process of its own for each file, to set its mode: with ten thousand
repositories that is minutes. Here each task writes the files of the rows that it has, which come in the order of their
repositories.
"""

import tempfile
from collections.abc import Iterator
from typing import IO, BinaryIO, Final, cast
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv
from pyspark.sql import DataFrame

from lakeproof.spark_checks.engine.folders import Folder, folder_at
from lakeproof.spark_checks.engine.setting_aside import IN_MEMORY
from lakeproof.spark_checks.engine.staging import SHARE
from lakeproof.spark_checks.engine.tables import LONG, STRING, table
from lakeproof.spark_checks.engine.tables import batches as batches_of
from lakeproof.words import Unusable

COLUMNS: Final = ("commit_id", "expired", "metarange_id")
HOME: Final = "repository_id"
NULL_FOLDER: Final = "__HIVE_DEFAULT_PARTITION__"
"""How Spark names the folder of null."""

_HEADER: Final = ",".join(COLUMNS).encode() + b"\n"
_ESCAPED: Final = frozenset("\"#%'*/:=?\\{[]^\x7f") | {chr(code) for code in range(32)}
_WRITTEN: Final = table(name=STRING, rows=LONG, bytes=LONG)
_ARROW: Final = pa.schema([("name", pa.string()), ("rows", pa.int64()), ("bytes", pa.int64())])


def write(rows: DataFrame, folder: Folder) -> int:
    """Write rows of repository_id and `COLUMNS`; returns how many they were. What was in the folder is removed.

    Raises Unusable: a file that a task has written is not there.
    """
    # The commits of an earlier write would be read together with these.
    folder.delete()
    folder.make()
    where = folder.where

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()  # a task that is tried again replaces what it has written before
        task = uuid4().hex if context is None else f"{context.partitionId():05d}"
        yield from batches_of(_write_all(batches, folder_at(where), task), _ARROW)

    # The job returns the names and sizes of files, not the rows.
    written = rows.select(HOME, *COLUMNS).mapInArrow(run, _WRITTEN).toArrow()
    there = dict(folder.files())
    for name, size in zip(written.column("name").to_pylist(), written.column("bytes").to_pylist(), strict=True):
        # A worker that does not share the folder writes to one of its own.
        if there.get(name) != size:
            raise Unusable(
                f"{where}/{name}: a task wrote {size:,} bytes, and the file {_describe(there.get(name))}; {SHARE}"
            )
    return sum(written.column("rows").to_pylist())


def _describe(size: int | None) -> str:
    return "is not there" if size is None else f"has {size:,} bytes"


Written = tuple[str, int, int]
"""Of a file: its name in the folder, rows, bytes."""


def _write_all(batches: Iterator[pa.RecordBatch], folder: Folder, task: str) -> Iterator[Written]:
    """A file for each run of rows of one repository."""
    count, number, home = 0, 0, object()  # equal to no repository, and to null neither
    file: IO[bytes] | None = None
    for batch in batches:
        # Rows come in the order of their repositories, so that one open file is enough. A repository whose rows are
        # in several stretches gets a file for each.
        for start, end in runs(batch.column(HOME)):
            here = batch.column(HOME)[start].as_py()
            if here != home:
                if file is not None:
                    yield _finish(file, folder, _name(home, task, number), count)
                file, count, home, number = _begin(), 0, here, number + 1
            assert file is not None
            count += end - start
            _append(file, batch.slice(start, end - start).select(list(COLUMNS)))
    if file is not None:
        yield _finish(file, folder, _name(home, task, number), count)


def _name(home: object, task: str, number: int) -> str:
    return f"{HOME}={escape(home)}/part-{task}-{number:06d}.csv"


def runs(column: pa.Array) -> Iterator[tuple[int, int]]:
    """Where stretches of equal values begin and end."""
    if len(column) == 0:
        return
    # The encoding finds stretches of equal values in one pass of Arrow's.
    ends = pc.run_end_encode(column).run_ends.to_pylist()
    yield from zip([0, *ends], ends, strict=False)


def escape(home: object) -> str:
    """The name as Spark writes it into a path."""
    # Spark writes the same folder for null and for the empty text.
    if not home:
        return NULL_FOLDER
    return "".join(f"%{ord(each):02X}" if each in _ESCAPED else each for each in str(home))


def _begin() -> IO[bytes]:
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  # `_finish` closes it
    file.write(_HEADER)
    return cast("IO[bytes]", file)


def _append(file: IO[bytes], rows: pa.RecordBatch) -> None:
    try:
        # Ids are mostly hexadecimal digits and need no quotes. Arrow refuses a value that does.
        text = _as_csv(rows, "none")
    except pa.ArrowInvalid:  # an id with a comma or a quote
        text = _as_csv(rows, "needed")
    file.write(text)


def _as_csv(rows: pa.RecordBatch, quoting: str) -> bytes:
    sink = pa.BufferOutputStream()
    csv.write_csv(rows, sink, csv.WriteOptions(include_header=False, quoting_style=quoting))
    return bytes(sink.getvalue())


def _finish(file: IO[bytes], folder: Folder, name: str, rows: int) -> Written:
    # The position after the last write is the size.
    size = file.tell()
    file.seek(0)
    with file:
        folder.copy(name, cast("BinaryIO", file))
    return name, rows, size
