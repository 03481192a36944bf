"""Columns that a task does not need while it works, and hands on at its end: they wait in a file, not in memory.

A worker of Spark gets its rows as a stream, and has to hold what it comes back to. Of a commit the walk needs some
numbers; the ids are three times as large. The file has no name, so that it goes with the process, however that ends.
Cost: the bytes of the columns, written once and read once; up to `IN_MEMORY` of them stay in memory.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa

IN_MEMORY: Final = 32 << 20
"""Bytes. Most tasks have no more, and need no file."""


class Aside:
    """Batches of some columns, in the order in which they came."""

    def __init__(self, file: "tempfile.SpooledTemporaryFile[bytes]", names: Sequence[str]) -> None:
        self._file = file
        self._names = list(names)
        self._writer: pa.ipc.RecordBatchStreamWriter | None = None

    def put(self, batch: pa.RecordBatch) -> None:
        """Raises OSError: there is no room."""
        part = batch.select(self._names)
        if self._writer is None:
            # The schema is known with the first batch only.
            self._writer = pa.ipc.new_stream(pa.PythonFile(self._file, "w"), part.schema)
        self._writer.write_batch(part)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Once, at the end."""
        if self._writer is None:
            return
        self._writer.close()
        self._file.seek(0)
        yield from pa.ipc.open_stream(pa.PythonFile(self._file, "r"))


@contextmanager
def aside(*names: str) -> Iterator[Aside]:
    """Where these columns wait, in Spark's own folder for what is temporary."""
    folders = [each for each in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if each and Path(each).is_dir()]
    # Spark names its local folders to workers in this variable. They have room for shuffles; /tmp may be memory.
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY, dir=folders[0] if folders else None) as file:
        yield Aside(file, names)
