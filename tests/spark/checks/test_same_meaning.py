"""One invariant, one meaning: what `model` says of a snapshot, Spark says of the same one as a dataset.

Hundreds of snapshots make one dataset, each with names of its own, so that a whole comparison is one run. What the
model says of garbage and of zombies is about records that tell their instance; Spark also judges those that do not,
by their partition, and only the former are compared. The model tells lost objects commit by commit, Spark once each.
Checks that the model does not have are held against their meaning, record by record.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import attrs
import pytest
from pyspark.sql import SparkSession

from lakeproof.impl.codec import decode_at
from lakeproof.model import keys
from lakeproof.model.catalog import AddressType, ObjectEntry, encode_object_entry, identity_of
from lakeproof.model.committed import Entry, Splitting, object_address
from lakeproof.model.committed import write as write_tree
from lakeproof.model.identifiers import BranchID, InstanceUID, MetaRangeID, StorageNamespace
from lakeproof.model.invariants import data, refs, repositories
from lakeproof.model.invariants._base import Always, Eventually, Reached, Violation
from lakeproof.model.kv import Address
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, RepositoryState, StagedEntry
from lakeproof.model.references import RepositoryView
from lakeproof.model.references import repositories as views
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks.checks.run import run
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine.workspace import fresh
from lakeproof.spark_checks.findings import FINDINGS
from lakeproof.spark_checks.generate import records
from tests.spark.conftest import ON_BOTH
from tests.spark.snapshots import Tables, tables, write

pytestmark = [pytest.mark.usefixtures("interpreted"), ON_BOTH]

COMPARED = (
    "active-is-complete",
    "no-reachable-zombie",
    "garbage-is-reclaimable",
    "head-exists",
    "token-has-one-owner",
    "committed-data-is-kept",
    "staged-data-is-kept",
    "address-has-one-entry",
)

BY_RECORDS = (
    *("parents-exist", "generation-is-right", "child-is-not-older", "commits-have-no-cycle", "meta-range-exists"),
    *("staged-has-owner", "cleanup-spares-live"),
)

Found = set[tuple[str, str]]
"""Ids and subjects."""


def shown(address: Address) -> str:
    return f"{address[0].decode()} {address[1].decode()}"


def told(check: Always | Eventually, found: Snapshot) -> list[str]:
    return [each.evidence for each in check.check(found) if isinstance(each, Violation)]


def parsed(pattern: str, evidence: Iterable[str]) -> list[tuple[str, ...]]:
    matches = [re.fullmatch(pattern, each, re.DOTALL) for each in evidence]
    assert None not in matches, f"no evidence of the model is like this: {list(evidence)}"
    return [match.groups() for match in matches if match is not None]


def telling(found: Snapshot) -> Snapshot:
    """Without branches, commits and tags that do not say their instance: Spark leads to them by their partition alone,
    the model by the instance that it names."""
    kept = {at: each for at, each in found.store.items() if repositories.owner(each) or at[0] == keys.DELETED}
    return attrs.evolve(found, store=kept)


def said_by_model(found: Snapshot) -> Found:
    """The violations that the model finds, by id and subject; of what it does not tell, it is asked part by part."""
    answers: Found = set()
    for repository_id, uid in parsed(
        r"(\S+) \(active, instance (\S+)\) is accessible and lacks .*", told(repositories.active_is_complete, found)
    ):
        answers.add(("active-is-complete", f"{repository_id}-{uid}"))
    for partition in {partition for partition, _ in found.store}:
        own = {address: record for address, record in found.store.items() if address[0] == partition}
        part = attrs.evolve(found, store=own)
        for (key,) in parsed(r"(\S+) names .*", told(refs.head_exists, part)):
            answers.add(("head-exists", f"{partition.decode()} {key}"))
        entries = {address: record for address, record in found.store.items() if address[0] == keys.GRAVELER}
        part = attrs.evolve(found, store=own | entries)
        for (key,) in parsed(r"(\S+) belongs to .*", told(repositories.no_reachable_zombie, part)):
            answers.add(("no-reachable-zombie", f"{partition.decode()} {key}"))
    for (where,) in parsed(r"(.*) is garbage that .*", told(repositories.garbage_is_reclaimable, telling(found))):
        answers.add(("garbage-is-reclaimable", where))
    for (token,) in parsed(r"(\S+) belongs to .*", told(refs.token_has_one_owner, found)):
        answers.add(("token-has-one-owner", token))
    for view in views(found):
        answers |= said_of_data(found, view)
    return answers


def said_of_data(found: Snapshot, view: RepositoryView) -> Found:
    repository = (keys.GRAVELER, keys.repository_key(view.repository.repository_id))
    others = {
        address: record
        for address, record in found.store.items()
        if not isinstance(record, Repository) or address == repository
    }
    alone = attrs.evolve(found, store=others)
    answers: Found = set()
    home = keys.repository_partition(view.repository.repository_id, view.repository.instance_uid)
    for evidence in told(data.committed_data_is_kept, alone):
        commit_id, unreadable, _, address = parsed(
            r"commit (\S+) (?:(cannot be read): .*|has (.*) at (\S+), which is not there)", [evidence]
        )[0]
        whole = [each for each in view.commits if each.startswith(commit_id)]  # the model tells 8 characters
        if unreadable and not whole:
            continue  # it has no record: on Spark `head-exists` or `parents-exist`
        assert len(whole) == 1
        where = shown((home, keys.commit_key(whole[0]))) if unreadable else address
        answers.add(("committed-data-is-kept", where))
    for _, address in parsed(
        r"branch .* shows (.*) at (\S+), which is not there", told(data.staged_data_is_kept, alone)
    ):
        answers.add(("staged-data-is-kept", address))
    for (address,) in parsed(r"(\S+) is (?:committed|staged) at .*", told(data.address_has_one_entry, alone)):
        answers.add(("address-has-one-entry", address))
    return answers


def garbage_by_model(found: Snapshot) -> list[tuple[str, str]]:
    """Keys and instances of what is garbage and can be found."""
    findings = repositories.garbage_is_reclaimable.check(telling(found))
    reached = [each.what for each in findings if isinstance(each, Reached)]
    return [(key, whose) for key, whose in parsed(r"(\S+) of instance (\S+) is garbage and can be found", reached)]


def said_by_records(made: Tables) -> set[tuple[str, str, str]]:
    """Ids, kinds and subjects of `BY_RECORDS`."""
    store = {(partition, key): decode_at(partition, key, value) for partition, key, value in made.kv}
    commits = {at: each for at, each in store.items() if isinstance(each, Commit)}
    active = {
        (each.repository_id, each.instance_uid)
        for each in store.values()
        if isinstance(each, Repository) and each.state is RepositoryState.ACTIVE
    }
    tokens: dict[str, bool] = defaultdict(bool)  # whether a branch that was not deleted has it
    for branch in [each for each in store.values() if isinstance(each, Branch)]:
        for token in (branch.staging_token, *branch.sealed_tokens):
            tokens[token] |= bool(branch.commit_id)
    parts: dict[str, set[str]] = defaultdict(set)
    for tree, part in made.metaranges:
        parts[tree].add(part)
    there, answers = {row[0] for row in made.ranges}, set[tuple[str, str, str]]()
    for at, record in store.items():
        wrong = dict[str, bool]()
        if isinstance(record, Commit):
            named = [(at[0], keys.commit_key(each)) for each in record.parents]
            parents = [commits[each] for each in named if each in commits]
            least, whole = 1 + max((each.generation for each in parents), default=0), len(parents) == len(named)
            above, todo = set[Address](), named
            while todo := [each for each in todo if each in commits and each not in above]:
                above.add(todo[0])
                todo = [*todo[1:], *((at[0], keys.commit_key(each)) for each in commits[todo[0]].parents)]
            tree = record.meta_range_id
            wrong = {
                "parents-exist": not whole,
                "generation-is-right": record.generation < least or (whole and record.generation > least),
                "child-is-not-older": any(record.creation_date < each.creation_date for each in parents),
                "commits-have-no-cycle": at in above,
                "meta-range-exists": bool(tree) and (tree not in parts or not parts[tree] <= there),
            }
        elif isinstance(record, CleanupRecord):
            wrong = {"cleanup-spares-live": (record.repository_id, record.instance_uid) in active}
        elif isinstance(record, StagedEntry) and not tokens.get(owner := at[0].decode()):
            answers.add(("staged-has-owner", "garbage" if owner in tokens else "violation", owner))
        kinds = {"child-is-not-older": "note"}
        answers |= {(name, kinds.get(name, "violation"), shown(at)) for name, is_wrong in wrong.items() if is_wrong}
    return answers


def compare(spark: SparkSession, snapshots: list[Snapshot], made: Tables, folder: Path) -> Found:
    """Run both, and hold them against each other, row by row. Returns what they agree on."""
    write(made, folder)
    target = fresh(spark, "findings")
    run(open_dataset(spark, str(folder)), (*COMPARED, *BY_RECORDS), target)
    rows = spark.read.schema(FINDINGS).parquet(target).collect()
    by_records = sorted((row.id, row.kind, row.subject) for row in rows if row.id in BY_RECORDS)
    assert by_records == sorted(said_by_records(made))
    rows = [row for row in rows if row.id in COMPARED]
    by_instance = "belongs to instance "
    telling = [row for row in rows if row.id != "garbage-is-reclaimable" or row.evidence.startswith(by_instance)]
    spark_says = {(row.id, row.subject) for row in telling if row.kind == "violation"}
    model_says = set().union(*map(said_by_model, snapshots))
    assert sorted(spark_says - model_says) == []
    assert sorted(model_says - spark_says) == []

    garbage = [row for row in telling if row.kind == "garbage"]
    spark_reclaims = [
        (row.subject.rpartition(" ")[2], row.evidence.removeprefix(by_instance).partition(",")[0]) for row in garbage
    ]
    assert sorted(spark_reclaims) == sorted(each for found in snapshots for each in garbage_by_model(found))
    return spark_says | {(check, subject) for check, _, subject in by_records}


@attrs.frozen
class Case:
    """Makes one snapshot with much that is wrong. Its names begin with its own."""

    draw: random.Random
    name: str
    store: dict[Address, Record | bytes] = attrs.Factory(dict)
    objects: dict[str, StoredObject] = attrs.Factory(dict)

    def often(self, share: float) -> bool:
        return self.draw.random() < share

    def one_of(self, *values: str) -> str:
        return self.draw.choice(values)

    def made(self) -> Snapshot:
        for number in range(self.draw.choice((1, 1, 2))):
            self.repository(f"{self.name}r{number}")
        uid = self.one_of(f"{self.name}r0u", f"{self.name}gone")
        if self.often(0.5):
            self.add(keys.DELETED, records.cleanup(f"{self.name}r0", uid))
        return Snapshot(store=self.store, objects=self.objects, now=0, clients=())

    def repository(self, name: str) -> None:
        uid = InstanceUID(f"{name}u")
        namespace = StorageNamespace(self.one_of(f"mem://{name}", f"mem://{name}/deep", f"mem://{self.name}r0"))
        state = self.draw.choice((*[RepositoryState.ACTIVE] * 4, RepositoryState.DELETING, RepositoryState.INITIAL))
        record = records.repository(name, uid, state=state, bare=self.often(0.1), namespace=namespace)
        if self.often(0.95):
            self.add(keys.GRAVELER, record)
            if self.often(0.1):  # under another key
                other = attrs.evolve(record, default_branch_id=BranchID("dev"))
                self.store[keys.GRAVELER, f"repos/{name}x".encode()] = other
        trees = [self.tree(namespace, name) for _ in range(self.draw.randint(0, 3))]
        home = keys.repository_partition(record.repository_id, uid)
        others = ((name, 0.2), (f"{name}-{record.creation_date}", 0.2), (f"{name}-{self.name}gone", 0.3))
        for partition, share in ((home, 1.0), *((other.encode(), share) for other, share in others)):
            if self.often(share):
                self.entities(partition, name, uid, trees)
        for address in [*self.pool(name), f"{name}/data/elsewhere"]:
            if self.often(0.6):
                self.objects[address if "://" in address else f"{namespace}/{address}"] = StoredObject(b"x")

    def pool(self, name: str) -> list[str]:
        return [*(f"data/{number}" for number in range(6)), f"s3://out/{name}", f"mem://{name}/deep/data/0"]

    def add(self, partition: bytes, record: Record) -> None:
        self.store[partition, records.key(record)] = record

    def entry(self, name: str) -> ObjectEntry:
        address = self.draw.choice(self.pool(name))
        kinds = (AddressType.BY_PREFIX, AddressType.FULL if "://" in address else AddressType.RELATIVE)
        return ObjectEntry(address=address, address_type=self.draw.choice(kinds))

    def tree(self, namespace: str, name: str) -> MetaRangeID:
        paths = sorted({f"{name}/{self.draw.randint(0, 4)}" for _ in range(self.draw.randint(0, 4))})
        entries = []
        for path in paths:
            found = encode_object_entry(self.entry(name) if self.often(0.9) else ObjectEntry(address=""))
            entries.append(Entry(path=path.encode(), identity=identity_of(found), data=found))
        written = write_tree(entries, Splitting(min_bytes=0, one_in=2))
        for object_id, content in written.objects.items():
            if self.often(0.95):
                content = content if self.often(0.98) else b"damaged"
                self.objects[object_address(namespace, object_id)] = StoredObject(content)
        return written.meta_range_id

    def entities(self, partition: bytes, name: str, uid: InstanceUID, trees: list[MetaRangeID]) -> None:
        ids = [f"c.{uid}", *(f"k{number}" for number in range(self.draw.randint(0, 4)))]
        ids = [each for each in ids if self.often(0.9)]
        every = [*ids, "lost"]
        for each in ids:
            instance = self.one_of("", uid, uid, f"{self.name}gone", f"{self.name}ghost")
            tree = self.draw.choice(["", *trees])
            parents = [self.draw.choice(every) for _ in range(self.draw.choice((0, 1, 1, 2)))]
            made = records.commit(
                each,
                self.draw.randint(-1, 1),
                meta_range_id=tree,
                instance=instance,
                parents=parents,
                generation=self.draw.randint(0, 3),
            )
            self.add(partition, made)
        for branch_id in ("main", "dev", "old"):
            if self.often(0.8):
                self.branch(partition, branch_id, name, uid, every)
        for tag_id in ("v1", f"v/{name}"):
            if self.often(0.5):
                self.add(partition, records.tag(tag_id, self.one_of(*every, f"c.{self.name}ghost")))

    def branch(self, partition: bytes, branch_id: str, name: str, uid: str, commits: list[str]) -> None:
        whose = self.one_of(uid, uid, uid, f"{self.name}gone", f"{self.name}ghost")
        tokens = [f"{name}-{branch_id}:{self.one_of(whose, whose, whose, uid, self.name)}.{n}" for n in range(3)]
        tokens = [token if self.often(0.9) else f"{self.name}plain{self.draw.randint(0, 3)}" for token in tokens]
        tokens = [*dict.fromkeys(tokens)][: self.draw.randint(1, 3)]
        tombstone = branch_id == "old" and self.often(0.5)
        head = "" if tombstone else self.draw.choice(commits)
        self.add(partition, records.branch(branch_id, head, tokens[0], tokens[1:]))
        for token in tokens:
            for _ in range(self.draw.randint(0, 2)):
                path, found = f"{name}/{self.draw.randint(0, 3)}", self.entry(name) if self.often(0.8) else None
                self.add(token.encode(), records.staged_entry(path, found))


def cases(seed: int, count: int) -> list[Snapshot]:
    draw = random.Random(seed)
    return [Case(draw, f"c{number:02x}").made() for number in range(count)]


def test_spark_and_the_model_find_the_same_in_random_snapshots(spark: SparkSession, run_seed: int) -> None:
    snapshots, made = cases(run_seed, 250), Tables()
    for each in snapshots:
        made.extend(tables(each))
    agreed = compare(spark, snapshots, made, Path(fresh(spark, "snapshots")))
    assert {check for check, _ in agreed} == {*COMPARED, *BY_RECORDS}  # nothing is compared that never happens


def test_the_branch_of_another_repository_in_a_partition_of_the_same_name_completes_none(spark: SparkSession) -> None:
    case = Case(random.Random(0), "c")
    for name, uid in (("r", "1"), ("r-1", "2")):
        case.add(keys.GRAVELER, records.repository(name, uid))
    case.add(b"r-1", records.commit("c.1", instance="1"))
    case.add(b"r-1", records.branch("main", "c.1", "r-main:1.0.0"))
    found, made = Snapshot(store=case.store, objects={}, now=0, clients=()), Tables()
    made.extend(tables(found))
    agreed = compare(spark, [found], made, Path(fresh(spark, "snapshots")))
    assert {subject for check, subject in agreed if check == "active-is-complete"} == {"r-1-2"}
