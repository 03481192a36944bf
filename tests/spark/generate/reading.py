"""Small generated datasets, and how they are read."""

import json
from pathlib import Path

import pyarrow.parquet as pq

from lakeproof.spark_checks.checks.catalogue import BY_ID
from lakeproof.spark_checks.generate.sizes import Sizes

SMALL = Sizes(repositories=3, branches=9, tags=9, commits=300, objects=2_000, staged=400, stale=60, deleted=7, ranges=4)
COUNTS = {name: 2 + position % 2 for position, name in enumerate(BY_ID)}


def rows(where: Path) -> list[dict[str, object]]:
    return pq.read_table(where).to_pylist()  # type: ignore[no-any-return]


def listed(where: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (where / "planted.jsonl").read_text().splitlines()]
