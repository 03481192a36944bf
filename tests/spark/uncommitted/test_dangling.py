"""Half a store is no store: where a commit is named and has no record, nothing is marked."""

from pathlib import Path

import attrs
import pytest
from click.testing import Result

from lakeproof.model import keys
from lakeproof.model.identifiers import CommitID
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Record
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.runs import read_report
from lakeproof.spark_checks.generate import records as made
from tests.spark import snapshots
from tests.spark.commands import last_line, mark_by_command
from tests.spark.retention.worlds import NOW

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


def marked(found: Snapshot, folder: Path, *more: str) -> Result:
    snapshots.write(snapshots.tables(found), folder / "dataset")
    return mark_by_command(folder / "dataset", folder / "out", *more)


pytestmark = [pytest.mark.deep, pytest.mark.usefixtures("spark")]


def test_a_sound_store_is_marked_and_what_is_left_of_a_deleted_repository_is_not_asked(tmp_path: Path) -> None:
    done = marked(sound(), tmp_path)
    assert done.exit_code == 0, done.output
    assert read_report(folder_at(tmp_path / "out"), "run")["findings"] == {"head-exists": 0, "parents-exist": 0}


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
    line = last_line(marked(without(lost), tmp_path))
    assert words in line
    assert "--lenient" in line
    assert list((tmp_path / "out").iterdir()) == []


def test_with_lenient_the_run_goes_on_and_counts_them(tmp_path: Path) -> None:
    done = marked(without("c1", "c4"), tmp_path, "--lenient")
    assert done.exit_code == 0, done.output
    assert (
        "finding: 1 branch or tag names a commit without a record (head-exists)\n"
        "finding: 2 parents of commits have no record (parents-exist)\n"
    ) in done.stdout
