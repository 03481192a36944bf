"""What workers are asked of their Python, what they are sent, and how their troubles are told. Without a cluster."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import attrs
import pyspark
import pytest

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import shipping
from lakeproof.spark_checks.troubles import one_line
from lakeproof.spark_checks.workers import NEEDED, Answer, _asking, demand_same
from tests.spark.clusters import a_python

MINE = Answer(
    "here",
    "/usr/bin/python3",
    "3.11.7",
    {"attrs": "26.1.0", "numpy": "2.4.6", "protobuf": "7.36.2", "pyarrow": "26.0.1", "pyspark": "4.3.0"},
    {},
)
THEIRS = attrs.evolve(MINE, host="there")


def said(
    python: str = MINE.python, versions: Mapping[str, str] = MINE.versions, lacks: Mapping[str, str] = MINE.lacks
) -> str:
    with pytest.raises(Unusable) as raised:
        demand_same(attrs.evolve(THEIRS, python=python, versions=versions, lacks=lacks), MINE)
    line = str(raised.value)
    assert line.startswith("workers' Python (/usr/bin/python3 on there): ")
    assert "PYSPARK_PYTHON" in line
    assert "\n" not in line
    return line


class TestAnswers:
    def test_one_that_is_like_the_drivers_will_do(self) -> None:
        demand_same(THEIRS, MINE)
        demand_same(attrs.evolve(THEIRS, python="3.11.2"), MINE)
        demand_same(attrs.evolve(THEIRS, versions={**MINE.versions, "pyarrow": "26.9.0", "numpy": ""}), MINE)

    @pytest.mark.parametrize(("package", "version"), [("pyarrow", "18.0.0"), ("protobuf", "5.1"), ("pyspark", "4.2.9")])
    def test_one_of_another_version_is_named_with_both(self, package: str, version: str) -> None:
        line = said(versions={**MINE.versions, package: version})
        assert f"has {package} {version}, and the driver has {MINE.versions[package]}" in line

    def test_this_python_has_all_that_it_asks_for(self) -> None:
        [answer] = [Answer(*each) for each in _asking(NEEDED)([])]
        assert answer.lacks == {}
        assert set(answer.versions) == set(NEEDED.values())
        assert all(answer.versions.values())

    def test_a_module_that_is_not_there_is_lacking_and_one_that_breaks_says_how(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "broken_here.py").write_text("import nowhere_else")
        monkeypatch.syspath_prepend(tmp_path)
        [answer] = [Answer(*each) for each in _asking({"not_here": "one", "broken_here": "two"})([])]
        assert answer.lacks == {"one": "", "two": "ModuleNotFoundError: No module named 'nowhere_else'"}


WORKERS = (
    "lakeproof.spark_checks.checks.commits",
    "lakeproof.spark_checks.decoding",
    "lakeproof.spark_checks.exploring.levels",
    "lakeproof.spark_checks.exploring.working",
    "lakeproof.spark_checks.generate.extras",
    "lakeproof.spark_checks.histories.judging",
    "lakeproof.spark_checks.histories.reading",
    "lakeproof.spark_checks.retention.commit_files",
    "lakeproof.spark_checks.retention.walking",
)
"""The modules of which functions are sent to workers."""


def test_what_is_shipped_runs_with_the_packages_that_are_asked_for_and_no_others(tmp_path: Path) -> None:
    shipping.write(tmp_path / "lakeproof.zip")
    program = a_python(tmp_path / "lean")
    spark = sorted((Path(pyspark.__file__).parent / "python" / "lib").glob("*.zip"))
    path = ":".join(str(each) for each in spark)
    code = (
        f"import sys; sys.path.insert(1, {str(tmp_path / 'lakeproof.zip')!r})\n"
        f"import {', '.join(WORKERS)}\n"
        "print(lakeproof.spark_checks.decoding.__file__)\n"
    )
    done = subprocess.run(
        [program, "-c", code], cwd=tmp_path, env={"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.stdout == f"{tmp_path}/lakeproof.zip/lakeproof/spark_checks/decoding.py\n", done.stderr


def test_the_same_code_makes_the_same_archive(tmp_path: Path) -> None:
    shipping.write(tmp_path / "one.zip")
    shipping.write(tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (
            'Job aborted (TID 6) (executor 0): java.io.IOException: Cannot run program "/x/python": error=2',
            "workers: Python does not start there as /x/python; ",
        ),
        (
            "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.12 than that in driver: 3.11, ",
            "workers: Python is 3.12 there, and the driver's is 3.11; ",
        ),
        (
            "Traceback (most recent call last):\nModuleNotFoundError: No module named 'spark_checks'\n",
            "workers: Python finds no module 'spark_checks' there; ",
        ),
        (
            "Lost task 0.3 in stage 4.0: ExecutorLostFailure (executor 3 exited caused by one of the running tasks)",
            "executors were lost, again and again; ",
        ),
        ("java.io.IOException: No space left on device", "no space left on the device that Spark works on"),
        (
            "ResultStage 57 (x) has failed the maximum allowable number of times: 4. Most recent failure reason: fetch",
            "executors were lost, again and again; ",
        ),
    ],
)
def test_what_becomes_of_workers_is_one_line(text: str, start: str) -> None:
    line = one_line(RuntimeError(text))
    assert line is not None
    assert line.startswith(start)
    assert "\n" not in line
