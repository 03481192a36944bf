"""Iterators: each shows what is stored, in its order, and costs what it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.effects import Env
from lakeproof.impl.refs.errors import CommitNotFound
from lakeproof.impl.refs.iterators import ParentNotFound, commit_iterator
from lakeproof.model.identifiers import CommitID
from tests.impl.records import REPOSITORY, commit
from tests.impl.refs.iterating import everything, holding, live


class TestAncestry:
    # e merges d into c, both of which come from a.
    HISTORY = (commit("a"), commit("c", "a"), commit("d", "a"), commit("e", "c", "d"), commit("other"))

    def walk(self, start: str, *, first_parent_only: bool = False) -> str:
        found = everything(
            holding(*self.HISTORY),
            lambda env: commit_iterator(env, REPOSITORY, CommitID(start), first_parent_only=first_parent_only),
        )
        return " ".join(each.commit_id for each in found)

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
