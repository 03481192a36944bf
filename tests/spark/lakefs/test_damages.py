"""Damage in a store of lakeFS is found and named, and what is healthy is not: severities of lakeFS as it was built. A
store of a schema version that is not known is named, too."""

import shutil
from collections.abc import Collection
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeproof.impl.migration.checks import METADATA, VERSION, VERSION_KEY, unknown_version
from lakeproof.spark_checks.checks.catalogue import EVERY
from lakeproof.spark_checks.checks.run import Summary, run
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine.workspace import fresh
from lakeproof.spark_checks.findings import FINDINGS
from lakeproof.words import Unusable
from tests.commands import lakeproof
from tests.spark import snapshots
from tests.spark.conftest import ON_CLASSIC_TOO
from tests.spark.lakefs.damages import DAMAGES, GONE, plant
from tests.spark.lakefs.world import C1, DANGLING, Installation, Repo, around

pytestmark = pytest.mark.usefixtures("interpreted")

Said = tuple[str, str]
HARMLESS = {
    *("key-is-known", "no-reachable-zombie", "garbage-is-reclaimable", "child-is-not-older", "staged-has-owner"),
    *("address-has-one-entry", "commit-is-reachable", "object-is-referred-to"),
}
"""What finds no violation in a store of lakeFS, only garbage and notes; and keys that it cannot have: empty ones."""


FEW = (
    *("head-exists", "parents-exist", "generation-is-right", "commits-have-no-cycle", "commit-is-reachable"),
    *("token-has-one-owner", "staged-has-owner", "table-is-sound", "committed-data-is-kept"),
    *("record-is-decodable", "active-is-complete"),
)
"""Of each kind of severity, and of both stores, some: all of them take seconds of planning, whatever the world has."""


def checked(
    spark: SparkSession, source: str, block: str | None, only: Collection[str] = ()
) -> tuple[Summary, dict[str, set[Said]]]:
    """The summary, and id and subject of what was found, by kind."""
    target = fresh(spark, "findings")
    summary = run(open_dataset(spark, source, blockstore=block), only, target)
    found: dict[str, set[Said]] = {"violation": set(), "garbage": set(), "note": set()}
    for row in spark.read.schema(FINDINGS).parquet(target).collect():
        found[row["kind"]].add((row["id"], row["subject"]))
    return summary, found


@ON_CLASSIC_TOO
@pytest.mark.parametrize(
    "only",
    [
        pytest.param(FEW, id="few"),
        pytest.param(tuple(EVERY), id="all", marks=pytest.mark.deep),
    ],
)
def test_every_damage_is_found_and_named_and_health_is_not(
    spark: SparkSession, tmp_path: Path, only: tuple[str, ...]
) -> None:
    lake = Installation()
    around(lake)
    sound = Repo(lake, "sound").build()
    planted = plant(lake)
    assert len(planted) == len(DAMAGES) >= 20
    assert all(planted.values())
    assert set(EVERY) - {each for said in planted.values() for each, _ in said} == HARMLESS
    expected = {name: {each for each in said if each[0] in only} for name, said in planted.items()}
    summary, found = checked(spark, *lake.write(tmp_path / "lake"), only)
    for name, said in expected.items():
        assert said <= found["violation"], name
    assert found["violation"] == set.union(*expected.values())
    assert summary.violated
    assert not summary.inconclusive
    assert {outcome.check.id for outcome in summary.outcomes} == set(only)
    # Of what ordinary traffic leaves, each thing by its name.
    garbage = {
        ("commit-is-reachable", f"{sound.home} commits/{DANGLING}"),
        ("object-is-referred-to", f"{sound.namespace}/{sound.address('gone/x')}"),
        ("garbage-is-reclaimable", f"goner-dc1c commits/{C1}"),
        ("staged-has-owner", "goner-main:u-1"),
        ("object-is-referred-to", f"local://goner/{Repo(lake, 'goner').address('a/0')}"),
        ("garbage-is-reclaimable", f"leaving-dc1c commits/{C1}"),
        ("staged-has-owner", "leaving-main:u-1"),
        ("cleanup-spares-live", "sound-main:u-0"),
    }
    assert {each for each in garbage if each[0] in only} <= found["garbage"]
    bare = ("active-is-complete", "bare-dc1c")
    assert (bare in found["note"]) == ("active-is-complete" in only)
    alive = {subject for _, subject in found["garbage"] if subject.startswith((sound.home, sound.namespace))}
    unreferred = {f"{sound.namespace}/{sound.address('gone/x')}"} if "object-is-referred-to" in only else set()
    assert alive == {f"{sound.home} commits/{DANGLING}"} | unreferred


def test_of_a_part_of_a_store_only_what_it_can_show_is_judged(spark: SparkSession, tmp_path: Path) -> None:
    """No record of a repository is there, so that nothing says what can be reached: it is not all garbage for that."""
    lake = Installation()
    repo = Repo(lake, "part").build()
    repo.branch("feature", GONE)
    del lake.rows[b"graveler", b"repos/part"]
    summary, found = checked(spark, lake.write(tmp_path / "lake")[0], None)
    assert found["violation"] == {("head-exists", f"{repo.home} branches/feature")}
    assert found["garbage"] == {("commit-is-reachable", f"{repo.home} commits/{DANGLING}")}
    judged = {outcome.check.id for outcome in summary.outcomes if outcome.judged}
    assert judged == {each.id for each in EVERY.values() if not each.needs}


def test_what_nothing_leads_to_is_nothing_to_judge(spark: SparkSession, tmp_path: Path) -> None:
    """Of deleted repositories there are commits, heads and entries: a check that saw only those has judged nothing."""
    lake = Installation()
    around(lake)
    only = ("head-exists", "parents-exist", "meta-range-exists", "token-has-one-owner", "committed-data-is-kept")
    summary, found = checked(spark, *lake.write(tmp_path / "lake"), only)
    assert summary.inconclusive == only
    assert not any(found.values())


def test_tokens_to_be_dropped_are_in_no_typed_table(spark: SparkSession, tmp_path: Path) -> None:
    lake = Installation()
    around(lake)
    data = tmp_path / "data"
    snapshots.write(snapshots.Tables(), data)
    shutil.rmtree(data / "kv")
    assert lakeproof("spark", "decode", lake.write(tmp_path / "lake")[0], "--out", str(data / "decoded")).exit_code == 0
    with pytest.raises(Unusable, match="cleanup-spares-live needs kv/"):
        run(open_dataset(spark, str(data), keys="lakefs"), ("cleanup-spares-live",), fresh(spark, "findings"))


def test_nulls_in_the_rows_of_a_store_are_no_accident(spark: SparkSession, tmp_path: Path) -> None:
    lake = Installation()
    Repo(lake, "shop").build()
    _, block = lake.write(tmp_path / "lake")
    rows = [(b"graveler", None, b""), (METADATA, VERSION_KEY, None)]
    rows += [(partition, key, value) for (partition, key), value in lake.rows.items()]
    snapshots.write(snapshots.Tables(kv=rows), tmp_path / "data")  # type: ignore[arg-type]
    opened = open_dataset(spark, str(tmp_path / "data"), keys="lakefs", blockstore=block)
    assert "schema version ''" in run(opened, ("head-exists",), fresh(spark, "findings")).version


def test_each_version_but_one_is_unknown_and_named() -> None:
    assert unknown_version(VERSION) == ""
    for found, words in ((b"1", "'1'"), (b"x", "'x'"), (b"\xff4", r"'\\xff4'"), (b"migrating 7", "'migrating 7'")):
        assert f"the store has schema version {words} (" in unknown_version(found)


@pytest.mark.parametrize(
    ("version", "code", "words"), [(b"99", 3, "schema version '99'"), (None, 3, "no schema version"), (b"4", 0, "")]
)
def test_both_commands_name_it_and_are_not_done(
    spark: SparkSession, tmp_path: Path, version: bytes | None, code: int, words: str
) -> None:
    lake = Installation()
    around(lake)
    Repo(lake, "sound").build()
    del lake.rows[METADATA, VERSION_KEY]
    if version is not None:
        lake.rows[METADATA, VERSION_KEY] = version
    source, _ = lake.write(tmp_path / "lake")
    diagnose, check = ("diagnose", source, "--out", str(tmp_path / "zip")), ("spark", "check", source)
    for command in (diagnose, (*check, "--only", "head-exists")):
        done = lakeproof(*command)
        assert done.exit_code == code
        assert (f"the store has {words} (" in " ".join(done.stdout.split())) == bool(words)
