"""Running scenarios on processes: the outcomes are those of one process, and no trouble of a process is passed over.
What is made of a finding: which verdicts are as expected, what counts where there is none, exit codes."""

import os
import re
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import pytest

from lakeproof import Terminates
from lakeproof.commands import runs
from lakeproof.scenario import EXPECTATIONS, NO_UNHANDLED_EXCEPTION, Scenario
from lakeproof.search.fence import HUNG, Hangs
from lakeproof.verify import processes
from lakeproof.verify.loader import Source
from lakeproof.verify.processes import Listener, run
from lakeproof.verify.tasks import Outcome, Sample, Task, Verdict, Verify, carried_out, inconclusive_outcome, unusable
from lakeproof.words import Progress, Unusable
from tests import racing
from tests.commands import HEAD, RACING
from tests.racing import ATOMIC, KNOWN, increment


def outcomes(task: Task, path: Path, jobs: int) -> dict[str, Outcome]:
    """By scenario, without what a clock has measured."""
    source = Source(path)
    found = run(task, source.load(), source, jobs, Listener())
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
        running: Iterator[Outcome] = run(Verify(), source.load(), source, 2, Listener())
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


SOURCE = Source(None)


def verdict(found: str, expected: str = "holds", *, sampled: bool = False, named: bool = True) -> Verdict:
    return Verdict(invariant="x", expected=expected, verdict=found, sampled=sampled, named=named)


def quiet(*_: object) -> None:
    """Hears no progress."""


class TestUnexpected:
    @pytest.mark.parametrize("expected", EXPECTATIONS)
    def test_a_sample_can_refute_and_not_prove(self, expected: str) -> None:
        assert verdict("inconclusive", expected, sampled=True).unexpected is (expected == "violated")
        assert verdict("violated", expected, sampled=True).unexpected is (expected != "violated")

    def test_what_is_checked_of_every_scenario_may_stay_open_and_not_be_violated(self) -> None:
        assert not verdict("inconclusive", named=False).unexpected
        assert verdict("violated", named=False).unexpected
        assert verdict("inconclusive").unexpected


def test_nothing_is_known_of_a_scenario_that_cannot_be_run() -> None:
    for outcome in (inconclusive_outcome(KNOWN, "why"), unusable(KNOWN, "why")):
        assert [(one.invariant, one.verdict, one.why) for one in outcome.verdicts] == [
            ("increments-count", "inconclusive", "why"),
            (NO_UNHANDLED_EXCEPTION, "inconclusive", "why"),
        ]
        assert not outcome.complete
    assert (inconclusive_outcome(KNOWN, "why").trouble, unusable(KNOWN, "why").trouble) == ("", "why")


@attrs.frozen
class Raises:
    """A task that comes to grief."""

    error: BaseException

    def run(self, scenario: Scenario, source: Source, progress: Progress) -> Outcome:
        raise self.error


class TestGrief:
    """Whatever a scenario's code does becomes the outcome of that scenario, and never one that holds."""

    @pytest.mark.parametrize(
        ("error", "trouble"),
        [
            (Unusable("mine.py: no"), "mine.py: no"),
            (Hangs(1.0, "mine.py:3"), ""),
            (MemoryError(), ""),
            (KeyError("k"), "a mistake of lakeproof's own"),
            (SystemExit(0), "a mistake of lakeproof's own"),
            (KeyboardInterrupt(), "a mistake of lakeproof's own"),
        ],
        ids=repr,
    )
    def test_it_is_inconclusive(self, error: BaseException, trouble: str) -> None:
        outcome = carried_out(Raises(error), KNOWN, SOURCE, quiet)
        assert {one.verdict for one in outcome.verdicts} == {"inconclusive"}
        assert (trouble in outcome.trouble) if trouble else not outcome.trouble
        assert outcome.trouble or outcome.stopped
        assert ("Traceback" in outcome.details) is ("a mistake of" in trouble)

    def test_what_cannot_be_written_is_not_the_scenarios_fault(self) -> None:
        with pytest.raises(OSError, match="full"):
            carried_out(Raises(OSError("full")), KNOWN, SOURCE, quiet)


@pytest.mark.parametrize("exitcode", [0, 1, 75, None])
def test_a_process_that_ended_by_itself_is_trouble_whatever_its_exit_code(exitcode: int | None) -> None:
    outcome = processes._outcome_of_death(ATOMIC, exitcode)
    assert outcome.trouble == (
        f"counters/atomic: its code ended the process (exit code {exitcode}); take the exit out of it"
    )
    assert {one.verdict for one in outcome.verdicts} == {"inconclusive"}


@pytest.mark.parametrize(
    ("exitcode", "why"), [(HUNG, "ran on without an effect"), (-9, "ended from outside (SIGKILL)")]
)
def test_a_process_that_was_ended_leaves_its_scenario_open(exitcode: int, why: str) -> None:
    outcome = processes._outcome_of_death(ATOMIC, exitcode)
    assert outcome.trouble == ""
    assert re.search(re.escape(why), outcome.stopped)
    assert {one.verdict for one in outcome.verdicts} == {"inconclusive"}


def outcome(*verdicts: Verdict, trouble: str = "") -> Outcome:
    return attrs.evolve(inconclusive_outcome(ATOMIC, ""), verdicts=verdicts, trouble=trouble)


class TestExitCodes:
    @pytest.mark.parametrize(
        ("outcomes", "code"),
        [
            ([outcome(verdict("holds"))], 0),
            ([outcome(verdict("violated", "violated"))], 0),
            ([outcome(verdict("inconclusive", "inconclusive"))], 0),
            ([outcome(verdict("holds"), verdict("violated"))], 1),
            ([outcome(verdict("holds", "violated"))], 1),
            ([outcome(verdict("holds", "inconclusive"))], 1),
            ([outcome(verdict("violated", "inconclusive"))], 1),
            ([outcome(verdict("inconclusive"))], 3),
            ([outcome(verdict("inconclusive", "violated"))], 3),
            ([outcome(verdict("holds")), outcome(verdict("inconclusive"))], 3),
            ([outcome(verdict("inconclusive", "inconclusive"), trouble="no")], 2),
            ([outcome(verdict("holds")), outcome(verdict("inconclusive"), trouble="no")], 2),
            ([outcome(verdict("violated")), outcome(verdict("inconclusive"), trouble="no")], 1),
        ],
    )
    def test_they_are_0_only_where_every_verdict_is_as_expected(self, outcomes: Sequence[Outcome], code: int) -> None:
        assert runs.exit_code(outcomes, sampled=False) == code

    def test_a_walk_that_finds_nothing_ends_with_3(self) -> None:
        nothing = outcome(verdict("inconclusive", sampled=True))
        assert runs.exit_code([nothing], sampled=True) == 3
        assert runs.exit_code([outcome(verdict("violated", "violated", sampled=True))], sampled=True) == 0

    def test_what_no_sample_judges_is_not_counted_as_kept_by_so_many_executions(self) -> None:
        scenario = attrs.evolve(KNOWN, invariants=[Terminates(increment)], expect={"increment-terminates": "violated"})
        sample = Sample(strategy="random", executions=9, seed=0, depth=1)
        assert "not judged in samples" in carried_out(sample, scenario, SOURCE, quiet).verdicts[0].why

    def test_a_scenario_that_has_not_reported_counts(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def half(task: Task, chosen: Sequence[Scenario], source: Source, jobs: int, ear: Listener) -> Iterator[Outcome]:
            yield carried_out(task, chosen[0], source, quiet)

        monkeypatch.setattr(processes, "run", half)
        bounds = {"max_states": None}
        report = runs.Outputs(out=tmp_path, bounds=bounds, as_json=False)
        code = runs.perform(Verify(), "verifying", SOURCE, [ATOMIC, KNOWN], 1, report)
        assert code == 3
