"""States as machine words: columns, where their bits lie, and sets of packed rows.

A global state is a row of small integers, one per `Column`. Packed, it is one to a few 64-bit words; a whole
level is a list of NumPy arrays, one per word. Cells get the high bits of the first word, so that a sorted level
is also sorted by its store.

Example: three columns of 2, 1 and 3 bits lie in the upper six bits of one word. The state (2, 1, 5) is ``10 1 101``
there. A column of 63 bits would not fit beside the first two and starts a second word.

>>> layout = lay_out([2, 1, 3], order=[0, 1, 2])
>>> [place.shift for place in layout.places]
[62, 61, 58]
>>> [f"{word:064b}"[:6] for word in layout.pack([2, 1, 5])]
['101101']
>>> layout.unpack(layout.pack([2, 1, 5]))
(2, 1, 5)
>>> lay_out([2, 1, 63], order=[0, 1, 2]).places[2]
BitField(word=1, shift=1, bits=63)
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Final, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.model.identity import identity

T = TypeVar("T", np.int64, np.uint8)

Words = list[npt.NDArray[np.uint64]]
"""A set or list of states: one array per word, all of the same length."""

Rows = npt.NDArray[np.intp]
"""Which of them."""

CHUNK: Final = 1 << 15
"""States that are expanded at once: their temporaries fit into the second-level cache."""

WORD_BITS: Final = 64
KEY_BITS_MAX: Final = 62
"""A key of this many bits at most: more columns than fit into it are taken together step by step."""
_RUNS: Final = "stable"
"""How levels are sorted: a level is a concatenation of sorted runs, which timsort finds. Shuffled rows take longer."""
# Odd, so that multiplication is a bijection: 2**64 / golden ratio (splitmix64), and two primes of xxHash64.
_MIX: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x165667B19E3779F9))


class Column:
    """One component of a state, with the values that it has been seen to take: number 0 is the initial one."""

    __slots__ = ("_numbers", "name", "values")

    def __init__(self, name: Hashable, initial: Hashable) -> None:
        self.name = name
        self.values: list[Hashable] = [initial]
        self._numbers: dict[Hashable, int] = {identity(initial): 0}

    def number(self, value: Hashable) -> int:
        """The small integer that stands for a value; a new one for a new value: one of another type or other bits."""
        key = identity(value)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.values)
            self.values.append(value)
        return found

    def known(self, value: Hashable) -> int:
        """The same for a value that may not have been seen; a number that no value has then."""
        return self._numbers.get(identity(value), len(self.values))

    @property
    def bits(self) -> int:
        """How many bits its numbers need now."""
        return (len(self.values) - 1).bit_length()  # 0 while there is one value: such a column takes no room


@attrs.frozen
class BitField:
    """Where a column's bits lie: ``(words[word] >> shift) & mask``."""

    word: int
    shift: int
    bits: int

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1


@attrs.frozen
class Layout:
    """The places of all columns, by column number."""

    places: tuple[BitField, ...]
    words: int
    _fields: tuple[tuple[int, int, int], ...] = attrs.field(init=False, repr=False, eq=False)
    """Word, shift and mask of each column: states are unpacked by the hundred thousand."""

    def __attrs_post_init__(self) -> None:
        fields = tuple((place.word, place.shift, place.mask) for place in self.places)
        object.__setattr__(self, "_fields", fields)

    def field(self, words: Words, column: int) -> npt.NDArray[np.uint64]:
        """The numbers of one column."""
        place = self.places[column]
        return (words[place.word] >> np.uint64(place.shift)) & np.uint64(place.mask)

    def masks(self, columns: Sequence[int]) -> tuple[int, ...]:
        """For each word, the bits of these columns."""
        found = [0] * self.words
        for column in columns:
            place = self.places[column]
            found[place.word] |= place.mask << place.shift
        return tuple(found)

    def unpack(self, row: Sequence[int]) -> tuple[int, ...]:
        """A row of words as the numbers of its columns."""
        return tuple([(row[word] >> shift) & mask for word, shift, mask in self._fields])

    def delta(self, changes: Iterable[tuple[int, int]]) -> list[int]:
        """What is added to each word of a state whose numbers change so much, by column. Modulo 2**64: where a number
        falls, the addition wraps around. Each field of the sum fits into its bits, so no borrow is left over."""
        total = [0] * self.words
        for column, change in changes:
            place = self.places[column]
            total[place.word] += change << place.shift
        return [part % (1 << 64) for part in total]

    def pack(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """The inverse of `unpack`; columns beyond ``numbers`` are 0."""
        row = [0] * self.words
        for place, number in zip(self.places, numbers, strict=False):
            if number > place.mask:
                raise AssertionError(f"{number} does not fit into {place.bits} bits: the search is broken")
            row[place.word] |= number << place.shift
        return tuple(row)


def lay_out(bits: Sequence[int], order: Sequence[int]) -> Layout:
    """Place columns of these widths in this order, from the highest bit of the first word down. No column
    straddles two words."""
    places: dict[int, BitField] = {}
    word, free = 0, WORD_BITS
    for column in order:
        width = bits[column]
        if width > free:  # the rest of the word stays empty
            word, free = word + 1, WORD_BITS
        free -= width
        # Only a column without bits can leave a word all free; C does not define a shift by the whole width.
        places[column] = BitField(word, free if free < WORD_BITS else 0, width)
    return Layout(tuple(places[column] for column in range(len(bits))), word + 1)


def repack(words: Words, old: Layout, new: Layout) -> Words:
    """The same states under another layout; columns that ``old`` does not know become 0."""
    if old == new:
        return words
    size = len(words[0])
    out = [np.zeros(size, np.uint64) for _ in range(new.words)]
    for column, place in enumerate(old.places):
        if place.bits:
            # The field may be narrower than before, as spare bits move; the numbers in use still fit.
            target = new.places[column]
            out[target.word] |= old.field(words, column) << np.uint64(target.shift)
    return out


def concatenate(parts: Sequence[Words], words: int) -> Words:
    """All rows of the parts, one after the other."""
    if not parts:
        return [np.zeros(0, np.uint64) for _ in range(words)]
    return [np.concatenate([part[at] for part in parts]) for at in range(words)]


def take(words: Words, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_] | slice) -> Words:  # type: ignore[explicit-any]
    """Some of the rows."""
    return [word[rows] for word in words]


def add_deltas(words: Words, deltas: Sequence[Sequence[int]], which: npt.NDArray[np.intp]) -> Words:
    """Each row plus one of these deltas (`Layout.delta`): ``which``, by row."""
    return [word + np.array([delta[at] for delta in deltas], np.uint64)[which] for at, word in enumerate(words)]


def fingerprint(words: Words) -> npt.NDArray[np.uint64]:
    """64 bits that mix all words of a row. Equal rows have equal fingerprints, not the other way round."""
    mixed = words[0].copy()
    for at, word in enumerate(words[1:]):
        mixed *= _MIX[0]  # arrays wrap around modulo 2**64, without a warning
        mixed ^= mixed >> np.uint64(29)
        mixed += word * _MIX[1 + at % 2]
    mixed ^= mixed >> np.uint64(32)
    mixed *= _MIX[0]
    return mixed


def distinct(words: Words) -> Words:
    """Each row once. One word: sorted by value; more: by fingerprint.

    Exact either way: rows are merged only if all their words are equal. With several words, two *different*
    rows with one fingerprint can hide a duplicate from its twin, which is then counted twice (for n rows,
    probability below n^2 / 2^65) and harms nothing else.
    """
    if len(words) == 1:
        ordered = np.sort(words[0], kind=_RUNS)
        return [ordered[_firsts([ordered])]]
    # One sort of one array: to sort by all words, one after the other, takes a sort for each.
    ordered_rows = take(words, np.argsort(fingerprint(words), kind=_RUNS))
    return take(ordered_rows, _firsts(ordered_rows))


def _firsts(words: Words) -> npt.NDArray[np.bool_]:
    first = np.ones(len(words[0]), np.bool_)
    if len(first) > 1:
        np.not_equal(words[0][1:], words[0][:-1], out=first[1:])  # the first row is always new
        for word in words[1:]:
            first[1:] |= word[1:] != word[:-1]
    return first


def equal(words: Words, target: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Which rows are this one."""
    same = [word == np.uint64(part) for word, part in zip(words, target, strict=True)]
    return np.asarray(np.logical_and.reduce(same), np.bool_)


def projections(words: Words, layout: Layout, columns: Sequence[int]) -> tuple[list[tuple[int, ...]], Rows]:
    """The distinct numbers of these columns, and for each row which of them it has. Exact for any number of columns.

    Worked example: with columns of 40, 30 and 20 bits, the first is one group and the others another. Each row gets the
    rank of its numbers within each group (small integers), and the pairs of ranks are ranked once more.
    """
    groups = _groups(layout, columns)  # none: all columns have one value, and there is one projection
    if len(groups) <= 1:
        return _projections_in_one(words, layout, columns)
    ranks = np.zeros(len(words[0]), np.int64)
    firsts = np.zeros(0, np.intp)
    for group in groups:
        key = _key(words, layout, group)
        kinds = distinct([key])[0]
        pairs = ranks * len(kinds) + np.searchsorted(kinds, key)  # below rows**2: fits
        _, firsts, ranks = np.unique(pairs, return_index=True, return_inverse=True)
    picked = take(words, firsts)
    fields = [layout.field(picked, column).tolist() for column in columns]
    return list(zip(*fields, strict=True)), ranks


def _projections_in_one(words: Words, layout: Layout, columns: Sequence[int]) -> tuple[list[tuple[int, ...]], Rows]:
    """The same, for columns whose numbers fit into one key."""
    key = _key(words, layout, columns)
    kinds = distinct([key])[0]
    numbers = []
    for kind in kinds.tolist():
        row: list[int] = []
        for column in reversed(columns):
            bits = layout.places[column].bits
            row.append(kind & ((1 << bits) - 1))  # `_key` has put the last column lowest
            kind >>= bits
        numbers.append(tuple(reversed(row)))
    return numbers, np.searchsorted(kinds, key)  # sorted, and each key is there: its exact place


def _key(words: Words, layout: Layout, columns: Sequence[int]) -> npt.NDArray[np.uint64]:
    """The numbers of these columns, side by side in one word."""
    key = np.zeros(len(words[0]), np.uint64)
    for column in columns:
        bits = layout.places[column].bits
        if bits:
            key = (key << np.uint64(bits)) | layout.field(words, column)
    return key


def _groups(layout: Layout, columns: Sequence[int]) -> list[list[int]]:
    """The columns that have bits, in their order, in groups that fit into a key."""
    groups: list[list[int]] = []
    room = 0
    for column in columns:
        bits = layout.places[column].bits
        if not bits:
            continue
        if bits > room:
            groups.append([])
            room = KEY_BITS_MAX
        groups[-1].append(column)
        room -= bits
    return groups


class Visited:
    """A set of rows that grows: sorted runs, each a few times as long as the next one. Exact.

    Example: runs of 8, 4 and 1 rows. One more row makes runs of 8, 4 and 2; two more, a run of 8 + 4 + 2 + 2.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._runs: list[tuple[npt.NDArray[np.uint64], Words]] = []

    @property
    def nbytes(self) -> int:
        """The bytes that it takes."""
        return sum(marks.nbytes + sum(word.nbytes for word in words) for marks, words in self._runs)

    def add(self, words: Words, layout: Layout) -> None:
        """Take in these rows, none of which it has. Cost: each row is sorted again a logarithmic number of times."""
        self._follow(layout)
        # Each run stays at least twice as long as the next one, so their number is logarithmic.
        while self._runs and len(self._runs[-1][0]) < 2 * len(words[0]):
            words = concatenate([self._runs.pop()[1], words], layout.words)
        self._runs.append(_sorted_run(words))

    def contains(self, words: Words, layout: Layout) -> npt.NDArray[np.bool_]:
        """For each row whether it is in the set."""
        self._follow(layout)
        found = np.zeros(len(words[0]), np.bool_)
        marks = fingerprint(words)
        for run_marks, run in self._runs:
            found |= _places_in(run_marks, run, marks, words) >= 0
        return found

    def _follow(self, layout: Layout) -> None:
        """Lay all rows out anew where states are."""
        if layout != self._layout:
            # Other words have other fingerprints, so the order of a run is another one, too.
            self._runs = [_sorted_run(repack(words, self._layout, layout)) for _, words in self._runs]
            self._layout = layout


class Index:
    """Rows, each with its number: its place in the list of them."""

    def __init__(self, words: Words) -> None:
        marks = fingerprint(words)
        self._order = np.argsort(marks, kind=_RUNS)
        self._run = (marks[self._order], take(words, self._order))

    def numbers(self, words: Words) -> npt.NDArray[np.int64]:
        """The number of each row; -1: there is no such row."""
        at = _places_in(*self._run, fingerprint(words), words)
        return np.where(at >= 0, self._order[at], -1)  # -1 as an index picks some row, which `where` discards


def _places_in(
    run_marks: npt.NDArray[np.uint64], run: Words, marks: npt.NDArray[np.uint64], words: Words
) -> npt.NDArray[np.intp]:
    """Where each row is in a sorted run; -1: nowhere."""
    at = np.searchsorted(run_marks, marks)  # the first row with this fingerprint, or the place for it
    open_ = np.flatnonzero(at < len(run_marks))
    found = np.full(len(marks), -1, np.intp)
    while len(open_):  # rows with one fingerprint lie side by side: as a rule there is one
        open_ = open_[run_marks[at[open_]] == marks[open_]]
        here = at[open_]
        same = np.logical_and.reduce([mine[here] == word[open_] for mine, word in zip(run, words, strict=True)])
        found[open_[same]] = here[same]
        open_ = open_[~same]
        at[open_] += 1
        open_ = open_[at[open_] < len(run_marks)]
    return found


def _sorted_run(words: Words) -> tuple[npt.NDArray[np.uint64], Words]:
    marks = fingerprint(words)
    order = np.argsort(marks, kind=_RUNS)
    return marks[order], take(words, order)


def double_array(array: npt.NDArray[T], axis: int, fill: int) -> npt.NDArray[T]:
    """An array with room for twice as much along an axis."""
    return np.concatenate([array, np.full_like(array, fill)], axis=axis)
