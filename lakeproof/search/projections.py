"""What invariants read of packed states: projections, each of them judged once."""

from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from lakeproof.model.snapshot import Reads
from lakeproof.search.kernel import Kernel
from lakeproof.search.packing import Words, distinct

STORED: Final = frozenset({Reads.STORE, Reads.OBJECTS})
"""What is a part of every projection: nothing tells the cells of both stores apart."""


class Projections:
    """The projections of a kernel's states that have been met so far."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.seen: dict[object, set[object]] = {}
        """By question: the projections that were judged."""
        self._visible: list[dict[Hashable, int]] = [{} for _ in kernel.tables]
        self._same: list[npt.NDArray[np.int64]] = [np.zeros(0, np.int64) for _ in kernel.tables]

    def fresh(
        self, key: object, words: Words, reads: frozenset[Reads], more: Sequence[int] = ()
    ) -> list[tuple[int, tuple[int, ...]]]:
        """Projections of these states, on what is read and ``more`` columns, that have not been met under ``key``,
        each with a row that has it."""
        layout, space = self.kernel.layout, self.kernel.space
        masks = self.masks(reads, more)
        projected = [word & np.uint64(mask) for word, mask in zip(words, masks, strict=True)]
        if Reads.CLIENTS in reads:
            for client in range(len(space.clients)):
                self._show_only_visible(projected, client)
        used = [at for at, mask in enumerate(masks) if mask] or [0]  # a word of which nothing is read costs a sort
        narrow = [projected[at] for at in used]
        kinds = distinct(narrow)  # fast where a level of one word is read: it is sorted by its cells, its highest bits
        seen = self.seen.setdefault(key, set())
        fresh = []
        for values in zip(*(kind.tolist() for kind in kinds), strict=True):
            full = [0] * layout.words
            for at, value in zip(used, values, strict=True):
                full[at] = value
            numbers = layout.unpack(full)
            # One name before and after a new column: the set outlives layouts.
            name = trim_zeros(numbers)
            if name not in seen:
                seen.add(name)
                same = [part == value for part, value in zip(narrow, values, strict=True)]
                row = np.flatnonzero(np.logical_and.reduce(same))
                fresh.append((int(row[0]), numbers))  # any row will do
        return fresh

    def masks(self, reads: frozenset[Reads], more: Sequence[int] = ()) -> tuple[int, ...]:
        """For each word, the bits of what is read, and of ``more`` columns."""
        return self.kernel.layout.masks([*self._columns(reads), *more])

    def _columns(self, reads: frozenset[Reads]) -> list[int]:
        space = self.kernel.space
        known = len(self.kernel.layout.places)
        columns = [column for column in space.cells.values() if column < known]  # a newer one is 0 everywhere
        if Reads.CLIENTS in reads:
            columns += space.clients
        if Reads.CLOCK in reads and space.clock >= 0:
            columns.append(space.clock)
        return columns

    def shown_only(self, words: Words) -> Words:
        """These states, with each client at the first node at which the same is visible."""
        shown = list(words)
        for client in range(len(self.kernel.space.clients)):
            self._show_only_visible(shown, client)
        return shown

    def _show_only_visible(self, projected: Words, client: int) -> None:
        """Replace a client's node by the first one at which the same is visible."""
        table = self.kernel.tables[client]
        same = self.visible(client)
        at = table.nodes_of(projected)
        # `same[at]` is at most `at`: the field gets smaller, and the sum wraps around to it.
        change = (same[at] - at).astype(np.uint64) << table.node_shift
        projected[table.node_word] = projected[table.node_word] + change

    def visible(self, client: int) -> npt.NDArray[np.int64]:
        """For each node of a client, the first one at which the same is visible."""
        first, known = self._visible[client], self._same[client]
        nodes = self.kernel.tables[client].behaviour.nodes
        if len(known) < len(nodes):
            more = [first.setdefault(node.visible, node.id) for node in nodes[len(known) :]]  # only the new ones
            known = self._same[client] = np.append(known, np.array(more, np.int64))
        return known

    def full(self, words: Words, row: int) -> tuple[int, ...]:
        """All numbers of the state of which only a projection was judged."""
        return self.kernel.layout.unpack([int(word[row]) for word in words])


def trim_zeros(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Without trailing zeros: a column that comes later is 0 in all that was seen before."""
    end = len(numbers)
    while end and not numbers[end - 1]:
        end -= 1
    return numbers[:end]
