"""A real installation of lakeFS: `LAKEPROOF_LAKEFS_DATA` names the folder of its rows, dumps and block store."""

import base64
import csv
import json
import os
import re
import tarfile
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeproof.model.catalog import DATA_PREFIX
from lakeproof.spark_checks.checks.catalogue import EVERY
from lakeproof.spark_checks.data.dataset import Dataset, open_dataset
from lakeproof.spark_checks.data.stored import sstable, trees
from lakeproof.spark_checks.data.stored.sstable import NotATable, Unsupported
from lakeproof.spark_checks.engine import runs
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.retention import marks, rulebook
from lakeproof.spark_checks.uncommitted import marks as uncommitted
from tests.commands import lakeproof
from tests.spark.conftest import ON_CLASSIC_TOO
from tests.spark.lakefs.test_damages import checked

DATA = Path(os.environ.get("LAKEPROOF_LAKEFS_DATA", "/nonexistent"))
PREPARED = "2026-11-22T10:37:56Z"
"""When lakeFS prepared its own garbage collection."""

pytestmark = [
    pytest.mark.deep,
    pytest.mark.usefixtures("interpreted"),
    pytest.mark.skipif(not DATA.is_dir(), reason="LAKEPROOF_LAKEFS_DATA names no folder"),
]


@pytest.fixture(scope="module")
def block(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("real")
    with tarfile.open(DATA / "block.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / "block"


@pytest.fixture(scope="module")
def dataset(spark: SparkSession, block: Path) -> Dataset:
    return open_dataset(spark, str(DATA / "kv.jsonl"), blockstore=str(block))


def tables(block: Path) -> list[Path]:
    return [each for each in block.glob("*/_lakefs/*") if len(each.name) == 64]


@ON_CLASSIC_TOO
def test_nothing_of_it_is_a_violation_and_its_garbage_is_named(spark: SparkSession, block: Path) -> None:
    summary, found = checked(spark, str(DATA / "kv.jsonl"), str(block))
    assert found["violation"] == set()
    assert not summary.inconclusive
    assert {outcome.check.id for outcome in summary.outcomes} == EVERY.keys()
    ids = {name: [subject for each, subject in found["garbage"] if each == name] for name, _ in found["garbage"]}
    assert {name: len(subjects) for name, subjects in ids.items()} == {
        "commit-is-reachable": 4,  # of tmp in shop, and of two deleted branches in aged
        "staged-has-owner": 1,  # goner's
        "table-is-sound": 2,  # goner's
        "object-is-referred-to": 13,
    }
    assert {subject for each, subject in found["note"] if each == "active-is-complete"} == {"bare-dc1cc09ksduenmhk1khg"}


@pytest.mark.parametrize("name", ["aged", "bare", "shop", "uni"])
def test_of_a_dump_of_one_repository_only_what_it_has_is_judged(spark: SparkSession, name: str) -> None:
    summary, found = checked(spark, str(DATA / f"dump-{name}.json"), None)
    assert found["violation"] == set()
    judged = {outcome.check.id for outcome in summary.outcomes if outcome.judged}
    assert judged >= {"head-exists", "parents-exist", "generation-is-right", "record-is-decodable"}
    assert not judged & {"active-is-complete", "garbage-is-reclaimable", "staged-has-owner"}


def test_the_active_commits_of_aged_are_lakefs_own_list(dataset: Dataset, block: Path, tmp_path: Path) -> None:
    folder = runs.make_folder(tmp_path, "r")
    marks.mark(
        dataset,
        rulebook.read(DATA / "gc-rules-aged.json"),
        marks.MarkOptions(now=runs.parse_time(PREPARED)),
        folder_at(folder),
    )
    ours = active(folder.glob("commits/repository_id=aged/*.csv"))
    theirs = active(block.glob("aged/_lakefs/retention/gc/commits/*/commits.csv"))
    assert ours == theirs
    assert len(ours) == 14


def active(files: object) -> set[str]:
    found: set[str] = set()
    for each in files:  # type: ignore[attr-defined]
        with each.open(newline="") as file:
            found.update(row["commit_id"] for row in csv.DictReader(file) if row["expired"] == "false")
    return found


def test_uncommitted_marks_exactly_what_no_table_and_no_row_names(
    spark: SparkSession, dataset: Dataset, block: Path, tmp_path: Path
) -> None:
    named = dict.fromkeys(("aged", "shop", "uni"), b"")
    for each in tables(block):
        name = each.parts[-3]
        if name in named:
            named[name] += b"".join(value for _, value in sstable.read(each.read_bytes()).records)
    with (DATA / "kv.jsonl").open() as file:
        for row in map(json.loads, file):
            name = base64.b64decode(row["partition_key"]).decode().partition("-")[0]
            if name in named:
                named[name] += base64.b64decode(row["value"])
    expected = {
        (f"local://{name}", address)
        for name, text in named.items()
        for path in (block / name / DATA_PREFIX).rglob("*")
        if path.is_file()
        if not re.search(re.escape((address := path.relative_to(block / name).as_posix()).encode()), text)
    }
    folder = runs.make_folder(tmp_path, "u")
    uncommitted.mark(
        dataset, uncommitted.MarkOptions(now=runs.parse_time("2026-11-30"), older_than=0), folder_at(folder)
    )
    marked = spark.read.parquet(str(folder / "addresses")).collect()
    assert {(row.storage_namespace, row.address) for row in marked} == expected
    assert len(expected) == 7  # five written again, one deleted, one reset


def test_each_table_is_whole_and_a_flipped_byte_of_any_is_found(block: Path) -> None:
    kinds = []
    for number, each in enumerate(tables(block)):
        file = each.read_bytes()
        kinds.append(trees.read(file, each.name).type)
        at = number * 97 % len(file)
        with pytest.raises((NotATable, Unsupported)):
            trees.read(file[:at] + bytes([file[at] ^ 1]) + file[at + 1 :], each.name)
    assert (kinds.count("ranges"), kinds.count("metaranges")) == (31, 33)


def test_diagnose_finds_nothing_wrong_and_no_path_leaves(tmp_path: Path) -> None:
    done = lakeproof("diagnose", str(DATA / "kv.jsonl"), "--out", str(tmp_path / "d.zip"))
    read = "read: 4 repositories, 10 branches, 37 commits, 1 tag, 10 staging tokens with 23 entries, "
    assert (done.exit_code, done.stdout.startswith(read)) == (0, True)
    assert "note: bare: bare-dc1cc09ksduenmhk1khg: has no branch, commit or tag: created bare, or lost" in done.stdout
    zipped = (tmp_path / "d.zip").read_bytes()
    assert b"staged/1" not in zipped
    assert b"data/part" not in zipped
    part = lakeproof("diagnose", str(DATA / "dump-shop.json"), "--out", str(tmp_path / "p.zip"))
    assert part.exit_code == 3
    assert "not judged: there is no record of a repository" in part.stdout
