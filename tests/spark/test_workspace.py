"""Folders that sessions work in: gone with the session, or found by the process that they name."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import attrs
import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks import workspace
from lakeproof.spark_checks.folders import LocalFolder
from lakeproof.spark_checks.owners import OWNER, Owner, this_process
from tests.commands import lakeproof, spawned


def dead() -> Owner:
    """A process that has ended, of this machine."""
    over = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    return attrs.evolve(this_process(), pid=int(over.stdout), started="1")


def left(around: Path, name: str, owner: Owner | None) -> Path:
    folder = around / name
    (folder / "decoded-1").mkdir(parents=True)
    if owner is not None:
        (folder / OWNER).write_bytes(owner.encode())
    return folder


class TestOwners:
    def test_a_process_is_alive_until_it_ends(self) -> None:
        assert this_process().state() == "alive"
        assert dead().state() == "dead"

    def test_a_number_that_is_used_again_is_another_process(self) -> None:
        assert attrs.evolve(this_process(), started="1").state() == "dead"

    def test_a_machine_that_was_started_again_has_none_of_its_processes(self) -> None:
        assert attrs.evolve(this_process(), boot="before").state() == "dead"

    def test_of_another_machine_or_container_nothing_is_known(self) -> None:
        assert attrs.evolve(dead(), host="other").state() == "unknown"
        assert attrs.evolve(dead(), machine="other").state() == "unknown"
        assert attrs.evolve(dead(), machine="other", boot="other").state() == "unknown"

    def test_it_is_written_and_read(self) -> None:
        us = this_process()
        assert Owner.decode(us.encode()) == us
        assert this_process() != us

    @pytest.mark.parametrize("text", ["", "{", "[]", "3", "{}", '{"host": 1}'])
    def test_what_is_no_record_is_none(self, text: str) -> None:
        assert Owner.decode(text.encode()) is None
        wrong = json.loads(this_process().encode()) | {"pid": "1"}
        assert Owner.decode(json.dumps(wrong).encode()) is None


class TestSweeping:
    def test_folders_of_dead_processes_of_this_machine_go_with_one_line_and_no_others(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        gone = [left(tmp_path, f"lakeproof-spark-{name}", dead()) for name in "ab"]
        kept = [
            left(tmp_path, "lakeproof-spark-alive", this_process()),
            left(tmp_path, "lakeproof-spark-elsewhere", attrs.evolve(dead(), host="other")),
            left(tmp_path, "lakeproof-spark-nobody", None),
            left(tmp_path, "something-else", dead()),
        ]
        (tmp_path / "lakeproof-spark-link").symlink_to(kept[-1])
        workspace.sweep(tmp_path)
        assert not any(each.exists() for each in gone)
        assert all((each / "decoded-1").exists() for each in kept)
        said = capsys.readouterr().err
        assert said == f"lakeproof: {gone[0]} and 1 more: left by a process that was killed; removed\n"

    def test_what_another_machine_has_had_for_a_day_is_named_and_stays(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        other = attrs.evolve(dead(), host="other")
        left(tmp_path, "lakeproof-spark-new", attrs.evolve(other, began=time.time() - workspace.OLD_SECONDS + 600))
        old = left(tmp_path, "lakeproof-spark-old", attrs.evolve(other, began=0.0))
        workspace.sweep(tmp_path)
        assert old.exists()
        assert capsys.readouterr().err == (
            f"lakeproof: {old}: left by process {other.pid} of other, which began at 1970-01-01T00:00:00+00:00; if it "
            "has ended, remove the folder\n"
        )

    def test_at_a_url_what_a_dead_process_has_left_is_named_and_stays(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = left(tmp_path, "lakeproof-spark-a", dead())
        workspace.tell(LocalFolder(tmp_path))
        assert capsys.readouterr().err.startswith(f"lakeproof: {folder}: left by process ")
        assert folder.exists()


def test_the_next_command_removes_what_a_killed_one_has_left(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    folder = left(tmp_path / "work", "lakeproof-spark-a", dead())
    dump = tmp_path / "dump.json"
    dump.write_text('{"entries": []}')
    monkeypatch.setattr(workspace, "_made", {})
    spark.conf.set(workspace.SETTING, str(tmp_path / "work"))
    try:
        done = lakeproof("spark", "decode", str(dump), "--out", str(tmp_path / "out"))
        [ours] = (tmp_path / "work").iterdir()
        owner = Owner.decode((ours / OWNER).read_bytes())
        assert owner is not None
        assert (owner.pid, owner.state()) == (os.getpid(), "alive")
    finally:
        workspace.remove(spark)
        spark.conf.unset(workspace.SETTING)
    assert done.exit_code == 0
    assert f"lakeproof: {folder}: left by a process that was killed; removed\n" in done.stderr


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGTERM, id="SIGTERM"),
        pytest.param(signal.SIGKILL, id="SIGKILL", marks=pytest.mark.deep),
    ],
)
def test_what_is_staged_goes_at_sigterm_and_names_its_process_when_it_was_killed(
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
    found = [Owner.decode((each / OWNER).read_bytes()) for each in scratch.glob("lakeproof-spark-*/")]
    if number == signal.SIGTERM:
        assert (process.returncode, found) == (143, [])
        assert stderr.splitlines()[-1] == "lakeproof: ended by SIGTERM"
    else:
        assert [(each.pid, each.state()) for each in found if each is not None] == [(process.pid, "dead")]
