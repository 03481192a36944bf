"""The archive of Spark's classes: taken if it is ours, made by a session, passed over if it does not fit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import archiving, java, sharing


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(sharing.MAKING, raising=False)
    return tmp_path / "lakeproof"


def test_without_an_archive_java_is_told_nothing(cache: Path) -> None:
    assert sharing.options("/usr/lib/jvm/java") == ()
    assert not cache.exists()


def made(home: str) -> Path:
    path = sharing.archive(home, 3)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"abc")
    path.chmod(0o600)
    return path


def test_an_archive_of_another_java_is_not_taken(cache: Path) -> None:
    path = made("/one")
    assert path.parent == cache
    assert sharing.options("/one")[0] == f"-XX:SharedArchiveFile={path}"
    assert sharing.options("/two") == ()


def test_an_archive_that_others_may_write_is_not_taken_for_it_is_run(cache: Path) -> None:
    made("/one").chmod(0o666)
    assert sharing.options("/one") == ()


def test_an_archive_that_was_cut_short_is_not_taken_for_java_would_break(cache: Path) -> None:
    os.truncate(made("/one"), 2)
    assert sharing.options("/one") == ()


def test_a_path_that_cannot_be_passed_on_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a cache"))
    with pytest.raises(Unusable, match="has a space"):
        archiving.make("/one")


def test_a_session_that_leaves_no_archive_is_told_in_one_line(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(Unusable, match=r"Java left no archive \(it said nothing\)") as refused:
        archiving.make("/one")
    assert "\n" not in str(refused.value)
    assert list(cache.iterdir()) == []


@pytest.mark.deep
def test_a_session_starts_with_the_archive_that_another_has_left(cache: Path) -> None:
    home = java.java_home()
    path = archiving.make(home)
    assert list(cache.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o600
    assert archiving.make(home) == sharing.archives(home)[0]
    command = [sys.executable, "-m", "lakeproof.spark_checks.archiving"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
