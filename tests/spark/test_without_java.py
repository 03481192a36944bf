"""The five commands on a machine without Java, with what `pip install 'lakeproof[embedded]'` installs and no more: what
they print and write, and what a sweep leaves, is row for row what classic Spark prints, writes and leaves."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from pyarrow import parquet
from pyspark.sql import SparkSession

from lakeproof.spark_checks.checks.catalogue import BY_ID
from tests.commands import ROOT, lakeproof
from tests.spark.commands import SPARK_HOME, a_python, timeless
from tests.spark.conftest import CLASSIC

OF_JAVA = {"py4j"}
OF_CLASSIC = {"bin", "core", "jars", "java_gateway.py", "sbin"}
"""What PySpark has, and its client has not."""
SOFT = BY_ID.keys() - {"record-is-decodable", "key-is-known", "meta-range-exists"}
"""Violations that end neither `uncommitted` nor `retention`, if they are lenient."""

Run = Callable[[Sequence[str]], tuple[int, str]]
"""A command of `lakeproof spark`: its exit code, and what it prints."""


def needed(name: str, *extras: str) -> Iterator[str]:
    """The packages that pip installs with one."""
    yield name
    for each in map(Requirement, metadata.requires(name) or ()):
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            if each.name == "pyspark-client":
                yield from needed("pyspark", "connect")
            elif each.name not in OF_JAVA:
                yield from needed(each.name, *each.extras)


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with these packages alone; where it is there is no other program."""
    program = a_python(tmp_path_factory.mktemp("embedded") / "python", dict.fromkeys(needed("lakeproof", "embedded")))
    folder = program.parent
    (folder / "pyspark").unlink()
    (folder / "pyspark").mkdir()
    for each in SPARK_HOME.iterdir():
        if each.name not in OF_CLASSIC:
            (folder / "pyspark" / each.name).symlink_to(each)
    base = getattr(sys, "_base_executable", sys.executable)
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}:{ROOT}" exec "{base}" -S -s "$@"\n')
    return program


@pytest.fixture
def there(embedded: Path, tmp_path: Path) -> Run:
    (tmp_path / "there").mkdir()

    def run(arguments: Sequence[str]) -> tuple[int, str]:
        done = subprocess.run(
            [str(embedded), "-B", "-m", "lakeproof", "spark", *arguments],
            cwd=tmp_path / "there",
            env={"PATH": str(embedded.parent), "HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout or done.stderr.splitlines()[-1]

    return run


@pytest.fixture
def here(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def run(arguments: Sequence[str]) -> tuple[int, str]:
        done = lakeproof("spark", *arguments)
        return done.exit_code, done.stdout or done.stderr.splitlines()[-1]

    return run


def rows(folder: Path) -> dict[str, list[str]]:
    """All that lies beneath a folder: the rows of each table, and the lines of the commits. What a sweep was about to
    do has the numbers of rows, whose order is the engine's."""
    found: dict[str, list[str]] = {}
    for path in folder.rglob("*.*"):
        lines = found.setdefault(str(path.parent.relative_to(folder)), [])
        if path.name.endswith(".parquet") and ".intent." not in path.name:
            table = parquet.ParquetFile(path).read().to_pylist()
            lines += [repr(sorted(row.items())) for row in table]
        elif path.name.endswith(".csv"):
            lines += path.read_text().splitlines()[1:]
    return {name: sorted(lines) for name, lines in found.items() if lines}


def alike(there: Run, here: Run, *arguments: str) -> int:
    """The exit code of a command that says the same on both sides."""
    (code, text), (own_code, own_text) = there(arguments), here(arguments)
    engine = r"(embedded|classic) \((Sail|Spark) [\d.]+\)"
    one, other = (
        re.sub(engine, "", timeless(each)).replace(f"/{side}/", "/")
        for each, side in ((text, "there"), (own_text, "here"))
    )
    assert (code, one) == (own_code, other)
    return code


def files(block: Path) -> set[Path]:
    return {path.relative_to(block) for path in block.rglob("*") if path.is_file()}


SIZES = (
    *("--repositories=4", "--branches=8", "--tags=4", "--commits=400", "--objects=2000", "--staged=200", "--stale=40"),
    *("--skew=2", "--ranges=4"),
)


@pytest.mark.deep
@CLASSIC
def test_all_five_say_write_and_leave_the_same_on_generated_data(there: Run, here: Run, tmp_path: Path) -> None:
    (tmp_path / "violations.json").write_text(json.dumps(dict.fromkeys(SOFT, 2)))
    (tmp_path / "rules.json").write_text('{"default_retention_days": 5}')
    assert alike(there, here, "generate", "data", *SIZES, "--violations", str(tmp_path / "violations.json")) == 0
    listing = parquet.read_table(tmp_path / "there" / "data" / "objects").to_pylist()
    for side in ("there", "here"):
        for each in listing:
            path = tmp_path / side / "block" / each["storage_namespace"].partition("://")[2] / each["address"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            os.truncate(path, each["size_bytes"])
            at = round(each["last_modified"].timestamp() * 1_000_000) * 1_000
            os.utime(path, ns=(at, at))
    alike(there, here, "check", "data", "--json", "--out", "checked")
    run = ("--out", "runs", "--now", "2026-01-01", "--lenient")
    assert alike(there, here, "uncommitted", "data", "--older-than", "24h", *run, "--run", "u") == 0
    assert alike(there, here, "retention", "data", "--rules", str(tmp_path / "rules.json"), *run, "--run", "r") == 0
    for name in ("u", "r"):
        sweep = ("sweep", "runs", "--run", name, "--objects", "block", "--dataset", "data", "--delete")
        assert alike(there, here, *sweep) == 0
    found = rows(tmp_path / "there")
    assert found == rows(tmp_path / "here")
    assert {name for name in found if name.startswith("checked")} == {"checked/findings"}
    assert all(found[f"runs/{name}/addresses"] for name in ("u", "r"))
    gone = sum(len(found[f"runs/{name}/addresses"]) for name in ("u", "r"))
    assert files(tmp_path / "there" / "block") == files(tmp_path / "here" / "block")
    assert len(files(tmp_path / "here" / "block")) == len(listing) - gone


def test_none_of_it_is_java(embedded: Path) -> None:
    """The test's own machine has a Java, and py4j: the Python above reaches neither."""
    probe = (
        "import importlib.util as u, shutil; "
        "print(shutil.which('java'), u.find_spec('py4j'), u.find_spec('pyspark.core'))"
    )
    bare = {"PATH": str(embedded.parent)}
    done = subprocess.run([str(embedded), "-c", probe], env=bare, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["None"] * 3
