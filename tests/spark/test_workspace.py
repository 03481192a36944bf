"""Folders that sessions work in: gone with the session, or, where its process was killed, with the next one."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lakeproof.spark_checks.engine import workspace
from tests.commands import ROOT, spawned

LOCKED = (
    "import sys, pathlib; from lakeproof.spark_checks.engine import workspace; "
    "workspace._lock(pathlib.Path(sys.argv[1]))"
)


def left(around: Path, name: str) -> Path:
    (around / name / "decoded-1").mkdir(parents=True)
    return around / name


def test_folders_of_dead_processes_go_and_no_others(tmp_path: Path) -> None:
    dead = left(tmp_path, "lakeproof-spark-dead")
    other = left(tmp_path, "something-else")
    for folder in (dead, other):
        subprocess.run([sys.executable, "-c", LOCKED, folder], check=True, cwd=ROOT)
    alive = left(tmp_path, "lakeproof-spark-alive")
    workspace._lock(alive)
    without = left(tmp_path, "lakeproof-spark-without")
    (tmp_path / "lakeproof-spark-link").symlink_to(other)
    workspace.sweep(tmp_path)
    assert not dead.exists()
    assert all((each / "decoded-1").exists() for each in (other, alive, without))


@pytest.mark.deep
@pytest.mark.parametrize(
    "number",
    [pytest.param(signal.SIGTERM, id="SIGTERM", marks=pytest.mark.long), pytest.param(signal.SIGKILL, id="SIGKILL")],
)
def test_what_is_staged_goes_at_sigterm_and_after_sigkill_with_the_next_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    dump = tmp_path / "dump.json"
    dump.write_text('{"entries": []}')
    process = spawned("spark", "check", str(dump), "--only", "key-is-known")
    assert process.stderr is not None
    assert process.stderr.readline().startswith("decoding")
    process.send_signal(number)
    _, stderr = process.communicate(timeout=120)
    if number == signal.SIGTERM:
        assert process.returncode == 143
        assert stderr.splitlines()[-1] == "lakeproof: ended by SIGTERM"
    else:
        assert list(scratch.glob("lakeproof-spark-*/"))
        workspace.sweep(scratch)
    assert not list(scratch.glob("lakeproof-spark-*/"))
