"""Sweeps of seeds: the smallest failing one is found, and larger ones are not walked for nothing."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeproof.explore.sampling import sample
from lakeproof.running.loading import Source
from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks.exploring.sweeping import Listener, Sweep, SweepSeeds, Walks, walked
from tests.spark.exploring.comparing import scenario_of

RARE = "repositories/step1/delete-create/late-write"
SOUND = "repositories/kv3/delete-get"

USERS = """
from lakeproof import Call, Scenario
from lakeproof.scenarios import catalogue
import attrs
(found,) = [one for one in catalogue() if one.name == "repositories/naive/delete-create"]
SCENARIOS = [attrs.evolve(found, name="mine")]
"""


def walks(name: str, executions: int = 1, file: str | None = None) -> Walks:
    return Walks(scenario=name, file=file, strategy="random", executions=executions, depth=3)


def smallest(name: str, seeds: range) -> int | None:
    found = (sample(scenario_of(name), strategy="random", executions=1, seed=seed) for seed in seeds)
    return next((one.seed for one in found if one.violations), None)


def test_a_block_ends_with_the_first_seed_that_fails() -> None:
    name = "repositories/naive/delete-create"
    first = smallest(name, range(200))
    assert first is not None
    rows = list(walked(walks(name), range(200)))
    assert [row[0] for row in rows] == list(range(first + 1))
    assert [row[3] for row in rows] == [False] * first + [True]


@pytest.mark.parametrize("block", [3, 64])
def test_the_smallest_failing_seed_is_found_however_seeds_are_spread(spark: SparkSession, block: int) -> None:
    name = "repositories/naive/delete-create"
    done = Sweep(spark, walks(name), range(200), block).run(Listener(name))
    assert done.seed == smallest(name, range(200))
    assert done.seed is not None
    assert (done.seeds, done.executions) == (done.seed + 1, done.seed + 1)


def test_a_failure_keeps_larger_blocks_from_being_walked(spark: SparkSession) -> None:
    name = "repositories/naive/delete-create"
    sweep = Sweep(spark, walks(name, 300), range(10**9), 50)
    assert sweep.run(Listener(name)).seed == 0


def test_without_a_failure_all_seeds_are_walked_and_nothing_is_proved(spark: SparkSession) -> None:
    task = SweepSeeds(spark=spark, strategy="pct", executions=5, seeds=range(10, 16), depth=2, block=3)
    outcome = task.run(scenario_of(SOUND), Source(), lambda *_: None)
    assert {verdict.verdict for verdict in outcome.verdicts} == {"inconclusive"}
    assert all("30 executions of seeds 10 to 15" in verdict.why for verdict in outcome.verdicts)


def test_the_reported_seed_is_walked_again_here_and_a_users_file_reaches_the_workers(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(USERS, encoding="utf-8")
    source = Source(file)
    task = SweepSeeds(spark=spark, strategy="random", executions=20, seeds=range(5), depth=3, block=2)
    outcome = task.run(source.load()[0], source, lambda *_: None)
    violated = [verdict for verdict in outcome.verdicts if verdict.verdict == "violated"]
    assert violated
    assert all(verdict.trace is not None and verdict.why.startswith("seed ") for verdict in violated)
    assert "lakeproof walk mine --seed" in capsys.readouterr().err


def test_a_scenario_that_cannot_be_walked_is_told_in_one_line() -> None:
    with pytest.raises((Unusable, Exception), match="no scenario is called"):
        list(walked(walks("repositories/none"), range(1)))
