"""The group as a user meets it: help without a JVM, and one line for what is wrong."""

import os
import re
import shlex
import signal
from pathlib import Path

import click
import pytest

from lakeproof.spark_checks.cli import LATER, spark
from tests.commands import ROOT, lakeproof, spawned
from tests.spark.commands import LAKEPROOF, ran


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


def test_without_java_there_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    done = ran(*LAKEPROOF, "decode", str(tmp_path), "--out", str(tmp_path / "out"), JAVA_HOME=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"lakeproof: JAVA_HOME is {tmp_path}, which does not run")
    assert len(done.stderr.splitlines()) == 1


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
