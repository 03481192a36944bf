"""Answers that the driver remembers, as long as they are few."""

from collections.abc import Iterable, Iterator

import numpy as np

from lakeproof.search.packing import Layout, Words, repack


class Known:
    """Packed rows by tag, all under one layout: the last one that was used."""

    def __init__(self) -> None:
        self._rows: dict[int, set[tuple[int, ...]]] = {}
        self.layout = Layout((), 1)

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(map(len, self._rows.values()))

    def words(self) -> Iterator[tuple[int, Words]]:
        """The rows of each tag."""
        for tag, rows in self._rows.items():
            yield tag, [np.array([row[at] for row in rows], np.uint64) for at in range(self.layout.words)]

    def added(
        self, answers: Iterable[tuple[int, tuple[int, ...]]], layout: Layout
    ) -> list[tuple[int, tuple[int, ...]]]:
        """Those that are new, in order; from now on they are known."""
        if layout != self.layout:
            renewed = {tag: repack(words, self.layout, layout) for tag, words in self.words()}
            self._rows = {tag: set(zip(*(w.tolist() for w in words), strict=True)) for tag, words in renewed.items()}
            self.layout = layout
        found = sorted({(tag, row) for tag, row in answers if row not in self._rows.get(tag, ())})
        for tag, row in found:
            self._rows.setdefault(tag, set()).add(row)
        return found
