"""Real processes behind the gate: what is found, what is proved, and what must not count as either."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from lakeproof.gate import GateCall, GateScenario, Outcome
from lakeproof.gate import run as running
from lakeproof.scenario import Faults, ScenarioError
from tests.commands import ended, lakeproof

NASTY = Path(__file__).parent / "nasty.py"
COUNTER = Path(__file__).parents[2] / "examples" / "gate" / "counter.py"


def gate(*words: str) -> Result:
    return lakeproof("gate", *words)


def run(tmp_path: Path, name: str, *words: str) -> tuple[int, dict[str, object]]:
    result = gate("run", str(COUNTER), name, "--json", "--out", str(tmp_path), *words)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return result.exit_code, next(row for row in rows if row["scenario"] == name)


def test_a_lost_update_is_found_and_all_schedules_are_run(tmp_path: Path) -> None:
    code, row = run(tmp_path, "counter/blind")
    # Two reads and two writes: of the six orders, two have one client after the other; in the four others one of the
    # reads misses the write of the other, and those that differ in the order of the reads only are one class each.
    assert (code, row["verdict"], row["all"], row["schedules"], row["violating"]) == (0, "violated", True, 4, 2)


def test_a_lost_answer_counts_an_addition_twice(tmp_path: Path) -> None:
    code, row = run(tmp_path, "counter/lost-answer")
    assert (code, row["verdict"]) == (0, "violated")
    assert row["evidence"] == "1 additions were acknowledged, and the counter is 2"


def test_a_whole_name_is_that_scenario_alone_and_a_glob_is_over_the_whole_name(tmp_path: Path) -> None:
    result = gate("run", str(NASTY), "fal?e", "--out", str(tmp_path))
    assert "the invariant says_false returned False" in result.stderr
    result = gate("run", str(COUNTER), "counter/lost", "counter/none", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "no scenario matches counter/lost or counter/none; it has counter/blind, " in result.stderr


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("SCENARIOS = []", "SCENARIOS is empty; put a GateScenario into it"),
        ("SCENARIOS.append(SCENARIOS[0])", "two scenarios of the name 'counter/blind'; rename one"),
    ],
)
def test_a_file_that_would_prove_nothing_is_refused(tmp_path: Path, more: str, told: str) -> None:
    edited = tmp_path / "counter.py"
    edited.write_text(f"{COUNTER.read_text()}\n{more}\n")
    result = gate("run", str(edited), "--out", str(tmp_path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


def test_a_violation_that_is_not_expected_is_a_failure(tmp_path: Path) -> None:
    edited = tmp_path / "counter.py"
    edited.write_text(COUNTER.read_text().replace('"violated"', '"holds"'))
    result = gate("run", str(edited), "counter/blind", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert "counter/blind: counted_once violated, NOT AS EXPECTED (holds)" in result.output


@pytest.mark.parametrize("strategy", ["pct", pytest.param("random", marks=pytest.mark.deep)])
def test_a_sample_finds_the_lost_update_and_never_says_all(tmp_path: Path, strategy: str) -> None:
    sample = ("--strategy", strategy, "--schedules", "8", "--seed", "1")
    code, row = run(tmp_path, "counter/blind", *sample)
    assert (code, row["verdict"], row["all"]) == (0, "violated", False)
    assert run(tmp_path, "counter/blind", *sample)[1]["violating"] == row["violating"], "one seed, one sample"
    code, row = run(tmp_path, "counter/careful", *sample[:2], "--schedules", "2")
    assert (code, row["verdict"], row["all"]) == (3, "inconclusive", False)
    told = gate("run", str(COUNTER), "counter/careful", *sample[:2], "--schedules", "2").output
    assert "NOT AS EXPECTED" not in told


def test_a_counterexample_replays_every_time(tmp_path: Path) -> None:
    _, row = run(tmp_path, "counter/blind")
    result = gate("replay", str(row["trace"]), "--from", str(COUNTER), "--times", "3")
    assert result.exit_code == 1, result.output
    assert "3 of 3: violated, same invariant: counted_once" in result.output
    told = json.loads(Path(str(row["trace"])).read_text())
    assert [step["request"].split()[0] for step in told["steps"]] == ["GET", "GET", "PUT", "PUT"]


def test_a_program_that_does_not_repeat_itself_is_never_proved(tmp_path: Path) -> None:
    result = gate("run", str(NASTY), "erratic", "--json", "--out", str(tmp_path))
    row = json.loads(result.stdout)
    assert result.exit_code == 3
    assert (row["verdict"], row["all"]) == ("inconclusive", False)
    assert "no longer asks for" in result.stderr


def test_a_call_that_hangs_ends_in_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "PATIENCE_SECONDS", 0.3)
    result = gate("run", str(NASTY), "endless", "--out", str(tmp_path), "--schedules", "1")
    assert result.exit_code == 3
    assert "c1: no request and no answer for 0.3 s, and all threads sleep" in result.stderr


def test_a_process_that_dies_is_unusable_input(tmp_path: Path) -> None:
    result = gate("run", str(NASTY), "mortal", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert result.stderr.strip().endswith("the process ended with code 7")


def test_a_call_that_answers_from_memory_proves_nothing(tmp_path: Path) -> None:
    result = gate("run", str(NASTY), "cached", "--json", "--out", str(tmp_path))
    row = json.loads(result.stdout)
    assert (result.exit_code, row["verdict"], row["all"]) == (3, "inconclusive", False)
    assert "cached() returned without a request: what it answers from is not in the store" in result.stderr


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("raises", "raises: the invariant raises raised KeyError: 'x'; let it return evidence or None"),
        ("false", "false: the invariant says_false returned False; let it return evidence in a sentence, or None"),
        ("service", "the service ended with code 0"),
    ],
)
def test_a_mistake_of_the_user_is_one_line_and_no_verdict(tmp_path: Path, name: str, told: str) -> None:
    result = gate("run", str(NASTY), name, "--out", str(tmp_path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
    assert "Traceback" not in result.stderr


def test_a_crash_between_two_writes_is_found_and_replayed(tmp_path: Path) -> None:
    result = gate("run", str(NASTY), "crash", "--json", "--out", str(tmp_path))
    row = json.loads(result.stdout)
    # Before the first write, between the two in two ways, after the second one, and not at all.
    assert (row["verdict"], row["all"], row["schedules"], row["violating"]) == ("violated", True, 5, 2)
    assert row["evidence"] == "only bucket/first is there"
    again = gate("replay", row["trace"], "--from", str(NASTY))
    assert again.exit_code == 1, again.output
    assert "violated: both_or_none" in again.stdout


def known(outcome: Outcome) -> str | None:
    return None


NAMED = {"name": "n", "clients": [[GateCall("f")]], "invariants": [known]}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"clients": []}, r"clients: \[\]: expected one or more, each with a call"),
        ({"clients": [[]]}, r"clients: \[\[\]\]: expected one or more, each with a call"),
        ({"clients": [["f"]]}, "'f' is no call"),
        ({"invariants": []}, "expected one or more named functions"),
        ({"invariants": [known, known]}, "two have one name among known, known"),
        ({"expect": {"knwon": "violated"}}, "expect: 'knwon': 'violated': expected one of known"),
        ({"expect": {"known": "fails"}}, "expect: 'known': 'fails': expected one of known, and holds or violated"),
        ({"faults": Faults(scan_failures=1)}, "faults.scan_failures: the gate has lost_answers, refusals, crashes"),
    ],
)
def test_a_scenario_that_would_judge_something_else_is_refused(changed: dict[str, object], told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        GateScenario(**{**NAMED, **changed})  # type: ignore[arg-type]


def test_an_argument_that_is_no_json_is_refused() -> None:
    with pytest.raises(ScenarioError, match="known: arguments travel as JSON"):
        GateCall.of(known, object())  # type: ignore[arg-type]


def test_no_process_is_left_over(tmp_path: Path) -> None:
    file, pids = noted(COUNTER, tmp_path)
    gate("run", str(file), "counter/blind", "--out", str(tmp_path))
    assert len(pids()) == 3, "two clients, and who reads"
    assert ended(pids())


def noted(program: Path, folder: Path) -> tuple[Path, Callable[[], list[int]]]:
    """A copy of a program whose processes note their numbers, and those of all but this one."""
    file, numbers = folder / "noted.py", folder / "numbers"
    note = f"\nwith open({str(numbers)!r}, 'a') as noted:\n    print(os.getpid(), file=noted)\n"
    file.write_text(program.read_text() + note)
    return file, lambda: [pid for pid in map(int, numbers.read_text().split()) if pid != os.getpid()]


@pytest.mark.parametrize("name", ["fixed", "minted"])
def test_keys_that_are_new_in_every_run_have_the_classes_of_fixed_ones(tmp_path: Path, name: str) -> None:
    result = gate("run", str(Path(__file__).parent / "minting.py"), name, "--json", "--out", str(tmp_path))
    row = json.loads(result.stdout)
    # The look before the pointer is written; or after it, and then the two writes of the object in two orders.
    assert (row["verdict"], row["schedules"], row["violating"], row["all"]) == ("violated", 3, 1, True)
