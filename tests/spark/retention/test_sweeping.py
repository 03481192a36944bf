"""A sweep deletes what a whole run has marked, and nothing else; it can be repeated. No Spark is needed."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import trio
from click.testing import CliRunner

from impl.stores.local_objects import LocalObjectStore
from lakeproof.tasks import Unusable
from model import objects
from spark_checks import runs
from spark_checks.ledger import MARKED, Account
from spark_checks.retention import sweeping
from spark_checks.retention.sweep_command import command
from spark_checks.retention.sweeping import FileTree, Swept, sweep, target
from spark_checks.runs import Report

NAMESPACE = "s3://bucket/r"


def marked(out: Path, *addresses: str, namespace: str = NAMESPACE, run: str = "run") -> Path:
    """A whole run that has marked these."""
    folder = runs.make_folder(out, run)
    (folder / "addresses").mkdir()
    rows = {
        "storage_namespace": pa.array([namespace] * len(addresses), pa.string()),
        "address": pa.array(addresses, pa.string()),
    }
    pq.write_table(pa.table(rows), folder / "addresses" / "part.parquet")
    account = Account(MARKED, len(addresses), 0)
    report = Report(
        kind="retention",
        run=run,
        dataset="d",
        now=0,
        asked={},
        listing=len(addresses),
        accounts=(account,),
        files=runs.files_of(folder, runs.ADDRESSES),
    )
    runs.finish(folder, report, account)
    return folder


def tree(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / "bucket/r" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


class TestFiles:
    def test_only_what_is_marked_is_deleted(self, tmp_path: Path) -> None:
        marked(tmp_path / "out", "data/a", "data/b")
        objects_ = tree(tmp_path / "objects", "data/a", "data/b", "data/c")
        assert sweep(tmp_path / "out", "run", target(str(objects_)), delete=True) == Swept(2, 0, 2, 0)
        assert names(objects_) == ["c"]

    def test_a_dry_run_deletes_nothing_and_says_what_is_there(self, tmp_path: Path) -> None:
        marked(tmp_path / "out", "data/a", "data/b")
        objects_ = tree(tmp_path / "objects", "data/a")
        assert sweep(tmp_path / "out", "run", target(str(objects_)), delete=False) == Swept(2, 0, 1, 1)
        assert sweep(tmp_path / "out", "run", None, delete=False) == Swept(2, 0, 0, 0)
        assert names(objects_) == ["a"]
        assert not (tmp_path / "out" / "run" / "swept").exists()

    def test_a_sweep_that_was_cut_short_goes_on_where_it_was(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sweeping, "BATCH", 2)
        every = [f"data/{number}" for number in range(7)]
        folder = marked(tmp_path / "out", *every)
        objects_ = tree(tmp_path / "objects", *every)

        class Failing(FileTree):
            deleted = 0

            def delete(self, address: str) -> None:
                if self.deleted == 5:
                    raise OSError("the power is gone")
                super().delete(address)
                self.deleted += 1

        with pytest.raises(Unusable, match="the power is gone"):
            sweep(tmp_path / "out", "run", Failing(objects_), delete=True)
        assert len(names(folder / "swept")) == 2
        assert sweep(tmp_path / "out", "run", target(str(objects_)), delete=True) == Swept(7, 4, 2, 1)
        assert sweep(tmp_path / "out", "run", target(str(objects_)), delete=True) == Swept(7, 7, 0, 0)
        assert names(objects_) == []
        written = [row for path in sorted((folder / "swept").iterdir()) for row in pq.read_table(path).to_pylist()]
        assert [row["address"] for row in written] == [f"{NAMESPACE}/{name}" for name in every]
        assert [row["was_there"] for row in written] == [True] * 4 + [False] + [True] * 2

    @pytest.mark.parametrize(
        ("namespace", "address"),
        [("s3://bucket/r", "../../../out"), ("s3://..", "data/x"), ("s3:///etc", "passwd"), ("", "x")],
    )
    def test_an_address_that_leads_out_of_the_folder_is_refused(
        self, tmp_path: Path, namespace: str, address: str
    ) -> None:
        marked(tmp_path / "out", address, namespace=namespace)
        objects_ = tree(tmp_path / "objects", "data/a")
        with pytest.raises(Unusable, match="leads out of"):
            sweep(tmp_path / "out", "run", target(str(objects_)), delete=True)

    def test_a_link_that_leads_out_of_the_folder_is_refused(self, tmp_path: Path) -> None:
        marked(tmp_path / "out", "data/x")
        other = tree(tmp_path / "other", "x")
        objects_ = tree(tmp_path / "objects", "y")
        (objects_ / "bucket/r/data").symlink_to(other / "bucket/r")
        with pytest.raises(Unusable, match="leads out of"):
            sweep(tmp_path / "out", "run", target(str(objects_)), delete=True)
        assert names(other) == ["x"]


class TestStore:
    def test_objects_of_a_store_are_deleted(self, tmp_path: Path) -> None:
        store = LocalObjectStore(tmp_path / "store", durable=False)
        for name in ("a", "b"):
            trio.run(store.apply, objects.Put(f"{NAMESPACE}/data/{name}", b"x"))
        marked(tmp_path / "out", "data/a", "data/gone")
        assert sweep(tmp_path / "out", "run", target(f"file:{tmp_path / 'store'}"), delete=True) == Swept(2, 0, 1, 1)
        assert list(store.contents()) == [f"{NAMESPACE}/data/b"]

    def test_a_folder_that_is_no_store_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(Unusable, match="holds 'bucket'"):
            target(f"file:{tree(tmp_path / 'tree', 'data/a')}")
        for where in ("file:/nowhere/at/all", "/nowhere/at/all"):
            with pytest.raises(Unusable, match="is no folder"):
                target(where)


class TestTheRunMustBeWhole:
    def refused(self, out: Path, run: str = "run") -> str:
        with pytest.raises(Unusable) as refusal:
            sweep(out, run, None, delete=False)
        return str(refusal.value)

    def test_a_run_that_is_not_known_is_refused_with_those_that_are(self, tmp_path: Path) -> None:
        assert self.refused(tmp_path, "x") == f"{tmp_path}: has no run 'x'; there is none"
        marked(tmp_path, "data/a", run="r1")
        assert self.refused(tmp_path, "x").endswith("has no run 'x'; those there are r1")
        assert "expected letters, digits" in self.refused(tmp_path, "../r1")

    def test_a_run_that_was_cut_short_is_refused(self, tmp_path: Path) -> None:
        folder = marked(tmp_path, "data/a")
        (folder / "report.json").unlink()
        assert "never came to its end" in self.refused(tmp_path)

    @pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "retention"}', "\x00"])
    def test_a_report_that_is_none_is_refused(self, tmp_path: Path, text: str) -> None:
        folder = marked(tmp_path, "data/a")
        (folder / "report.json").write_text(text)
        assert "is no report of a run" in self.refused(tmp_path)

    def test_a_file_that_is_gone_cut_off_or_changed_is_refused(self, tmp_path: Path) -> None:
        for number, (change, said) in enumerate(
            ((None, "is gone"), (lambda old: old[:-1], "is not what"), (lambda old: b"y" + old[1:], "is not what"))
        ):
            folder = marked(tmp_path, "data/a", run=f"r{number}")
            path = folder / "addresses" / "part.parquet"
            if change is None:
                path.unlink()
            else:
                path.write_bytes(change(path.read_bytes()))
            assert said in self.refused(tmp_path, f"r{number}")


class TestCommand:
    def invoked(self, *args: str) -> tuple[int, str]:
        done = CliRunner().invoke(command, args)
        return done.exit_code, done.output

    def test_it_deletes_only_when_told_to(self, tmp_path: Path) -> None:
        marked(tmp_path / "out", "data/a")
        objects_ = tree(tmp_path / "objects", "data/a")
        where: Sequence[str] = (str(tmp_path / "out"), "--run", "run")
        assert "nothing was looked at" in self.invoked(*where)[1]
        assert "1 would be deleted, 0 are not there" in self.invoked(*where, "--objects", str(objects_))[1]
        assert names(objects_) == ["a"]
        assert "1 deleted, 0 are not there" in self.invoked(*where, "--objects", str(objects_), "--delete")[1]
        assert names(objects_) == []

    def test_to_delete_it_must_know_where(self, tmp_path: Path) -> None:
        code, said = self.invoked(str(tmp_path), "--run", "run", "--delete")
        assert code == 2
        assert "--delete needs --objects" in said


def test_a_report_is_json_with_the_time_as_a_date(tmp_path: Path) -> None:
    folder = marked(tmp_path, "data/a")
    found = json.loads((folder / "report.json").read_text())
    assert found["now"] == {"microseconds": 0, "date": "1970-01-01T00:00:00+00:00"}
    assert found["accounts"] == [{"reason": "marked", "objects": 1, "bytes": 0}]
