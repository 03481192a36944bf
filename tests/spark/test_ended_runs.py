"""A run that does not come to its end leaves nothing that a sweep, or the next run, could take for one."""

from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import Result
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.spark_checks import ledger
from lakeproof.spark_checks.engine import staging
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.spark import snapshots
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


@pytest.mark.deep
def test_counts_that_do_not_add_up_leave_none(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    accounts = ledger.accounts
    monkeypatch.setattr(ledger, "accounts", lambda fates: accounts(fates)[1:])
    with pytest.raises(AssertionError, match="are accounted for"):  # a mistake of ours is no line
        place.ask("uncommitted", "run", "--now", str(NOW))
    assert not list(Path(place.out).glob("*"))


def test_a_run_that_is_there_is_not_written_over(place: Place) -> None:
    (Path(place.out) / "run").mkdir(parents=True)
    assert "run: is there already; name another run with --run" in complaint(place.ask("uncommitted", "run"))
    assert not list((Path(place.out) / "run").iterdir())
