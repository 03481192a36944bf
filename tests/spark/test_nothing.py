"""A run over nothing is inconclusive: "nothing to delete" of no objects is no evidence."""

from pathlib import Path
from random import Random

import pytest

from lakeproof.spark_checks.engine.runs import read_report
from lakeproof.words import INCONCLUSIVE
from tests.commands import lakeproof
from tests.spark import snapshots
from tests.spark.damages import without_rows
from tests.spark.retention.worlds import NOW, world

pytestmark = pytest.mark.deep


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("command", "table", "words"),
    [
        ("uncommitted", "kv", "no repository"),
        ("uncommitted", "objects", "no object in the listing"),
        ("retention", "kv", "no repository"),
    ],
)
def test_a_run_over_nothing_is_inconclusive(command: str, table: str, words: str, rules: str, tmp_path: Path) -> None:
    snapshots.write(snapshots.tables(world(7, 3)), tmp_path / "dataset")
    without_rows(Random(0), tmp_path / "dataset" / table / "part.parquet")
    more = ("--lenient",) if command == "uncommitted" else ("--rules", rules)
    where = ("--out", str(tmp_path), "--run", "run", "--now", str(NOW))
    done = lakeproof("spark", command, str(tmp_path / "dataset"), *more, *where)
    assert done.exit_code == INCONCLUSIVE, done.output
    assert f"inconclusive: {words}, so that there was nothing to judge\n" in done.stdout
    assert sum(each["objects"] for each in read_report(tmp_path, "run")["accounts"] if each["reason"] == "marked") == 0  # type: ignore[attr-defined]
