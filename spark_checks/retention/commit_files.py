"""The CSV files of ``commits/``: a folder for each repository, as Spark partitions tables.

Spark's own writer asks the local file system for a process of its own for each file, to set its mode: with ten thousand
repositories that is minutes. Here each task writes the files of the rows that it has, which come in the order of their
repositories. At a URL, where only Spark's file systems write, its writer does it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as f

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import staging
from lakeproof.spark_checks.batches import batches as batches_of
from lakeproof.spark_checks.folders import Folder, LocalFolder, as_folder
from lakeproof.spark_checks.tables import BOOLEAN, LONG, STRING, table

COLUMNS: Final = ("commit_id", "expired", "metarange_id")
HOME: Final = "repository_id"
NOBODY: Final = "__HIVE_DEFAULT_PARTITION__"
"""How Spark names the folder of null."""

_AS_WRITTEN: Final = {
    "header": "true",
    "escape": '"',
    "ignoreLeadingWhiteSpace": "false",
    "ignoreTrailingWhiteSpace": "false",
}
_READ: Final = table(commit_id=STRING, expired=BOOLEAN, metarange_id=STRING, repository_id=STRING)
_HEADER: Final = ",".join(COLUMNS).encode() + b"\n"
_ESCAPED: Final = frozenset("\"#%'*/:=?\\{[]^\x7f") | {chr(code) for code in range(32)}
_WRITTEN: Final = table(name=STRING, rows=LONG, bytes=LONG)
_ARROW: Final = pa.schema([("name", pa.string()), ("rows", pa.int64()), ("bytes", pa.int64())])


def write(rows: DataFrame, folder: Folder | Path) -> int:
    """Write rows of repository_id and `COLUMNS`; returns how many they were. What was in the folder is removed.

    Raises Unusable: a file that a task has written is not there, or not all rows are.
    """
    there = as_folder(folder)
    there.delete()
    named = rows.select(HOME, *COLUMNS)
    return _write_here(named, there.path) if isinstance(there, LocalFolder) else _write_there(named, there.where)


def _write_there(rows: DataFrame, target: str) -> int:
    """By Spark's writer, with nothing that its reader would change: no blanks cut, no "" for null."""
    observed = Observation()
    counted = rows.observe(observed, f.count(f.lit(1)).alias("rows"))
    counted.write.partitionBy(HOME).options(**_AS_WRITTEN, emptyValue="").csv(target)
    written = int(observed.get["rows"])
    read = rows.sparkSession.read.schema(_READ).options(**_AS_WRITTEN, multiLine="true")
    found = read.csv(target).count() if written else 0
    if found != written:
        raise Unusable(f"{target}: {written:,} rows were written, and {found:,} are there; {staging.SHARE}")
    return written


def _write_here(rows: DataFrame, folder: Path) -> int:
    """One file for each run of rows of one repository; what a task that is tried again has written before is
    replaced."""
    folder.mkdir(parents=True)
    target = str(folder)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()
        number = 0 if context is None else context.partitionId()
        yield from batches_of(_write_all(batches, Path(target), number), _ARROW)

    written = rows.mapInArrow(run, _WRITTEN).toArrow()
    for name, size in zip(written.column("name").to_pylist(), written.column("bytes").to_pylist(), strict=True):
        staging.demand_file(folder / name, size)
    return sum(written.column("rows").to_pylist())


Written = tuple[str, int, int]
"""Of a file: its name in the folder, rows, bytes."""


def _write_all(batches: Iterator[pa.RecordBatch], folder: Path, task: int) -> Iterator[Written]:
    count, number, home = 0, 0, object()
    file: IO[bytes] | None = None
    try:
        for batch in batches:
            for start, end in runs(batch.column(HOME)):
                here = batch.column(HOME)[start].as_py()
                if here != home:
                    if file is not None:
                        yield _finish(file, folder, count)
                    count = 0
                    home, number = here, number + 1
                    file = _begin(folder / f"{HOME}={escaped(here)}", f"part-{task:05d}-{number:06d}.csv")
                assert file is not None
                count += end - start
                _append(file, batch.slice(start, end - start).select(list(COLUMNS)))
        if file is not None:
            yield _finish(file, folder, count)
    except BaseException:
        if file is not None:
            file.close()
        raise


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


def _finish(file: IO[bytes], folder: Path, rows: int) -> Written:
    size = file.tell()
    file.close()
    part = Path(file.name)
    path = part.with_name(part.name.removeprefix(".").removesuffix(".part"))
    part.replace(path)
    return str(path.relative_to(folder)), rows, size
