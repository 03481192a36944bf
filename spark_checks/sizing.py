"""How many rows a command is to read, told by footers before there is a JVM: its options are fixed when it starts.

Where there are few, most of the processor's time goes to the JVM's own work: to compile once more and better what then
runs for a second, and to make room for hash tables of rows that are not there. See
`lakeproof.spark_checks.session.Options.few`. It changes no answer: what cannot be looked at here is not few, and who
reads it says what is wrong. Cost: one look at each footer, of at most `FILES_MAX` files.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from lakeproof.spark_checks.places import local
from lakeproof.spark_checks.tables import AT_REST

FEW: Final = 8_000_000
"""Rows, of all tables that are read. Measured on datasets of two million objects, which have six million rows."""
FILES_MAX: Final = 2_000
ROW_BYTES: Final = 100
"""Of a record in a dump, at least."""


def is_few(dataset: str, beside: str | None = None) -> bool:
    """Whether a dataset is known to have few rows, and the folder beside it, too."""
    return all(_is_few(each) for each in (dataset, beside) if each is not None)


def _is_few(where: str) -> bool:
    path = local(where)
    try:
        if path is not None and path.is_file():
            return path.stat().st_size <= FEW * ROW_BYTES
        return path is not None and path.is_dir() and _has_few(path)
    except OSError:
        return False


def _has_few(folder: Path) -> bool:
    """Where there are typed tables, of ``kv/`` at most the keys are read."""
    import pyarrow as pa

    names = list(AT_REST)
    if (folder / "decoded").is_dir():
        names = [name for name in names if name != "kv"] + ["decoded"]
    files = list(islice(_files(folder, names), FILES_MAX + 1))
    if len(files) > FILES_MAX:
        return False
    try:
        return sum(map(_rows, files)) <= FEW
    except pa.ArrowException:
        return False


def _files(folder: Path, names: list[str]) -> Iterator[Path]:
    for name in names:
        found = (path for path in (folder / name).rglob("*") if not path.name.startswith((".", "_")))
        yield from (path for path in found if path.is_file())


def _rows(file: Path) -> int:
    from pyarrow.parquet import read_metadata

    return int(read_metadata(file).num_rows)
