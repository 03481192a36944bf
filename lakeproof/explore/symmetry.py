"""Symmetry: clients that run the same program and mint no identifiers are interchangeable.

Such clients share one `Behaviour`: the same replies lead to the same nodes with the same effects, whoever of them
asks, and no value names a client. So exchanging two of them commutes with every effect, by construction and not
by assumption; a program that mints an identifier is told apart the moment it does (`Behaviour.minted`).
A state is represented by the one in which the nodes of each group are in ascending order.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from lakeproof.explore.behaviour import Behaviour
from lakeproof.explore.expansion import Expansion
from lakeproof.explore.packing import Words
from lakeproof.model.identity import Exact
from lakeproof.model.snapshot import CallView

Views = tuple[CallView, ...]


class Symmetry:
    """Groups of interchangeable clients."""

    def __init__(self, behaviours: Sequence[Behaviour]) -> None:
        groups: dict[int, list[int]] = {}
        for client, behaviour in enumerate(behaviours):
            groups.setdefault(id(behaviour), []).append(client)
        self.groups = [clients for clients in groups.values() if len(clients) > 1]

    def canonical(self, words: Words, kernel: Expansion) -> Words:
        """The same states, each represented by its smallest permutation."""
        for group in self.groups:
            columns = [kernel.roles.clients[client] for client in group]
            nodes = np.sort(np.stack([kernel.layout.field(words, column) for column in columns]), axis=0)
            masks = kernel.layout.masks(columns)
            words = [word & ~np.uint64(mask) for word, mask in zip(words, masks, strict=True)]
            for column, field in zip(columns, nodes, strict=True):
                place = kernel.layout.places[column]
                words[place.word] |= field << np.uint64(place.shift)
        return words


def orders(views: Sequence[Views]) -> Iterator[tuple[Views, ...]]:
    """All orders of these that differ."""
    if not views:
        yield ()
    for at in {Exact(view): at for at, view in reversed(list(enumerate(views)))}.values():
        rest = [*views[:at], *views[at + 1 :]]
        yield from ((views[at], *others) for others in orders(rest))
