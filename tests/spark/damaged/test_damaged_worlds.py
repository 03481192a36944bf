"""Small random worlds with one random damage each: an answer that differs from the sound one is never given with exit
code 0, if the dataset has a manifest; without one, only where the damage leaves no trace, and of these damages there is
a list."""

import random
from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.commands import complaint, lakeproof
from tests.spark.damaged.damages import HARMLESS, KINDS, do
from tests.spark.damaged.judging import (
    BATCH,
    Case,
    damaged,
    judge_alone,
    judge_together,
    progress,
    refused_if_sealed,
    seeds,
)
from tests.spark.damaged.making import make, sealed, shape


def all_sealed(spark: SparkSession, of: range, scratch: Path) -> Counter[str]:
    tally: Counter[str] = Counter()
    for number, seed in enumerate(of):
        tally[refused_if_sealed(spark, seed, scratch / str(seed))] += 1
        if number % 1_000 == 999:
            progress(number + 1, of, tally)
    return tally


def all_unsealed(spark: SparkSession, of: range, scratch: Path, alone_max: int) -> Counter[str]:
    """alone_max: of each batch, how many of those that need a run of their own."""
    tally: Counter[str] = Counter()
    for first in range(of.start, of.stop, BATCH):
        folder = scratch / str(first)
        cases: list[Case] = []
        for seed in range(first, min(first + BATCH, of.stop)):
            found = damaged(spark, seed, folder / str(seed))
            if isinstance(found, Case):
                cases.append(found)
            else:
                tally[found] += 1
        tally.update(judge_together(cases, folder))
        lonely = [(case, command) for case in cases for command, there in case.there.items() if isinstance(there, str)]
        for case, command in lonely[:alone_max]:
            tally[judge_alone(case, command, folder)] += 1
        progress(first - of.start + BATCH, of, tally)
    return tally


def test_a_sealed_world_that_is_damaged_is_never_read(spark: SparkSession, tmp_path: Path) -> None:
    tally = all_sealed(spark, range(150), tmp_path)
    assert tally["refused"] > 100
    assert tally["harmless"] > 3
    assert tally.total() == 150


@pytest.mark.long
def test_ten_thousand_sealed_worlds_that_are_damaged_are_never_read(spark: SparkSession, tmp_path: Path) -> None:
    tally = all_sealed(spark, seeds(10_000), tmp_path)
    assert tally["refused"] > tally.total() // 2


@pytest.mark.deep
def test_an_unsealed_world_has_the_answer_of_what_is_there_or_none(spark: SparkSession, tmp_path: Path) -> None:
    tally = all_unsealed(spark, range(BATCH), tmp_path, alone_max=3)
    assert tally["refused at once"] > 20
    assert tally["refused"] == 3
    assert tally["as the sound one"] > 20
    assert sum(count for name, count in tally.items() if name.startswith("another answer")) > 10


@pytest.mark.long
def test_ten_thousand_unsealed_worlds_have_the_answer_of_what_is_there_or_none(
    spark: SparkSession, tmp_path: Path
) -> None:
    tally = all_unsealed(spark, seeds(10_000), tmp_path, alone_max=BATCH)
    assert tally["refused"] > 0


@pytest.mark.deep
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - HARMLESS))
@pytest.mark.parametrize("command", ["check", "uncommitted", "retention"])
def test_each_command_refuses_each_damage_of_a_sealed_dataset_in_one_line(
    kind: str, command: str, tmp_path: Path
) -> None:
    shaped = shape(2)
    folder, other = make(shaped, tmp_path / "sound"), make(shaped, tmp_path / "other", day=1)
    sealed(folder, hashed=True)
    chance = random.Random(0)
    while do(chance, shaped, folder, other, kind) is None:
        pass
    rules = tmp_path / "rules.json"
    rules.write_text('{"default_retention_days": 5}')
    more = {"check": (), "uncommitted": ("--out", str(tmp_path / "out"))}.get(
        command, ("--out", str(tmp_path / "out"), "--rules", str(rules))
    )
    said = complaint(lakeproof("spark", command, str(folder), *more))
    assert "_lakeproof.json" in said
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
