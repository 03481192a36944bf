"""Runs for tests of the sweep, as if somebody had marked; and what is in their journals."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq

from lakeproof.spark_checks.engine import runs
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.runs import Report
from lakeproof.spark_checks.ledger import MARKED, Account
from lakeproof.spark_checks.sweep.marks import Marked, whole_run
from lakeproof.spark_checks.sweep.targets import Pace

NAMESPACE = "s3://bucket/r"
OLD = 1_600_000_000_000_000
"""Microseconds: when the objects of a test were put that nobody touched since."""
FREE = Pace(None)

Row = tuple[str, int | None, int | None, str | None]
"""Address in the namespace, bytes, microseconds, ETag."""


def row(address: str, size: int | None = 1, modified: int | None = OLD, e_tag: str | None = None) -> Row:
    return address, size, modified, e_tag


def marked(
    out: Path, rows: Iterable[Row], *, namespace: str = NAMESPACE, run: str = "run", engine: str = "classic"
) -> Path:
    """A whole run that has marked these."""
    folder = runs.make_folder(out, run)
    (folder / "addresses").mkdir()
    made = [*rows]
    addresses, sizes, times, tags = zip(*made, strict=True) if made else ((), (), (), ())
    columns = {
        "storage_namespace": pa.array([namespace] * len(made), pa.string()),
        "address": pa.array(addresses, pa.string()),
        "size_bytes": pa.array(sizes, pa.int64()),
        "last_modified": pa.array(times, pa.timestamp("us", "UTC")),
    }
    if any(tag is not None for tag in tags):
        columns["e_tag"] = pa.array(tags, pa.string())
    pq.write_table(pa.table(columns), folder / "addresses" / "part.parquet")
    account = Account(MARKED, len(made), 0)
    report = Report(
        kind="retention",
        run=run,
        dataset="d",
        engine=engine,
        now=0,
        options={"tags": False, "rules": {}, "lenient": False, "keys": "design"},
        listing=len(made),
        accounts=(account,),
        files=runs.files_of(folder_at(folder), runs.ADDRESSES),
    )
    runs.finish(folder_at(folder), report, account)
    return folder


def run_at(out: Path, run: str = "run") -> Marked:
    return whole_run(str(out), run)


def journal(folder: Path) -> dict[str, tuple[str, str]]:
    """By address, what the latest outcomes say: end and reason. What only an intent names: in doubt."""
    found: dict[str, tuple[str, str]] = {}
    for path in sorted((folder / "swept").glob("*.parquet"), key=lambda path: path.name.split("-", 1)[1]):
        for each in pq.read_table(path).to_pylist():
            if "outcome" in each:
                found[each["address"]] = (each["outcome"], each["reason"])
            else:
                found[each["address"]] = ("perhaps-deleted", "cut-short")
    return found


def report(folder: Path) -> dict[str, object]:
    return cast("dict[str, object]", json.loads((folder / "swept" / "report.json").read_text()))


def accounts(folder: Path) -> dict[tuple[str, str], int]:
    rows = cast("list[dict[str, object]]", report(folder)["accounts"])
    return {(str(each["outcome"]), str(each["reason"])): cast("int", each["objects"]) for each in rows}
