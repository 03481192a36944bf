"""A dataset that changes while it is read gives no answer: neither the old one nor the new one."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.data import denominators
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.words import Unusable
from tests.spark.commands import last_line, mark_by_command

Change = Callable[[Path], None]


def first(folder: Path) -> Path:
    return next(folder.glob("*.parquet"))


def written_again(folder: Path) -> None:
    """The same bytes, at another time."""
    found = first(folder).stat()
    os.utime(first(folder), ns=(found.st_atime_ns, found.st_mtime_ns + 1))


def replaced(folder: Path) -> None:
    """By a file of the same bytes and time: the number of its node is another."""
    path = first(folder)
    shutil.copy2(path, folder / "other")
    (folder / "other").replace(path)


def one_more(folder: Path) -> None:
    shutil.copy2(first(folder), folder / "z.parquet")


def one_less(folder: Path) -> None:
    first(folder).unlink()


CHANGES = [(written_again, "is another"), (replaced, "is another"), (one_more, "is new"), (one_less, "is gone")]
ids = [change.__name__ for change, _ in CHANGES]


@pytest.mark.parametrize("name", ["kv", "objects"])
@pytest.mark.parametrize(("change", "words"), CHANGES, ids=ids)
def test_every_table_is_looked_at_again(
    spark: SparkSession, dataset: Path, name: str, change: Change, words: str
) -> None:
    opened = open_dataset(spark, str(dataset))
    opened.noted.demand_same()
    change(dataset / name)
    with pytest.raises(Unusable, match=rf"{name}/.*parquet: {words} since the dataset was opened") as told:
        opened.noted.demand_same()
    assert "\n" not in str(told.value)


@pytest.mark.deep
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("kind", ["uncommitted", "retention"])
def test_nothing_is_marked_of_what_changes_meanwhile(
    kind: str, dataset: Path, rules: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Late: all commands count the rows at their end."""
    count = denominators.rows_read

    def changed(*arguments: object) -> object:
        found = count(*arguments)  # type: ignore[arg-type]
        written_again(dataset / "objects")
        return found

    monkeypatch.setattr(denominators, "rows_read", changed)
    more = ("--lenient",) if kind == "uncommitted" else ("--rules", rules)
    done = mark_by_command(dataset, tmp_path / "out", *more, kind=kind)
    assert "is another since the dataset was opened" in last_line(done)
    assert list((tmp_path / "out").iterdir()) == []
