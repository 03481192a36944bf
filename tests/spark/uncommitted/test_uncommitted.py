"""A run over what was never committed marks what the model calls garbage, and goes on from the last run."""

import random
from pathlib import Path

import attrs
import pytest
from pyspark.sql import SparkSession

from lakeproof.impl.hard_delete.offline import COPIES_PREFIX
from lakeproof.model import committed, keys
from lakeproof.model.catalog import AddressType, ObjectEntry, encode_object_entry
from lakeproof.model.invariants.data import garbage
from lakeproof.model.kv import Address
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Branch, Commit, Record, StagedEntry
from lakeproof.model.references import repositories
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks.data import manifest
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.data.kinds import ISSUED_PREFIX
from lakeproof.spark_checks.engine import runs
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.tables import BINARY, table
from lakeproof.spark_checks.generate import records
from lakeproof.spark_checks.uncommitted.marks import MarkOptions, begins, mark
from lakeproof.words import Unusable
from tests.spark import snapshots
from tests.spark.conftest import ON_CLASSIC_TOO
from tests.spark.retention.test_marking import Done, addresses
from tests.spark.retention.worlds import HOUR, NOW, world

pytestmark = ON_CLASSIC_TOO

AGE = 24 * HOUR


def run(spark: SparkSession, found: Snapshot, folder: Path, last: Done | None = None) -> Done:
    """Of what the last run has read, the dataset has nothing any more."""
    made, since = snapshots.tables(found), None
    if last is not None:
        since, before = last.folder, snapshots.tables(last.found)
        made.metaranges = sorted({*made.metaranges} - {*before.metaranges})
        made.ranges = [row for row in made.ranges if row[0] in {range_id for _, range_id in made.metaranges}]
    snapshots.write(made, folder / "dataset")
    place = runs.make_folder(folder / "out", "run")
    options = MarkOptions(
        now=NOW, older_than=AGE, since=None if since is None else folder_at(since), lenient=True
    )  # the worlds lack parents
    return Done(found, mark(open_dataset(spark, str(folder / "dataset")), options, folder_at(place)), place)


def committed_in(found: Snapshot) -> set[str]:
    """What any commit of any repository refers to, wherever it lies."""
    return {
        each.address
        for view in repositories(found)
        for commit_id in view.commits
        for each in view.committed(commit_id) or ()
    }


def marked_by_the_model(found: Snapshot) -> set[str]:
    """Garbage that is a day old, less what is staged or committed in another repository."""
    views = repositories(found)
    staged = {
        each.address for view in views for branch_id in view.branches for each in view.owned_references(branch_id)
    }
    old = {address for address, each in found.objects.items() if each.last_modified <= NOW - AGE}
    return {address for view in views for address in garbage(view)} & old - staged - committed_in(found)


ODD = ObjectEntry(address="data/a://b", address_type=AddressType.RELATIVE)
PROMISED: dict[Address, Record | bytes] = {
    (b"repo0-uid0", b"commits/odd"): records.commit("odd", NOW),
    (b"repo0-uid0", b"branches/odd"): records.branch("odd", "odd", "odd:1"),
    (b"odd:1", b"key/p"): records.staged_entry("p", ODD),
    (b"repo0-uid0", b"copies/young"): f"{NOW - AGE + 1} s3://bucket/r0/data/copied".encode(),
    (b"repo0-uid0", b"copies/old"): f"{NOW - AGE} s3://bucket/r0/data/forgotten".encode(),
    (b"repo0-uid0", b"link-addresses/data/issued"): b"",
    (b"nobody", b"copies/young"): f"{NOW} s3://bucket/r0/data/astray".encode(),
}


def with_promises(found: Snapshot) -> Snapshot:
    names = ("copied", "forgotten", "issued", "astray", "a://b")
    more = {f"s3://bucket/r0/data/{name}": StoredObject(b"x", last_modified=NOW - AGE) for name in names}
    late = StoredObject(b"x", last_modified=NOW - AGE + 1)
    more |= {"s3://bucket/r0/data/late": late, "s3://bucket/r0/_lakefs/data/x": attrs.evolve(late, last_modified=0)}
    return attrs.evolve(found, store={**found.store, **PROMISED}, objects={**found.objects, **more})


def a_day_later(found: Snapshot, chance: random.Random, swept: set[str]) -> Snapshot:
    """Some of what was marked is gone; commits were made and lost, branches and staged entries as well."""
    store = {
        at: each
        for at, each in found.store.items()
        if not isinstance(each, Branch | Commit | StagedEntry) or chance.random() < 0.8
    }
    objects = {at: each for at, each in found.objects.items() if at not in swept}
    for view in repositories(found):
        names = [address for address in sorted(view.data()) if address not in swept]
        if not names:
            continue
        entry = ObjectEntry(address=chance.choice(names), address_type=AddressType.FULL)
        data = encode_object_entry(entry)
        written = committed.write([committed.Entry(path=b"p", identity=b"i", data=data)])
        for object_id, content in written.objects.items():
            objects[committed.object_address(view.namespace, object_id)] = StoredObject(content)
        home = keys.repository_partition(view.repository.repository_id, view.repository.instance_uid)
        new = records.commit("new", NOW, meta_range_id=written.meta_range_id)
        store[home, records.key(new)] = new
        objects[f"{view.namespace}/data/later"] = StoredObject(b"x")
    return attrs.evolve(found, store=store, objects=objects)


@pytest.fixture(scope="module")
def first(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Done:
    return run(spark, with_promises(world(7, 80)), tmp_path_factory.mktemp("first"))


@pytest.fixture(scope="module")
def second(spark: SparkSession, first: Done, tmp_path_factory: pytest.TempPathFactory) -> Done:
    chance = random.Random(1)
    swept = {address for address in sorted(addresses(spark, first.folder)) if chance.random() < 0.5}
    later = a_day_later(first.found, chance, swept)
    return run(spark, later, tmp_path_factory.mktemp("second"), first)


class TestAgainstTheModel:
    kept = frozenset({"s3://bucket/r0/data/copied", "s3://bucket/r0/data/issued"})

    def test_what_is_marked_is_old_garbage_that_is_not_promised(self, spark: SparkSession, first: Done) -> None:
        found = addresses(spark, first.folder)
        assert found == marked_by_the_model(first.found) - self.kept
        assert {"s3://bucket/r0/data/forgotten", "s3://bucket/r0/data/astray"} <= found
        assert len(found) > 50

    def test_every_object_is_accounted_for(self, first: Done) -> None:
        accounts = {each.reason: each.objects for each in first.report.accounts}
        assert sum(accounts.values()) == len(first.found.objects) == first.report.listing
        assert accounts.keys() == {
            *("committed", "staged", "issued", "tracked-copy", "too-young", "marked"),
            *("internal", "outside-data", "no-repository"),
        }
        assert (accounts["tracked-copy"], accounts["issued"], accounts["no-repository"]) == (1, 1, 2)

    def test_what_dangles_is_counted_and_told(self, first: Done) -> None:
        views = repositories(first.found)
        parents = sum(
            parent not in view.commits for view in views for each in view.commits.values() for parent in each.parents
        )
        assert first.report.findings == {"head-exists": 0, "parents-exist": parents}
        said = {f"finding: {parents} parents of commits have no record (parents-exist)"}
        said |= {manifest.note(each) for each in first.report.unsealed}
        assert said <= {*runs.summary(first.report, folder_at(first.folder), None, [])}
        for where, objects in (("s3://bucket", "s3://bucket"), ("s3://", "STORE")):
            *_, last, _ = runs.summary(first.report, folder_at(first.folder), None, ["kv", "--blockstore", where])
            assert f"--objects {objects} --dataset kv" in last
        assert len(said) == 2


class TestGoingOnFromTheLastRun:
    def test_what_the_last_run_knew_to_be_committed_stays_kept_and_all_else_is_looked_at_anew(
        self, spark: SparkSession, first: Done, second: Done
    ) -> None:
        """The same as a run that begins anew, but for commits whose records are gone: they still keep."""
        anew = marked_by_the_model(second.found) - TestAgainstTheModel.kept
        found = addresses(spark, second.folder)
        assert found == anew - committed_in(first.found)
        assert found < anew
        assert found - addresses(spark, first.folder)

    @pytest.mark.deep
    def test_a_run_that_begins_anew_needs_what_the_last_one_has_read(
        self, spark: SparkSession, second: Done, tmp_path: Path
    ) -> None:
        dataset = open_dataset(spark, str(second.folder.parents[1] / "dataset"))
        with pytest.raises(Unusable, match=r"metarange \w+ of a commit is not there"):
            mark(
                dataset,
                MarkOptions(now=NOW, older_than=AGE, lenient=True),
                folder_at(runs.make_folder(tmp_path, "anew")),
            )

    def test_a_run_of_another_kind_is_refused(self, first: Done) -> None:
        with pytest.raises(Unusable, match="is a run of uncommitted; name one of retention"):
            runs.demand_run(folder_at(first.folder), "retention")


@pytest.mark.parametrize("prefix", [COPIES_PREFIX, ISSUED_PREFIX], ids=bytes.decode)
def test_the_range_of_a_prefix_has_what_begins_with_it(spark: SparkSession, prefix: bytes) -> None:
    others = [b"", prefix[:-1], prefix[:-1] + b".", prefix[:-1] + b"0", b"x" + prefix, prefix.upper(), b"\xff"]
    inside = [prefix, prefix + b"a", prefix + b"\xff\xff", prefix + b"\x00", prefix * 2]
    rows = spark.createDataFrame([(key,) for key in [*others, *inside, None]], table(key=BINARY))
    found = {bytes(row["key"]) for row in rows.where(begins("key", prefix)).collect()}
    assert found == set(inside) == {key for key in others + inside if key.startswith(prefix)}
