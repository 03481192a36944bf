"""Iterators: each shows what is stored, in its order, and costs what it says."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.effects import Env
from lakeproof.impl.refs.errors import CommitNotFound
from lakeproof.impl.refs.iterators import (
    ParentNotFound,
    branch_by_commit_iterator,
    branch_iterator,
    commit_iterator,
    commit_ordered_iterator,
    leaf_commit_iterator,
)
from lakeproof.model.identifiers import (
    CommitID,
)
from tests.impl.records import REPOSITORY, branch, commit, tag
from tests.impl.refs.iterating import everything, holding, live

PAGE_SIZES: Final = pytest.mark.parametrize("batch_size", [0, 1, 2, 3, 1000])


class TestOrder:
    """Every iterator shows what is stored, sorted, and nothing of its neighbours."""

    @PAGE_SIZES
    def test_of_branches_by_id_without_deleted_ones(self, batch_size: int) -> None:
        store = holding(branch("b"), branch("a"), branch("gone", ""), branch("main"), commit("c"), tag("a"))
        found = everything(store, lambda env: branch_iterator(env, REPOSITORY, batch_size=batch_size))
        assert found == [branch("a"), branch("b"), branch("main")]

    @PAGE_SIZES
    def test_of_branches_by_commit_and_then_by_id(self, batch_size: int) -> None:
        store = holding(branch("b", "c1"), branch("a", "c2"), branch("c", "c1"), branch("gone", ""), tag("a"))
        found = everything(store, lambda env: branch_by_commit_iterator(env, REPOSITORY, batch_size=batch_size))
        assert found == [branch("b", "c1"), branch("c", "c1"), branch("a", "c2")]

    @PAGE_SIZES
    def test_of_commits_by_id(self, batch_size: int) -> None:
        store = holding(commit("b", "a"), commit("a"), commit("lost"), branch("main"), tag("v"))
        found = everything(store, lambda env: commit_ordered_iterator(env, REPOSITORY, batch_size=batch_size))
        assert found == [commit("a"), commit("b", "a"), commit("lost")]

    @PAGE_SIZES
    def test_of_commits_that_are_nobodys_first_parent(self, batch_size: int) -> None:
        # e merges d into c: d is only a second parent.
        store = holding(commit("a"), commit("c", "a"), commit("d", "a"), commit("e", "c", "d"), commit("f"))
        found = everything(store, lambda env: leaf_commit_iterator(env, REPOSITORY, batch_size=batch_size))
        assert [leaf.commit_id for leaf in found] == ["d", "e", "f"]


class TestAncestry:
    # e merges d into c, both of which come from a.
    HISTORY = (commit("a"), commit("c", "a"), commit("d", "a"), commit("e", "c", "d"), commit("other"))

    def walk(self, start: str, *, first_parent_only: bool = False) -> str:
        found = everything(
            holding(*self.HISTORY),
            lambda env: commit_iterator(env, REPOSITORY, CommitID(start), first_parent_only=first_parent_only),
        )
        return " ".join(each.commit_id for each in found)

    def test_may_follow_first_parents_only(self) -> None:
        assert self.walk("e", first_parent_only=True) == "e c a"

    def test_from_a_commit_that_is_not_there_says_which(self) -> None:
        with pytest.raises(CommitNotFound, match="nowhere"):
            self.walk("nowhere")

    def test_with_a_parent_missing_names_child_and_parent_and_can_start_over(self) -> None:
        store = holding(commit("e", "c", "d"), commit("c"))

        async def flow(env: Env) -> list[str]:
            commits = commit_iterator(env, REPOSITORY, CommitID("e"))
            met = []
            for _ in range(2):
                while True:
                    try:
                        assert await commits.next()
                    except ParentNotFound as error:
                        met.append(str(error))
                        break
                    met.append(commits.value.commit_id)
                await commits.seek("c")
            return met

        told = "commit 'e' names parent 'd', which is not there; restore it, or start elsewhere"
        assert live(store, flow) == ["e", "c", told, "c", told]

    def test_seeks_a_commit_wherever_it_stands_and_goes_on_from_it(self) -> None:
        async def flow(env: Env) -> list[str]:
            commits = commit_iterator(env, REPOSITORY, CommitID("e"))
            met = []
            for target in ("d", "c", "other", "e"):
                await commits.seek(target)
                met.append(" ".join([each.commit_id async for each in commits]))
            return met

        assert live(holding(*self.HISTORY), flow) == ["d a", "c d a", "", "e c d a"]

    @given(st.lists(st.lists(st.integers(0, 30), max_size=3), min_size=1, max_size=12))
    def test_is_that_of_a_plain_breadth_first_search(self, parents: list[list[int]]) -> None:
        names = [[f"{p % n:02}" for p in listed] if n else [] for n, listed in enumerate(parents)]
        history = {f"{n:02}": commit(f"{n:02}", *dict.fromkeys(listed)) for n, listed in enumerate(names)}
        start = max(history)
        queue, expected = [start], list[str]()
        while queue:
            name = queue.pop(0)
            if name not in expected:
                expected.append(name)
                queue += history[name].parents
        found = everything(holding(*history.values()), lambda env: commit_iterator(env, REPOSITORY, CommitID(start)))
        assert [each.commit_id for each in found] == expected
