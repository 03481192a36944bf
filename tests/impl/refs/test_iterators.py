"""Iterators: each shows what is stored, in its order, under any moves, page by page, and in the middle of errors."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.codec import Undecodable
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.errors import CommitNotFound
from lakeproof.impl.refs.iterators import (
    Iterator,
    NoValue,
    ParentNotFound,
    branch_by_commit_iterator,
    commit_iterator,
    leaf_commit_iterator,
    staging_iterator,
    tag_iterator,
)
from lakeproof.model import kv
from lakeproof.model.identifiers import CommitID
from lakeproof.model.records import Branch, Commit, StagedEntry, Tag
from tests.impl.hand import Hand
from tests.impl.records import REPOSITORY, TOKEN, P, branch, commit, staged, tag

T = TypeVar("T")


def live(hand: Hand, flow: Callable[[Env], Coroutine[Any, Any, T]]) -> T:  # type: ignore[explicit-any]
    return hand.do(flow(hand.env))


def everything(hand: Hand, make: Callable[[Env], Iterator[T]]) -> list[T]:
    async def flow(env: Env) -> list[T]:
        return [value async for value in make(env)]

    return live(hand, flow)


ids = st.sets(st.text("abc", min_size=1, max_size=3), max_size=9)


def reference(entries: Sequence[StagedEntry], moves: Sequence[str | None]) -> list[StagedEntry | None]:
    """What `next` (a None among the moves) and seeks find in a sorted list."""
    found: list[StagedEntry | None] = []
    index = 0
    for move in moves:
        if move is not None:
            index = sum(entry.key < move.encode() for entry in entries)
            continue
        found.append(entries[index] if index < len(entries) else None)
        index = min(index + 1, len(entries))
    return found


class TestProtocol:
    moves = st.lists(st.one_of(st.none(), st.none(), st.text("abc", max_size=3)), max_size=12)
    sizes = st.integers(0, 4)

    @given(ids, moves, sizes, st.text("ab", max_size=2))
    def test_a_scan_finds_what_its_sorted_list_holds_below_its_prefix_wherever_it_is_moved(
        self, names: set[str], moves: list[str | None], batch_size: int, prefix: str
    ) -> None:
        values = [staged(name.encode()) for name in sorted(names)]
        below = [entry for entry in values if entry.key.startswith(prefix.encode())]
        store = Hand.holding(*values)

        async def flow(env: Env) -> list[StagedEntry | None]:
            iterator = staging_iterator(env, TOKEN, prefix.encode(), batch_size=batch_size)
            found: list[StagedEntry | None] = []
            for move in moves:
                before = len(store.ops)
                if move is None:
                    found.append(iterator.value if await iterator.next() else None)
                else:
                    await iterator.seek(move)
                    assert len(store.ops) == before, "a seek has no effect"
            return found

        assert live(store, flow) == reference(below, moves)

    def test_there_is_no_value_before_next_after_the_end_and_after_a_seek(self) -> None:
        async def flow(env: Env) -> None:
            tags = tag_iterator(env, REPOSITORY)
            with pytest.raises(NoValue, match=r"call next\(\)"):
                _ = tags.value
            assert await tags.next()
            assert tags.value == tag("a")
            await tags.seek("a")
            with pytest.raises(NoValue):
                _ = tags.value
            assert await tags.next()
            assert not await tags.next()
            assert not await tags.next()
            with pytest.raises(NoValue):
                _ = tags.value

        live(Hand.holding(tag("a")), flow)


class TestErrors:
    @given(ids, st.integers(1, 3), st.sets(st.integers(0, 6), max_size=4))
    def test_a_scan_that_breaks_is_reported_and_next_tries_it_again(
        self, names: set[str], batch_size: int, fails: set[int]
    ) -> None:
        store = Hand.holding(*map(tag, names))

        async def flow(env: Env) -> tuple[list[str], int]:
            tags = tag_iterator(env, REPOSITORY, batch_size=batch_size)
            found, broken = list[str](), 0
            while True:
                try:
                    if not await tags.next():
                        return found, broken
                except kv.ScanInterrupted:
                    broken += 1
                else:
                    found.append(tags.value.tag_id)

        found, broken = store.do(flow(store.env), told=dict.fromkeys(fails, kv.ScanInterrupted()))
        assert found == sorted(names)
        assert broken == len([number for number in fails if number < len(store.ops)])

    @pytest.mark.parametrize("make", [branch_by_commit_iterator, leaf_commit_iterator])
    def test_loading_that_broke_is_done_again(self, make: Callable[..., Iterator[Branch | Commit]]) -> None:  # type: ignore[explicit-any]
        store = Hand.holding(branch("a", "1"), branch("b", "2"), commit("1"), commit("2"))

        async def flow(env: Env) -> int:
            iterator = make(env, REPOSITORY, batch_size=1)
            with pytest.raises(kv.ScanInterrupted):
                await iterator.next()
            return len([value async for value in iterator])

        assert store.do(flow(store.env), told={1: kv.ScanInterrupted()}) == 2

    @pytest.mark.parametrize(
        ("key", "told"),
        [
            (b"tags/bad", r"b'r-u' b'tags/bad': not a tag record"),
            (b"tags/b\xff", r"b'r-u' b'tags/b\\xff': the key schema knows no such key; expected a Tag"),
            (b"tags/", r"b'r-u' b'tags/': the key schema knows no such key"),
        ],
    )
    def test_what_is_no_record_is_reported_with_its_address_and_a_seek_passes_it(self, key: bytes, told: str) -> None:
        store = Hand.holding(tag("a"), tag("c"))
        store.perform(kv.Set(P, key, b"\xff"))

        async def flow(env: Env) -> list[Tag]:
            tags = tag_iterator(env, REPOSITORY)
            await tags.seek(key.removeprefix(b"tags/"))
            for _ in range(2):  # called again, it says it again
                with pytest.raises(Undecodable, match=told):
                    await tags.next()
            await tags.seek(key.removeprefix(b"tags/") + b"\0")
            return [each async for each in tags]

        assert live(store, flow) == ([tag("c")] if key > b"tags/a" else [tag("a"), tag("c")])


class TestAncestry:
    def test_from_a_commit_that_is_not_there_says_which(self) -> None:
        with pytest.raises(CommitNotFound, match="nowhere"):
            everything(Hand(), lambda env: commit_iterator(env, REPOSITORY, CommitID("nowhere")))

    def test_with_a_parent_missing_names_child_and_parent_and_can_start_over(self) -> None:
        store = Hand.holding(commit("e", "c", "d"), commit("c"))

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
        found = everything(
            Hand.holding(*history.values()), lambda env: commit_iterator(env, REPOSITORY, CommitID(start))
        )
        assert [each.commit_id for each in found] == expected
