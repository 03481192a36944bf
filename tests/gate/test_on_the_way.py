"""Invariants of every step, requests that are let through, calm, and one order in each client: with real processes."""

import json
from pathlib import Path

import attrs
import pytest

from lakeproof.gate import GateScenario, Outcome, call
from lakeproof.scenario import ScenarioError
from tests.commands import lakeproof

FILE = Path(__file__).parent / "on_the_way.py"


def run(tmp_path: Path, name: str) -> tuple[int, dict[str, dict[str, object]], str]:
    """The exit code, the row of each invariant, and the errors."""
    result = lakeproof("gate", "run", str(FILE), name, "--json", "--out", str(tmp_path))
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return result.exit_code, {str(row["invariant"]): row for row in rows}, result.stderr


def test_an_invariant_of_every_step_holds_where_no_state_breaks_it(tmp_path: Path) -> None:
    code, rows, _ = run(tmp_path, "swap")
    assert (code, rows["one_is_there"]["verdict"], rows["one_is_there"]["all"]) == (0, "holds", True)


def test_a_state_between_two_steps_is_seen_and_its_trace_replays(tmp_path: Path) -> None:
    code, rows, _ = run(tmp_path, "swap-at-once")
    row = rows["one_is_there"]
    assert (code, row["verdict"]) == (1, "violated")
    assert row["evidence"] == "there is bucket/credentials (after step 1)"
    assert rows["nothing"]["verdict"] == "holds"
    trace = str(row["trace"])
    assert all("credentials" not in each["request"] for each in json.loads(Path(trace).read_text())["steps"])
    result = lakeproof("gate", "replay", trace, "--from", str(FILE))
    assert result.exit_code == 1
    assert "violated: one_is_there" in result.stdout


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("changed", "c2 GET bucket/credentials"),
        ("writes", "was let through, and writes; take its pattern out of through"),
        ("false", "the invariant says_false returned False"),
    ],
)
def test_what_would_make_a_verdict_wrong_is_refused_in_one_line(tmp_path: Path, name: str, told: str) -> None:
    code, rows, errors = run(tmp_path, name)
    assert (code, rows) == (2, {})
    assert told.removeprefix("c2 ") in errors
    assert len([line for line in errors.splitlines() if line.startswith("lakeproof: ")]) == 1


@pytest.mark.deep
def test_calm_outlasts_a_timer_of_the_program_and_one_order_says_that_it_is_one(tmp_path: Path) -> None:
    code, rows, errors = run(tmp_path, "timer")
    assert (code, rows["nothing"]["schedules"], errors) == (0, 2, "")
    code, rows, _ = run(tmp_path, "timer-in-one-order")
    assert (code, rows["nothing"]["schedules"], rows["nothing"]["parallel"]) == (0, 1, False)
    words = ["gate", "run", str(FILE), "timer-in-one-order", "--out", str(tmp_path)]
    assert "1 schedule, all with one order in each client, " in lakeproof(*words).stdout


def nothing(outcome: Outcome) -> str | None:
    """Nothing is asked of it."""
    return None


def a_call() -> None:
    """Does nothing."""


def test_a_scenario_with_two_invariants_of_one_name_or_no_sensible_calm_is_refused() -> None:
    with pytest.raises(ScenarioError, match="two have one name among nothing, nothing"):
        GateScenario(name="x", clients=[[call(a_call)]], invariants=[nothing, nothing])
    with pytest.raises(ScenarioError, match="calm_seconds: -1: expected 0 to 60"):
        GateScenario(name="x", clients=[[call(a_call)]], invariants=[nothing], calm_seconds=-1)
    assert attrs.fields_dict(GateScenario)["parallel"].default is True
