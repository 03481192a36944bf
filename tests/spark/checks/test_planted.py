"""Generated datasets: every violation that was planted is found, and none is invented; they are sound but for these, of
the sizes asked for, and the same however they were made."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import cast

import pytest
from pyspark.sql import SparkSession

from lakeproof.impl.codec import decode_at, encode
from lakeproof.model.catalog import decode_object_entry, encode_object_entry, identity_of
from lakeproof.model.records import Record, Repository, RepositoryState, StagedEntry
from lakeproof.spark_checks.checks.catalogue import BY_ID
from lakeproof.spark_checks.checks.run import KINDS, run
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine.tables import AT_REST
from lakeproof.spark_checks.engine.workspace import fresh
from lakeproof.spark_checks.findings import FINDINGS
from lakeproof.spark_checks.generate.sizes import OUTSIDE_EVERY, TOMBSTONE_EVERY, Sizes
from lakeproof.spark_checks.generate.writer import DatasetPlan, write
from tests.spark.conftest import ON_CLASSIC_TOO
from tests.spark.generate.reading import COUNTS, SMALL, listed, rows

SKEWED = Sizes(repositories=4, branches=8, tags=4, commits=400, objects=2_000, staged=200, stale=40, skew=4.0, ranges=4)
PLANTED = dict.fromkeys(("generation-is-right", "parents-exist", "staged-data-is-kept", "token-has-one-owner"), 3)
assert COUNTS.keys() == BY_ID.keys()

pytestmark = [pytest.mark.usefixtures("interpreted"), ON_CLASSIC_TOO]


def check(spark: SparkSession, sizes: Sizes, violations: dict[str, int], folder: Path) -> None:
    """Generate, check, and compare what was planted with what was found; of garbage nothing was listed."""
    write(spark, DatasetPlan(sizes, violations), 2, folder)
    target = fresh(spark, "findings")
    summary = run(open_dataset(spark, str(folder)), (), target)
    rows = spark.read.schema(FINDINGS).parquet(target).collect()
    found = Counter((row.id, row.subject) for row in rows if row.kind != "garbage")
    assert found == Counter((each["id"], each["subject"]) for each in listed(folder))
    assert summary.violated == any(violations.values())
    counted = {outcome.check.id: sum(outcome.count(kind) for kind in KINDS) for outcome in summary.outcomes}
    assert {each: number for each, number in counted.items() if number} == Counter(row.id for row in rows)
    assert any(row.kind == "garbage" for row in rows)


@pytest.mark.parametrize(
    ("sizes", "violations"),
    [
        pytest.param(SKEWED, PLANTED, id="one repository has nearly all"),
        pytest.param(SMALL, COUNTS, id="small", marks=pytest.mark.deep),
        pytest.param(SMALL, {}, id="small and sound", marks=pytest.mark.deep),
    ],
)
def test_every_planted_violation_is_found_and_none_invented(
    spark: SparkSession, tmp_path: Path, sizes: Sizes, violations: dict[str, int]
) -> None:
    check(spark, sizes, violations, tmp_path / "dataset")


@pytest.fixture(scope="module")
def sound(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In one partition."""
    write(spark, DatasetPlan(SMALL, {}), 1, out := tmp_path_factory.mktemp("sound"))
    return out


@pytest.fixture(scope="module")
def planted(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In three partitions."""
    write(spark, DatasetPlan(SMALL, COUNTS), 3, out := tmp_path_factory.mktemp("planted"))
    return out


@pytest.mark.deep
def test_records_are_encoded_as_the_codec_does_and_as_many_as_were_asked_for(sound: Path) -> None:
    found: dict[type, list[Record]] = defaultdict(list)
    staged: Counter[bytes] = Counter()  # entries with an object of theirs, by repository
    for row in rows(sound / "kv"):
        partition, key, value = cast("list[bytes]", [*row.values()])
        record = decode_at(partition, key, value)
        assert record is not None
        assert encode(record) == value
        found[type(record)].append(record)
        if isinstance(record, StagedEntry) and record.data is not None:
            entry = decode_object_entry(record.data)
            assert encode_object_entry(entry) == record.data
            assert identity_of(record.data) == record.identity
            staged[partition.split(b":")[1].split(b".")[0]] += "elsewhere" not in entry.address
    assert len(found) == 6
    live = [each for each in found[Repository] if isinstance(each, Repository) and not each.bare]
    assert sum(each.state is RepositoryState.ACTIVE for each in live) == SMALL.repositories
    more = sum(count // TOMBSTONE_EVERY + count // OUTSIDE_EVERY for count in staged.values())
    assert len(found[StagedEntry]) == SMALL.staged + more


@pytest.mark.deep
def test_objects_are_as_many_as_were_asked_for_each_listed_once(sound: Path) -> None:
    addresses = [(row["storage_namespace"], str(row["address"])) for row in rows(sound / "objects")]
    assert len(set(addresses)) == len(addresses)
    assert sum(address.startswith("data/") for _, address in addresses) == SMALL.objects
    committed = {str(row["address"]) for row in rows(sound / "ranges")}
    inside = {each for each in committed if not each.startswith("s3://elsewhere/")}
    assert len(committed) > len(inside) == SMALL.committed


@pytest.mark.deep
def test_as_many_are_planted_of_each_id_as_were_asked_for(planted: Path) -> None:
    told = Counter(line["id"] for line in listed(planted))
    # No generation fits where a commit's parent is its child: of a pair one is wrong, as is a cycle of one.
    cycles = COUNTS["commits-have-no-cycle"]
    assert told == Counter(COUNTS) + Counter({"generation-is-right": cycles // 2 + cycles % 2})
    assert told.keys() == BY_ID.keys()


@pytest.mark.deep
def test_the_rest_is_as_without_them_and_as_in_other_partitions(sound: Path, planted: Path) -> None:
    for name in AT_REST:
        before, after = (Counter(tuple(row.values()) for row in rows(where / name)) for where in (sound, planted))
        lost = COUNTS["committed-data-is-kept"] + COUNTS["staged-data-is-kept"] if name == "objects" else 0
        assert (before - after).total() == lost, name
        if name in ("metaranges", "ranges"):
            assert before == after
        assert len(before) > 100
