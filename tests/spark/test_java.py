"""Which Java is found, and what is said where there is none."""

from pathlib import Path
from typing import NoReturn

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine import classic, java, settings
from lakeproof.spark_checks.engine.java import java_home
from lakeproof.spark_checks.engine.session import Options
from lakeproof.words import Unusable


def fake_java(folder: Path, version: str, code: int = 0) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\nexit {code}\n", encoding="utf-8")
    java.chmod(0o755)
    return java


@pytest.mark.parametrize(
    ("version", "code", "words"),
    [
        ("1.8.0_392", 0, "is Java 8: Spark wants 17 or newer"),
        ("11.0.2", 0, "is Java 11"),
        ("17", 1, "does not run"),
    ],
)
def test_a_java_that_will_not_do_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, code: int, words: str
) -> None:
    fake_java(tmp_path, version, code)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(Unusable, match=words):
        java_home()


def test_without_any_java_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Unusable) as refused:
        java_home()
    assert "install Java 17 or newer, or set JAVA_HOME" in str(refused.value)


def test_a_start_that_fails_without_a_word_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(settings.GATEWAY, raising=False)
    monkeypatch.setattr(java, "java_home", lambda: "/java")
    for name in ("JAVA_HOME", "PYSPARK_PYTHON", "SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME"):
        monkeypatch.setenv(name, "as it was")
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", fail)
    with pytest.raises(Unusable, match=r"did not start on this machine \(OSError\)") as refused:
        classic.start(Options(engine="classic"))
    Path(str(refused.value).partition("see ")[2].partition(",")[0]).unlink()


def fail(_: object) -> NoReturn:
    raise OSError
