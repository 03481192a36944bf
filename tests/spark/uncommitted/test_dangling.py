"""Half a store is no store: where a commit is named and has no record, nothing is marked."""

from pathlib import Path

import attrs
import pytest

from lakeproof.model import keys
from lakeproof.model.identifiers import (
    BranchID,
    CommitID,
    InstanceUID,
    MetaRangeID,
    RepositoryID,
    StagingToken,
    StorageNamespace,
    TagID,
)
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Branch, Commit, Record, Repository, Tag
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks.engine.runs import read_report
from tests.commands import lakeproof
from tests.spark import snapshots
from tests.spark.retention.worlds import NOW
from tests.spark.test_staging import last_line

HOME = b"r-u"
GONE = b"r-gone"


def commit(name: str, *parents: str) -> Commit:
    return Commit(
        commit_id=CommitID(name),
        committer="",
        message="",
        creation_date=0,
        meta_range_id=MetaRangeID(""),
        parents=tuple(CommitID(each) for each in parents),
    )


def sound() -> Snapshot:
    """A repository with a merge, a tag, and an object that nothing refers to; and what is left of a deleted one."""
    repository = Repository(
        repository_id=RepositoryID("r"),
        storage_namespace=StorageNamespace("s3://b/r"),
        default_branch_id=BranchID("main"),
        creation_date=0,
        instance_uid=InstanceUID("u"),
    )
    branch = Branch(branch_id=BranchID("main"), commit_id=CommitID("c3"), staging_token=StagingToken("t:1"))
    store: dict[tuple[bytes, bytes], Record | bytes] = {
        (keys.GRAVELER, keys.repository_key(RepositoryID("r"))): repository,
        (HOME, keys.branch_key(BranchID("main"))): branch,
        (HOME, keys.tag_key(TagID("v1"))): Tag(tag_id=TagID("v1"), commit_id=CommitID("c4")),
        (GONE, keys.commit_key(CommitID("c9"))): commit("c9", "c8"),
    }
    for each in (commit("c1"), commit("c2", "c1"), commit("c3", "c1", "c2"), commit("c4")):
        store[HOME, keys.commit_key(each.commit_id)] = each
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
    assert "finding: head-exists: 1\nfinding: parents-exist: 2\n" in done.stdout
