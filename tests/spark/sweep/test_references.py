"""With a dataset of now, a sweep keeps what has found somebody since it was marked; through the commands. ETags of the
listing come with what is marked, where a listing has them, and none is guessed."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from lakeproof.model import committed, keys
from lakeproof.model.catalog import AddressType, ObjectEntry, encode_object_entry
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Commit, Record
from lakeproof.model.references import RepositoryView, repositories
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks import holdings
from lakeproof.spark_checks.data.dataset import Dataset
from lakeproof.spark_checks.generate import records
from lakeproof.spark_checks.retention.marks import _encode_rules
from tests.commands import lakeproof
from tests.spark import snapshots
from tests.spark.commands import mark_by_command
from tests.spark.conftest import ON_BOTH
from tests.spark.retention import test_marking as retention
from tests.spark.retention.worlds import HOUR, NOW, world
from tests.spark.sweep.marking import accounts, journal
from tests.spark.uncommitted import test_uncommitted as uncommitted

pytestmark = pytest.mark.deep

Marks = Callable[[Snapshot], set[str]]

MARKS: Mapping[str, Marks] = {
    "retention": lambda found: retention.marked_by_the_model(found, tags=False),
    "uncommitted": uncommitted.marked_by_the_model,
}


class Marked(NamedTuple):
    """A run of a command over a world; its objects as files."""

    kind: str
    found: Snapshot
    out: Path
    marked: set[str]

    @property
    def folder(self) -> Path:
        return self.out / "run"

    def sweep(self, tree: Path, *more: str) -> tuple[int, str, str]:
        done = lakeproof("spark", "sweep", str(self.out), "--run", "run", "--objects", str(tree), "--delete", *more)
        # Progress of Spark's jobs is on stderr, too.
        complained = [line for line in done.stderr.splitlines() if line.startswith("lakeproof: ")]
        return done.exit_code, done.stdout, "\n".join(complained)


def sound(found: Snapshot) -> Snapshot:
    """The same world, but that every parent has a record."""
    there = {(partition, each.commit_id) for (partition, _), each in found.store.items() if isinstance(each, Commit)}
    store = dict(found.store)
    for at, each in found.store.items():
        if isinstance(each, Commit):
            parents = tuple(parent for parent in each.parents if (at[0], parent) in there)
            store[at] = attrs.evolve(each, parents=parents)
    return attrs.evolve(found, store=store)


def dataset(found: Snapshot, folder: Path) -> str:
    snapshots.write(snapshots.tables(found), folder)
    return str(folder)


def tree(found: Snapshot, folder: Path) -> Path:
    for address, stored in found.objects.items():
        path = folder / address.partition("://")[2]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(stored.content)
        os.utime(path, ns=(stored.last_modified * 1000, stored.last_modified * 1000))
    return folder


def there(folder: Path) -> set[str]:
    return {f"s3://{path.relative_to(folder).as_posix()}" for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module", params=["retention", "uncommitted"])
def run(spark: SparkSession, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Marked:
    kind, place = str(request.param), tmp_path_factory.mktemp("marked")
    found = sound(world(5, 40))
    (place / "rules.json").write_text(json.dumps(_encode_rules(retention.RULES)))
    rules = ("--rules", str(place / "rules.json")) if kind == "retention" else ()
    done = mark_by_command(dataset(found, place / "dataset"), place / "out", *rules, kind=kind)
    assert done.exit_code == 0, done.output
    rows = pq.read_table(place / "out" / "run" / "addresses").to_pylist()
    marked = {f"{each['storage_namespace']}/{each['address']}" for each in rows}
    assert marked == MARKS[kind](found)
    assert len(marked) > 20
    return Marked(kind, found, place / "out", marked)


@pytest.fixture
def fresh(run: Marked, tmp_path: Path) -> Marked:
    """The same run, that nobody has swept."""
    shutil.copytree(run.out, tmp_path / "out")
    return run._replace(out=tmp_path / "out")


def homes(view: RepositoryView) -> bytes:
    return keys.repository_partition(view.repository.repository_id, view.repository.instance_uid)


def later(run: Marked) -> Snapshot:
    """A branch at an expired commit, an entry that is staged, and a commit, each of which brings back a marked object
    (the first one where commits are what was marked)."""
    store: dict[tuple[bytes, bytes], Record | bytes] = dict(run.found.store)
    objects = dict(run.found.objects)

    def add(home: bytes, record: Record) -> None:
        store[home, records.key(record)] = record

    owners = [(view, sorted(run.marked.intersection(view.data()))) for view in repositories(run.found)]
    (first, _), (second, two), (third, three) = [each for each in owners if len(each[1]) > 1][:3]
    for view in (first,):
        for commit_id in view.commits if run.kind == "retention" else ():
            if {each.address for each in view.committed(commit_id) or ()} & run.marked:
                add(homes(view), records.branch("back", commit_id, "back:1"))
                break
    token = next(each.staging_token for each in second.branches.values()) if second.branches else "new:1"
    if not second.branches:
        add(homes(second), records.branch("new", next(iter(second.commits)), token))
    add(token.encode(), records.staged_entry("since", ObjectEntry(address=two[0], address_type=AddressType.FULL)))
    data = encode_object_entry(ObjectEntry(address=three[-1], address_type=AddressType.FULL))
    written = committed.write([committed.Entry(path=b"p", identity=b"i", data=data)])
    for object_id, content in written.objects.items():
        objects[committed.object_address(third.namespace, object_id)] = StoredObject(content, last_modified=NOW)
    add(homes(third), records.commit("since", NOW, meta_range_id=written.meta_range_id))
    add(homes(third), records.branch("since", "since", "since:1"))
    return attrs.evolve(run.found, store=store, objects=objects)


@ON_BOTH
def test_what_is_referred_to_since_is_kept_and_told_by_reason(fresh: Marked, tmp_path: Path) -> None:
    found = later(fresh)
    goes = MARKS[fresh.kind](found) & fresh.marked
    spared = fresh.marked - goes
    assert len(spared) >= 2
    where = tree(found, tmp_path / "objects")
    code, said, complained = fresh.sweep(where, "--dataset", dataset(found, tmp_path / "now"))
    assert (code, complained) == (0, "")
    assert there(where) == found.objects.keys() - goes
    assert accounts(fresh.folder) == {("deleted", ""): len(goes), ("kept", "referred-to"): len(spared)}
    assert {at for at, (end, why) in journal(fresh.folder).items() if why == "referred-to"} == spared
    report = json.loads((fresh.folder / "swept" / "report.json").read_text())
    told = report["references"]
    assert report["rows"]["kv"] == len(found.store)
    assert f"read: {len(found.store)} rows of kv, " in said
    assert sum(told.values()) == len(spared)
    assert {"staged", "active-commit" if fresh.kind == "retention" else "committed"} <= told.keys()
    assert f"referred to in {tmp_path / 'now'}: " in said


def test_references_that_the_mark_of_sail_has_lost_are_found_by_the_second_look(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, committed_of = sound(world(5, 40)), holdings.find_committed

    def losing(of: Dataset, roots: DataFrame) -> holdings.Committed:
        whole = committed_of(of, roots)
        return attrs.evolve(whole, references=whole.references.where("false"))

    now = dataset(found, tmp_path / "now")
    with monkeypatch.context() as patch:
        patch.setattr(holdings, "find_committed", losing)
        done = mark_by_command(now, tmp_path / "out")
    assert done.exit_code == 0, done.output
    goes, where = MARKS["uncommitted"](found), tree(found, tmp_path / "objects")
    wrong = Marked("uncommitted", found, tmp_path / "out", goes)
    assert pq.read_table(wrong.folder / "addresses").num_rows > len(goes)
    assert wrong.sweep(where, "--dataset", now)[0] == 0
    assert there(where) == found.objects.keys() - goes


@ON_BOTH
def test_a_second_look_by_another_key_schema_is_refused(fresh: Marked, tmp_path: Path) -> None:
    where, now = tree(fresh.found, tmp_path / "objects"), dataset(fresh.found, tmp_path / "now")
    code, said, complained = fresh.sweep(where, "--dataset", now, "--keys", "lakefs")
    assert (code, said) == (2, "")
    assert "say --keys design" in complained
    assert there(where) == {*fresh.found.objects}


@ON_BOTH
def test_half_a_store_ends_it_before_anything_is_deleted(fresh: Marked, tmp_path: Path) -> None:
    found = later(fresh)
    commits = [at for at, each in found.store.items() if isinstance(each, Commit)]
    half = {at: each for at, each in found.store.items() if at not in commits[::2]}
    where = tree(found, tmp_path / "objects")
    now = dataset(attrs.evolve(found, store=half), tmp_path / "now")
    code, said, complained = fresh.sweep(where, "--dataset", now)
    assert (code, said) == (2, "")
    assert "has no record" in complained
    assert len(complained.splitlines()) == 1
    assert there(where) == {*found.objects}
    assert not (fresh.folder / "swept").exists()


def garbage(found: Snapshot, *names: str) -> Snapshot:
    """With more objects that nobody refers to."""
    more = {f"s3://bucket/r0/data/{name}": StoredObject(b"x", last_modified=NOW - 72 * HOUR) for name in names}
    return attrs.evolve(found, objects={**found.objects, **more})


def tagged(dataset: Path) -> None:
    """A file with ETags: of one object two, of another one and none. A second file has no such column."""
    [file] = (dataset / "objects").glob("*.parquet")
    rows, schema = pq.read_table(file).to_pylist(), pq.read_schema(file)
    tags: dict[str, list[str | None]] = {"data/tagged": ["t"], "data/twice": ["one", "two"], "data/half": ["h", None]}
    plain = [row for row in rows if row["address"] not in tags]
    made = [{**row, "e_tag": tag} for row in rows for tag in tags.get(row["address"], ())]
    pq.write_table(pa.Table.from_pylist(plain, schema), file)
    schema = schema.append(pa.field("e_tag", pa.string()))
    pq.write_table(pa.Table.from_pylist(made, schema), file.with_name("1.parquet"))


def marked(dataset: Path) -> pa.Table:
    done = mark_by_command(dataset, dataset.parent / "out")
    assert done.exit_code == 0, done.output
    return pq.read_table(dataset.parent / "out" / "run" / "addresses")


@ON_BOTH
def test_a_tag_comes_with_its_object_and_of_several_none_counts(spark: SparkSession, tmp_path: Path) -> None:
    now = Path(dataset(garbage(sound(world(7, 2)), "tagged", "twice", "half"), tmp_path / "dataset"))
    before = marked(now)
    assert before.column_names == ["storage_namespace", "address", "size_bytes", "last_modified"]
    (tmp_path / "out").rename(tmp_path / "before")
    tagged(now)
    rows = marked(now)
    tags = {(each["storage_namespace"], each["address"]): each["e_tag"] for each in rows.to_pylist()}
    assert tags.pop(("s3://bucket/r0", "data/tagged")) == "t"
    assert tags.pop(("s3://bucket/r0", "data/twice")) == ""
    assert tags.pop(("s3://bucket/r0", "data/half")) == ""
    assert {*tags.values()} == {None}
    assert len(tags) == before.num_rows - 3
    assert rows.num_rows == before.num_rows + 2
