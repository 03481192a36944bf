"""The zip: whole, the same for the same findings, and never over something else."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.diagnostics import NotWritten, escape_bytes, write_zip
from tests.impl.diagnosing import SOUND, diagnosed, unzipped
from tests.impl.records import P, branch, stored


class TestZip:
    def test_it_has_a_table_for_each_kind_the_findings_and_a_summary(self, tmp_path: Path) -> None:
        store = stored(*SOUND, branch("loose", "nowhere"))
        store[P, b"tags/\xff\\"] = b""
        found = diagnosed(store)
        write_zip(tmp_path / "d.zip", found)
        members = unzipped(tmp_path / "d.zip")
        kinds = ("branches", "cleanup", "commits", "errors", "repositories", "staging", "tags")
        assert sorted(members) == sorted([*(f"{kind}.jsonl" for kind in kinds), "summary.json"])
        assert [json.loads(line)["branch_id"] for line in members["branches.jsonl"].splitlines()] == [
            "dev",
            "loose",
            "main",
        ]
        [bad, dangling] = [json.loads(line) for line in members["errors.jsonl"].splitlines()]
        assert (bad["kind"], bad["partition"], bad["key"]) == ("bad-name", "r-u", "tags/\\xff\\\\")
        assert (dangling["kind"], dangling["key"]) == ("dangling", "branches/loose")
        assert json.loads(members["summary.json"]) == found.summary

    def test_equal_findings_give_equal_bytes_and_leave_nothing_else_behind(self, tmp_path: Path) -> None:
        for name in ("one.zip", "two.zip"):
            write_zip(tmp_path / name, diagnosed(stored(*SOUND)))
        assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["one.zip", "two.zip"]

    @pytest.mark.parametrize("links", [True, False])
    @pytest.mark.parametrize("comes", ["before", "meanwhile"])
    def test_nothing_is_overwritten(
        self, comes: str, links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, link = tmp_path / "d.zip", Path.hardlink_to

        def come_first(self: Path, target: Path) -> None:
            path.write_text("mine")
            if not links:
                raise OSError(1, "Operation not permitted")
            link(self, target)

        if comes == "before":
            path.write_text("mine")
        monkeypatch.setattr(Path, "hardlink_to", come_first)
        with pytest.raises(NotWritten, match=r"d\.zip: is there already; remove it, or name another file"):
            write_zip(path, diagnosed(stored()))
        assert path.read_text() == "mine"
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize(("folder", "why"), [("none", "No such file or directory"), (".", "No space left")])
    def test_what_cannot_be_written_leaves_nothing_behind(
        self, folder: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(self: Path, target: Path) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "hardlink_to", full)
        monkeypatch.setattr(Path, "rename", full)
        with pytest.raises(NotWritten, match=rf"d\.zip: cannot be written: {why}.*; make room there"):
            write_zip(tmp_path / folder / "d.zip", diagnosed(stored()))
        assert list(tmp_path.iterdir()) == []


def unescaped(text: str) -> bytes:
    """The bytes that a text stands for."""
    escape = rb"\\(?:\\|x([0-9a-f]{2}))"
    return re.sub(escape, lambda found: bytes.fromhex(found[1].decode()) if found[1] else b"\\", text.encode())


class TestShown:
    @given(st.binary())
    def test_bytes_are_shown_as_text_that_prints_and_gives_them_back(self, value: bytes) -> None:
        assert escape_bytes(value).isprintable()
        assert unescaped(escape_bytes(value)) == value
