"""Levels on Spark: the same searches, with DataFrames."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType, StructField, StructType
from pyspark.testing import assertDataFrameEqual, assertSchemaEqual

from lakeproof.search.packing import Words, lay_out, repack
from lakeproof.search.search import Options
from lakeproof.spark_checks.engine import workspace
from lakeproof.spark_checks.explore.levels import SparkLevels, repack_rows
from lakeproof.spark_checks.explore.task import Explore
from lakeproof.verify.loader import Source
from tests.spark.explore.comparing import CATALOGUE, compare, scenario_of

GRADED = Options(ranked=False)


@pytest.fixture
def engine(spark: SparkSession) -> Iterator[SparkLevels]:
    made = SparkLevels(spark)
    yield made
    made.clear()


def test_violations_are_found_and_traced_on_spark(engine: SparkLevels) -> None:
    result = compare(scenario_of("hard-delete/today/upload-reset"), engine, GRADED, 6)
    lengths = [len(finding.counterexample.moves) for finding in result.findings if finding.counterexample]
    assert max(lengths) > 6, "nothing is violated on the levels that Spark has"


@pytest.mark.long
@pytest.mark.parametrize("name", CATALOGUE[::8])
def test_all_scenarios_come_out_as_they_do_here(engine: SparkLevels, name: str) -> None:
    compare(scenario_of(name), engine, GRADED)


def files(spark: SparkSession) -> set[Path]:
    """What all tests of this process have staged."""
    return set(Path(workspace.folder(spark)).rglob("*.parquet"))


def test_the_outcome_is_that_of_verify_and_nothing_is_left_behind(spark: SparkSession, engine: SparkLevels) -> None:
    scenario = scenario_of("tags/plain/tag-tag/crash")
    before = files(spark)
    seen: list[int] = []
    outcome = Explore(engine=engine, driver_states=5).run(scenario, Source(), lambda *at: seen.append(at[0]))
    assert all(verdict.verdict == scenario.expected(verdict.invariant) for verdict in outcome.verdicts)
    assert outcome.complete
    assert seen == sorted(seen)
    assert files(spark) == before


def test_expressions_repack_states_as_arrays_do(spark: SparkSession) -> None:
    old = lay_out([3, 40, 0, 20, 5, 64], [1, 0, 3, 2, 4, 5])
    new = lay_out([4, 41, 2, 20, 7, 64, 3], [6, 5, 1, 4, 0, 3, 2])
    random = np.random.default_rng(1)
    rows = [
        old.pack([int(random.integers(0, 1 << min(p.bits, 62), endpoint=False)) for p in old.places]) for _ in range(50)
    ]
    rows.append(old.pack([place.mask for place in old.places]))
    words = [np.array([row[at] for row in rows], np.uint64) for at in range(old.words)]
    found = repack_rows(_frame(spark, words), old, new)
    expected = _frame(spark, repack(words, old, new))
    assertSchemaEqual(found.schema, expected.schema, ignoreNullable=True)
    assertDataFrameEqual(found, expected, ignoreNullable=True)


def _frame(spark: SparkSession, words: Words) -> DataFrame:
    schema = StructType([StructField(f"w{at}", LongType()) for at in range(len(words))])
    return spark.createDataFrame(list(zip(*(word.view(np.int64).tolist() for word in words), strict=True)), schema)
