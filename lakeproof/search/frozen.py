"""An expansion over tables that were compiled elsewhere: plain values, without flows and without a scenario.

It can be sent to another process or machine. Where it meets something that its tables do not know (a node with a value
that no state had before), the state is *lacking*: none of its successors counts, and one state speaks for each thing
that is unknown. The process that has the flows expands that state, and so compiles what is missing.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.search.expansion import Effects, Expansion, Numbers, Roles, Rows
from lakeproof.search.faults import Mode, Move
from lakeproof.search.packing import Layout, Words
from lakeproof.search.tables import UNKNOWN, MoveTable

NAME_BITS: Final = 62


@attrs.frozen
class Attempt:
    """What came of a list of states: offers (move, rows, successors) and which states are lacking.

    ``wanted``: by the name of something unknown, the first row that needs it.
    """

    offers: list[tuple[Move, Rows, Words]]
    lacking: npt.NDArray[np.bool_]
    wanted: dict[int, int]


@attrs.frozen(kw_only=True)
class CompiledParts:
    """What was compiled beside the tables: wide effects by table and node, late writes by number, steps of monitors
    by monitor, event and state; where clients wait for messages, by table and node."""

    columns: dict[tuple[int, int], list[int]]
    wide: dict[tuple[int, int], dict[Numbers, Effects]]
    late_columns: dict[int, list[int]]
    late: dict[tuple[int, Numbers], list[int]]
    steps: dict[tuple[int, int, int], int]
    awaited: dict[tuple[int, int], Sequence[tuple[int, int]]]


class FrozenKernel(Expansion):
    """The tables of a `lakeproof.search.kernel.Kernel`, as they were. Can be pickled."""

    def __init__(
        self,
        roles: Roles,
        layout: Layout,
        tables: Sequence[MoveTable],
        tasks: Sequence[MoveTable],
        known: CompiledParts,
    ) -> None:
        self.roles = roles
        self.layout = layout
        self.tables = tables
        self.tasks = tasks
        self._found = known
        self._blank = [0] * layout.words
        self._begin(0)

    def attempt(self, words: Words) -> Attempt:
        """Expand these states, as far as the tables go. Offers of lacking states are left out."""
        self._begin(len(words[0]))
        offers: list[tuple[Move, Rows, Words]] = []
        self.expand(words, lambda move, rows, after: offers.append((move, rows, after)))
        # A state may lack something after some of its moves were offered: it is expanded again as a whole.
        if self._lacking.any():
            known = ~self._lacking
            offers = [(move, rows[known[rows]], [w[known[rows]] for w in after]) for move, rows, after in offers]
        return Attempt([offer for offer in offers if len(offer[1])], self._lacking, self._wanted)

    def _begin(self, size: int) -> None:
        self._lacking = np.zeros(size, np.bool_)
        self._wanted: dict[int, int] = {}

    def _lack(self, rows: Rows, *what: object) -> None:
        self._lacking[rows] = True
        self._wanted.setdefault(_name(what), int(rows[0]))  # one state is enough to have it compiled

    def _known(self, table: MoveTable, nodes: Rows, numbers: Rows, rows: Rows) -> Rows:
        fits = numbers < table.values
        # 0 stands in for a number that is too high: the row is lacking, and what it leads to is dropped.
        inside = np.where(fits, numbers, 0)
        unknown = np.flatnonzero(~fits | (table.flat[Mode.NORMAL][nodes * table.values + inside] == UNKNOWN))
        if len(unknown):
            pairs = np.stack([nodes[unknown], numbers[unknown]])
            kinds, inverse = np.unique(pairs, axis=1, return_inverse=True)
            # Releases of NumPy 2 differ in the shape of `inverse` where there is an axis: hence `reshape`.
            for at, (node, number) in enumerate(kinds.T.tolist()):
                self._lack(rows[unknown[inverse.reshape(-1) == at]], "point", table.index, node, number)
        return inside

    def _know_restarts(self, table: MoveTable, nodes: Rows, rows: Rows) -> None:
        unknown = table.again[nodes] == UNKNOWN
        for node in np.unique(nodes[unknown]).tolist():
            self._lack(rows[unknown & (nodes == node)], "restart", table.index, node)

    def _columns_of(self, table: MoveTable, node: int) -> list[int]:
        return self._found.columns[table.index, node]

    @property
    def _has_channels(self) -> bool:
        return bool(self._found.awaited)

    def _awaited(self, table: MoveTable, node: int) -> Sequence[tuple[int, int]] | None:
        return self._found.awaited.get((table.index, node))

    def _wide(
        self, table: MoveTable, node: int, columns: list[int], kinds: Sequence[Numbers], rows: Rows, inverse: Rows
    ) -> list[Effects]:
        known = self._found.wide[table.index, node]
        for at, numbers in enumerate(kinds):
            if numbers not in known:
                self._lack(rows[inverse == at], "wide", table.index, node, numbers)
        return [known.get(numbers, {}) for numbers in kinds]  # {}: no mode, so no successors

    def _late_columns(self, number: int) -> list[int]:
        return self._found.late_columns[number]

    def _late(
        self, number: int, columns: list[int], kinds: Sequence[Numbers], rows: Rows, inverse: Rows
    ) -> list[list[int]]:
        for at, numbers in enumerate(kinds):
            if (number, numbers) not in self._found.late:
                self._lack(rows[inverse == at], "late", number, numbers)
        return [self._found.late.get((number, numbers), self._blank) for numbers in kinds]  # its rows are lacking

    def _advanced(
        self,
        monitor: int,
        move: Move,
        steps: Sequence[tuple[int, int]],
        before: Words,
        rows: Rows,
        inverse: Rows,
    ) -> list[int]:
        found = []
        for at, (event, state) in enumerate(steps):
            after = self._found.steps.get((monitor, event, state))
            if after is None:
                self._lack(rows[inverse == at], "monitor", monitor, event, state)
            found.append(state if after is None else after)  # as it was: the row is lacking
        return found


def _name(what: tuple[object, ...]) -> int:
    """A positive number for something unknown, the same one everywhere."""
    # Not `hash`: that of a string differs from process to process.
    digest = blake2b(repr(what).encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> (64 - NAME_BITS)) | 1  # fits into an int64; never 0
