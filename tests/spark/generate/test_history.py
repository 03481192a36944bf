"""The shape of histories, block by block: walked in plain Python."""

import attrs
from hypothesis import given
from hypothesis import strategies as st

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
