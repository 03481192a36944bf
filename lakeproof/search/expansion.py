"""The array operations that expand packed states; the tables that they look up may be compiled elsewhere.

An `Expansion` knows no flows: where a table has no entry it asks its subclass. `lakeproof.search.kernel.Kernel`
compiles the entry; `lakeproof.search.frozen.FrozenKernel`, far from the flows, notes which states lack it.

Example: two clients that add one to a counter, as in `lakeproof.search.tables`. A state is (node of a, node of b,
number of the counter).

    level 0    (0, 0, 0)
    level 1    (1, 0, 0)   (0, 1, 0)                            one has read "absent"
    level 2    (1, 1, 0)   (2, 0, 1)   (0, 2, 1)                both have read; or one is done
    level 3    (2, 1, 1)   (1, 2, 1)   (2, 3, 1)   (3, 2, 1)
    level 4    (2, 2, 1)   (2, 2, 2)                            an update is lost; or none is

Level 2 is one array of three words. For client a, `expand` takes the nodes 1, 2 and 0 of its three rows, leaves out the
row whose node is done, looks up the two other deltas with one index, and adds them with one addition: (2, 1, 1) and
(3, 2, 1). Client b gives (1, 2, 1) and (2, 3, 1) in the same way. Equal successors are merged by the receiver.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.search.faults import BUDGETS, COST, REPEATED, Mode, Move
from lakeproof.search.packing import Layout, Words, add_deltas, distinct, take
from lakeproof.search.tables import DONE, IMPOSSIBLE, POINT, WIDE, MoveTable

Rows = npt.NDArray[np.intp]
Sink = Callable[[Move, Rows, Words], None]
"""Receives a move, the rows of the sources, and the successors, row by row."""

Numbers = tuple[int, ...]
RESTARTS: Final = BUDGETS.index("restarts")

Effects = dict[Mode, tuple[list[int], int]]
"""What a wide effect does, by mode: the delta of each word, and the number of its events."""


@attrs.frozen
class Roles:
    """Which column is what. -1: there is none."""

    clients: tuple[int, ...]
    clock: int
    last_time: int
    """The highest number of the clock."""
    budgets: tuple[int, ...]
    """In the order of BUDGETS."""
    late: int
    watches: tuple[int, ...]
    """The columns of monitors."""
    modes: tuple[Mode, ...]


class Expansion(ABC):
    """All successors of a list of packed states."""

    roles: Roles
    layout: Layout
    tables: Sequence[MoveTable]
    """One for each client: the moves of its main task."""
    tasks: Sequence[MoveTable] = ()
    """And those of other tasks: of clients that have several effects open."""

    def expand(self, words: Words, sink: Sink) -> None:
        """Hand every transition out of these states to ``sink``.

        Raises:
            Relayout: the states must be repacked, and this call be repeated.
            Disagreement, NondeterministicFlow: see `Behaviour.child`.
        """
        anyone = np.zeros(len(words[0]), np.bool_)
        for table in self.tables:
            anyone |= self._expand_table(table, words, sink) != DONE
        for table in self._more():
            self._expand_table(table, words, sink)
        for table in self.tables if self.tasks else ():
            table.catch_up()  # here, where it may ask for a new layout: a task may have led to nodes of the main one
        if self.layout.places[self.roles.late].bits:  # without bits, no write has ever been in flight
            self._deliver(words, sink)
        if self.roles.clock >= 0:
            # Where no client can move, a jump would only add copies of a final state.
            self._tick(words, anyone & ~self._blocked(words), sink)
        if self.roles.budgets[RESTARTS] >= 0:
            self._restart(words, sink)

    def _expand_table(self, table: MoveTable, words: Words, sink: Sink) -> npt.NDArray[np.uint8]:
        """All moves of a task. Returns the kind of the node at which each state has it."""
        table.catch_up()
        nodes = table.nodes_of(words)
        kinds = table.kind[nodes]
        self._expand_point(table, words, nodes, np.flatnonzero(kinds == POINT), sink)
        self._expand_wide(table, words, nodes, np.flatnonzero(kinds == WIDE), sink)
        return kinds

    def alive(self, words: Words) -> npt.NDArray[np.bool_]:
        """Which states have a client that can move, now or later."""
        anyone = np.zeros(len(words[0]), np.bool_)
        for table in self.tables:
            table.catch_up()
            anyone |= table.kind[table.nodes_of(words)] != DONE
        return anyone & ~self._blocked(words)

    def _blocked(self, words: Words) -> npt.NDArray[np.bool_]:
        """Which states have clients that all have ended or wait for messages, in channels that are empty."""
        # Without channels a client that has not ended can always move: nothing is blocked.
        found = np.full(len(words[0]), self._has_channels)
        for table in self.tables if self._has_channels else ():
            nodes = table.nodes_of(words)
            still = table.kind[nodes] == DONE
            for node in np.unique(nodes[~still]).tolist():  # few nodes, many states
                if (awaited := self._awaited(table, node)) is not None:
                    empty = [self.layout.field(words, column) == number for column, number in awaited]
                    still |= np.logical_and.reduce([nodes == node, *empty])
            found &= still
        return found

    def asleep(self, table: MoveTable, words: Words) -> npt.NDArray[np.bool_]:
        """In which of these states, which were expanded, the task waits for a timer that has not run out."""
        nodes = table.nodes_of(words)
        known = table.flat[Mode.NORMAL][nodes * table.values + table.touched(words, nodes)]
        # What waits has no outcome yet: the store answers ASLEEP, which leaves even NORMAL impossible.
        return np.asarray(known == IMPOSSIBLE, np.bool_)

    def _expand_point(self, table: MoveTable, words: Words, nodes: Rows, rows: Rows, sink: Sink) -> None:
        if not len(rows):
            return
        here, at_nodes = take(words, rows), nodes[rows]
        numbers = self._known(table, at_nodes, table.touched(here, at_nodes), rows)
        at = at_nodes * table.values + numbers  # not before: `values` may have grown
        for mode in self.roles.modes:
            children = table.flat[mode][at]
            may = self._affordable(here, mode)
            fits = children != IMPOSSIBLE
            may = fits if may is None else may & fits
            if may.all():  # the usual case: no copies
                chosen, picked, at_mode = rows, here, at
            else:
                keep = np.flatnonzero(may)
                if not len(keep):
                    continue
                chosen, picked, at_mode = rows[keep], take(here, keep), at[keep]
            after = [word + delta[at_mode] for word, delta in zip(picked, table.delta[mode], strict=True)]
            move = table.move(mode)
            if self.roles.watches:
                self._advance(move, chosen, picked, after, table.event[mode].reshape(-1)[at_mode])
            sink(move, chosen, after)

    def _affordable(self, words: Words, mode: Mode) -> npt.NDArray[np.bool_] | None:
        """Which states can pay for a move of this mode; None if it is free."""
        may: npt.NDArray[np.bool_] | None = None
        for kind in COST[mode]:
            left = self.layout.field(words, self.roles.budgets[BUDGETS.index(kind)]) > 0
            may = left if may is None else may & left
        # The network has room for one late write.
        if mode in REPEATED and self.layout.places[self.roles.late].bits:
            idle = self.layout.field(words, self.roles.late) == 0
            may = idle if may is None else may & idle
        return may

    def _expand_wide(self, table: MoveTable, words: Words, nodes: Rows, rows: Rows, sink: Sink) -> None:
        if not len(rows):
            return
        at_nodes = nodes[rows]
        for node in np.unique(at_nodes):
            chosen = rows[at_nodes == node]
            self._expand_wide_node(table, int(node), take(words, chosen), chosen, sink)

    def _expand_wide_node(self, table: MoveTable, node: int, here: Words, rows: Rows, sink: Sink) -> None:
        columns = self._columns_of(table, node)
        kinds, inverse = projections(here, self.layout, columns)
        effects = self._wide(table, node, columns, kinds, rows, inverse)
        for mode in self.roles.modes:
            possible = np.array([mode in effect for effect in effects])
            may = self._affordable(here, mode)
            fits = possible[inverse]
            keep = np.flatnonzero(fits if may is None else may & fits)
            if not len(keep):
                continue
            picked, which = take(here, keep), inverse[keep]
            # 0: of rows that `keep` leaves out.
            deltas = [effect[mode][0] if mode in effect else [0] * self.layout.words for effect in effects]
            after = add_deltas(picked, deltas, which)
            step = table.move(mode)
            if self.roles.watches:
                events = np.array([effect[mode][1] if mode in effect else 0 for effect in effects], np.int64)
                self._advance(step, rows[keep], picked, after, events[which])
            sink(step, rows[keep], after)

    def _deliver(self, words: Words, sink: Sink) -> None:
        pending = self.layout.field(words, self.roles.late)
        for number in np.unique(pending[pending > 0]):  # 0: nothing is in flight
            rows = np.flatnonzero(pending == number)
            here = take(words, rows)
            columns = self._late_columns(int(number))
            kinds, inverse = projections(here, self.layout, columns)
            deltas = self._late(int(number), columns, kinds, rows, inverse)
            sink(Move(-1, Mode.DELIVER), rows, add_deltas(here, deltas, inverse))

    def _tick(self, words: Words, anyone: npt.NDArray[np.bool_], sink: Sink) -> None:
        place = self.layout.places[self.roles.clock]
        last = self.roles.last_time
        rows = np.flatnonzero(anyone & (self.layout.field(words, self.roles.clock) < last))
        if len(rows):
            after = take(words, rows)
            after[place.word] = after[place.word] + np.uint64(1 << place.shift)
            sink(Move(-1, Mode.TICK), rows, after)

    def _restart(self, words: Words, sink: Sink) -> None:
        """Clients crash and begin to recover, wherever they stand: also those that have ended."""
        left = self.layout.field(words, self.roles.budgets[RESTARTS]) > 0
        for table in self.tables:
            table.catch_up()
            nodes = table.nodes_of(words)
            rows = np.flatnonzero(left & (table.again[nodes] != IMPOSSIBLE))
            if not len(rows):
                continue
            self._know_restarts(table, nodes[rows], rows)  # `again_delta` has entries from here on
            here, at_nodes = take(words, rows), nodes[rows]
            after = [word + delta[at_nodes] for word, delta in zip(here, table.again_delta, strict=True)]
            move = table.move(Mode.RESTART)
            if self.roles.watches:
                self._advance(move, rows, here, after, table.again_event[at_nodes])
            sink(move, rows, after)

    def _advance(self, move: Move, rows: Rows, before: Words, after: Words, events: npt.NDArray[np.int64]) -> None:
        """Move the monitors on, in place, wherever something was invoked or returned."""
        for index, column in enumerate(self.roles.watches):
            at = np.flatnonzero(events > 0)  # 0 is the empty list
            if not len(at):
                return
            place = self.layout.places[column]
            # The move itself leaves the columns of monitors alone: `after` has the state from before.
            states = self.layout.field(take(after, at), column).astype(np.int64)
            pairs = events[at] * (1 << 32) + states  # two numbers in one, the state in the lower 32 bits
            kinds, firsts, inverse = np.unique(pairs, return_index=True, return_inverse=True)
            steps = [(int(pair) >> 32, int(pair) & 0xFFFFFFFF) for pair in kinds]
            results = self._advanced(index, move, steps, take(before, at[firsts]), rows[at], inverse)
            change = np.array(results, np.int64)[inverse] - states
            after[place.word][at] += change.astype(np.uint64) << np.uint64(place.shift)

    def by_stride(self, move: Move, before: Words, after: Words) -> Iterator[tuple[int, Words]]:
        """Split successors by how many ranks on they belong."""
        if move.client < 0:
            # Ranks stay as they are. A state still has one level: clock, budgets and late write count such moves.
            yield 1, after
            return
        table = self.tables[move.client]
        table.catch_up()
        strides = table.ranks[table.nodes_of(after)] - table.ranks[table.nodes_of(before)]
        low, high = int(strides.min()), int(strides.max())
        if low == high:
            yield low, after
            return
        for stride in np.unique(strides).tolist():
            yield stride, take(after, strides == stride)

    def _more(self) -> Sequence[MoveTable]:
        """The tables of tasks that states may have effects of."""
        return self.tasks

    @property
    @abstractmethod
    def _has_channels(self) -> bool:
        """Whether any client sends or receives messages."""

    # What a subclass knows. ``rows`` are those of the states that ask, ``inverse`` says which of ``kinds`` each has.

    @abstractmethod
    def _known(self, table: MoveTable, nodes: Rows, numbers: Rows, rows: Rows) -> Rows:
        """The numbers of the touched cells; from here on the tables have entries for them."""

    @abstractmethod
    def _know_restarts(self, table: MoveTable, nodes: Rows, rows: Rows) -> None:
        """From here on the table says what a restart does at these nodes."""

    @abstractmethod
    def _columns_of(self, table: MoveTable, node: int) -> list[int]:
        """The columns that a wide effect covers."""

    @abstractmethod
    def _wide(
        self, table: MoveTable, node: int, columns: list[int], kinds: Sequence[Numbers], rows: Rows, inverse: Rows
    ) -> list[Effects]:
        """What a wide effect does, for each kind of numbers of the covered columns."""

    @abstractmethod
    def _awaited(self, table: MoveTable, node: int) -> Sequence[tuple[int, int]] | None:
        """Where the client waits for messages and for nothing else: the columns of their channels, each with its number
        when it is empty; without those that are empty in all states. Else None."""

    @abstractmethod
    def _late_columns(self, number: int) -> list[int]:
        """The columns that a late write covers."""

    @abstractmethod
    def _late(
        self, number: int, columns: list[int], kinds: Sequence[Numbers], rows: Rows, inverse: Rows
    ) -> list[list[int]]:
        """The delta of each word when a late write arrives, for each kind."""

    @abstractmethod
    def _advanced(
        self,
        monitor: int,
        move: Move,
        steps: Sequence[tuple[int, int]],
        before: Words,
        rows: Rows,
        inverse: Rows,
    ) -> list[int]:
        """The numbers of a monitor's states after these (event, state) pairs; ``before``: a state for each pair."""


KEY_BITS_MAX: Final = 62
"""A key of this many bits at most: more columns than fit into it are taken together step by step."""


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
