"""The group as a user meets it: help without a JVM, and one line for what is wrong."""

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
from tests.commands import ROOT, complaint, lakeproof, spawned


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lakeproof", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )


def test_the_group_lists_its_commands_without_a_jvm() -> None:
    done = run("spark", "--help", JAVA_HOME="nowhere")
    assert done.returncode == 0
    for name, (_, meaning) in LATER.items():
        assert name in done.stdout
        assert meaning.split()[0] in done.stdout


def test_every_command_has_help() -> None:
    assert all("--engine" in lakeproof("spark", name, "--help").stdout for name in LATER.keys() - {"seal"})


SHOWN = re.compile(r"(?:lakeproof spark|submit\.py) (\w+) (.*)")


def test_each_command_that_a_page_shows_has_these_options() -> None:
    """On a laptop, by a master, by spark-submit, and at a server of Spark Connect."""
    met = []
    for page in (ROOT / "docs").glob("spark-*.md"):
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("    ") and (found := SHOWN.search(line)):
                command = spark.get_command(click.Context(spark), found[1])
                assert command is not None
                words = re.sub(r"\[[^]]*\](\.\.\.)?", "", found[2])  # without what may be left out
                command.make_context(found[1], shlex.split(words, comments=True))  # an unknown option raises
                met.append(line)
    for way in ("--master spark://", "spark-submit --master", "--remote", "spark.archives", "uncommitted", "sweep"):
        assert any(way in line for line in met), way


def test_an_unknown_command_is_a_usage_error() -> None:
    assert "chek" in complaint(lakeproof("spark", "chek"))


def test_without_java_there_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    done = run("spark", "decode", str(tmp_path), "--out", str(tmp_path / "out"), JAVA_HOME=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"lakeproof: JAVA_HOME is {tmp_path}, which does not run")
    assert len(done.stderr.splitlines()) == 1


def test_an_out_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    said = complaint(lakeproof("spark", "decode", str(tmp_path), "--out", str(tmp_path)))
    assert said == f"{tmp_path}: is there already; name another folder, or remove it"


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
