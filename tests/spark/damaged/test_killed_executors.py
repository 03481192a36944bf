"""An executor that is killed at a random moment: the right answer, or none."""

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from tests.commands import ROOT
from tests.spark.damaged.judging import seeds


@pytest.mark.deep
def test_a_world_of_which_an_executor_is_killed_has_the_right_answer_or_none(tmp_path: Path) -> None:
    home = tmp_path / "home"  # its folder work/ is where executors run
    home.mkdir()
    for each in Path(pyspark.__file__).parent.iterdir():
        if each.name != "work":
            (home / each.name).symlink_to(each)
    of = seeds(30)
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.damaged.killing", str(of.start), str(len(of)), str(tmp_path)],
        env={**os.environ, "SPARK_HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(of)
    assert not [line for line in lines if "WRONG" in line]
    assert any(" killed " in line for line in lines)
