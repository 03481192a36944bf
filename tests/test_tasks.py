"""What is made of a finding: which verdicts are as expected, what counts where there is none, exit codes."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import pytest

from lakeproof.commands import runs
from lakeproof.scenario import EXPECTATIONS, NO_UNHANDLED_EXCEPTION, Scenario
from lakeproof.search.fence import HUNG, Hangs
from lakeproof.verify import processes as running
from lakeproof.verify.loader import Source
from lakeproof.verify.processes import Listener
from lakeproof.verify.tasks import Outcome, Task, Verdict, Verify, carried_out, inconclusive_outcome, unusable
from lakeproof.words import Progress, Unusable
from tests.racing import ATOMIC, KNOWN

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
    outcome = running._outcome_of_death(ATOMIC, exitcode)
    assert outcome.trouble == (
        f"counters/atomic: its code ended the process (exit code {exitcode}); take the exit out of it"
    )
    assert {one.verdict for one in outcome.verdicts} == {"inconclusive"}


@pytest.mark.parametrize(
    ("exitcode", "why"), [(HUNG, "ran on without an effect"), (-9, "ended from outside (SIGKILL)")]
)
def test_a_process_that_was_ended_leaves_its_scenario_open(exitcode: int, why: str) -> None:
    outcome = running._outcome_of_death(ATOMIC, exitcode)
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

    def test_a_scenario_that_has_not_reported_counts(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def half(task: Task, chosen: Sequence[Scenario], source: Source, jobs: int, ear: Listener) -> Iterator[Outcome]:
            yield carried_out(task, chosen[0], source, quiet)

        monkeypatch.setattr(running, "run", half)
        bounds = {"max_states": None}
        report = runs.Outputs(out=tmp_path, bounds=bounds, as_json=False)
        code = runs.perform(Verify(), "verifying", SOURCE, [ATOMIC, KNOWN], 1, report)
        assert code == 3
