"""Listings by iterators are those that gather; pages, common prefixes and differences are plain folds."""

from collections.abc import Mapping

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.designs.branch_designs import BRANCH
from lakeproof.impl.graveler import listing, lock_free, reads, writes
from lakeproof.impl.graveler.listing import CommonPrefix, Difference, DiffType, Query, Shown
from lakeproof.impl.refs.errors import BranchBusy
from lakeproof.model import kv
from tests.impl.graveler.test_layers import QUICK, layered, layers, over, paths, prefixes
from tests.impl.hand import Hand

heads = st.dictionaries(paths, st.sampled_from([b"1", b"2"]), max_size=3)
delimiters = st.sampled_from([b"", b"/"])


def pages(hand: Hand, query: Query, batch_size: int) -> list[Shown]:
    found: list[Shown] = []
    while True:
        page = hand.run(listing.list_page, BRANCH, query, batch_size=batch_size)
        found += page.shown
        if not page.more:
            return found
        assert len(page.shown) == query.amount > 0
        query = attrs.evolve(query, after=page.shown[-1].path)


def folded(content: Mapping[bytes, bytes], prefix: bytes, delimiter: bytes) -> list[bytes]:
    found: list[bytes] = []
    for path in sorted(path for path in content if path.startswith(prefix)):
        at = path.find(delimiter, len(prefix)) if delimiter else -1
        name = path if at < 0 else path[: at + 1]
        if name not in found[-1:]:
            found.append(name)
    return found


@QUICK
@given(heads, layers, prefixes, st.sampled_from([0, 1, 2]))
def test_both_listings_list_the_newest_of_each_path_whatever_they_begin_with(
    head: dict[bytes, bytes], changes: list[dict[bytes, bytes | None]], prefix: bytes, batch_size: int
) -> None:
    hand = layered(head, changes)
    expected = {path: each for path, each in over(head, *changes).items() if path.startswith(prefix)}
    for flow in (listing.list_entries, reads.list_entries):
        streamed = hand.run(flow, BRANCH, prefix, batch_size=batch_size)
        assert {entry.path: entry.identity for entry in streamed} == expected
        assert [entry.path for entry in streamed] == sorted(expected)


@QUICK
@given(heads, layers, prefixes, delimiters, st.sampled_from([0, 1, 2]), st.sampled_from([0, 1]))
def test_its_pages_put_together_are_the_whole(
    head: dict[bytes, bytes],
    changes: list[dict[bytes, bytes | None]],
    prefix: bytes,
    delimiter: bytes,
    amount: int,
    batch_size: int,
) -> None:
    hand = layered(head, changes)
    found = pages(hand, Query(prefix=prefix, delimiter=delimiter, amount=amount), batch_size)
    assert [each.path for each in found] == folded(over(head, *changes), prefix, delimiter)
    assert all(isinstance(each, CommonPrefix) == each.path.endswith(b"/") for each in found)


@QUICK
@given(heads, layers)
def test_the_differences_are_those_of_the_contents(
    head: dict[bytes, bytes], changes: list[dict[bytes, bytes | None]]
) -> None:
    hand, now = layered(head, changes), over(head, *changes)
    expected = [
        Difference(
            path, DiffType.REMOVED if path not in now else DiffType.ADDED if path not in head else DiffType.CHANGED
        )
        for path in sorted(head.keys() | now.keys())
        if head.get(path) != now.get(path)
    ]
    assert list(hand.run(listing.diff_uncommitted, BRANCH)) == expected


def test_a_page_starts_over_when_its_branch_has_changed() -> None:
    hand = Hand.founded()
    hand.run(writes.set_entry, BRANCH, b"x", b"1")
    reader = hand.start(listing.list_page, BRANCH, Query(), tries=1).until(kv.ScanBatch)
    hand.run(lock_free.commit, BRANCH, "m")
    with pytest.raises(BranchBusy):
        reader.finish()
