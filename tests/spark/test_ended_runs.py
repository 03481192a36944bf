"""A run that does not come to its end leaves nothing that a sweep, or the next run, could take for one. A run over
nothing is inconclusive; a dataset that changes while it is read gives no answer."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import NamedTuple

import click
import pytest
from click.testing import Result
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.spark_checks.data import denominators, manifest
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine import staging
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.runs import read_report
from lakeproof.spark_checks.engine.tables import AT_REST
from lakeproof.words import INCONCLUSIVE, Unusable
from tests.commands import complaint, lakeproof
from tests.spark import snapshots
from tests.spark.commands import last_line, mark_by_command
from tests.spark.damages import Damage, doubled, lost, without_rows
from tests.spark.retention.worlds import NOW, world
from tests.spark.uncommitted.test_uncommitted import with_promises


class Place(NamedTuple):
    """Where a test works. Paths and URLs."""

    dataset: str
    out: str
    rules: str

    def ask(self, kind: str, run: str, *more: str) -> Result:
        own = ("--rules", self.rules) if kind == "retention" else ()
        return lakeproof("spark", kind, self.dataset, "--out", self.out, "--run", run, "--lenient", *own, *more)


def place_in(folder: Path) -> Place:
    snapshots.write(snapshots.tables(with_promises(world(3, 6))), folder / "dataset")
    rules = folder / "rules.json"
    rules.write_text('{"default_retention_days": 4}')
    return Place(str(folder / "dataset"), str(folder / "out"), str(rules))


@pytest.fixture
def place(tmp_path: Path, spark: SparkSession) -> Place:
    return place_in(tmp_path)


@pytest.mark.parametrize(
    ("kind", "table", "error", "code"),
    [
        ("uncommitted", "addresses", click.Abort(), 130),
        pytest.param("retention", "walked", PySparkException("No space left on device"), 2, marks=pytest.mark.deep),
        pytest.param("uncommitted", "committed", Unusable("no"), 2, marks=pytest.mark.deep),
    ],
)
def test_whatever_ends_a_run_it_leaves_no_folder(
    place: Place, monkeypatch: pytest.MonkeyPatch, kind: str, table: str, error: Exception, code: int
) -> None:
    write = staging.write

    def written(rows: object, where: str, *args: object, **options: object) -> staging.Written:
        if Path(where).name == table:
            raise error
        return write(rows, where, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(staging, "write", written)
    done = place.ask(kind, "run", "--now", str(NOW))
    assert (done.exit_code, done.stdout) == (code, "")
    assert not list(Path(place.out).glob("*"))


def test_a_run_that_is_there_is_not_written_over(place: Place) -> None:
    (Path(place.out) / "run").mkdir(parents=True)
    assert "run: is there already; name another run with --run" in complaint(place.ask("uncommitted", "run"))
    assert not list((Path(place.out) / "run").iterdir())


@pytest.mark.deep
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("kind", "tables", "words"),
    [
        ("uncommitted", ["kv"], "no repository"),
        ("uncommitted", ["objects"], "no object in the listing"),
        ("uncommitted", AT_REST, "no repository"),
        ("retention", ["kv"], "no repository"),
        ("retention", AT_REST, "no repository"),
    ],
)
def test_a_run_over_nothing_and_the_next_one_are_inconclusive(
    kind: str, tables: Iterable[str], words: str, dataset: Path, rules: str, tmp_path: Path
) -> None:
    for table in tables:
        without_rows(Random(0), dataset / table / "part.parquet")
    next_ = ("--lenient", "--since", str(tmp_path / "first"))
    chain = {"first": next_[:1], "second": next_} if kind == "uncommitted" else {"only": ("--rules", rules)}
    for run, more in chain.items():
        done = mark_by_command(dataset, tmp_path, *more, kind=kind, run=run)
        assert done.exit_code == INCONCLUSIVE, done.output
        assert f"inconclusive: {words}, so that there was nothing to judge\n" in done.stdout
        accounts = read_report(folder_at(tmp_path), run)["accounts"]
        assert "marked" not in {each["reason"] for each in accounts}  # type: ignore[attr-defined]


def written_again(_: Random, file: Path) -> None:
    """The same bytes, at another time."""
    found = file.stat()
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns + 1))


def replaced(_: Random, file: Path) -> None:
    """By a file of the same bytes and time: the number of its node is another."""
    shutil.copy2(file, file.with_name("other"))
    file.with_name("other").replace(file)


CHANGES = [(written_again, "is another"), (replaced, "is another"), (doubled, "is new"), (lost, "is gone")]


@pytest.mark.parametrize("name", ["kv", "objects"])
@pytest.mark.parametrize(("change", "words"), CHANGES)
def test_every_table_is_looked_at_again(
    spark: SparkSession, dataset: Path, name: str, change: Damage, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it changes right after it was compared with its manifest."""
    opened = open_dataset(spark, str(dataset))
    opened.noted.demand_same()
    compared, file = manifest.demand, dataset / name / "part.parquet"
    manifest.seal(str(dataset))
    monkeypatch.setattr(manifest, "demand", lambda where: (compared(where), change(Random(0), file))[0])
    with pytest.raises(Unusable, match=rf"/{name}\b"):
        open_dataset(spark, str(dataset))
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
        written_again(Random(0), dataset / "objects" / "part.parquet")
        return found

    monkeypatch.setattr(denominators, "rows_read", changed)
    more = ("--lenient",) if kind == "uncommitted" else ("--rules", rules)
    done = mark_by_command(dataset, tmp_path / "out", *more, kind=kind)
    assert "is another since the dataset was opened" in last_line(done)
    assert list((tmp_path / "out").iterdir()) == []
