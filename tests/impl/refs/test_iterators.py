"""Iterators: each shows what is stored, in its order, under any moves, page by page, and in the middle of errors."""

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lakeproof.impl.codec import Undecodable
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.errors import CommitNotFound
from lakeproof.impl.refs.iterators import (
    Iterator,
    NoValue,
    ParentNotFound,
    branch_by_commit_iterator,
    branch_iterator,
    commit_iterator,
    commit_ordered_iterator,
    leaf_commit_iterator,
    staging_iterator,
    tag_iterator,
)
from lakeproof.model import kv
from lakeproof.model.identifiers import CommitID
from lakeproof.model.records import Branch, Commit, Record, StagedEntry, Tag
from tests.impl.hand import Hand
from tests.impl.records import REPOSITORY, TOKEN, P, branch, commit, staged, tag

T = TypeVar("T")


def live(hand: Hand, flow: Callable[[Env], Coroutine[Any, Any, T]]) -> T:  # type: ignore[explicit-any]
    return hand.do(flow(hand.env))


def everything(hand: Hand, make: Callable[[Env], Iterator[T]]) -> list[T]:
    async def flow(env: Env) -> list[T]:
        return [value async for value in make(env)]

    return live(hand, flow)


@attrs.frozen
class Refs:
    """What a repository holds: commits by id, and what names them; a branch that names none was deleted."""

    commits: Mapping[str, Commit]
    branches: Sequence[Branch]
    tags: Sequence[Tag]

    @property
    def live(self) -> list[Branch]:
        return [each for each in self.branches if each.commit_id]

    def held(self) -> Hand:
        return Hand.holding(*self.commits.values(), *self.branches, *self.tags)


@st.composite
def some_refs(draw: st.DrawFn) -> Refs:
    parents = draw(st.lists(st.lists(st.integers(0, 30), max_size=3), min_size=1, max_size=12))
    names = [[f"{p % n:02}" for p in listed] if n else [] for n, listed in enumerate(parents)]
    history = {f"{n:02}": commit(f"{n:02}", *dict.fromkeys(listed)) for n, listed in enumerate(names)}
    heads = draw(st.dictionaries(st.text("abc", min_size=1, max_size=2), st.sampled_from(["", *history])))
    return Refs(history, [branch(*each) for each in heads.items()], [tag(name) for name in draw(ids)])


Make = Callable[..., Iterator[Any]]  # type: ignore[explicit-any]

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


def stands_on_nothing(iterator: Iterator[T]) -> None:
    with pytest.raises(NoValue, match=r"call next\(\)"):
        _ = iterator.value


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
                    stands_on_nothing(iterator)
                    assert len(store.ops) == before, "a seek has no effect"
            return found

        assert live(store, flow) == reference(below, moves)


class TestErrors:
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


def leaves(refs: Refs) -> list[Commit]:
    firsts = {each.parents[0] for each in refs.commits.values() if each.parents}
    return [each for name, each in refs.commits.items() if name not in firsts]


KINDS: Final[Sequence[tuple[Make, Callable[[Refs], Iterable[Record]], str]]] = [
    (tag_iterator, lambda refs: refs.tags, "tag_id"),
    (branch_iterator, lambda refs: refs.live, "branch_id"),
    (branch_by_commit_iterator, lambda refs: refs.live, "commit_id"),
    (commit_ordered_iterator, lambda refs: refs.commits.values(), "commit_id"),
    (leaf_commit_iterator, leaves, "commit_id"),
]
"""What each shows, and what it is in the order of."""


async def shown(iterator: Iterator[T]) -> list[T]:
    """All values, whatever breaks."""
    found, more = list[T](), True
    stands_on_nothing(iterator)
    while more:
        try:
            more = await iterator.next()
            found += [iterator.value] if more else []
        except kv.ScanInterrupted:
            stands_on_nothing(iterator)
    stands_on_nothing(iterator)
    assert not await iterator.next()
    return found


BROKEN: Final = kv.ScanInterrupted()
fails = st.sets(st.integers(0, 6)).map(lambda numbers: dict.fromkeys(numbers, BROKEN))


LINE: Final = Refs({"00": commit("00"), "01": commit("01", "00"), "02": commit("02", "01")}, [], [])


class TestKinds:
    """Any read may break."""

    # Between two pages, in the only pass, and in the first of two: what was read before must not be lost.
    @example(LINE, KINDS[3], 1, "", {1: BROKEN})
    @example(LINE, KINDS[4], 1, "", {2: BROKEN})
    @given(some_refs(), st.sampled_from(KINDS), st.integers(0, 3), st.sampled_from(["", "01", "ab"]), fails)
    def test_each_shows_all_that_is_stored_from_a_place_on_in_its_order(
        self,
        refs: Refs,
        kind: tuple[Make, Callable[[Refs], Iterable[Record]], str],
        batch_size: int,
        start: str,
        told: Mapping[int, kv.KVError],
    ) -> None:
        hand, (make, stored, field) = refs.held(), kind
        iterator = make(hand.env, REPOSITORY, batch_size=batch_size)
        hand.do(iterator.seek(start))
        expected = [each for each in stored(refs) if getattr(each, field) >= start]
        expected.sort(key=lambda each: (getattr(each, field), getattr(each, "branch_id", "")))
        assert hand.do(shown(iterator), told) == expected

    @given(some_refs(), st.booleans(), fails)
    def test_an_ancestry_is_that_of_a_plain_breadth_first_search(
        self, refs: Refs, first_only: bool, told: Mapping[int, kv.KVError]
    ) -> None:
        hand, queue, expected = refs.held(), [max(refs.commits)], list[str]()
        iterator = commit_iterator(hand.env, REPOSITORY, CommitID(queue[0]), first_parent_only=first_only)
        while queue:
            name = queue.pop(0)
            if name not in expected:
                expected.append(name)
                queue += refs.commits[name].parents[: 1 if first_only else None]
        assert [each.commit_id for each in hand.do(shown(iterator), told)] == expected

    @pytest.mark.parametrize("make", [*(make for make, *_ in KINDS), partial(commit_iterator, start=CommitID("01"))])
    def test_one_that_is_closed_while_it_reads_shows_nothing_and_ends(self, make: Make) -> None:
        hand = Hand.holding(commit("00"), commit("01", "00"), branch("a", "01"), branch("b", "00"), tag("v"))
        iterator = make(hand.env, REPOSITORY)
        running = hand.begin(iterator.next())
        iterator.close()
        assert not running.finish()
        assert not hand.do(iterator.next())
        assert hand.ops == []

    def test_one_that_is_closed_while_it_reads_what_is_no_record_does_not_raise(self) -> None:
        hand = Hand()
        hand.perform(kv.Set(P, b"tags/bad", b"\xff"))
        iterator = tag_iterator(hand.env, REPOSITORY)
        running = hand.begin(iterator.next())
        iterator.close()
        assert not running.finish()
