"""Data that lies unevenly has the answers that the model gives: one giant repository beside many tiny ones, a
repository with many branches, and one prefix that has nearly all objects.

Tasks are made small here, as many rows would make them: a task has some hundred commits and 500 references, the giant
excepted.
"""

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs
import pytest
from pyspark.sql import SparkSession

from lakeproof.model import committed, keys
from lakeproof.model.catalog import AddressType, ObjectEntry, encode_object_entry
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken, StorageNamespace
from lakeproof.model.records import Branch, Commit, StagedEntry
from lakeproof.model.references import repositories
from lakeproof.model.retention import DAY
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks import ledger, whole_repositories
from lakeproof.spark_checks.retention.marking import Asked
from tests.spark.checks.test_same_meaning import agree
from tests.spark.retention import test_marking as retention
from tests.spark.retention.worlds import NOW, World, world
from tests.spark.uncommitted import test_uncommitted as uncommitted

HOME: Final = b"repo0-uid0"
NAMESPACE: Final = StorageNamespace("s3://bucket/r0")
TINY: Final = 30


@attrs.frozen(kw_only=True)
class Shape:
    """What one repository has, of which the others have a handful. ``prefix``: of the addresses of its objects."""

    commits: int
    branches: int
    objects: int
    prefix: str = "data/"


SHAPES: Final[Mapping[str, Shape]] = {
    "one giant repository": Shape(commits=500, branches=10, objects=500),
    "many branches": Shape(commits=60, branches=400, objects=100),
    "one hot prefix": Shape(commits=60, branches=12, objects=1_000, prefix="data/hot/2026/01/01/"),
}


def skewed(shape: Shape, seed: int = 0) -> Snapshot:
    """Tiny repositories, of which the first one has become large."""
    found, chance = world(seed, TINY), random.Random(f"skewed {seed}")
    made = World(chance, dict(found.store), dict(found.objects))
    names = [f"{shape.prefix}{number:06}" for number in range(shape.objects)]
    for name in names:
        if chance.random() < 0.9:
            made.put(f"{NAMESPACE}/{name}")
    commits = [_commit(made, number, names) for number in range(shape.commits)]
    for number in range(shape.branches):
        token = StagingToken(f"skewed:{number}")
        branch_id = BranchID(f"b{number % 2}" if number < 2 else f"skewed{number}")
        made.store[HOME, keys.branch_key(branch_id)] = Branch(
            branch_id=branch_id, commit_id=chance.choice(commits[::3]), staging_token=token
        )
        if chance.random() < 0.3:
            entry = StagedEntry(key=b"p", identity=b"i", data=_entry(chance.choice(names[::10])))
            made.store[keys.staging_partition(token), keys.staged_key(b"p")] = entry
    return made.snapshot()


def _commit(made: World, number: int, names: list[str]) -> CommitID:
    """Its parent is one of the last ones, as on branches that fork; it is dated after it, as a rule."""
    commit_id, chance = _named(number), made.chance
    entries = [
        committed.Entry(path=f"p{each}".encode(), identity=b"i", data=_entry(chance.choice(names)))
        for each in range(chance.randint(0, 3))
    ]
    written = committed.write(entries, committed.Splitting(min_bytes=0, max_bytes=1))
    for object_id, content in written.objects.items():
        made.put(committed.object_address(NAMESPACE, object_id), content)
    parents = (_named(max(0, number - chance.randint(1, 3))),) if number else ()
    made.store[HOME, keys.commit_key(commit_id)] = Commit(
        commit_id=commit_id,
        committer="",
        message="",
        creation_date=NOW - 20 * DAY + number * 19 * DAY // 500 + chance.randint(-1, 1) * DAY,
        meta_range_id=written.meta_range_id,
        parents=parents,
    )
    return commit_id


def _named(number: int) -> CommitID:
    """The model shows eight characters of it."""
    return CommitID(f"s{number:07}")


def _entry(name: str) -> bytes:
    return encode_object_entry(ObjectEntry(address=name, address_type=AddressType.RELATIVE))


SHALLOW: Final = "one giant repository"
"""In passing; the other shapes are deep."""


@pytest.fixture(
    params=[pytest.param(name, marks=() if name == SHALLOW else pytest.mark.deep) for name in SHAPES], scope="module"
)
def shape(request: pytest.FixtureRequest) -> Shape:
    return SHAPES[request.param]


@pytest.fixture(autouse=True)
def _small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_repositories, "COMMITS_A_TASK", 100)
    monkeypatch.setattr(ledger, "PIECE", 500)


def test_one_repository_has_most_of_what_there_is(shape: Shape) -> None:
    found = skewed(shape)
    by_size = Counter({view.repository.repository_id: len(view.data()) for view in repositories(found)})
    (largest, most), (_, next_most) = by_size.most_common(2)
    assert (largest, most > 5 * next_most) == ("repo0", True)
    views = {str(view.repository.repository_id): view for view in repositories(found)}
    assert len(views["repo0"].commits) >= shape.commits
    assert len(views["repo0"].branches) >= shape.branches
    assert len(views) == TINY


def test_retention_of_skewed_data_marks_what_the_model_marks(spark: SparkSession, shape: Shape, tmp_path: Path) -> None:
    done = retention.run(spark, skewed(shape), tmp_path, Asked(now=NOW, lenient=True))
    expected = retention.marked_by_the_model(done.found, tags=False)
    assert retention.addresses(spark, done.folder) == expected
    assert len([each for each in expected if each.startswith(f"{NAMESPACE}/{shape.prefix}")]) > 5


def test_uncommitted_of_skewed_data_marks_what_the_model_marks(
    spark: SparkSession, shape: Shape, tmp_path: Path
) -> None:
    done = uncommitted.run(spark, skewed(shape), tmp_path)
    expected = uncommitted.marked_by_the_model(done.found)
    assert uncommitted.addresses(spark, done.folder) == expected
    assert any(each.startswith(f"{NAMESPACE}/{shape.prefix}") for each in expected)


@pytest.mark.usefixtures("spark")
def test_check_of_skewed_data_finds_what_the_model_finds(spark: SparkSession, shape: Shape) -> None:
    agreed = agree(spark, [skewed(shape)])
    lost = [subject for name, subject in agreed if name == "committed-data-is-kept" and f"r0/{shape.prefix}" in subject]
    assert lost
