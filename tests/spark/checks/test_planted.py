"""Generated datasets: every violation that was planted is found, and none is invented."""

from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.checks.catalogue import BY_ID
from lakeproof.spark_checks.checks.run import KINDS, run
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine.workspace import fresh
from lakeproof.spark_checks.findings import FINDINGS
from lakeproof.spark_checks.generate.sizes import Sizes
from lakeproof.spark_checks.generate.writer import DatasetPlan, write
from tests.spark.generate.reading import COUNTS, SMALL, listed

LARGER = Sizes(repositories=40, branches=200, tags=60, commits=4_000, objects=60_000, staged=12_000, stale=2_000)

SKEWED = Sizes(repositories=4, branches=8, tags=4, commits=400, objects=2_000, staged=200, stale=40, skew=4.0, ranges=4)
PLANTED = dict.fromkeys(("generation-is-right", "parents-exist", "staged-data-is-kept", "token-has-one-owner"), 3)
assert COUNTS.keys() == BY_ID.keys()

pytestmark = pytest.mark.usefixtures("interpreted")


def check(spark: SparkSession, sizes: Sizes, violations: dict[str, int], folder: Path) -> None:
    """Generate, check, and compare what was planted with what was found; of garbage nothing was listed."""
    write(spark, DatasetPlan(sizes, violations), 2, folder)
    target = fresh(spark, "findings")
    summary = run(open_dataset(spark, str(folder)), (), target)
    rows = spark.read.schema(FINDINGS).parquet(target).collect()
    found = Counter((row.id, row.subject) for row in rows if row.kind != "garbage")
    assert found == Counter((each["id"], each["subject"]) for each in listed(folder))
    assert summary.violated == any(violations.values())
    counted = {outcome.check.id: sum(outcome.count(kind) for kind in KINDS) for outcome in summary.outcomes}
    assert {each: number for each, number in counted.items() if number} == Counter(row.id for row in rows)
    assert any(row.kind == "garbage" for row in rows)


@pytest.mark.parametrize(
    ("sizes", "violations"),
    [
        pytest.param(SKEWED, PLANTED, id="one repository has nearly all"),
        pytest.param(SMALL, COUNTS, id="small", marks=pytest.mark.deep),
        pytest.param(LARGER, {}, id="larger and sound", marks=pytest.mark.long),
        pytest.param(LARGER, dict.fromkeys(BY_ID, 7), id="larger", marks=pytest.mark.long),
    ],
)
def test_every_planted_violation_is_found_and_none_invented(
    spark: SparkSession, tmp_path: Path, sizes: Sizes, violations: dict[str, int]
) -> None:
    check(spark, sizes, violations, tmp_path / "dataset")
