"""What the invariants of a scenario want to know of packed states and moves, as masks: no invariant is needed to ask.

A *question* projects states on what an invariant reads. Workers answer it with the distinct projections; only the
driver, which has the invariants, judges them.
"""

from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.search.expansion import Expansion
from lakeproof.search.faults import Move
from lakeproof.search.packing import Rows, Words, distinct, equal, take
from lakeproof.search.symmetry import Symmetry

LACKING: Final = 0
"""The tag of states that could not be expanded yet. Successors are tagged with their stride, which is at least 1,
and answers with the tag of their question, which is negative."""


@attrs.frozen(eq=False)
class StateQuestion:
    """The distinct projections of states. ``moving``: only of those in which a client can move, or of those in which
    none can. ``shown``: columns whose numbers are replaced, with what by: one of those that look alike."""

    tag: int
    masks: tuple[int, ...]
    moving: bool | None = None
    shown: tuple[tuple[int, npt.NDArray[np.int64]], ...] = ()

    def project(self, kernel: Expansion, words: Words) -> Words:
        """The projection of each state."""
        found = _mask(words, self.masks)
        for column, instead in self.shown:
            place = kernel.layout.places[column]
            numbers = kernel.layout.field(found, column).astype(np.int64)
            # A difference may be negative, and wraps around. The sum is exact nevertheless, because the new number fits
            # into the bits of the old one.
            found[place.word] += (instead[numbers] - numbers).astype(np.uint64) << np.uint64(place.shift)
        return found

    def rows(self, kernel: Expansion, words: Words) -> Rows:
        """The states that it asks about."""
        # In a final state no client can move: *eventually* invariants, ends of monitors and aftermaths apply.
        return np.arange(len(words[0])) if self.moving is None else np.flatnonzero(kernel.alive(words) == self.moving)


@attrs.frozen(eq=False)
class MoveQuestion:
    """The distinct projections of states in which a move is made. ``watched``: the nodes of the moving client, or for
    deliveries the late writes, that matter; empty where all do. They are part of the projection."""

    tag: int
    move: Move
    masks: tuple[int, ...]
    watched: npt.NDArray[np.bool_]

    def project(self, kernel: Expansion, words: Words) -> Words:
        """The projection of each state."""
        return _mask(words, self.masks)

    def rows(self, kernel: Expansion, words: Words) -> Rows:
        """The states that it asks about, among those in which the move is made."""
        if not len(self.watched):
            return np.arange(len(words[0]))
        if self.move.client < 0:
            who = kernel.layout.field(words, kernel.roles.late).astype(np.intp)
        else:
            who = kernel.tables[self.move.client].nodes_of(words)
        return np.flatnonzero(self.watched[who])


Question = StateQuestion | MoveQuestion


@attrs.frozen(eq=False)
class Job:
    """All that a worker needs to expand a level: no flow, no scenario. Can be pickled."""

    kernel: Expansion
    symmetry: Symmetry
    ranked: bool = False
    states: tuple[StateQuestion, ...] = ()
    moves: tuple[MoveQuestion, ...] = ()


def answers(kernel: Expansion, question: Question, words: Words) -> Words:
    """The distinct projections of these states, or of the sources of this move."""
    rows = question.rows(kernel, words)
    # Where all states are meant, `take` would copy them for nothing.
    return distinct(question.project(kernel, words if len(rows) == len(words[0]) else take(words, rows)))


def matching(kernel: Expansion, question: Question, words: Words, target: tuple[int, ...]) -> Rows:
    """Which of the states have this projection."""
    rows = question.rows(kernel, words)
    return rows[equal(question.project(kernel, take(words, rows)), target)]


def _mask(words: Words, masks: tuple[int, ...]) -> Words:
    return [word & np.uint64(mask) for word, mask in zip(words, masks, strict=True)]
