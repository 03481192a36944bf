"""A sweep of what Google and Azure speak, with the library's own stores: what is as it was marked goes."""

from pathlib import Path

import obstore
import pytest
from obstore.store import MemoryStore

from lakeproof.spark_checks.sweep.clouds import Cloud
from lakeproof.spark_checks.sweep.sweep import sweep
from lakeproof.spark_checks.sweep.targets import Pace
from tests.spark.sweep.marking import FREE, accounts, marked, row, run_at

BASE = "gs://bucket/r"


def cloud(store: MemoryStore) -> Cloud:
    return Cloud(store, base=BASE, pace=FREE, at_once=4)


def modified(store: MemoryStore, name: str) -> int:
    """Microseconds."""
    return int(obstore.head(store, name)["last_modified"].timestamp() * 1_000_000)


def test_what_is_as_it_was_goes_and_what_was_put_again_stays(tmp_path: Path) -> None:
    store = MemoryStore()
    for name in "abcde":
        obstore.put(store, f"data/{name}", b"x")
    rows = [row(f"data/{name}", 1, modified(store, f"data/{name}")) for name in "abc"]
    obstore.put(store, "data/b", b"xy")
    tag = obstore.head(store, "data/e")["e_tag"]
    obstore.put(store, "data/e", b"y")  # as large as before, and marked with the time of now
    rows.append(row("data/e", 1, modified(store, "data/e"), tag))
    folder = marked(tmp_path / "out", [*rows, row("data/gone")], namespace=BASE)
    assert sweep(run_at(tmp_path / "out"), cloud(store), delete=True).done
    assert [each["path"] for chunk in obstore.list(store) for each in chunk] == ["data/b", "data/d", "data/e"]
    found = accounts(folder)
    assert found.pop(("deleted", "")) == 2
    assert found.pop(("gone", "")) == 1
    assert found.pop(("kept", "other-e-tag")) == 1
    assert {end for end, _ in found} == {"kept"}


@pytest.mark.parametrize("address", ["data/a/", "/data/a", "data//a", "data/./a", "data/../data/a", ""])
def test_a_name_that_the_library_would_take_for_another_one_is_kept(tmp_path: Path, address: str) -> None:
    store = MemoryStore()
    obstore.put(store, "data/a", b"x")
    folder = marked(tmp_path / "out", [row(address, 1, modified(store, "data/a"))], namespace=BASE)
    assert sweep(run_at(tmp_path / "out"), cloud(store), delete=True).done
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
