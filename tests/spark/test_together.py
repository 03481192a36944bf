"""Jobs at once: nothing that was begun is forgotten, and the first failure is the one that is told."""

import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import workspace
from lakeproof.spark_checks.together import POOL, together


def fail(why: str) -> None:
    raise Unusable(why)


def test_what_is_begun_has_a_result_and_a_pool_of_its_own_and_the_description_of_its_beginner(
    spark: SparkSession,
) -> None:
    context = spark.sparkContext
    context.setJobDescription("counting")

    def count(rows: int) -> tuple[int, str | None, str | None]:
        found = spark.range(rows).count()
        return found, context.getLocalProperty(POOL), context.getLocalProperty("spark.job.description")

    with together(spark) as begin:
        one, other = begin(lambda: count(3)), begin(lambda: count(4))
    assert one.result() == (3, "beside-1", "counting")
    assert other.result() == (4, "beside-2", "counting")
    assert context.getLocalProperty(POOL) is None


def test_the_first_failure_of_what_was_begun_is_told_before_that_of_the_block(spark: SparkSession) -> None:
    with pytest.raises(Unusable, match="one"), together(spark) as begin:  # noqa: PT012
        begin(lambda: fail("one"))
        begin(lambda: fail("two"))
        fail("three")


def test_a_failure_of_the_block_waits_for_what_was_begun(spark: SparkSession) -> None:
    over = threading.Event()

    def late() -> None:
        over.wait(0.2)
        over.set()

    with pytest.raises(Unusable, match="block"), together(spark) as begin:  # noqa: PT012
        begin(late)
        fail("block")
    assert over.is_set()


def test_those_who_ask_at_once_for_the_folder_of_the_session_get_one(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def slow(prefix: str, dir: str | None) -> str:  # noqa: A002  # as tempfile has it
        time.sleep(0.05)
        return tempfile.mkdtemp(prefix=prefix, dir=tmp_path)

    monkeypatch.setattr(workspace, "_made", {})
    monkeypatch.setattr(workspace, "tempfile", SimpleNamespace(mkdtemp=slow))
    with together(spark) as begin:
        asked = [begin(lambda: workspace.folder(spark)) for _ in range(4)]
    assert len({each.result() for each in asked}) == 1
    assert len(list(tmp_path.iterdir())) == 1
