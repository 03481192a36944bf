"""The checks over datasets by hand: what is found, of which kind, and what is not; damaged tables never stop them. They
end with what was read, and a next command that runs as it is printed."""

import json
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

import attrs
import click
import pytest
from click.testing import Result
from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual

from lakeproof.commands.diagnose import command as diagnose
from lakeproof.impl.codec import encode
from lakeproof.model import keys
from lakeproof.model.catalog import AddressType, ObjectEntry
from lakeproof.model.records import Record, RepositoryState
from lakeproof.spark_checks.checks import records
from lakeproof.spark_checks.checks.catalogue import BY_ID, CHECKS
from lakeproof.spark_checks.checks.command import command
from lakeproof.spark_checks.checks.report import ending
from lakeproof.spark_checks.checks.run import Outcome, Summary
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.data.decoding import decode
from lakeproof.spark_checks.engine.engines import engine_of
from lakeproof.spark_checks.engine.tables import AT_REST
from lakeproof.spark_checks.findings import FINDINGS
from lakeproof.spark_checks.generate import records as made
from lakeproof.spark_checks.uncommitted.command import command as uncommitted
from tests.commands import complaint, lakeproof
from tests.spark.checks.test_same_meaning import BY_RECORDS, COMPARED
from tests.spark.commands import last_line
from tests.spark.conftest import ON_CLASSIC_TOO
from tests.spark.snapshots import Tables, write

pytestmark = pytest.mark.usefixtures("interpreted")

DAY = datetime(2026, 1, 1, tzinfo=UTC)


class World:
    """A dataset in the making; every record goes where its names lead."""

    def __init__(self) -> None:
        self.tables = Tables()

    def put(self, partition: str, key: bytes, value: bytes) -> None:
        self.tables.kv.append((partition.encode(), key, value))

    def add(self, partition: str | bytes, *found: Record) -> None:
        self.tables.kv += [made.kv(partition, each) for each in found]

    def repository(self, name: str, *, state: RepositoryState = RepositoryState.ACTIVE, main: bool = True) -> None:
        """Named ``name``, its instance ``1``, in ``mem://name``; with a default branch and its first commit."""
        self.add(keys.GRAVELER, made.repository(name, "1", state=state, namespace=f"mem://{name}"))
        if main:
            self.commit(f"{name}-1", "first")
            self.branch(f"{name}-1", "main", "first")

    def commit(
        self, partition: str, name: str, *parents: str, tree: str = "", generation: int | None = None, date: int = 0
    ) -> None:
        told = 1 + bool(parents) if generation is None else generation
        self.add(partition, made.commit(name, date, parents=parents, generation=told, meta_range_id=tree))

    def branch(self, partition: str, name: str, commit: str, *sealed: str, token: str = "") -> None:
        self.add(partition, made.branch(name, commit, token or f"{partition}-{name}", sealed))

    def tag(self, partition: str, name: str, commit: str) -> None:
        self.add(partition, made.tag(name, commit))

    def staged(self, token: str, path: str, address: str | None, kind: AddressType = AddressType.RELATIVE) -> None:
        self.add(
            token, made.staged_entry(path, None if address is None else ObjectEntry(address=address, address_type=kind))
        )

    def tree(self, name: str, **ranges: tuple[tuple[str, str], ...]) -> None:
        """Ranges by name: paths and addresses."""
        for each, entries in ranges.items():
            self.tables.metaranges.append((name, each))
            self.tables.ranges += [(each, path, address, "", 1) for path, address in entries]

    def object(self, namespace: str, address: str) -> None:
        self.tables.objects.append((f"mem://{namespace}", address, 1, DAY))


def planted() -> World:
    """What random stores do not have, or seldom (test_same_meaning.py)."""
    world = World()
    world.repository("a")
    # What lies in no repository, and does not say whose it is: its partition tells.
    world.repository("gone", state=RepositoryState.DELETING)
    world.commit("lost-9", "first")
    world.branch("noted-7", "main", "")
    world.add(keys.DELETED, made.cleanup("noted", "7"))
    # Tokens: of nobody, of a branch that was deleted, of one branch twice.
    world.staged("nobody", "x", None)
    world.staged("nobody", "y", None)
    world.branch("a-1", "deleted", "", token="was")
    world.staged("was", "x", "data/was")
    world.branch("a-1", "twice", "first", "again", "again")
    # Outside the namespace nothing is lakeFS' to keep; full addresses inside it are.
    world.staged("a-1-main", "full", "mem://a/data/full-and-lost", AddressType.FULL)
    world.staged("a-1-main", "by prefix", "mem://elsewhere/x", AddressType.BY_PREFIX)
    # Two repositories may refer to one object outside, but no repository twice.
    world.repository("b")
    world.staged("b-1-main", "other", "mem://elsewhere/x", AddressType.FULL)
    world.staged("b-1-main", "one", "mem://shared/x", AddressType.FULL)
    world.tree("tree-b", range_b=(("two", "mem://shared/x"), ("there", "data/there"), ("lost", "data/lost")))
    world.commit("b-1", "second", "first", tree="tree-b", date=5)
    world.commit("b-1", "third", "second", tree="tree-b", generation=3, date=4)
    world.tag("b-1", "v1", "third")
    world.object("b", "data/there")
    # A commit that cannot be read: of what is in the rest of its metarange nothing is said.
    world.tree("torn", half=(("x", "data/of-a-torn-commit"),), other=())
    world.commit("b-1", "torn", "first", tree="torn")
    world.branch("b-1", "torn", "torn")
    # One that nothing leads to does not keep its objects, and an empty metarange is none that is missing.
    world.tree("dangling", range_d=(("x", "data/dangling"),))
    world.commit("b-1", "dangling", "first", tree="dangling")
    world.tables.metaranges.append(("empty", None))  # type: ignore[arg-type]
    world.commit("b-1", "empty", "first", tree="empty")
    world.tag("b-1", "empty", "empty")
    # Keys that are not those of their records.
    world.put("a-1", b"branches/key", encode(made.branch("id", "first", "t")))
    world.put("a-1-main", b"key/key", encode(made.staged_entry("path", None)))
    damage(world.tables)
    return world


def damage(tables: Tables) -> None:
    """Rows with nulls, wherever a column may have one."""
    tables.kv += [(None, b"k", b"v"), (b"p", None, b"v"), (b"a-1", b"tags/null", None)]  # type: ignore[list-item]
    tables.kv.append((b"a-1", b"commits/\xff", b"\x00"))
    tables.metaranges += [(None, "range_b"), (None, None), ("nobody's", "not there")]  # type: ignore[list-item]
    tables.ranges += [(None, "p", "data/x", "", 1), ("range_b", None, None, None, None), ("range_b", "e", "", "", 0)]  # type: ignore[list-item]
    tables.objects += [(None, "data/x", 1, DAY), ("mem://a", None, 1, DAY), (None, None, None, None)]  # type: ignore[list-item]


EXPECTED = {
    ("garbage-is-reclaimable", "garbage", "gone-1 branches/main"),
    ("garbage-is-reclaimable", "garbage", "gone-1 commits/first"),
    ("garbage-is-reclaimable", "garbage", "noted-7 branches/main"),
    ("garbage-is-reclaimable", "violation", "lost-9 commits/first"),
    ("staged-has-owner", "violation", "nobody"),
    ("staged-has-owner", "garbage", "was"),
    ("token-has-one-owner", "violation", "again"),
    ("staged-data-is-kept", "violation", "mem://a/data/full-and-lost"),
    ("address-has-one-entry", "violation", "mem://shared/x"),
    ("committed-data-is-kept", "violation", "mem://b/data/lost"),
    ("committed-data-is-kept", "violation", "b-1 commits/torn"),
    ("meta-range-exists", "violation", "b-1 commits/torn"),
    ("child-is-not-older", "note", "b-1 commits/third"),
    ("key-names-record", "violation", "a-1 branches/key"),
    ("key-names-record", "violation", "a-1-main key/key"),
    ("key-is-known", "violation", "null"),
    ("key-is-known", "violation", "a-1 0x636f6d6d6974732fff"),
    ("record-is-decodable", "violation", "a-1 tags/null"),
}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checks") / "dataset"
    write(planted().tables, folder)
    return folder


def check(*arguments: str) -> Result:
    return lakeproof("spark", "check", *arguments)


def test_every_id_is_checked_and_told() -> None:
    assert len(CHECKS) == len(BY_ID)
    text = (Path(__file__).parents[3] / "docs" / "spark-checks.md").read_text(encoding="utf-8")
    for each in CHECKS:
        assert f"| `{each.id}` |" in text


@ON_CLASSIC_TOO
def test_what_is_wrong_is_found_and_nothing_else(spark: SparkSession, dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = check(str(dataset), "--json", "--out", str(out))
    assert done.exit_code == 1
    found = spark.read.parquet(str(out / "findings"))
    assertDataFrameEqual(found.limit(0), spark.createDataFrame([], FINDINGS))
    assert {(row.id, row.kind, row.subject) for row in found.collect()} == EXPECTED
    assert {*(id_ for id_, _, _ in EXPECTED), *COMPARED, *BY_RECORDS} == BY_ID.keys()

    *lines, last = [json.loads(line) for line in done.stdout.splitlines()]
    rest = {"unsealed": [str(dataset)], "version": "", "engine": engine_of(spark).shown}
    assert last == {"rows": counted_by_hand(spark, dataset), **rest}
    assert [line["id"] for line in lines] == [each.id for each in CHECKS]
    for column, kind in (("violations", "violation"), ("garbage", "garbage"), ("notes", "note")):
        counted = {line["id"]: line[column] for line in lines}
        rows = found.where(found["kind"] == kind).groupBy("id").count().collect()
        assert {each: number for each, number in counted.items() if number} == {row[0]: row[1] for row in rows}
    by_id = {line["id"]: line for line in lines}
    assert by_id["staged-has-owner"]["examples"] == [
        {"kind": "violation", "subject": "nobody", "evidence": "2 entries, and no branch has the token"},
        {"kind": "garbage", "subject": "was", "evidence": "1 entry of a deleted branch"},
    ]
    assert (out / "summary.jsonl").read_text(encoding="utf-8") == done.stdout
    page = (out / "summary.html").read_text(encoding="utf-8")
    assert '<span class="verdict is-violated">' in page
    assert all(each in page for each in ("mem://a/data/full-and-lost", "2 entries, and no branch has the token"))


def counted_by_hand(spark: SparkSession, dataset: Path) -> dict[str, int]:
    found = open_dataset(spark, str(dataset))
    typed = attrs.asdict(decode(found), recurse=False)
    at_rest = {name: getattr(found, name) for name in AT_REST}
    return {name: len(table.collect()) for name, table in (at_rest | typed).items()}


@pytest.mark.usefixtures("spark")
def test_a_key_of_several_records_ends_the_check(tmp_path: Path) -> None:
    """A file that is there twice would give each token two owners, and each staged object two entries."""
    tables = planted().tables
    other = (b"a-1", b"branches/twice", encode(made.branch("twice", "", "t")))
    # Of the records all but the four of `damage` can be decoded: 31.
    firsts = ("a-1 branches/deleted has .*, the first of 31", "a-1 branches/twice .* 1")
    for more, first in zip((tables.kv, [other]), firsts, strict=True):
        where = tmp_path / str(len(more))
        write(attrs.evolve(tables, kv=tables.kv + more), where)
        told = last_line(check(str(where), "--only", "head-exists"))
        assert re.match(f"lakeproof: {where}: {first} such keys?, and no store has two of one key", told), told


def test_only_what_is_asked_for_is_judged_and_told(dataset: Path) -> None:
    done = check(str(dataset), "--only", "child-is-not-older")
    assert done.exit_code == 0
    assert "0 violations in 1 check" in done.stdout


def test_an_unknown_id_is_refused_with_the_list(dataset: Path) -> None:
    done = check(str(dataset), "--only", "head-exist")
    assert "no check is called 'head-exist'; there are key-is-known, " in complaint(done)


def test_nothing_is_overwritten(dataset: Path, tmp_path: Path) -> None:
    done = check(str(dataset), "--out", str(tmp_path))
    assert complaint(done).startswith(f"{tmp_path}: is there already")


def test_a_check_without_its_tables_is_refused_if_it_was_asked_for(tmp_path: Path) -> None:
    dump = tmp_path / "dump.json"
    dump.write_text('{"version": "1", "timestamp": "2026-01-01T00:00:00Z", "entries": []}', encoding="utf-8")
    done = check(str(dump), "--only", "committed-data-is-kept")
    assert "committed-data-is-kept needs metaranges/ and objects/ and ranges/" in last_line(done)


def test_in_lakefs_schema_the_key_of_a_staged_entry_is_its_path_and_much_else_is_passed_over(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = Tables()
    rows.kv += [(b"auth", b"users/me", b"\xff"), (keys.GRAVELER, b"settings/x", b"\xff")]
    for key, path in ((b"p", "p"), (b"branches/p", "branches/p"), (b"key/p", "key/p"), (b"key/q", "q")):
        rows.kv.append((b"token:1", key, encode(made.staged_entry(path, None))))
    write(rows, tmp_path / "dataset")
    entities = decode(open_dataset(spark, str(tmp_path / "dataset"), keys="lakefs"))
    found = records.check(entities, "lakefs", BY_ID).collect()
    assert [(row.id, row.subject) for row in found] == [("key-names-record", "token:1 key/q")]


@pytest.mark.deep
def test_each_check_tells_how_much_it_has_judged_and_nothing_is_inconclusive(tmp_path: Path) -> None:
    world = World()
    world.repository("a")
    world.tag("a-1", "v1", "first")
    write(world.tables, tmp_path / "dataset")
    done = check(str(tmp_path / "dataset"), "--json")
    *lines, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert (last["rows"]["kv"], last["rows"]["repositories"], last["rows"]["objects"]) == (4, 1, 0)
    things = {line["id"]: line["things"] for line in lines}
    judged = {"key-is-known": 4, "key-names-record": 4, "head-exists": 2}
    judged |= dict.fromkeys(("active-is-complete", "cleanup-spares-live", "token-has-one-owner"), 1)
    assert {each: things[each] for each in judged} == judged
    nothing = {line["id"] for line in lines if line["inconclusive"]}
    assert nothing == {each for each, count in things.items() if not count}
    assert {"staged-has-owner", "staged-data-is-kept"} <= nothing
    done = check(str(tmp_path / "dataset"), "--only", "staged-has-owner,head-exists")
    assert done.exit_code == 3
    told = " ".join(done.stdout.split())  # lines are as long as the terminal is wide
    assert "inconclusive, for there was nothing to judge: staged-has-owner;" in told
    assert "read: 4 rows of kv, " in done.stdout
    assert check(str(tmp_path / "dataset"), "--only", "head-exists").exit_code == 0


ALL = {"kv": 9, "metaranges": 2, "ranges": 2, "objects": 3, "repositories": 1, "commits": 2}
ROWS = {"kv": 9, "repositories": 1, "commits": 2}
COMMANDS = {"check": command, "uncommitted": uncommitted, "diagnose": diagnose}


def ended(where: str, rows: dict[str, int], out: str | None = None, **counts: int) -> list[str]:
    things = counts.pop("things", 1)
    outcomes = tuple(
        Outcome(check=each, judged=True, things=things, counts=counts if each.id == "head-exists" else {}, examples=())
        for each in CHECKS
    )
    summary = Summary(where=where, rows=rows, outcomes=outcomes, seconds={}, until=1_000_000, engine="classic")
    return list(ending(summary, out, [where, "--beside", "a b"]))


def test_what_was_read_and_until_when_comes_first_in_words_of_lakefs() -> None:
    lines = ended("dump.json", {**ROWS, "tags": 0})
    assert lines[0] == "read: 9 rows of kv, 1 repository, 2 commits, 0 tags"
    assert lines[1].startswith("until: the newest commit is of 1970-01-01T00:00:01+00:00")
    assert lines[2].startswith(f"0 violations in {len(CHECKS)} checks; ")


@pytest.mark.parametrize(
    ("rows", "out", "counts", "expected"),
    [
        (ALL, None, {"violation": 1}, "check"),  # all findings in a folder
        (ALL, "checked", {"violation": 1}, "diagnose"),
        (ROWS, None, {}, "check"),  # the object store, too
        (ALL, None, {"garbage": 1}, "uncommitted"),
    ],
)
def test_the_next_command_is_one_that_is_there_with_the_dataset_of_this_one(
    rows: dict[str, int], out: str | None, counts: dict[str, int], expected: str
) -> None:
    last = ended("dump 1.json", rows, out, **counts)[-1]
    words = shlex.split(last.partition(": ")[2])
    assert words[0] == "lakeproof"
    name = words[2] if words[1] == "spark" else words[1]
    assert name == expected
    # It parses; an option or argument that is not there is an error.
    asked = COMMANDS[name].make_context(name, words[words.index(name) + 1 :], resilient_parsing=False)
    assert isinstance(asked, click.Context)
    assert "dump 1.json" in asked.params.values()
    assert asked.params.get("beside", "a b") == "a b"


def test_where_no_command_helps_none_is_named_and_a_part_of_a_store_asks_for_the_whole(tmp_path: Path) -> None:
    helpless = (
        ended("dump.json", ALL),
        ended(str(tmp_path), ALL, "checked", violation=1),
        ended("dump.json", ALL, things=0, garbage=1),
    )
    assert not [line for lines in helpless for line in lines if line.startswith("next")]
    assert "whole store" in ended("dump.json", {"kv": 9, "repositories": 0})[-1]
