"""A store of a schema version that is not known: its records may mean something else, so that it is named."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.checks import lakefs
from lakeproof.spark_checks.data.dataset import open_dataset
from tests.commands import lakeproof
from tests.spark.lakefs.world import Installation, Repo, around

AT = (b"kv-internal-metadata", b"kv/schema/version")
UNKNOWN = {b"1": "schema version '1'", b"99": "schema version '99'", b"x": "schema version 'x'",
           b"\xff4": r"schema version '\\xff4'", b"migrating 7": "schema version 'migrating 7'",
           None: "no schema version"}  # fmt: skip


def written(folder: Path, version: bytes | None) -> str:
    lake = Installation()
    around(lake)
    Repo(lake, "sound").build()
    del lake.rows[AT]
    if version is not None:
        lake.rows[AT] = version
    return lake.write(folder)[0]


@pytest.mark.parametrize("version", [*UNKNOWN, b"4"])
def test_diagnose_says_so_and_is_not_done(tmp_path: Path, version: bytes | None) -> None:
    source = written(tmp_path / "lake", version)
    result = lakeproof("diagnose", source, "--out", str(tmp_path / "d.zip"))
    said = [line for line in result.stdout.splitlines() if line.startswith("not judged: the store has ")]
    assert (result.exit_code, len(said)) == ((0, 0) if version == b"4" else (3, 1))
    assert all(UNKNOWN[version] in line and "'4' is known" in line for line in said)


def test_spark_check_says_so_and_is_not_done(tmp_path: Path, spark: SparkSession) -> None:
    source = written(tmp_path / "99", b"99")
    result = lakeproof("spark", "check", source, "--only", "head-exists")
    assert result.exit_code == 3
    assert "the store has schema version '99'" in " ".join(result.stdout.split())
    for number, (version, words) in enumerate({**UNKNOWN, b"4": ""}.items()):
        found = lakefs.version(open_dataset(spark, written(tmp_path / str(number), version), None, None, None))
        assert (words in found, bool(found)) == (True, version != b"4")
