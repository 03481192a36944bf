"""Bad input and usage: one clear line on stderr, exit code 2, no traceback; limits: exit code 3."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lakeproof.cli import main

RACE = "repositories/step1/delete-delete-create"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments])


def refused(result: Result) -> str:
    """The one line that says why."""
    assert result.exit_code == 2, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    lines = [line for line in result.stderr.splitlines() if line.startswith("lakeproof: ")]
    assert len(lines) == 1, result.stderr
    assert "Traceback" not in result.output
    return lines[0]


def test_an_unknown_pattern_is_refused() -> None:
    assert "no-such-scenario" in refused(run("verify", "no-such-scenario"))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("SCENARIOS = [\n", "syntax"),
        ("x = 1\n", "SCENARIOS"),
        ("SCENARIOS = [1]\n", "Scenario"),
        ("import nosuchmodule\n", "nosuchmodule"),
    ],
)
def test_a_malformed_scenario_file_is_refused_by_name(tmp_path: Path, content: str, told: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(content)
    line = refused(run("verify", "--from", str(file), "--out", str(tmp_path / "out")))
    assert "mine.py" in line
    if told != "syntax":
        assert told in line


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"trace": 99}', "not json"])
def test_a_file_that_is_no_trace_of_this_version_is_refused_by_name(tmp_path: Path, content: str) -> None:
    file = tmp_path / "trace.json"
    file.write_text(content)
    for command in ("replay", "show"):
        assert "trace.json" in refused(run(command, str(file)))


def test_output_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert "file" in refused(run("verify", RACE, "--jobs", "1", "--out", str(blocked / "out")))


def test_a_limit_makes_the_verdict_inconclusive_and_says_how_deep_it_went(tmp_path: Path) -> None:
    limits = ("--max-states", "5", "--jobs", "1", "--out", str(tmp_path))
    result = run("verify", "repositories/hardened/delete-create", *limits)
    assert result.exit_code == 3, result.output
    assert "every schedule was covered up to" in result.output
