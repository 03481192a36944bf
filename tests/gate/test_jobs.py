"""Processes that join a search run the schedules that one process would have run, and leave nothing behind."""

import json
import os
import pickle
import signal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from lakeproof.gate import parallel
from lakeproof.gate import search as searching
from lakeproof.gate.classes import Classes
from lakeproof.gate.fronts.s3.state import Upload
from lakeproof.gate.scenario_files import choose_scenarios
from lakeproof.gate.search import SearchProgress, all_classes, complete_work, run_search
from lakeproof.gate.server import Bell
from lakeproof.gate.startup import open_runner, prepare_setup
from lakeproof.words import Unusable
from tests.commands import ended, lakeproof
from tests.gate.judging import COUNTER, NASTY
from tests.gate.test_running import noted

MINTING = Path(__file__).parent / "minting.py"


async def by_others(file: Path, name: str, count: int) -> tuple[SearchProgress, Classes, dict[str, int]]:
    """A search in which only processes that have joined run schedules; and what the invariants have counted."""
    [scenario] = choose_scenarios(file, [name])
    search, found, bell = all_classes(scenario), SearchProgress(), Bell()
    async with open_runner(scenario, file) as runner, trio.open_nursery() as nursery:
        for _ in range(count):
            nursery.start_soon(
                parallel.join, scenario, file, search, prepare_setup(runner), found.add, bell, lambda: True
            )
    return found, search, parallel.count_reached(scenario)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("file", "name", "counts"),
    [
        (NASTY, "crash", {"both_or_none": 2}),
        (MINTING, "minted", None),
    ],
)
def test_two_processes_run_the_classes_that_one_would_have_run(
    file: Path, name: str, counts: dict[str, int] | None
) -> None:
    [scenario] = choose_scenarios(file, [name])
    alone = all_classes(scenario)
    one = complete_work(partial(run_search, scenario, file, alone, None, None))
    found, search, _ = complete_work(partial(by_others, file, name, 2))
    assert search.all_run
    assert search.complete == alone.complete
    assert found.counted == one.counted
    assert counts in (None, found.counted)


@pytest.mark.deep
def test_what_an_invariant_counts_is_counted_over_all_processes(tmp_path: Path) -> None:
    edited = tmp_path / "counter.py"
    more = """
class Counted:
    __name__, reached = "counted", 0
    def __call__(self, outcome):
        self.reached += 1
import attrs
SCENARIOS = [attrs.evolve(SCENARIOS[0], invariants=[Counted()], expect={})]
"""
    edited.write_text(COUNTER.read_text() + more)
    _, search, counts = complete_work(partial(by_others, edited, "counter/*", 2))
    assert (search.complete, counts) == (4, {"counted": 4})


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mortal", "the process ended with code 7"),
        ("raises", "raised KeyError: 'x'; let it return evidence or None"),
    ],
)
def test_what_goes_wrong_in_another_process_is_told_in_one_line(name: str, told: str) -> None:
    with pytest.raises(Unusable, match=told):
        complete_work(partial(by_others, NASTY, name, 2))


def test_a_process_that_is_killed_ends_the_search_with_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    async def killed(self: parallel.Other, beginning: object) -> None:
        os.kill(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        await asked(self, beginning)  # type: ignore[arg-type]

    asked = parallel.Other.ran
    monkeypatch.setattr(parallel.Other, "ran", killed)
    with pytest.raises(Unusable, match=r"a process of the search ended with code -9; --jobs 1 runs all in this one"):
        complete_work(partial(by_others, COUNTER, "counter/blind", 1))


def test_a_time_that_is_over_ends_all_processes_in_the_middle_of_a_schedule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, pids = noted(NASTY, tmp_path)
    clock = SimpleNamespace(monotonic=lambda: 0.0)
    monkeypatch.setattr(searching, "JOIN_SECONDS", 0.0)
    monkeypatch.setattr(searching, "time", clock)
    run_alone = searching._alone

    async def once_another_one_has_begun(runner: Any, search: Classes, *rest: Any) -> None:  # type: ignore[explicit-any]  # handed on
        while not search.runs or len(pids()) <= 3:  # noqa: ASYNC110  # a file has no events
            await trio.sleep(0.01)
        clock.monotonic = lambda: 3.0
        await run_alone(runner, search, *rest)

    monkeypatch.setattr(searching, "_alone", once_another_one_has_begun)
    words = ["gate", "run", str(file), "endless", "--jobs", "3", "--seconds", "2", "--out", str(tmp_path), "--json"]
    result = lakeproof(*words)
    assert result.exit_code == 3, result.output
    assert json.loads(result.stdout)["verdict"] == "inconclusive"
    assert len(pids()) > 3, "of more than one gate"
    assert ended(pids())


def test_an_upload_in_parts_that_the_setup_leaves_travels_to_the_others() -> None:
    upload = Upload("bucket/key", ())
    assert pickle.loads(pickle.dumps(upload)) == upload  # noqa: S301  # our own
