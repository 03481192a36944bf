"""Laws of packed states: every layout is lossless, and sets of rows are sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.search.packing import (
    Layout,
    Words,
    distinct,
    fingerprint,
    lay_out,
    repack,
)

FIXED = settings(derandomize=True, database=None)
Rows = list[tuple[int, ...]]

widths = st.lists(st.integers(0, 24), min_size=1, max_size=20)


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    bits = draw(widths)
    return lay_out(bits, draw(st.permutations(range(len(bits)))))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Layout, Rows]:
    """A layout, and rows of numbers that fit it."""
    layout = draw(layouts())
    row = st.tuples(*[st.integers(0, place.mask) for place in layout.places])
    return layout, draw(st.lists(row, min_size=1, max_size=12))


def words_of(layout: Layout, rows: Rows) -> Words:
    packed = [layout.pack(row) for row in rows]
    return [np.array([row[word] for row in packed], np.uint64) for word in range(layout.words)]


def rows_of(layout: Layout, words: Words) -> Rows:
    return [layout.unpack(row) for row in zip(*(word.tolist() for word in words), strict=True)]


def packed(words: Words) -> list[tuple[int, ...]]:
    return list(zip(*(word.tolist() for word in words), strict=True))


class TestLayout:
    @FIXED
    @given(tables())
    def test_unpacking_inverts_packing_by_row_and_by_column(self, table: tuple[Layout, Rows]) -> None:
        layout, rows = table
        words = words_of(layout, rows)
        assert rows_of(layout, words) == rows
        columns = [layout.field(words, column).tolist() for column in range(len(layout.places))]
        assert list(zip(*columns, strict=True)) == rows

    @FIXED
    @given(tables(), st.data())
    def test_masks_keep_just_their_columns(self, table: tuple[Layout, Rows], data: st.DataObject) -> None:
        layout, rows = table
        chosen = data.draw(st.sets(st.integers(0, len(layout.places) - 1)))
        masks = layout.masks(sorted(chosen))
        kept = [word & np.uint64(mask) for word, mask in zip(words_of(layout, rows), masks, strict=True)]
        expected = [tuple(number if column in chosen else 0 for column, number in enumerate(row)) for row in rows]
        assert rows_of(layout, kept) == expected

    def test_a_number_that_does_not_fit_is_refused(self) -> None:
        with pytest.raises(AssertionError, match="4 does not fit into 2 bits"):
            lay_out([2, 3], [0, 1]).pack([4, 0])


class TestRepack:
    @FIXED
    @given(tables(), st.data())
    def test_repacking_keeps_every_number_and_new_columns_are_zero(
        self, table: tuple[Layout, Rows], data: st.DataObject
    ) -> None:
        old, rows = table
        wider = [place.bits + data.draw(st.integers(0, 6)) for place in old.places] + data.draw(widths)
        new = lay_out(wider, data.draw(st.permutations(range(len(wider)))))
        more = len(wider) - len(old.places)
        assert rows_of(new, repack(words_of(old, rows), old, new)) == [(*row, *[0] * more) for row in rows]


class TestDistinct:
    @FIXED
    @given(tables(), st.data())
    def test_each_row_is_kept_once(self, table: tuple[Layout, Rows], data: st.DataObject) -> None:
        layout, rows = table
        twice = data.draw(st.permutations([*rows, *rows]))
        found = rows_of(layout, distinct(words_of(layout, twice)))
        assert sorted(found) == sorted(set(rows))

    def test_rows_that_differ_in_any_one_bit_have_different_fingerprints(self) -> None:
        base = [np.array([0x0123456789ABCDEF], np.uint64) for _ in range(3)]
        seen = {int(fingerprint(base)[0])}
        for word in range(3):
            for bit in range(64):
                other = [part.copy() for part in base]
                other[word] ^= np.uint64(1 << bit)
                seen.add(int(fingerprint(other)[0]))
        assert len(seen) == 1 + 3 * 64

    def test_rows_with_one_fingerprint_are_not_taken_for_each_other(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("lakeproof.search.packing.fingerprint", lambda words: np.zeros(len(words[0]), np.uint64))
        rows = [(1, 1, 1), (1, 1, 2), (1, 2, 2), (2, 2, 2)]  # neighbours differ in one word
        words = [np.array(word, np.uint64) for word in zip(*rows, strict=True)]
        assert packed(distinct(words)) == rows
