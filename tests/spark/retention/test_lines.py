"""The kernel over arrays, and the walk over Arrow batches, without Spark, say what `lakeproof.model.retention` says: of
histories that are damaged and sound; ids are found by two fingerprints, repositories do not touch."""

import random
from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.records import Commit
from lakeproof.model.retention import DAY, Rules, active
from lakeproof.spark_checks import lines
from lakeproof.spark_checks.engine import setting_aside
from lakeproof.spark_checks.generate import records
from lakeproof.spark_checks.retention.walk import (
    CHILD,
    FIRST,
    HEAD,
    HEAD_MISSING,
    IN_FUTURE,
    OLDER_THAN_PARENT,
    ON_CYCLE,
    PARENT_MISSING,
    REPEATED,
    TAG,
    TAG_MISSING,
    walk_batches,
)

NOW = 1_700_000_000_000_000

Commits = dict[CommitID, Commit]
Case = tuple[Commits, dict[BranchID, CommitID], Rules, list[CommitID]]


def commit(name: str, age_days: float, *parents: str) -> Commit:
    return records.commit(name, NOW - int(age_days * DAY), parents=parents)


def history(*commits: Commit) -> Commits:
    return {each.commit_id: each for each in commits}


def by_kernel(
    commits: Commits, heads: Mapping[BranchID, CommitID], rules: Rules, tagged: Iterable[CommitID]
) -> frozenset[CommitID]:
    place = {commit_id: number for number, commit_id in enumerate(commits)}
    found = lines.active(
        np.array([place.get(each.parents[0], -1) if each.parents else -1 for each in commits.values()], dtype=np.int64),
        np.array([each.creation_date for each in commits.values()], dtype=np.int64),
        np.array([place.get(head, -1) for head in heads.values()], dtype=np.int64),
        np.array([rules.threshold(branch, NOW) for branch in heads], dtype=np.int64),
        np.full(len(commits), rules.threshold(None, NOW)),
        np.array([place.get(each, -1) for each in tagged], dtype=np.int64),
    )
    return frozenset(commit_id for commit_id, number in place.items() if found[number])


def random_case(chance: random.Random) -> Case:
    """A history of up to twelve commits on up to five branches: any dates, any parents, some of them missing; heads
    that share a commit or have none; rules for branches that do not exist."""
    names = [CommitID(name) for name in "ABCDEFGHIJKL"[: chance.randint(1, 12)]]
    orderly, skewed = chance.random() < 0.5, chance.random() < 0.5
    commits: Commits = {}
    for position, name in enumerate(names):
        pool = names[max(0, position - 3) : position] if orderly else [*names, CommitID("?")]
        parents = chance.sample(pool, min(len(pool), chance.choice([0, 1, 1, 1, 2])))
        age = chance.randint(-1, 12) if skewed else 12 - position
        commits[name] = commit(name, age, *parents)
    heads = {BranchID(f"b{number}"): chance.choice([*names, CommitID("!")]) for number in range(chance.randint(0, 5))}
    ruled = [BranchID(f"b{number}") for number in range(7) if chance.random() < 0.5]
    rules = Rules(chance.randint(0, 12), tuple((branch, chance.randint(0, 12)) for branch in ruled))
    return commits, heads, rules, chance.sample([*names, CommitID("!")], chance.choice([0, 0, 1]))


@given(st.lists(st.integers(-5, 5)), st.lists(st.integers(-6, 6)), st.lists(st.integers(-6, 6)))
def test_a_position_is_that_of_the_first_equal_key(keys: list[int], one: list[int], other: list[int]) -> None:
    found = lines.find(*(pa.array(each, pa.int64()) for each in (keys, one, other)))
    expected = [[keys.index(each) if each in keys else -1 for each in wanted] for wanted in (one, other)]
    assert [each.tolist() for each in found] == expected


@pytest.mark.parametrize("seed", range(6))
def test_long_lines_that_meet_agree_with_the_model(seed: int) -> None:
    chance = random.Random(seed)
    commits: Commits = {}
    names = [CommitID(f"c{number}") for number in range(600)]
    for number, name in enumerate(names):
        near = names[max(0, number - chance.choice([1, 1, 1, 5, 100])) : number]
        parents = [chance.choice(near)] if near and chance.random() < 0.97 else []
        if chance.random() < 0.01:
            parents = [chance.choice(names)]
        commits[name] = commit(name, (600 - number) / 20 + chance.choice([0, 0, 0, -9, 9]), *parents)
    tagged = [missing := CommitID("!"), *chance.sample(names, 9)]
    heads = {BranchID(f"b{n}"): chance.choice(names) if n % 9 else missing for n in range(150)}
    rules = Rules(5, tuple((branch, chance.choice([0, 1, 3, 10, 20, 40])) for branch in [*heads][::2]))
    assert by_kernel(commits, heads, rules, tagged) == active(commits, heads, rules, NOW, tagged=tagged)


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


def notes_of(each: Commit, commits: Commits) -> int:
    """By their meanings."""
    line = [each.commit_id]
    while line[-1] in commits and (parents := commits[line[-1]].parents) and parents[0] not in line[1:]:
        line.append(parents[0])
    parent = commits.get(line[1]) if len(line) > 1 else None
    return (
        ON_CYCLE * (each.commit_id in line[1:])
        | PARENT_MISSING * (len(line) > 1 and parent is None)
        | OLDER_THAN_PARENT * (parent is not None and each.creation_date < parent.creation_date)
        | IN_FUTURE * (each.creation_date > NOW)
    )


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
    odd = list[tuple[bytes, CommitID, int]]()
    for home, (commits, heads, rules, tagged) in cases.items():
        pointed, key = tagged if tags else [], home.encode()
        kept = active(commits, heads, rules, NOW, tagged=pointed)
        expected |= {(key, commit_id): commit_id not in kept for commit_id in commits}
        odd += [(key, each.commit_id, notes) for each in commits.values() if (notes := notes_of(each, commits))]
        odd += [(key, each, HEAD_MISSING) for each in heads.values() if each not in commits]
        odd += [(key, each, TAG_MISSING) for each in pointed if each not in commits]
    assert found == expected
    assert sorted((row["home"], row["commit_id"], row["notes"]) for row in there if row["notes"]) == sorted(odd)
    monkeypatch.setattr(setting_aside, "IN_MEMORY", 1)
    assert walked(rows) == there


def test_of_commits_of_one_id_all_but_one_are_noted() -> None:
    cases: list[Case] = [(history(commit("A", age), commit("B", age)), {}, Rules(5), []) for age in (99, -1, 7)]
    rows = [row for each in cases for row in rows_of("h", each, Prints(1, 60), tags=True)]
    assert sum(int(str(row["notes"])) & REPEATED != 0 for row in walked(rows)) == 4
