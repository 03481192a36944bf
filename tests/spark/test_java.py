"""Which Java is found, and what is said where there is none."""

import subprocess
from pathlib import Path

import pytest

from lakeproof.spark_checks.engine.java import java_home, wrap
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
def test_a_java_that_will_not_do_is_refused(tmp_path: Path, version: str, code: int, words: str) -> None:
    fake_java(tmp_path, version, code)
    with pytest.raises(Unusable, match=words):
        java_home({"JAVA_HOME": str(tmp_path)})


def test_without_any_java_one_line_says_what_to_do() -> None:
    with pytest.raises(Unusable) as refused:
        java_home({"PATH": ""}, packaged=False)
    assert "install Java 17 or newer, set JAVA_HOME, or `pip install" in str(refused.value)


def test_the_packaged_one_is_used_where_there_is_none(tmp_path: Path) -> None:
    home = Path(java_home({"PATH": ""}))
    done = subprocess.run(
        [home / "bin" / "java", "--add-modules=jdk.incubator.vector", "-version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "version" in done.stderr) == (0, True)


def test_the_wrapper_drops_one_argument_and_keeps_the_others_as_they_are(tmp_path: Path) -> None:
    echo = tmp_path / "it's java"
    echo.write_text('#!/bin/sh\nprintf "<%s>" "$@"\n', encoding="utf-8")
    echo.chmod(0o755)
    script = wrap(echo) / "bin" / "java"
    arguments = ["-cp", "a b:*", "--add-modules=jdk.incubator.vector", "", "$HOME", "x'y"]
    done = subprocess.run([script, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout == "<-cp><a b:*><><$HOME><x'y>"
