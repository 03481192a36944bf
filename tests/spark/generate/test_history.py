"""The shape of histories, block by block: walked in plain Python."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.spark_checks.generate import history
from lakeproof.spark_checks.generate.history import Blocks, blocks

SEEDS = st.integers(0, 1 << 40)


@attrs.frozen
class Node:
    first: int | None
    second: int | None
    generation: int


def nodes(made: Blocks, commits: int, choose: int) -> list[Node]:
    """The commits of a repository. ``choose``: which patterns."""
    found = []
    for c in range(commits):
        block, number = divmod(c, made.size)
        place = made.patterns[(choose * (block + 1)) % len(made.patterns)][number]
        base = block * made.size
        before = base - made.size + made.mains - 1 if c else None
        first = before if place.parent < 0 else base + place.parent
        second = base + place.second if place.second >= 0 and base + place.second < commits else None
        found.append(Node(first, second, block * made.mains + place.rise))
    return found


@given(SEEDS, st.integers(1, 200), st.integers(0, 1 << 20))
def test_generations_are_one_more_than_the_largest_of_the_parents(seed: int, commits: int, choose: int) -> None:
    found = nodes(blocks(seed, straight=False), commits, choose)
    for c, node in enumerate(found):
        parents = [found[each] for each in (node.first, node.second) if each is not None]
        assert node.generation == 1 + max((parent.generation for parent in parents), default=0)
        assert (node.first is None) == (c == 0)
        assert node.first is None or node.first < c
        assert node.first != node.second or c == 0


@given(SEEDS, st.integers(1, 200), st.integers(0, 1 << 20))
def test_the_line_of_first_parents_leads_to_the_fork_and_down_main(seed: int, commits: int, choose: int) -> None:
    made = blocks(seed, straight=False)
    found = nodes(made, commits, choose)
    mains = [made.main(position) for position in range(made.mains_among(commits))]
    for c in range(commits):
        block, number = divmod(c, made.size)
        place = made.patterns[(choose * (block + 1)) % len(made.patterns)][number]
        told = [block * made.size + each for each in place.line]
        position = block * made.mains + place.fork
        told += [mains[each] for each in range(position, -1, -1)]
        walked, at = [], c
        while True:
            walked.append(at)
            first = found[at].first
            if first is None:
                break
            at = first
        assert told == walked


@given(SEEDS)
def test_a_block_has_features_that_are_merged_and_ones_that_are_not(seed: int) -> None:
    made = blocks(seed, straight=False)
    places = [place for pattern in made.patterns for place in pattern]
    features = [place for place in places if place.line and place.tip == place.number]
    merged = [place for place in places if not place.line and place.second >= 0]
    assert 0 < len(merged) < len(features)
    assert max(len(place.line) for place in features) >= 3
    assert all(place.rise <= made.mains for place in places)


def test_some_features_merge_main_and_some_fork_from_features() -> None:
    places = [place for pattern in blocks(0, straight=False).patterns for place in pattern if place.line]
    assert any(place.second >= 0 for place in places)
    assert any(place.parent >= history.MAINS and place.tip != place.parent + 1 for place in places)


@pytest.mark.parametrize("commits", [1, 7, 100])
def test_a_straight_history_is_one_line(commits: int) -> None:
    made = blocks(3, straight=True)
    assert made.mains_among(commits) == commits
    assert nodes(made, commits, 0) == [Node(c - 1 if c else None, None, c + 1) for c in range(commits)]


def test_equal_seeds_give_equal_patterns_and_others_do_not() -> None:
    assert blocks(1, straight=False) == blocks(1, straight=False)
    assert blocks(1, straight=False) != blocks(2, straight=False)
