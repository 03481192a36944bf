"""Levels of a search, and the way back through them.

No parents are kept: the predecessor of a state is found by expanding the level before it once more. Under
symmetry the states of a path are representatives; walking forward again from the start, move by move, finds the
real moves.
"""

import tempfile
from collections.abc import Callable
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.search.faults import Move
from lakeproof.search.kernel import Kernel
from lakeproof.search.packing import CHUNK as CHUNK
from lakeproof.search.packing import Layout, Words, equal, repack, take
from lakeproof.search.space import Relayout
from lakeproof.search.states import FirstReach
from lakeproof.search.symmetry import Symmetry

RESIDENT_BYTES_MAX: Final = 512 << 20
"""Once the levels together are larger than this, further ones go to temporary files."""

Seek = Callable[[int, tuple[int, ...]], tuple[int, ...]]
"""A level, and the numbers of a state of the next one: the numbers of a predecessor."""


class Levels:
    """All levels so far, each in the layout that it had."""

    def __init__(self) -> None:
        self._levels: list[tuple[Words, Layout]] = []
        self._resident_bytes = 0

    def __len__(self) -> int:
        return len(self._levels)

    def append(self, words: Words, layout: Layout) -> None:
        """Keep a level: in memory as long as there is room, on disk from then on. Cost on disk: 8 bytes a word.

        Raises:
            OSError: the disk is full.
        """
        size_bytes = sum(word.nbytes for word in words)
        if self._resident_bytes + size_bytes > RESIDENT_BYTES_MAX:
            words = [_spill_to_file(word) for word in words]
        else:
            self._resident_bytes += size_bytes
        self._levels.append((words, layout))

    def read(self, level: int, layout: Layout) -> Words:
        """The states of a level under a later layout."""
        words, old = self._levels[level]
        return repack(words, old, layout)


def _spill_to_file(word: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    with tempfile.TemporaryFile() as file:
        file.write(word.tobytes())
        file.flush()  # else the mapping would reach past the end of the file
        # The mapping outlives the file that is closed here; the system frees the space with the array.
        return np.memmap(file, np.uint64, "r", shape=word.shape)


class _PredecessorFound(Exception):
    """The predecessor has been found."""


def path_to(kernel: Kernel, symmetry: Symmetry, levels: Levels, place: FirstReach) -> tuple[Move, ...]:
    """The moves from the initial state to a place. Cost: every level before it is expanded once more, at worst."""

    def seek(level: int, numbers: tuple[int, ...]) -> tuple[int, ...]:
        return predecessor(kernel, symmetry, levels, level, numbers)

    return path_through(kernel, symmetry, seek, place)


def path_through(kernel: Kernel, symmetry: Symmetry, seek: Seek, place: FirstReach) -> tuple[Move, ...]:
    """The same, where ``seek`` finds a predecessor on a level for a state of the next one."""
    numbers = place.numbers
    states = [numbers]
    for level in range(place.level - 1, -1, -1):  # backwards: parents are not kept
        numbers = seek(level, numbers)
        states.append(numbers)
    moves, row = _walk(kernel, symmetry, states[::-1])
    return moves if place.move is None else (*moves, _last(kernel, place.numbers, row, place.move))


def predecessor(
    kernel: Kernel, symmetry: Symmetry, levels: Levels, level: int, numbers: tuple[int, ...]
) -> tuple[int, ...]:
    """A state of a level from which one move leads to the state with these numbers."""
    while True:
        try:
            return _seek(kernel, symmetry, levels.read(level, kernel.layout), numbers)
        except Relayout:
            kernel.relayout()  # the level is read again, under the new layout


def _seek(kernel: Kernel, symmetry: Symmetry, words: Words, numbers: tuple[int, ...]) -> tuple[int, ...]:
    target = kernel.layout.pack(numbers)
    found: list[tuple[int, ...]] = []
    for at in range(0, len(words[0]), CHUNK):
        chunk = take(words, slice(at, at + CHUNK))

        def sink(move: Move, rows: npt.NDArray[np.intp], after: Words, chunk: Words = chunk) -> None:
            # `target` is a representative, so each successor is compared by its own.
            hits = np.flatnonzero(equal(symmetry.canonical(after, kernel), target))
            if len(hits):
                found.append(kernel.layout.unpack([int(word[rows[hits[0]]]) for word in chunk]))
                raise _PredecessorFound  # out of the expansion: one predecessor is enough

        try:
            kernel.expand(chunk, sink)
        except _PredecessorFound:
            return found[0]
    raise AssertionError("a state without a predecessor: the search is broken")


def _successors(kernel: Kernel, row: tuple[int, ...]) -> list[tuple[Move, tuple[int, ...]]]:
    """All moves out of one state (packed), without symmetry."""
    found: list[tuple[Move, tuple[int, ...]]] = []

    def sink(move: Move, rows: npt.NDArray[np.intp], after: Words) -> None:
        found.append((move, tuple(int(word[0]) for word in after)))

    kernel.expand([np.array([part], np.uint64) for part in row], sink)
    return found


def _walk(
    kernel: Kernel, symmetry: Symmetry, states: list[tuple[int, ...]]
) -> tuple[tuple[Move, ...], tuple[int, ...]]:
    """Real moves whose states are represented by these, and the real state, packed, that they lead to."""
    row = kernel.layout.pack(states[0])
    moves: list[Move] = []
    for numbers in states[1:]:
        target = kernel.layout.pack(numbers)
        for move, after in _successors(kernel, row):
            shown = symmetry.canonical([np.array([part], np.uint64) for part in after], kernel)
            if tuple(int(word[0]) for word in shown) == target:
                moves.append(move)
                # The client of the next move may stand elsewhere in the representative: the path is of real states.
                # Under a renaming no client changes places: the path goes on from the renamed state.
                row = after if symmetry.permutes else target
                break
        else:
            raise AssertionError("a step of a path cannot be walked: the search is broken")
    return tuple(moves), row


def _last(kernel: Kernel, represented: tuple[int, ...], row: tuple[int, ...], move: Move) -> Move:
    """The final move of a violated transition, by the client that really stands where the representative does."""
    if move.client < 0:  # the clock or the network, which do not change places
        return move
    wanted = represented[kernel.space.clients[move.client]]
    numbers = kernel.layout.unpack(row)
    # The client of the move itself first: as a rule, no client has changed places.
    for client in (move.client, *range(len(kernel.space.clients))):
        same = kernel.space.behaviours[client] is kernel.space.behaviours[move.client]
        if same and numbers[kernel.space.clients[client]] == wanted:
            return attrs.evolve(move, client=client)
    raise AssertionError("no state matches the violation: internal error of the search")
