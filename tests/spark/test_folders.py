"""Folders in which runs lie: a file is there whole or not at all, and what a store refuses is one line."""

import hashlib
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from lakeproof.spark_checks.engine.folders import Folder, folder_at, of_url
from lakeproof.words import Unusable

Make = Callable[[Path], Folder]


def by_url(path: Path) -> Folder:
    return of_url(path.as_uri())


@pytest.fixture(params=[folder_at, by_url], ids=["path", "url"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    make: Make = request.param
    return make(tmp_path / "runs" / "r1")


def test_what_is_written_is_listed_and_read(folder: Folder, tmp_path: Path) -> None:
    assert (folder.name, folder.exists(), folder.files(), folder.folders()) == ("r1", False, [], [])
    folder.write("b/2", b"two")
    folder.child("b").write("10", b"ten, really")
    folder.write("a", b"")
    assert folder.files() == [("a", 0), ("b/10", 11), ("b/2", 3)]
    assert (folder.folders(), folder.parent().folders()) == (["b"], ["r1"])
    assert folder.files("b") == folder.files()[1:]
    assert (folder.exists(), folder.exists("b"), folder.exists("b/2"), folder.exists("c")) == (True, True, True, False)
    assert folder.read("b/2") == b"two"
    with folder.open("b/10") as file:
        file.seek(-6, io.SEEK_END)
        assert file.read(3) == b"rea"
    assert folder.sha256("b/10") == hashlib.sha256(b"ten, really").hexdigest()
    assert folder.parent().child("r1").files() == folder.files()
    assert (tmp_path / "runs/r1/b/2").read_bytes() == b"two"


def test_a_file_of_any_size_is_written_copied_and_replaced_and_nothing_else_is_left(folder: Folder) -> None:
    for content in (bytes(3 << 20), b"short"):
        folder.copy("a/b", io.BytesIO(content))
        folder.write("a/c", content)
        assert folder.read("a/b") == folder.read("a/c") == content
        assert folder.files() == [("a/b", len(content)), ("a/c", len(content))]


def test_files_and_folders_are_deleted_once_or_twice(folder: Folder) -> None:
    folder.write("a/1", b"")
    folder.write("b", b"")
    for _ in range(2):
        folder.delete("a")
        assert folder.files() == [("b", 0)]
    folder.delete("b")
    assert folder.files() == []
    folder.delete()
    folder.delete()
    assert not folder.exists()
    folder.make()
    assert folder.exists()


def test_a_file_that_is_not_there_is_one_line(folder: Folder) -> None:
    for read in (folder.read, folder.open, folder.sha256):
        with pytest.raises(Unusable, match=r"r1/none: cannot be read \(.*; mend that, or name another folder") as told:
            read("none")
        assert "\n" not in str(told.value)


def test_what_cannot_be_written_is_one_line_and_what_was_there_stays(folder: Folder) -> None:
    folder.write("file", b"there")
    with pytest.raises(Unusable, match=r"r1/file/inside: cannot be written \("):
        folder.write("file/inside", b"")
    assert folder.files() == [("file", 5)]


def test_in_a_store_of_objects_nothing_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = by_url(tmp_path / "r1")
    folder.make()
    monkeypatch.setattr("lakeproof.spark_checks.engine.folders._STORES", frozenset({"local"}))
    seen: list[str] = []
    monkeypatch.setattr(Folder, "_send", lambda self, data, target: seen.append(target))
    folder.write("a", b"x")
    assert seen == [str(tmp_path / "r1" / "a")]
