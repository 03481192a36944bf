"""The walk over Arrow batches, without Spark: ids are found by two fingerprints, repositories do not touch."""

import random

import numpy as np
import pyarrow as pa
import pytest

from lakeproof.model.identifiers import CommitID
from lakeproof.model.retention import active
from lakeproof.spark_checks.engine import setting_aside
from lakeproof.spark_checks.retention.walk import (
    CHILD,
    FIRST,
    HEAD,
    HEAD_MISSING,
    ON_CYCLE,
    PARENT_MISSING,
    REPEATED,
    TAG,
    TAG_MISSING,
    _Finder,
    walk_batches,
)
from tests.spark.retention.test_lines import NOW, Case, commit, history, random_case

Row = tuple[bytes, int, int, int, int, int, int, int, str, str | None]


class Prints:
    """Fingerprints of names: small ones, so that they collide, and checks that do not."""

    def __init__(self, seed: int, bits: int) -> None:
        self.chance = random.Random(seed)
        self.bits = bits
        self.known: dict[tuple[str, str], tuple[int, int]] = {}

    def of(self, home: str, commit_id: str) -> tuple[int, int]:
        made = self.chance.getrandbits(self.bits), self.chance.getrandbits(62)
        return self.known.setdefault((home, commit_id), made)


def rows_of(home: str, case: Case, prints: Prints, *, tags: bool) -> list[Row]:
    commits, heads, rules, tagged = case
    limit, key = rules.threshold(None, NOW), home.encode()
    rows: list[Row] = []
    for each in commits.values():
        up = prints.of(home, each.parents[0]) if each.parents else (0, 0)
        at = prints.of(home, each.commit_id)
        kind = CHILD if each.parents else FIRST
        rows.append((key, kind, *at, *up, each.creation_date, limit, each.commit_id, "m"))
    for branch, head in heads.items():
        threshold = rules.threshold(branch, NOW)
        rows.append((key, HEAD, *prints.of(home, head), 0, 0, 0, threshold, head, None))
    pointed = tagged if tags else []
    return rows + [(key, TAG, *prints.of(home, each), 0, 0, 0, 0, each, None) for each in pointed]


NUMBERS = ("kind", "at", "at_check", "up", "up_check", "date", "limit")
SCHEMA = pa.schema(
    [
        ("home", pa.binary()),
        *((name, pa.int64()) for name in NUMBERS),
        ("commit_id", pa.string()),
        ("meta_range_id", pa.string()),
    ]
)


def walked(rows: list[Row], size: int = 7) -> list[dict[str, object]]:
    columns = list(zip(*rows, strict=True)) or [()] * len(SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    batches = pa.Table.from_arrays(arrays, schema=SCHEMA).to_batches(max_chunksize=size)
    return [row for batch in walk_batches(batches, NOW) for row in batch.to_pylist()]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("bits", [4, 62])
def test_each_repository_is_walked_as_if_it_were_alone_and_wherever_ids_wait(
    monkeypatch: pytest.MonkeyPatch, seed: int, bits: int
) -> None:
    """With four bits nearly all fingerprints are shared, and the second ones must tell commits apart. Ids wait in
    memory, and in a file."""
    chance, prints, tags = random.Random(seed), Prints(seed, bits), seed % 2 == 0
    cases = {f"home{number}": random_case(chance) for number in range(30)}
    rows = [row for home, case in cases.items() for row in rows_of(home, case, prints, tags=tags)]
    chance.shuffle(rows)
    there = walked(rows)
    found = {(row["home"], row["commit_id"]): row["expired"] for row in there if row["expired"] is not None}
    expected: dict[tuple[bytes, CommitID], bool] = {}
    for home, (commits, heads, rules, tagged) in cases.items():
        kept = active(commits, heads, rules, NOW, tagged=tagged if tags else [])
        expected |= {(home.encode(), commit_id): commit_id not in kept for commit_id in commits}
    assert found == expected
    monkeypatch.setattr(setting_aside, "IN_MEMORY", 1)
    assert walked(rows) == there


class TestNotes:
    def notes(self, rows: list[Row]) -> dict[str, int]:
        return {str(row["commit_id"]): int(str(row["notes"])) for row in walked(rows)}

    def rows(self, *commits: tuple[str, float, str]) -> list[Row]:
        made = history(*(commit(name, age, *parent) for name, age, parent in commits))
        return rows_of("h", (made, {}, random_case(random.Random(1))[2], [CommitID("?")]), Prints(1, 60), tags=True)

    def test_what_is_missing_or_goes_round_is_told(self) -> None:
        found = self.notes(self.rows(("A", 3, "B"), ("B", 3, "A"), ("C", 2, "!"), ("D", 1, "")))
        assert found == {"A": ON_CYCLE, "B": ON_CYCLE, "C": PARENT_MISSING, "D": 0, "?": TAG_MISSING}

    def test_a_head_that_is_missing_has_a_row_of_its_own_that_is_no_commit(self) -> None:
        prints = Prints(1, 60)
        rows: list[Row] = [(b"h", HEAD, *prints.of("h", "x"), 0, 0, 0, 0, "x", None)]
        (row,) = walked(rows)
        assert (row["commit_id"], row["expired"], row["notes"]) == ("x", None, HEAD_MISSING)

    def test_commits_of_one_id_are_kept_together(self) -> None:
        old, young = self.rows(("A", 99, ""))[0], self.rows(("A", -1, ""))[0]
        for rows in ([old, young], [young, old]):
            found = walked(rows)
            assert [row["expired"] for row in found] == [False, False]
            assert sum(int(str(row["notes"])) & REPEATED != 0 for row in found) == 1


def test_a_fingerprint_that_another_commit_shares_finds_neither_by_mistake() -> None:
    finder = _Finder.of(np.array([5, 5, 6]), np.array([1, 2, 3]))
    found = finder.find(np.array([5, 5, 5, 6, 6, 7]), np.array([2, 1, 3, 3, 1, 1]))
    assert found.tolist() == [1, 0, -1, 2, -1, -1]
    assert finder.salt
