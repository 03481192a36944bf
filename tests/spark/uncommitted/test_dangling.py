"""Half a store is no store: where a commit is named and has no record, nothing is marked."""

from pathlib import Path

import attrs
import pytest

from lakeproof.model import keys
from lakeproof.model.identifiers import CommitID
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Record
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks.engine.runs import read_report
from lakeproof.spark_checks.generate import records as made
from tests.commands import lakeproof
from tests.spark import snapshots
from tests.spark.retention.worlds import NOW
from tests.spark.test_staging import last_line

HOME = b"r-u"
GONE = b"r-gone"


def sound() -> Snapshot:
    """A repository with a merge, a tag, and an object that nothing refers to; and what is left of a deleted one."""
    merged = (made.commit("c1"), made.commit("c2", parents=("c1",)), made.commit("c3", parents=("c1", "c2")))
    store: dict[tuple[bytes, bytes], Record | bytes] = {
        (home, made.key(each)): each
        for home, each in (
            (keys.GRAVELER, made.repository("r", "u", namespace="s3://b/r")),
            *((HOME, each) for each in (made.branch("main", "c3", "t:1"), made.tag("v1", "c4"), made.commit("c4"))),
            *((HOME, each) for each in merged),
            (GONE, made.commit("c9", parents=("c8",))),
        )
    }
    objects = {"s3://b/r/data/x": StoredObject(b"x", last_modified=0)}
    return Snapshot(store=store, objects=objects, now=NOW, clients=())


def without(*names: str) -> Snapshot:
    lost = {(HOME, keys.commit_key(CommitID(name))) for name in names}
    found = sound()
    return attrs.evolve(found, store={at: each for at, each in found.store.items() if at not in lost})


def written(found: Snapshot, folder: Path) -> Path:
    snapshots.write(snapshots.tables(found), folder)
    return folder


pytestmark = pytest.mark.usefixtures("spark")


@pytest.mark.deep
def test_a_sound_store_is_marked_and_what_is_left_of_a_deleted_repository_is_not_asked(tmp_path: Path) -> None:
    dataset = written(sound(), tmp_path / "dataset")
    done = lakeproof("spark", "uncommitted", str(dataset), "--now", str(NOW), "--out", str(tmp_path), "--run", "run")
    assert done.exit_code == 0, done.output
    assert read_report(tmp_path, "run")["findings"] == {"head-exists": 0, "parents-exist": 0}


@pytest.mark.deep
@pytest.mark.parametrize(
    ("lost", "words"),
    [
        ("c3", "'r-u': commit c3 is the head of branch main, and has no record"),
        ("c4", "'r-u': commit c4 is the commit of tag v1, and has no record"),
        ("c1", "'r-u': commit c1 is a parent of commit c2, and has no record"),
        ("c2", "'r-u': commit c2 is a parent of commit c3, and has no record"),
    ],
)
def test_a_commit_without_a_record_ends_the_run(tmp_path: Path, lost: str, words: str) -> None:
    dataset, out = written(without(lost), tmp_path / "dataset"), tmp_path / "out"
    done = lakeproof("spark", "uncommitted", str(dataset), "--now", str(NOW), "--out", str(out))
    assert words in last_line(done)
    assert "--lenient" in last_line(done)
    assert list(out.iterdir()) == []


@pytest.mark.deep
def test_with_lenient_the_run_goes_on_and_counts_them(tmp_path: Path) -> None:
    dataset = written(without("c1", "c4"), tmp_path / "dataset")
    arguments = ("uncommitted", str(dataset), "--now", str(NOW), "--out", str(tmp_path), "--run", "run", "--lenient")
    done = lakeproof("spark", *arguments)
    assert done.exit_code == 0, done.output
    assert (
        "finding: 1 branch or tag names a commit without a record (head-exists)\n"
        "finding: 2 parents of commits have no record (parents-exist)\n"
    ) in done.stdout
