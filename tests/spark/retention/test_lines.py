"""The kernel over arrays says what `lakeproof.model.retention` says: the text's examples, damaged histories, and
laws."""

import random
from collections.abc import Iterable, Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.records import Commit
from lakeproof.model.retention import DAY, Rules, active
from lakeproof.spark_checks import lines
from lakeproof.spark_checks.generate import records
from lakeproof.spark_checks.lines import Places, older_than_parent, on_cycles

NOW = 1_700_000_000_000_000

Commits = dict[CommitID, Commit]
Case = tuple[Commits, dict[BranchID, CommitID], Rules, list[CommitID]]


def commit(name: str, age_days: float, *parents: str) -> Commit:
    return records.commit(name, NOW - int(age_days * DAY), parents=parents)


def history(*commits: Commit) -> Commits:
    return {each.commit_id: each for each in commits}


def arrays(commits: Commits) -> tuple[dict[CommitID, int], lines.Indices, lines.Dates]:
    place = {commit_id: number for number, commit_id in enumerate(commits)}
    first = [place.get(each.parents[0], -1) if each.parents else -1 for each in commits.values()]
    dates = [each.creation_date for each in commits.values()]
    return place, np.array(first, dtype=np.int64), np.array(dates, dtype=np.int64)


def by_kernel(
    commits: Commits, heads: Mapping[BranchID, CommitID], rules: Rules, tagged: Iterable[CommitID] = ()
) -> frozenset[CommitID]:
    place, parent, date = arrays(commits)
    found = lines.active(
        parent,
        date,
        np.array([place.get(head, -1) for head in heads.values()], dtype=np.int64),
        np.array([rules.threshold(branch, NOW) for branch in heads], dtype=np.int64),
        rules.threshold(None, NOW),
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


CASES = st.integers(0, 1 << 40).map(random.Random).map(random_case)


class TestLaws:
    @settings(max_examples=300)
    @given(CASES)
    def test_the_kernel_says_what_the_definition_says(self, case: Case) -> None:
        commits, heads, rules, tagged = case
        found = by_kernel(commits, heads, rules, tagged)
        assert found == active(commits, heads, rules, NOW, tagged=tagged)

    @settings(max_examples=100)
    @given(CASES)
    def test_a_commit_is_on_a_cycle_if_its_line_comes_back_to_it_and_older_than_its_parent_by_the_dates_alone(
        self, case: Case
    ) -> None:
        _, parent, date = arrays(case[0])
        cycles, older = on_cycles(parent, date), older_than_parent(parent, date)
        for start in range(len(parent)):
            line = [start]
            for _ in parent:
                if line[-1] >= 0:
                    line.append(int(parent[line[-1]]))
            assert cycles[start] == (start in line[1:])
            assert older[start] == (parent[start] >= 0 and date[start] < date[parent[start]])

    @given(st.lists(st.integers(-5, 5)), st.lists(st.integers(-6, 6)))
    def test_a_position_is_that_of_the_first_equal_key(self, keys: list[int], wanted: list[int]) -> None:
        places = Places.of(np.array(keys, dtype=np.int64))
        found = places.find(np.array(wanted, dtype=np.int64))
        assert found.tolist() == [keys.index(each) if each in keys else -1 for each in wanted]

    @given(st.lists(st.integers(-5, 5)))
    def test_keys_have_neighbours_where_they_come_again(self, keys: list[int]) -> None:
        before, after = Places.of(np.array(keys, dtype=np.int64)).neighbours()
        assert len(before) == len(keys) - len(set(keys))
        assert all(keys[one] == keys[two] and one < two for one, two in zip(before, after, strict=True))


class TestSizes:
    """Large enough for vectors, for lines walked one by one, and for the change from the one to the other."""

    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("wide", [2, 64])
    @pytest.mark.parametrize("large", [10, 1 << 30])
    def test_both_ways_of_walking_agree_with_the_model(
        self, seed: int, wide: int, large: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lines, "WIDE", wide)
        monkeypatch.setattr(lines, "_LARGE", large)
        chance = random.Random(seed)
        commits: Commits = {}
        names = [CommitID(f"c{number}") for number in range(600)]
        for number, name in enumerate(names):
            near = names[max(0, number - chance.choice([1, 1, 1, 5, 100])) : number]
            parents = [chance.choice(near)] if near and chance.random() < 0.97 else []
            if chance.random() < 0.01:
                parents = [chance.choice(names)]
            commits[name] = commit(name, (600 - number) / 20 + chance.choice([0, 0, 0, -9, 9]), *parents)
        heads = {BranchID(f"b{number}"): chance.choice(names) for number in range(150)}
        rules = Rules(5, tuple((branch, chance.choice([0, 1, 3, 10, 20, 40])) for branch in [*heads][::2]))
        assert by_kernel(commits, heads, rules) == active(commits, heads, rules, NOW)

    def test_a_line_of_two_hundred_thousand_commits(self) -> None:
        size = 200_000
        parent = np.arange(-1, size - 1)
        date = NOW - np.arange(size, 0, -1) * DAY // 1000
        order = np.random.default_rng(1).permutation(size)
        moved = np.full(size, -1, dtype=np.int64)
        moved[order[1:]] = order[:-1]
        dates = np.empty_like(date)
        dates[order] = date
        for up, when, head in ((parent, date, size - 1), (moved, dates, int(order[-1]))):
            found = lines.active(up, when, np.array([head]), np.array([NOW - 150 * DAY]), NOW)
            assert int(found.sum()) == 150_000
