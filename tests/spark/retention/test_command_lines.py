"""What is wrong with a call of `retention`, `uncommitted` or `sweep` is one line and exit code 2, before any JVM."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def refused(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", "from lakeproof.cli import main; main(prog_name='lakeproof')", "spark", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "JAVA_HOME": "nowhere"},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "rules.json"
    path.write_text('{"default_retention_days": 7}')
    return str(path)


def test_bad_rules(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text('{"default_retention_days": "7"}')
    said = refused("retention", "d", "--rules", str(path), "--out", str(tmp_path / "out"))
    assert said.startswith(f"lakeproof: {path}: default_retention_days: '7', expected a whole number of days")
    assert not (tmp_path / "out").exists()


def test_a_time_that_is_none(rules: str, tmp_path: Path) -> None:
    said = refused("retention", "d", "--rules", rules, "--now", "soon", "--out", str(tmp_path / "out"))
    assert "--now 'soon': expected a date as" in said


def test_an_out_that_cannot_be_written(rules: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be written" in refused("retention", "d", "--rules", rules, "--out", str(tmp_path / "file"))
    assert "cannot be written" in refused("uncommitted", "d", "--out", str(tmp_path / "file"))


def test_a_last_run_that_is_not_there(tmp_path: Path) -> None:
    said = refused("uncommitted", "d", "--since", str(tmp_path / "r1"), "--out", str(tmp_path))
    assert said == f"lakeproof: {tmp_path}: has no run 'r1'; there is none\n"


def test_a_run_to_sweep_that_is_not_there(tmp_path: Path) -> None:
    assert refused("sweep", str(tmp_path), "--run", "r1") == f"lakeproof: {tmp_path}: has no run 'r1'; there is none\n"


def test_a_run_that_did_not_start_leaves_no_folder(rules: str, tmp_path: Path) -> None:
    """Without Java, say."""
    refused("retention", "d", "--rules", rules, "--run", "r1", "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out" / "r1").exists()
