"""Running scenarios on processes: the outcomes are those of one process, and no trouble of a process is passed over."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from lakeproof.scenario import Scenario
from lakeproof.verify import processes
from lakeproof.verify.loader import Source
from lakeproof.verify.processes import run
from lakeproof.verify.tasks import Outcome, Sample, Task, Verify, inconclusive_outcome
from lakeproof.words import Progress
from tests import racing
from tests.commands import HEAD, RACING


class Ear:
    """Takes no notice of a run."""

    def began(self, name: str) -> None: ...

    def at(self, name: str, depth: int, states: int, grows: str) -> None: ...

    def finished(self, name: str, outcome: Outcome) -> None: ...

    def tick(self) -> None: ...


def outcomes(task: Task, path: Path, jobs: int) -> dict[str, Outcome]:
    """By scenario, without what a clock has measured."""
    source = Source(path)
    found = run(task, source.load(), source, jobs, Ear())
    return {outcome.scenario: attrs.evolve(outcome, seconds=0.0) for outcome in found}


@pytest.mark.parametrize(
    "task", [Verify(), Sample(strategy="pct", executions=100, seed=3, depth=2)], ids=["verify", "walk"]
)
def test_several_processes_find_what_one_finds(task: Task) -> None:
    one, two = outcomes(task, RACING, 1), outcomes(task, RACING, 2)
    assert one == two
    assert one.keys() == {scenario.name for scenario in racing.SCENARIOS}


class TestTrouble:
    """What a user's file can do wrong is one line; what we do wrong is loud."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "mine.py"

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_a_flow_that_cannot_be_searched(self, jobs: int, path: Path) -> None:
        flow = "async def f(env):\n    return [1]\n"
        bad = "attrs.evolve(LOST_UPDATE, name='bad', clients=[[Call(f)], [Call(f)]])"
        path.write_text(f"{HEAD}from lakeproof import Call\n{flow}SCENARIOS = [KNOWN, {bad}]\n")
        found = outcomes(Verify(), path, jobs)
        assert found["bad"].trouble.startswith(f"{path}: bad: f() returned [1], which is not hashable")
        assert "\n" not in found["bad"].trouble
        assert {verdict.verdict for verdict in found["bad"].verdicts} == {"inconclusive"}
        assert found["counters/known"].verdicts[0].verdict == "violated"

    def test_a_process_that_is_killed_leaves_its_scenario_inconclusive_and_the_others_go_on(self) -> None:
        found = outcomes(Killing(), RACING, 2)
        assert found.keys() == {scenario.name for scenario in racing.SCENARIOS}
        dead = found["counters/known"]
        assert {verdict.verdict for verdict in dead.verdicts} == {"inconclusive"}
        assert (
            "its process was ended from outside (SIGKILL); fewer --jobs or less --max-memory may help" in dead.stopped
        )
        assert found["counters/atomic"].verdicts[0].verdict == "holds"

    def test_one_that_is_killed_as_its_outcome_comes_is_not_given_the_next_scenario(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Late:
            """Finds each process over its time, at the first look: then its outcome is there."""

            def __init__(self, _: object) -> None:
                self.looked = False

            def out_of_time(self) -> bool:
                late, self.looked = not self.looked, True
                return late

        monkeypatch.setattr(processes, "Overseer", Late)
        monkeypatch.setattr(processes, "POLL_SECONDS", None)
        found = outcomes(Quick(), RACING, 1)
        assert {outcome.stopped for outcome in found.values()} == {"at once"}

    def test_nobody_is_left_behind_when_a_run_is_abandoned(self) -> None:
        import multiprocessing

        source = Source(RACING)
        running: Iterator[Outcome] = run(Verify(), source.load(), source, 2, Ear())
        next(running)
        running.close()  # type: ignore[attr-defined]  # a generator
        assert multiprocessing.active_children() == []


@attrs.frozen
class Quick:
    """A task that has its outcome before it reports any progress."""

    def run(self, scenario: Scenario, source: Source, progress: Progress) -> Outcome:
        return inconclusive_outcome(scenario, "at once")


@attrs.frozen
class Killing:
    """A task during which somebody kills the process, for one scenario."""

    def run(self, scenario: Scenario, source: Source, progress: Progress) -> Outcome:
        if scenario.name == "counters/known":
            os.kill(os.getpid(), signal.SIGKILL)
        return Verify().run(scenario, source, progress)
