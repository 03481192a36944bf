"""Symmetry: clients that run the same program and mint no identifiers are interchangeable.

Such clients share one `Behaviour`: the same replies lead to the same nodes with the same effects, whichever of them
asks, and no value names a client. So exchanging two of them commutes with every effect, by construction and not
by assumption; a program that mints an identifier is distinguished the moment it does (`Behaviour.minted`).
A state is represented by the one in which the nodes of each group are in ascending order.
"""

from collections.abc import Hashable, Iterator, Sequence

import attrs
import numpy as np

from lakeproof.model.identity import identity
from lakeproof.model.snapshot import CallView, Snapshot
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.expansion import Expansion
from lakeproof.search.packing import Words

Views = tuple[CallView, ...]


class Symmetry:
    """Groups of interchangeable clients."""

    permutes = True
    """Whether a client may stand where another one does in the state that represents one."""

    def __init__(self, behaviours: Sequence[Behaviour]) -> None:
        groups: dict[int, list[int]] = {}
        for client, behaviour in enumerate(behaviours):
            groups.setdefault(id(behaviour), []).append(client)  # shared, so of one program and without identifiers
        self.groups = [clients for clients in groups.values() if len(clients) > 1]

    def canonical(self, words: Words, kernel: Expansion) -> Words:
        """The same states, each represented by its smallest permutation."""
        for group in self.groups:
            columns = [kernel.roles.clients[client] for client in group]
            # A row for each client of the group: sorted along axis 0, every state has its nodes in ascending order.
            nodes = np.sort(np.stack([kernel.layout.field(words, column) for column in columns]), axis=0)
            masks = kernel.layout.masks(columns)
            words = [word & ~np.uint64(mask) for word, mask in zip(words, masks, strict=True)]
            for column, field in zip(columns, nodes, strict=True):
                place = kernel.layout.places[column]
                words[place.word] |= field << np.uint64(place.shift)
        return words


class Exchanges:
    """The snapshots that an exchange of interchangeable clients makes of one. What clients have received is compared
    as numbers: each sequence of calls is looked into once, as the nodes of the clients keep theirs."""

    def __init__(self, groups: Sequence[Sequence[int]]) -> None:
        self._groups = groups
        self._views: list[Views] = []
        self._numbers: dict[Hashable, int] = {}
        self._met: dict[int, tuple[Views, int]] = {}

    def of(self, seen: Snapshot) -> Iterator[Snapshot]:
        """The snapshot, and all that differ from it by an exchange of interchangeable clients."""
        yield seen
        if not self._groups:
            return
        # A dictionary for its order: the state itself comes first, and is skipped below.
        arranged = {tuple(self._number(calls) for calls in seen.clients): None}
        for group in self._groups:
            # Groups are exchanged independently: each arrangement of one is combined with all of those before it.
            for numbers in list(arranged):
                for order in orders([numbers[client] for client in group]):
                    changed = dict(zip(group, order, strict=True))
                    arranged[tuple(changed.get(client, number) for client, number in enumerate(numbers))] = None
        for numbers in list(arranged)[1:]:
            yield attrs.evolve(seen, clients=tuple(self._views[number] for number in numbers))

    def _number(self, calls: Views) -> int:
        """Equal for two sequences of calls that nothing tells apart."""
        known = self._met.get(id(calls))
        if known is None:  # the sequence is kept, so no other one gets its address
            number = self._numbers.setdefault(identity(calls), len(self._views))
            if number == len(self._views):
                self._views.append(calls)
            known = self._met[id(calls)] = (calls, number)
        return known[1]


def orders(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All orders of these that differ."""
    if not numbers:
        yield ()
    for number in dict.fromkeys(numbers):  # each value once: equal ones make equal orders
        rest = list(numbers)
        rest.remove(number)
        yield from ((number, *others) for others in orders(rest))
