"""A core install: every Spark command names the extra that it needs, in one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from lakeproof.spark_checks import data
from lakeproof.spark_checks.cli import EXTRA, LATER, needing_the_extra
from lakeproof.spark_checks.data import dumps
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.spark.commands import ran

WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from lakeproof.cli import main
main(sys.argv[2:], prog_name="lakeproof")
"""
ALL = ",".join(sorted({*EXTRA, "duckdb"}))


def without(packages: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line where these packages cannot be imported."""
    return ran(sys.executable, "-c", WITHOUT, packages, *arguments)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    [line] = done.stderr.splitlines()
    return line


EVERY_EXTRA = "pip install 'lakeproof[embedded]' (no Java), or pip install 'lakeproof[spark]'"


@pytest.mark.parametrize(
    ("packages", "command", "said"),
    [
        (ALL, "check dataset", EVERY_EXTRA),
        (ALL, "explore repositories/step1/*", EVERY_EXTRA),
        (ALL, "sweep out --run id", EVERY_EXTRA),
        ("pyarrow", "check dump.json", "pyarrow is not installed; pip install 'lakeproof[spark]'"),
        (ALL, "chek", "No such command 'chek'; "),
    ],
)
def test_a_command_names_the_package_that_it_misses_and_the_extra(packages: str, command: str, said: str) -> None:
    line = refused(without(packages, "spark", *command.split()))
    assert line.startswith("lakeproof: ")
    assert said in line


@pytest.mark.usefixtures("spark")
def test_so_is_one_that_is_missed_when_there_is_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ijson", None)
    monkeypatch.delitem(sys.modules, dumps.__name__)
    monkeypatch.delattr(data, "dumps")
    dump = tmp_path / "dump.json"
    dump.write_text("{}")
    told = complaint(lakeproof("spark", "check", str(dump)))
    assert told == "spark check: ijson is not installed; pip install 'lakeproof[spark]'"


def test_tasks_need_no_package_that_is_for_the_driver_alone() -> None:
    """Workers have attrs, numpy, protobuf, pyarrow and rich, and no others (docs/spark-engines.md)."""
    tasks = ("data.decoding", "generate.writer", "retention.walk", "checks.commits")
    names = ", ".join(f"lakeproof.spark_checks.{each}" for each in tasks)
    program = f"{WITHOUT.partition('from lakeproof')[0]}import {names}"
    packages = "boto3,click,google_crc32c,ijson,obstore,sortedcontainers,trio"
    done = ran(sys.executable, "-c", program, packages)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_group_needs_no_extra() -> None:
    done = without(ALL, "spark", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout and meaning.split()[0] in done.stdout for name, (_, meaning) in LATER.items())


class PySparkImportError(ImportError):
    """As PySpark's: it does not say which package it misses."""


TOO_OLD = [
    (ImportError("cannot import name 'x'\nfrom 'pyspark'", name="pyspark.sql"), "pyspark", "import name 'x' from"),
    (ModuleNotFoundError("No module named 'pyarrow.csv'", name="pyarrow.csv"), "pyarrow", "No module named"),
    (PySparkImportError("[PACKAGE_NOT_INSTALLED] Pandas >= 2.2.0 must be there."), "PySpark", "(Pandas >= 2.2.0 must"),
]


@pytest.mark.parametrize(("error", "package", "why"), TOO_OLD)
def test_a_package_that_is_too_old_is_to_be_upgraded(error: ImportError, package: str, why: str) -> None:
    with pytest.raises(Unusable) as told, needing_the_extra("check"):
        raise error
    line = str(told.value)
    assert line.startswith(f"spark check: {package} cannot be used (")
    assert why in line
    assert line.endswith("; pip install --upgrade 'lakeproof[spark]'")
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize("name", ["lakeproof.verify.tasks", "json", None])
def test_an_import_that_fails_for_another_reason_is_a_mistake_of_ours(name: str | None) -> None:
    with pytest.raises(ImportError), needing_the_extra("check"):
        raise ImportError("cannot import name 'x'", name=name)
