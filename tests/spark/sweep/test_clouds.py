"""A sweep of what obstore reaches: names that it would change, and how fast requests go."""

from pathlib import Path

import obstore
import pytest
from obstore.store import MemoryStore

from lakeproof.spark_checks.sweep.clouds import Cloud
from lakeproof.spark_checks.sweep.second_look import Found
from lakeproof.spark_checks.sweep.sweep import sweep
from lakeproof.spark_checks.sweep.targets import Pace
from tests.spark.sweep.marking import FREE, accounts, marked, row, run_at

BASE = "gs://bucket/r"


@pytest.mark.parametrize("address", ["data/a/", "/data/a", "data//a", "data/./a", "data/../data/a", ""])
def test_a_name_that_the_library_would_take_for_another_one_is_kept(tmp_path: Path, address: str) -> None:
    store = MemoryStore()
    obstore.put(store, "data/a", b"x")
    there = Cloud(store, base=BASE, pace=FREE, at_once=4)
    [found] = there.look(["data/a"])
    assert isinstance(found, Found)
    folder = marked(tmp_path / "out", [row(address, 1, found.last_modified)], namespace=BASE)
    assert sweep(run_at(tmp_path / "out"), there, delete=True).done
    assert accounts(folder) == {("kept", "unnameable"): 1}
    assert obstore.head(store, "data/a")["size"] == 1


def test_requests_are_spread_evenly_whoever_makes_them() -> None:
    now, slept = [10.0], list[float]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    pace = Pace(4, clock=lambda: now[0], sleep=sleep)
    for _ in range(3):
        pace.wait()
    now[0] += 100  # what was not used is not saved up
    for _ in range(3):
        pace.wait()
    assert slept == [0.25] * 4
