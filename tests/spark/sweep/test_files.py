"""A sweep of plain files: what is still as it was marked goes, and nothing else."""

import os
import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from pyarrow import fs

from lakeproof.spark_checks.engine.folders import Folder
from lakeproof.spark_checks.sweep import marks, second_look
from lakeproof.spark_checks.sweep.account import LISTED_TWICE, UNNAMEABLE
from lakeproof.spark_checks.sweep.journal import DELETED, GONE, PUT_AGAIN, End
from lakeproof.spark_checks.sweep.marks import Mark
from lakeproof.spark_checks.sweep.second_look import Found
from lakeproof.spark_checks.sweep.sweep import Swept, sweep
from lakeproof.spark_checks.sweep.targets import FileTree
from tests.commands import complaint, lakeproof
from tests.spark.sweep.marking import FREE, NAMESPACE, OLD, Row, accounts, journal, marked, row, run_at

Damage = Callable[[Path], object]
"""To the folder of a run."""
SESSION_USERS = ("generate.command", "engine.run_folders")
"""Modules that import the function `session` by its name."""


def put(folder: Path, name: str, content: str = "x", modified: int = OLD) -> Path:
    path = folder / "bucket/r" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    os.utime(path, ns=(modified * 1000, modified * 1000))
    return path


def tree(folder: Path, *names: str) -> Path:
    for name in names:
        put(folder, name)
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def swept(tmp_path: Path, rows: list[Row], *, delete: bool = True) -> Swept:
    """A sweep of such a mark, of the tree ``objects``."""
    if not (tmp_path / "out").exists():
        marked(tmp_path / "out", rows)
    return sweep(run_at(tmp_path / "out"), FileTree(tmp_path / "objects", FREE), delete=delete)


def ends(done: Swept) -> dict[tuple[End, str], int]:
    return {key: tally.objects for key, tally in done.account.tallies.items()}


class TestTheCommand:
    def invoked(self, tmp_path: Path, *more: str) -> str:
        done = lakeproof("spark", "sweep", str(tmp_path / "out"), "--run", "run", *more)
        assert done.exit_code == 0, done.output
        return done.output

    def test_an_object_that_was_put_again_after_the_mark_is_kept_and_reported(self, tmp_path: Path) -> None:
        folder = marked(tmp_path / "out", [row("data/a"), row("data/b")])
        where = tree(tmp_path / "objects", "data/a", "data/b")
        put(where, "data/b", modified=OLD + 1)
        said = self.invoked(tmp_path, "--objects", str(where), "--delete")
        assert names(where) == ["b"]
        assert "kept: younger             1" in said
        assert f"'{NAMESPACE}/data/b': now 1 bytes of 2020-09-13T12:26:40.000001+00:00, marked 1 bytes of" in said
        assert journal(folder) == {
            f"{NAMESPACE}/data/a": ("deleted", ""),
            f"{NAMESPACE}/data/b": ("kept", "younger"),
        }

    def test_it_deletes_only_with_the_option(self, tmp_path: Path) -> None:
        folder = marked(tmp_path / "out", [row("data/a")])
        where = str(tree(tmp_path / "objects", "data/a"))
        assert "nothing was looked at" in self.invoked(tmp_path)
        assert "would-be-deleted             1" in self.invoked(tmp_path, "--objects", where)
        assert not (folder / "swept").exists()
        assert names(tmp_path / "objects") == ["a"]
        done = self.invoked(tmp_path, "--objects", where, "--delete")
        assert "deleted             1" in done
        assert f"files: {folder}/swept: report.json, and the outcome of each object (Parquet)" in done
        assert (folder / "swept" / "report.json").is_file()
        assert names(tmp_path / "objects") == []
        assert "marked: 1 object, 1 settled before this sweep" in self.invoked(tmp_path, "--objects", where)

    @pytest.mark.parametrize("engine", ["classic", "embedded"])
    def test_the_command_that_a_dry_run_names_is_not_refused(self, tmp_path: Path, engine: str) -> None:
        marked(tmp_path / "out", [row("data/a")], engine=engine)
        where = str(tree(tmp_path / "objects", "data/a"))
        [last] = [line for line in self.invoked(tmp_path, "--objects", where).splitlines() if "--delete" in line]
        done = lakeproof("spark", "sweep", str(tmp_path / "out"), "--run", "run", "--objects", where, "--delete")
        # Of one answer of Sail nothing is deleted.
        assert ("--dataset" in last) is (done.exit_code != 0) is (engine == "embedded")

    def test_without_a_dataset_no_spark_is_started(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def started(*_: object) -> None:
            raise AssertionError

        for module in SESSION_USERS:  # what is imported only while it is patched would keep the patch
            import_module(f"lakeproof.spark_checks.{module}")
        monkeypatch.setattr("lakeproof.spark_checks.engine.session.session", started)
        marked(tmp_path / "out", [row("data/a")])
        self.invoked(tmp_path, "--objects", str(tree(tmp_path / "objects", "data/a")), "--delete")
        with pytest.raises(AssertionError):
            self.invoked(tmp_path, "--dataset", str(tmp_path))

    def test_a_tree_that_was_copied_is_kept_whole_with_what_to_do(self, tmp_path: Path) -> None:
        marked(tmp_path / "out", [row("data/a"), row("data/b"), row("data/gone")])
        shutil.copytree(tree(tmp_path / "old", "data/a", "data/b"), tmp_path / "new", copy_function=shutil.copy)
        said = self.invoked(tmp_path, "--objects", str(tmp_path / "new"), "--delete")
        assert names(tmp_path / "new") == ["a", "b"]
        assert "all that is there is younger than its mark" in said
        assert "list them once more and mark anew" in said

    def test_what_was_looked_for_in_the_wrong_place_goes_from_the_right_one(self, tmp_path: Path) -> None:
        folder = marked(tmp_path / "out", [row("data/a")])
        (tmp_path / "wrong").mkdir()
        self.invoked(tmp_path, "--objects", str(tmp_path / "wrong"), "--delete")
        assert accounts(folder) == {("gone", ""): 1}
        self.invoked(tmp_path, "--objects", str(tree(tmp_path / "objects", "data/a")), "--delete")
        assert accounts(folder) == {("deleted", ""): 1}

    def test_what_the_store_refuses_is_told_and_ends_with_2_and_all_else_goes(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = marked(tmp_path / "out", [row("data/a"), row("data/b"), row("data/c")])
        where = tree(tmp_path / "objects", "data/a", "data/b", "data/c")
        unlink = Path.unlink

        def refusing(path: Path, missing_ok: bool = False) -> None:
            if path.name == "b":
                raise PermissionError(13, "Permission denied", str(path))
            unlink(path, missing_ok)

        monkeypatch.setattr(Path, "unlink", refusing)
        done = lakeproof("spark", "sweep", str(tmp_path / "out"), "--run", "run", "--objects", str(where), "--delete")
        assert complaint(done) == "1 object failed or in doubt; mend that and sweep the run again"
        assert "Permission denied" in done.stdout
        assert names(where) == ["b"]
        assert accounts(folder) == {("deleted", ""): 2, ("failed", ""): 1}
        monkeypatch.undo()
        self.invoked(tmp_path, "--objects", str(where), "--delete")
        assert names(where) == []
        assert accounts(folder) == {("deleted", ""): 3}

    @pytest.mark.parametrize(
        ("more", "said"),
        [
            (["--delete"], "--delete needs --objects, where the objects are"),
            (["--keys", "lakefs"], "--keys, --beside and --blockstore are for --dataset"),
            (["--objects", "/nowhere/at/all"], "/nowhere/at/all: is no folder"),
            (["--objects", "file:/nowhere/at/all"], "/nowhere/at/all: is no folder"),
            (["--objects", "ftp://x/y"], "expected s3://, gs://, az:// or abfss:// with a bucket"),
            (["--objects", "https://example.org/x"], "expected s3://, gs://, az:// or abfss:// with a bucket"),
            (["--objects", "s3://"], "expected s3://, gs://, az:// or abfss:// with a bucket"),
            (["--objects", ".", "--endpoint", "http://x"], "does not speak S3"),
            (["--objects", ".", "--instead-of", "s3://x"], "which has all addresses"),
            (["--require-engine", "embedded"], "was marked by classic, and --require-engine says embedded"),
        ],
    )
    def test_what_is_wrong_with_a_call_is_one_line(self, tmp_path: Path, more: list[str], said: str) -> None:
        marked(tmp_path / "out", [])
        assert said in complaint(lakeproof("spark", "sweep", str(tmp_path / "out"), "--run", "run", *more))

    def test_a_run_in_a_store_keeps_its_journal_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Through Arrow's file systems, as at a URL."""
        folder = marked(tmp_path / "out", [row("data/a"), row("data/b", modified=OLD - 1)])
        where = tree(tmp_path / "objects", "data/a", "data/b")
        asked = []

        def opened(out: str) -> Folder:
            asked.append(out)
            return Folder(fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem()), "out", out)

        monkeypatch.setattr("lakeproof.spark_checks.sweep.marks.folder_at", opened)
        arguments = ("spark", "sweep", "s3://runs/out", "--run", "run", "--objects", str(where), "--delete")
        for _ in range(2):
            assert lakeproof(*arguments).exit_code == 0
        assert asked == ["s3://runs/out"] * 2
        assert accounts(folder) == {("deleted", ""): 1, ("kept", "younger"): 1}
        assert names(where) == ["b"]


@pytest.mark.parametrize(
    ("mark", "found", "why"),
    [
        ((1, OLD), (1, OLD, None), None),
        ((1, OLD + 999_999), (1, OLD, None), None),  # the store says seconds, the listing said more
        ((1, OLD), (1, OLD + 999_999, None), None),
        ((1, OLD + 999_999), (1, OLD + 1_000_000, None), "younger"),
        ((1, OLD), (1, OLD - 1, None), "older"),
        ((1, OLD), (2, OLD, None), "other-size"),
        ((1, OLD, "a"), (1, OLD, "b"), "other-e-tag"),
        ((1, OLD, "a"), (1, OLD, None), None),
        ((1, OLD, ""), (1, OLD, "b"), "other-e-tag"),  # the listing had several
        ((1, OLD, None), (1, OLD, "b"), None),
        ((None, OLD), (1, OLD, None), "mark-says-too-little"),
        ((1, None, "a"), (1, OLD, "a"), "mark-says-too-little"),
    ],
)
def test_an_object_is_the_same_if_all_that_both_say_agrees(
    mark: tuple[int, int], found: tuple[int, int, str], why: str | None
) -> None:
    assert second_look.difference(Mark("x", *mark), Found(*found), second_look.SECOND) == why


class TestRows:
    def test_an_object_of_two_rows_that_differ_is_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Also where they are in different batches."""
        monkeypatch.setattr(marks, "BATCH", 1)
        where = tree(tmp_path / "objects", "data/a", "data/b")
        done = swept(tmp_path, [row("data/a"), row("data/b"), row("data/a", modified=OLD - 5)])
        assert ends(done) == {(End.KEPT, LISTED_TWICE): 1, (End.DELETED, ""): 1, (End.REPEATED, ""): 1}
        assert names(where) == ["a"]

    @pytest.mark.parametrize(
        "name", ["data/a b", "data/%20", "data/ä", "data/a\nb", "data/'\"", "data/a%2Fb", "data/#?"]
    )
    def test_odd_names_are_names(self, tmp_path: Path, name: str) -> None:
        where = tree(tmp_path / "objects", name, "data/other")
        assert ends(swept(tmp_path, [row(name)])) == {(End.DELETED, ""): 1}
        assert names(where) == ["other"]

    @pytest.mark.parametrize(
        ("namespace", "address"),
        [
            *((NAMESPACE, name) for name in ("data/a/", "data//a", "data/./a", "data/../data/a")),
            *((NAMESPACE, "../../../objects2/a"), (NAMESPACE, "\0")),
            *(("s3://..", "data/x"), ("s3:///etc", "passwd"), ("", "x"), ("/etc", "passwd")),
            ("of no scheme", "data/x://bucket/r/data/a"),
        ],
    )
    def test_a_name_that_is_anothers_or_leads_out_of_the_folder_is_kept(
        self, tmp_path: Path, namespace: str, address: str
    ) -> None:
        marked(tmp_path / "out", [row(address)], namespace=namespace)
        where = tree(tmp_path / "objects", "data/a")
        tree(tmp_path / "objects2", "a")
        assert ends(swept(tmp_path, [])) == {(End.KEPT, UNNAMEABLE): 1}
        assert names(where) == names(tmp_path / "objects2") == ["a"]

    def test_a_link_that_leads_out_of_the_folder_is_not_followed(self, tmp_path: Path) -> None:
        other = tree(tmp_path / "other", "x")
        where = tree(tmp_path / "objects", "y")
        (where / "bucket/r/data").symlink_to(other / "bucket/r")
        assert ends(swept(tmp_path, [row("data/x")])) == {(End.KEPT, UNNAMEABLE): 1}
        assert names(other) == ["x"]

    def test_what_is_put_between_the_look_and_the_delete_is_kept(self, tmp_path: Path) -> None:
        there = FileTree(tree(tmp_path, "data/a", "data/b", "data/c"), FREE)
        names_ = [f"bucket/r/data/{name}" for name in "abc"]
        looks = [(name, look) for name, look in zip(names_, there.look(names_), strict=True) if isinstance(look, Found)]
        put(tmp_path, "data/a", modified=OLD + 1)
        (tmp_path / "bucket/r/data/b").unlink()
        assert there.delete(looks) == [PUT_AGAIN, GONE, DELETED]
        assert names(tmp_path) == ["a"]

    def test_a_folder_is_no_object(self, tmp_path: Path) -> None:
        tree(tmp_path / "objects", "data/a/b")
        assert ends(swept(tmp_path, [row("data/a")])) == {(End.GONE, ""): 1}


def without(name: str) -> Damage:
    return lambda run: (run / name).unlink()


def changed(name: str, change: Callable[[bytes], bytes]) -> Damage:
    return lambda run: (run / name).write_bytes(change((run / name).read_bytes()))


def altered(old: bytes, new: bytes) -> Damage:
    return changed("report.json", lambda whole: whole.replace(old, new))


PART = "addresses/part.parquet"
ALTERED = {
    **dict.fromkeys((b'"name"', b'"asked"', b'"engine"', b'"tags"', b'"keys"'), b'"x"'),
    b'"kind": "retention"': b'"kind": "uncommitted"',  # which has no "older_than" then
    b'"microseconds": 0': b'"microseconds": 9e18',
    b'"microseconds": ': b'"microseconds": 1' + 18 * b"0",
    b'"rules": {': b'"rules": [], "": {',
    b'"lenient": false': b'"lenient": "false"',
}


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda run: run.rename(run.with_name("r1")), "has no run 'run'; those there are r1"),
        (without("report.json"), "never came to its end"),
        (without(PART), "part.parquet: is gone, and the run is not whole without it"),
        (changed(PART, lambda whole: whole[:-1]), "part.parquet: is not what the run has written"),
        (changed(PART, lambda whole: b"y" + whole[1:]), "part.parquet: is not what the run has written"),
        (altered(b'"objects": 1', b'"objects": 0'), "1 marked objects"),
        *(
            (changed("report.json", lambda _, text=text: text), "is no report of a run")  # type: ignore[misc]
            for text in (b"", b"[]", b"{}", b'{"kind": "retention"}', b"\x00", b"[" * 100_000)
        ),
        *((altered(*words), "is no report of a run") for words in ALTERED.items()),
    ],
)
def test_a_run_that_is_not_whole_is_refused(tmp_path: Path, damage: Damage, said: str) -> None:
    damage(marked(tmp_path, [row("data/a")]))
    assert said in complaint(lakeproof("spark", "sweep", str(tmp_path), "--run", "run"))
