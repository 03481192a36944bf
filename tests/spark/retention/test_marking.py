"""A run of retention over a dataset says what the model says of the same snapshot, and accounts for every object."""

from pathlib import Path
from typing import NamedTuple

import attrs
import pytest
from pyspark.sql import SparkSession

from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.invariants.retention import only_expired
from lakeproof.model.records import Record
from lakeproof.model.references import RepositoryView, repositories
from lakeproof.model.retention import Rules, active
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks.data.dataset import open_dataset, read_table
from lakeproof.spark_checks.engine import runs
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.runs import Report
from lakeproof.spark_checks.engine.tables import OBJECTS
from lakeproof.spark_checks.generate import records
from lakeproof.spark_checks.retention.marks import MarkOptions, mark
from lakeproof.spark_checks.retention.rulebook import Rulebook
from tests.spark import snapshots
from tests.spark.conftest import ON_CLASSIC_TOO
from tests.spark.retention.test_commit_files import READ
from tests.spark.retention.worlds import NOW, world

RULES = Rulebook(
    Rules(5, ((BranchID("b0"), 9), (BranchID("b1"), 0), (BranchID("nobody's"), 99))),
    {"repo3": Rules(2), "repo4": Rules(11, ((BranchID("b0"), 12),))},
)


HOME = b"repo0-uid0"


class Done(NamedTuple):
    """A run that is over, and the snapshot that it was over."""

    found: Snapshot
    report: Report
    folder: Path


def run(spark: SparkSession, found: Snapshot, folder: Path, options: MarkOptions) -> Done:
    snapshots.write(snapshots.tables(found), folder / "dataset")
    place = runs.make_folder(folder / "out", "run")
    report = mark(open_dataset(spark, str(folder / "dataset")), RULES, options, folder_at(place))
    return Done(found, report, place)


def changed(found: Snapshot, change: dict[tuple[bytes, bytes], Record | bytes]) -> Snapshot:
    return attrs.evolve(found, store={**found.store, **change})


def rules_of(view: RepositoryView) -> Rules:
    return RULES.repositories.get(view.repository.repository_id, RULES.default)


def active_of(view: RepositoryView, *, tags: bool = True) -> frozenset[CommitID]:
    heads = {branch_id: branch.commit_id for branch_id, branch in view.branches.items()}
    tagged = [tag.commit_id for tag in view.tags.values() if tags]
    return active(view.commits, heads, rules_of(view), NOW, tagged=tagged)


def spared(view: RepositoryView, *, tags: bool = True) -> set[str]:
    """What active commits and staged entries of a repository refer to, wherever it lies."""
    found = {each.address for branch_id in view.branches for each in view.owned_references(branch_id)}
    for commit_id in active_of(view, tags=tags):
        found.update(each.address for each in view.committed(commit_id) or ())
    return found


def marked_by_the_model(found: Snapshot, *, tags: bool = True) -> set[str]:
    """In each repository the data that only its expired commits have, less what another repository keeps."""
    views = repositories(found)
    marked = {
        address
        for view in views
        for address in only_expired(view, rules_of(view), NOW, tags=tags)
        if address in view.data()
    }
    return marked - {address for view in views for address in spared(view, tags=tags)}


def addresses(spark: SparkSession, folder: Path) -> set[str]:
    rows = read_table(spark, str(folder / runs.ADDRESSES), OBJECTS).collect()
    assert len(rows) == len({(row[0], row[1]) for row in rows})
    return {f"{row['storage_namespace']}/{row['address']}" for row in rows}


@pytest.fixture(scope="module")
def done(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """With tags, and with a head that is missing."""
    found = changed(world(2, 100), {(HOME, b"branches/x"): records.branch("x", "nowhere", "t")})
    return run(spark, found, tmp_path_factory.mktemp("run"), MarkOptions(now=NOW, tags=True, lenient=True))


@ON_CLASSIC_TOO
class TestAgainstTheModel:
    def test_a_commit_is_expired_where_the_model_says_so(self, spark: SparkSession, done: Done) -> None:
        expected = {
            (view.repository.repository_id, commit_id, commit_id not in active_of(view), commit.meta_range_id)
            for view in repositories(done.found)
            for commit_id, commit in view.commits.items()
        }
        rows = spark.read.csv(str(done.folder / "commits"), schema=READ, header=True).collect()
        assert len(rows) == len(expected)
        found = {(row["repository_id"], row["commit_id"], row["expired"], row["metarange_id"] or "") for row in rows}
        assert found == expected
        assert {row["expired"] for row in rows} == {True, False}

    def test_what_is_marked_is_what_the_model_marks(self, spark: SparkSession, done: Done) -> None:
        expected = marked_by_the_model(done.found)
        assert addresses(spark, done.folder) == expected
        assert len(expected) > 10

    def test_every_object_is_accounted_for(self, done: Done) -> None:
        accounts = {each.reason: each.objects for each in done.report.accounts}
        assert sum(accounts.values()) == len(done.found.objects) == done.report.listing
        contents = [each.content for each in done.found.objects.values()]
        assert sum(each.bytes for each in done.report.accounts) == sum(map(len, contents))
        assert accounts.keys() == {
            *("active-commit", "expired-elsewhere", "staged", "marked"),
            *("unreferenced", "internal", "outside-data", "no-repository"),
        }
        assert accounts["no-repository"] == 2

    def test_what_is_odd_is_counted_and_printed_in_words(self, done: Done) -> None:
        views = repositories(done.found)
        pairs = [
            (commit, view.commits.get(commit.parents[0]))
            for view in views
            for commit in view.commits.values()
            if commit.parents
        ]
        expected = {
            "commits": sum(len(view.commits) for view in views),
            "child-is-not-older": sum(p is not None and c.creation_date < p.creation_date for c, p in pairs),
            "parents-exist": sum(parent is None for _, parent in pairs),
            "commit-is-not-from-the-future": sum(
                commit.creation_date > NOW for view in views for commit in view.commits.values()
            ),
            "head-exists": 1,
            "commit-is-unique": 0,
        }
        assert {name: done.report.findings[name] for name in expected} == expected
        assert done.report.findings["commits-have-no-cycle"]
        assert done.report.findings.keys() == {*runs.ODD, *runs.COUNTED}
        lines = runs.summary(done.report, folder_at(done.folder), str(NOW), [])
        assert "finding: 1 branch or tag names a commit without a record (head-exists)" in lines
        assert sum(line.startswith("finding: ") for line in lines) == 5  # no id is there twice

    def test_rules_for_what_is_not_there_are_noted(self, done: Done) -> None:
        assert done.report.notes == ('the rules name branch "nobody\'s", which is not there: the rule keeps nothing',)


@pytest.mark.deep
def test_counts_that_do_not_add_up_are_an_error(done: Done, tmp_path: Path) -> None:
    less = attrs.evolve(done.report, listing=done.report.listing + 1)
    with pytest.raises(runs.Mismatch, match="are accounted for, and the listing has"):
        runs.finish(folder_at(tmp_path), less, done.report.marked)
    with pytest.raises(runs.Mismatch, match="was written"):
        runs.finish(folder_at(tmp_path), done.report, attrs.evolve(done.report.marked, objects=99))
    assert not (tmp_path / "report.json").exists()
