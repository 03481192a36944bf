"""The shape of histories, held against a walk over the parents."""

import pytest

from lakeproof.spark_checks.generate.plan import BRANCHED, CHAIN, History


@pytest.mark.parametrize("history", [BRANCHED, CHAIN], ids=["branched", "chain"])
@pytest.mark.parametrize("commits", [1, 2, 10, 23, 32, 33, 150])
def test_generations_and_ancestors_are_those_of_a_walk(history: History, commits: int) -> None:
    for c in range(commits):
        parents = history.parents(c, commits)
        assert all(0 <= each < commits for each in parents)
        assert (c == 0) == (not parents)
        assert all(first < c for first in parents[:1])
        assert len({*parents}) == len(parents)
        walked = [c]
        while before := history.parents(walked[-1], commits):
            walked.append(before[0])
        assert [history.ancestor(c, steps) for steps in range(len(walked))] == walked
    order = sorted(range(commits), key=history.generation)
    found: dict[int, int] = {}
    for c in order:
        found[c] = 1 + max((found[each] for each in history.parents(c, commits)), default=0)
    assert found == {c: history.generation(c) for c in order}
    mains = [history.main(position) for position in range(history.mains_among(commits))]
    assert mains == sorted({c for c in range(commits) if c % history.size < history.mains})
