"""The group as a user meets it: help without a JVM, one line for what is wrong, and nothing left when it ends: a
session's folder goes with it, or, where its process was killed, with the next one."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from lakeproof.spark_checks.cli import LATER, spark
from lakeproof.spark_checks.engine import workspace
from tests.commands import ROOT, complaint, lakeproof, spawned


def test_every_command_has_help() -> None:
    assert all("--engine" in lakeproof("spark", name, "--help").stdout for name in LATER.keys() - {"seal"})


SHOWN = re.compile(r"(?:lakeproof spark|submit\.py) (\w+) (.*)")


def test_each_command_that_a_page_shows_has_these_options() -> None:
    """On a laptop, by a master, by spark-submit, and at a server of Spark Connect."""
    met = []
    for page in (*(ROOT / "docs").glob("spark-*.md"), ROOT / "docs" / "lakefs-at-rest.md"):
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("    ") and (found := SHOWN.search(line)):
                command = spark.get_command(click.Context(spark), found[1])
                assert command is not None
                words = re.sub(r"\[[^]]*\](\.\.\.)?", "", found[2])  # without what may be left out
                command.make_context(found[1], shlex.split(words, comments=True))  # an unknown option raises
                met.append(line)
    for way in ("--master spark://", "spark-submit --master", "--remote", "spark.archives", "uncommitted", "sweep"):
        assert any(way in line for line in met), way


@pytest.mark.deep
def test_ctrl_c_is_one_line_and_leaves_nothing_half_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    target = tmp_path / "data"
    process = spawned("spark", "generate", str(target), "--profile", "offline-design")  # for minutes
    assert process.stderr is not None
    assert process.stderr.readline() == "writing kv/\n"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of the group
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    assert stderr == "lakeproof: interrupted\n"
    assert list(tmp_path.iterdir()) == [scratch]
    assert not list(scratch.glob("lakeproof-*"))


WRONG = "default_retention_days: '7', expected a whole number of days"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["retention", "d", "--rules", "wrong.json", "--out", "out"], WRONG),
        (["retention", "d", "--rules", "none.json", "--out", "out"], "name a file with rules"),
        (["retention", "d", "--rules", "rules.json", "--now", "soon", "--out", "out"], "--now 'soon': expected a date"),
        (["retention", "d", "--rules", "rules.json", "--out", "rules.json"], "cannot be written"),
        (["uncommitted", "d", "--out", "rules.json"], "cannot be written"),
        (["uncommitted", "d", "--out", "out", "--run", "../x"], "expected letters, digits"),
        (["uncommitted", "d", "--since", "r1", "--out", "out"], "has no run 'r1'; there is none"),
        (["uncommitted", "d", "--older-than", "24", "--out", "out"], "expected a number with s, m, h or d"),
    ],
)
def test_a_wrong_call_of_a_run_is_refused_before_any_jvm(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAVA_HOME", "nowhere")
    (tmp_path / "rules.json").write_text('{"default_retention_days": 7}')
    (tmp_path / "wrong.json").write_text('{"default_retention_days": "7"}')
    assert said in complaint(lakeproof("spark", *arguments))
    assert not (tmp_path / "out").exists()


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
