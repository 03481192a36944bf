"""Files that are there already: stdout, a file with a mode of its own, one that is mounted alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lakeproof.files import write_whole
from tests.commands import RACING, ROOT


@pytest.mark.parametrize("name", ["/dev/stdout", "printed"])
def test_a_report_on_stdout_stands_among_what_is_printed(tmp_path: Path, name: str) -> None:
    words = ["verify", "--from", str(RACING), "counters/atomic", "--report", f"json={name}"]
    with (tmp_path / "printed").open("w") as out:
        print("before", file=out, flush=True)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "lakeproof", *words]
        subprocess.run(command, cwd=tmp_path, env=environment, stdout=out, stderr=-1, check=True)
    found = (tmp_path / "printed").read_text()
    assert (found[:7], "all as expected" in found, '"verdict": "holds"' in found) == ("before\n", True, True), found


def test_who_may_read_a_file_may_read_what_is_written_over_it(tmp_path: Path) -> None:
    path = tmp_path / "private"
    path.touch(0o600)
    write_whole(path, "new")
    assert (path.stat().st_mode & 0o777, path.read_text()) == (0o600, "new")


@pytest.mark.parametrize("method", ["touch", "replace"])
@pytest.mark.parametrize(("number", "written"), [(13, True), (16, True), (30, True), (28, False)])
def test_where_no_file_can_be_made_the_one_that_is_there_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, number: int, *, written: bool
) -> None:
    """13: the folder is another user's; 16 and 30: the file is mounted alone; 28: the disk is full."""

    def refuse(*args: object) -> None:
        raise OSError(number, "refused")

    path = tmp_path / "there"
    path.write_text("old")
    monkeypatch.setattr(Path, method, refuse)
    for each in (path, tmp_path / "absent"):
        if written and each == path:
            write_whole(each, "new")
        else:
            with pytest.raises(OSError, match="refused"):
                write_whole(each, "new")
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"there": "new" if written else "old"}
