"""The CSV files of ``commits/``: a folder for each repository, as Spark partitions tables.

Spark's own writer asks the local file system for a process of its own for each file, to set its mode: with ten thousand
repositories that is minutes. Here each task writes the files of the rows that it has, which come in the order of their
repositories.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from spark_checks.tables import LONG, table

COLUMNS: Final = ("commit_id", "expired", "metarange_id")
HOME: Final = "repository_id"
NOBODY: Final = "__HIVE_DEFAULT_PARTITION__"
"""How Spark names the folder of null."""

_HEADER: Final = ",".join(COLUMNS).encode() + b"\n"
_ESCAPED: Final = frozenset("\"#%'*/:=?\\{[]^\x7f") | {chr(code) for code in range(32)}
_WRITTEN: Final = table(rows=LONG)


def write(rows: DataFrame, folder: Path) -> int:
    """Write rows of repository_id and `COLUMNS`; returns how many they were. One file for each run of rows of one
    repository; what a task that is tried again has written before is replaced."""
    folder.mkdir(parents=True)
    target = str(folder)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()
        number = 0 if context is None else context.partitionId()
        yield pa.RecordBatch.from_pydict({"rows": pa.array([_write_all(batches, Path(target), number)], pa.int64())})

    written = rows.select(HOME, *COLUMNS).mapInArrow(run, _WRITTEN)
    return int(written.agg(f.coalesce(f.sum("rows"), f.lit(0))).collect()[0][0])


def _write_all(batches: Iterator[pa.RecordBatch], folder: Path, task: int) -> int:
    count, number, home = 0, 0, object()
    file: IO[bytes] | None = None
    try:
        for batch in batches:
            count += batch.num_rows
            for start, end in runs(batch.column(HOME)):
                here = batch.column(HOME)[start].as_py()
                if here != home:
                    if file is not None:
                        _finish(file)
                    home, number = here, number + 1
                    file = _begin(folder / f"{HOME}={escaped(here)}", f"part-{task:05d}-{number:06d}.csv")
                assert file is not None
                _append(file, batch.slice(start, end - start).select(list(COLUMNS)))
        if file is not None:
            _finish(file)
    except BaseException:
        if file is not None:
            file.close()
        raise
    return count


def runs(column: pa.Array) -> Iterator[tuple[int, int]]:
    """Where stretches of equal values begin and end."""
    if len(column) == 0:
        return
    ends = pc.run_end_encode(column).run_ends.to_pylist()
    yield from zip([0, *ends], ends, strict=False)


def escaped(home: str | None) -> str:
    """The name as Spark writes it into a path."""
    if not home:
        return NOBODY
    return "".join(f"%{ord(each):02X}" if each in _ESCAPED else each for each in home)


def _begin(folder: Path, name: str) -> IO[bytes]:
    folder.mkdir(exist_ok=True)
    file = (folder / f".{name}.part").open("wb")
    file.write(_HEADER)
    return file


def _append(file: IO[bytes], rows: pa.RecordBatch) -> None:
    try:
        text = _as_csv(rows, "none")
    except pa.ArrowInvalid:  # an id with a comma or a quote
        text = _as_csv(rows, "needed")
    file.write(text)


def _as_csv(rows: pa.RecordBatch, quoting: str) -> bytes:
    sink = pa.BufferOutputStream()
    csv.write_csv(rows, sink, csv.WriteOptions(include_header=False, quoting_style=quoting))
    return bytes(sink.getvalue())


def _finish(file: IO[bytes]) -> None:
    file.close()
    path = Path(file.name)
    path.replace(path.with_name(path.name.removeprefix(".").removesuffix(".part")))
