"""A program that keeps something from one schedule to the next, with processes that are kept, and with fresh ones."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from tests.commands import lakeproof

PROGRAM = Path(__file__).with_name("forgetful.py")


def run(tmp_path: Path, name: str, *words: str) -> Result:
    return lakeproof("gate", "run", str(PROGRAM), name, "--json", "--out", str(tmp_path), *words)


def test_kept_processes_that_remember_do_not_repeat_themselves_and_nothing_is_said_of_all(tmp_path: Path) -> None:
    result = run(tmp_path, "kept")
    row = json.loads(result.stdout)
    assert (row["all"], row["schedules"] < 4) == (False, True)
    assert "no longer asks for" in result.stderr


@pytest.mark.deep
def test_with_fresh_processes_all_four_classes_are_run_and_the_trace_replays(tmp_path: Path) -> None:
    """Two reads and two writes, as in `test_running.test_a_lost_update_is_found_and_all_schedules_are_run`: what a
    service reads as it starts is no step."""
    result = run(tmp_path, "fresh")
    row = json.loads(result.stdout)
    assert result.exit_code == 0, result.stderr
    assert (row["verdict"], row["all"], row["schedules"], row["violating"]) == ("violated", True, 4, 2)
    told = json.loads(Path(row["trace"]).read_text())
    assert [step["request"].split()[0] for step in told["steps"]] == ["GET", "GET", "PUT", "PUT"]
    again = lakeproof("gate", "replay", row["trace"], "--from", str(PROGRAM), "--times", "2")
    assert again.exit_code == 1
    assert "2 of 2: violated, same invariant: counted" in again.output


def test_a_program_that_writes_as_it_starts_is_refused(tmp_path: Path) -> None:
    result = run(tmp_path, "writes")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "writes: fresh: its processes write to the store as they start" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
