"""Files that vanish between two stages: what a work folder that the workers do not share looks like to the driver."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql.readwriter import DataFrameWriter

Damage = Callable[[list[Path]], None]


def all_of_them(files: list[Path]) -> None:
    for each in files:
        each.unlink()


def one_with_rows(files: list[Path]) -> None:
    max(files, key=lambda each: each.stat().st_size).unlink()


def one_becomes_empty(files: list[Path]) -> None:
    max(files, key=lambda each: each.stat().st_size).write_bytes(b"")


def lose(monkeypatch: pytest.MonkeyPatch, name: str, damage: Damage = all_of_them) -> None:
    """From now on, files of a table of this name are damaged as soon as they are written."""
    write = DataFrameWriter.parquet

    def parquet(self: DataFrameWriter, path: str, *args: str) -> None:
        write(self, path, *args)
        if Path(path).name == name:
            damage(sorted(Path(path).rglob("*.parquet")))

    monkeypatch.setattr(DataFrameWriter, "parquet", parquet)
