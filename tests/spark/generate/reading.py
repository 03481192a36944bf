"""Small generated datasets, and how they are read into memory."""

import json
from collections import defaultdict
from pathlib import Path

import attrs
import pyarrow.parquet as pq

from lakeproof.spark_checks.checks.catalogue import BY_ID
from lakeproof.spark_checks.generate.sizes import Sizes

SMALL = Sizes(repositories=3, branches=9, tags=9, commits=300, objects=2_000, staged=400, stale=60, deleted=7, ranges=4)
COUNTS = {name: 2 + position % 2 for position, name in enumerate(BY_ID)}


@attrs.frozen
class Small:
    """A dataset in memory; ranges and metaranges by their ids."""

    kv: dict[tuple[bytes, bytes], bytes]
    metaranges: dict[str, frozenset[str]]
    ranges: dict[str, frozenset[tuple[str, str]]]


def rows(where: Path) -> list[dict[str, object]]:
    return pq.read_table(where).to_pylist()  # type: ignore[no-any-return]


def small(where: Path) -> Small:
    """A dataset read into memory."""
    metaranges: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows(where / "metaranges"):
        metaranges[str(row["meta_range_id"])].add(str(row["range_id"]))
    ranges: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in rows(where / "ranges"):
        ranges[str(row["range_id"])].add((str(row["path"]), str(row["address"])))
    kv = {(row["partition_key"], row["key"]): row["value"] for row in rows(where / "kv")}
    return Small(
        kv,  # type: ignore[arg-type]
        {name: frozenset(held) for name, held in metaranges.items()},
        {name: frozenset(held) for name, held in ranges.items()},
    )


def listed(where: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (where / "planted.jsonl").read_text().splitlines()]
