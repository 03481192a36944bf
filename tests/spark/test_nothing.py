"""A run over nothing is inconclusive: "nothing to delete" of no objects is no evidence."""

from pathlib import Path
from random import Random

import pytest

from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.runs import read_report
from lakeproof.words import INCONCLUSIVE
from tests.spark.commands import mark_by_command
from tests.spark.damages import without_rows

pytestmark = pytest.mark.deep


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("kind", "table", "words"),
    [
        ("uncommitted", "kv", "no repository"),
        ("uncommitted", "objects", "no object in the listing"),
        ("retention", "kv", "no repository"),
    ],
)
def test_a_run_over_nothing_is_inconclusive(
    kind: str, table: str, words: str, dataset: Path, rules: str, tmp_path: Path
) -> None:
    without_rows(Random(0), dataset / table / "part.parquet")
    more = ("--lenient",) if kind == "uncommitted" else ("--rules", rules)
    done = mark_by_command(dataset, tmp_path, *more, kind=kind)
    assert done.exit_code == INCONCLUSIVE, done.output
    assert f"inconclusive: {words}, so that there was nothing to judge\n" in done.stdout
    accounts = read_report(folder_at(tmp_path), "run")["accounts"]
    assert sum(each["objects"] for each in accounts if each["reason"] == "marked") == 0  # type: ignore[attr-defined]
