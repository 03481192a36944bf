"""A file of ``kv/`` that is there twice: what is doubled is not taken for more commits."""

import shutil
from pathlib import Path

import pytest

from lakeproof.spark_checks.engine.runs import read_report
from tests.commands import lakeproof
from tests.spark import snapshots
from tests.spark.retention.worlds import NOW, world
from tests.spark.test_staging import last_line, rules

__all__ = ["rules"]


@pytest.mark.deep
@pytest.mark.usefixtures("spark")
def test_a_doubled_file_ends_a_run_of_retention_unless_it_is_lenient(rules: str, tmp_path: Path) -> None:
    dataset, out = tmp_path / "dataset", tmp_path / "out"
    snapshots.write(snapshots.tables(world(7, 3)), dataset)
    [file] = (dataset / "kv").glob("*.parquet")
    shutil.copy(file, dataset / "kv" / "again.parquet")
    asked = ("spark", "retention", str(dataset), "--rules", rules, "--now", str(NOW), "--out", str(out), "--run", "run")
    said = last_line(lakeproof(*asked))
    assert "commits have the id of another record of their repository" in said
    assert list(out.iterdir()) == []
    assert lakeproof(*asked, "--lenient").exit_code == 0
    assert int(str(read_report(out, "run")["findings"]["commit-is-unique"])) > 0  # type: ignore[index]
