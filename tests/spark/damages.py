"""Damages to Parquet files: one vocabulary for all tests of what was lost, cut, changed or doubled."""

import shutil
from collections.abc import Callable
from functools import partialmethod
from pathlib import Path
from random import Random
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.connect.readwriter import DataFrameWriter as ConnectWriter
from pyspark.sql.readwriter import DataFrameWriter

Damage = Callable[[Random, Path], object]
"""To a file, or to the table that it is of."""


def lost(_: Random, file: Path) -> None:
    file.unlink()


def emptied(_: Random, file: Path) -> None:
    file.write_bytes(b"")


def cut(chance: Random, file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: chance.randint(1, len(whole) - 1)])


def flipped(chance: Random, file: Path) -> None:
    whole = bytearray(file.read_bytes())
    whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
    file.write_bytes(bytes(whole))


def without_rows(_: Random, file: Path) -> None:
    pq.write_table(pq.read_schema(file).empty_table(), file)


def with_fewer_rows(chance: Random, file: Path) -> None:
    rows = pq.read_table(file)
    pq.write_table(rows.slice(chance.randint(0, len(rows))), file)


def with_other_rows(chance: Random, file: Path) -> None:
    """As many as before."""
    rows = pq.read_table(file)
    pq.write_table(rows.take(pa.array([chance.randrange(len(rows)) for _ in range(len(rows))], pa.int64())), file)


def of_another_run(chance: Random, file: Path) -> None:
    shutil.copy(file, file.with_name("part-9.parquet"))
    with_fewer_rows(chance, file.with_name("part-9.parquet"))


def doubled(_: Random, file: Path) -> None:
    shutil.copy(file, file.with_name(f"copy-of-{file.name}"))


def doubled_under_another_name(_: Random, file: Path) -> None:
    """Spark reads it as well."""
    shutil.copy(file, file.with_name(f"{file.name}.bak"))


def half_copied(_: Random, file: Path) -> None:
    shutil.copy(file, file.with_name(f"copy-{file.name}._COPYING_"))


def renamed(chance: Random, file: Path) -> None:
    rows = pq.read_table(file)
    column = chance.choice(rows.column_names)
    pq.write_table(rows.rename_columns([f"{each}_" if each == column else each for each in rows.column_names]), file)


def retyped(chance: Random, file: Path) -> None:
    schema = pq.read_schema(file)
    at = chance.randrange(len(schema))
    blank(file, at, pa.string() if pa.types.is_floating(schema.field(at).type) else pa.float64())


def nulled(chance: Random, file: Path) -> None:
    schema = pq.read_schema(file)
    at = chance.randrange(len(schema))
    blank(file, at, schema.field(at).type)


def blank(file: Path, at: int, kind: pa.DataType) -> None:
    """A column of this type, and all of it null."""
    rows = pq.read_table(file)
    pq.write_table(rows.set_column(at, rows.schema.field(at).name, pa.nulls(len(rows), kind)), file)


def table_lost(_: Random, file: Path) -> None:
    shutil.rmtree(file.parent)


def table_emptied(_: Random, file: Path) -> None:
    shutil.rmtree(file.parent)
    file.parent.mkdir()


def stray(chance: Random, file: Path) -> None:
    """What Spark and Hadoop leave beside their files: no damage."""
    name = chance.choice(["_SUCCESS", "_x", ".x", f".{file.name}.crc", "_metadata"])
    file.with_name(name).write_bytes(chance.randbytes(9))


OF_CONTENT: Final[tuple[Damage, ...]] = (lost, emptied, cut, flipped, without_rows)
OF_RUNS: Final[tuple[Damage, ...]] = (
    *OF_CONTENT,
    doubled,
    doubled_under_another_name,
    half_copied,
    of_another_run,
)
OF_DATASETS: Final[tuple[Damage, ...]] = (
    *OF_CONTENT,
    with_fewer_rows,
    with_other_rows,
    doubled,
    renamed,
    retyped,
    nulled,
    table_lost,
    table_emptied,
    stray,
)


def largest(files: list[Path]) -> Path:
    """One that has rows."""
    return max(files, key=lambda each: each.stat().st_size)


def lose(monkeypatch: pytest.MonkeyPatch, name: str, *damages: Damage) -> None:
    """From now on, the largest file of each table of this name is damaged as soon as it is written; without damages,
    all its files are lost."""

    def strike(table: str, files: list[Path]) -> None:
        if table == name:
            for each in files if not damages else ():
                each.unlink()
            for damage in damages:
                damage(Random(0), largest(files))

    as_written(monkeypatch, strike)


def as_written(monkeypatch: pytest.MonkeyPatch, strike: Callable[[str, list[Path]], None]) -> None:
    """From now on, each table that Spark has written is struck: its name, and its files."""
    for writer in (DataFrameWriter, ConnectWriter):
        monkeypatch.setattr(writer, "parquet", partialmethod(_written, writer.parquet, strike))


def _written(
    self: DataFrameWriter,
    write: Callable[[DataFrameWriter, str], None],
    strike: Callable[[str, list[Path]], None],
    path: str,
) -> None:
    write(self, path)
    strike(Path(path).name, sorted(Path(path).rglob("*.parquet")))
