"""The array operations that expand packed states; the tables that they look up may be compiled elsewhere.

An `Expansion` is made of plain values, without flows and without a scenario, and can be sent to another process or
machine. Where it meets something that its tables do not know (a node with a value that no state had before), the state
is *lacking*: none of its successors counts, and one state speaks for each thing that is unknown. The process that has
the flows expands that state with a `lakeproof.search.kernel.Kernel`, which compiles what is missing.

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

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.search.faults import BUDGETS, COST, REPEATED, Mode, Move
from lakeproof.search.packing import Layout, Rows, Words, add_deltas, projections, take
from lakeproof.search.tables import DONE, IMPOSSIBLE, POINT, UNKNOWN, WIDE, MoveTable

K = TypeVar("K", bound=tuple[object, ...])
V = TypeVar("V")

Sink = Callable[[Move, Rows, Words], None]
"""Receives a move, the rows of the sources, and the successors, row by row."""

Numbers = tuple[int, ...]
RESTARTS: Final = BUDGETS.index("restarts")
NAME_BITS: Final = 62

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


@attrs.frozen
class Attempt:
    """What came of a list of states: offers (move, rows, successors) and which states are lacking.

    ``wanted``: by the name of something unknown, the first row that needs it.
    """

    offers: list[tuple[Move, Rows, Words]]
    lacking: npt.NDArray[np.bool_]
    wanted: dict[int, int]


@attrs.frozen
class CompiledParts:
    """What was compiled beside the tables, under one layout."""

    columns: dict[tuple[int, int], list[int]] = attrs.field(factory=dict)
    """What a wide effect covers, by table and node."""
    wide: dict[tuple[int, int, Numbers], Effects] = attrs.field(factory=dict)
    """By table, node, and the numbers of the covered columns."""
    late_columns: dict[int, list[int]] = attrs.field(factory=dict)
    """What a late write covers."""
    late: dict[tuple[int, Numbers], list[int]] = attrs.field(factory=dict)
    """The delta of each word when a late write arrives."""
    steps: dict[tuple[int, int, int], int] = attrs.field(factory=dict)
    """The number of a monitor's state, by monitor, event and state before."""
    awaited: dict[tuple[int, int], Sequence[tuple[int, int]]] = attrs.field(factory=dict)
    """See `Expansion._awaited`; by table and node."""


class Expansion:
    """All successors of a list of packed states."""

    def __init__(
        self,
        roles: Roles,
        layout: Layout,
        tables: Sequence[MoveTable],
        tasks: Sequence[MoveTable],
        parts: CompiledParts,
    ) -> None:
        """tables: one for each client, the moves of its main task. tasks: those of other tasks, of clients that have
        several effects open."""
        self.roles = roles
        self.layout = layout
        self.tables = tables
        self.tasks = tasks
        self.parts = parts

    def attempt(self, words: Words) -> Attempt:
        """Expand these states, as far as the tables go. Offers of lacking states are left out."""
        self._lacking = np.zeros(len(words[0]), np.bool_)
        self._wanted: dict[int, int] = {}
        offers: list[tuple[Move, Rows, Words]] = []
        self.expand(words, lambda move, rows, after: offers.append((move, rows, after)))
        # A state may lack something after some of its moves were offered: it is expanded again as a whole.
        if self._lacking.any():
            known = ~self._lacking
            offers = [(move, rows[known[rows]], [w[known[rows]] for w in after]) for move, rows, after in offers]
        return Attempt([offer for offer in offers if len(offer[1])], self._lacking, self._wanted)

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

    # What is looked up. ``rows`` are those of the states that ask, ``inverse`` says which of ``kinds`` each has.

    def _known(self, table: MoveTable, nodes: Rows, numbers: Rows, rows: Rows) -> Rows:
        """The numbers of the touched cells; from here on the tables have entries for them."""
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
        """From here on the table says what a restart does at these nodes."""
        unknown = table.again[nodes] == UNKNOWN
        for node in np.unique(nodes[unknown]).tolist():
            self._lack(rows[unknown & (nodes == node)], "restart", table.index, node)

    def _columns_of(self, table: MoveTable, node: int) -> list[int]:
        """The columns that a wide effect covers."""
        return self.parts.columns[table.index, node]

    def _wide(
        self, table: MoveTable, node: int, columns: list[int], kinds: Sequence[Numbers], rows: Rows, inverse: Rows
    ) -> list[Effects]:
        """What a wide effect does, for each kind of numbers of the covered columns."""
        keys = [(table.index, node, numbers) for numbers in kinds]
        return self._entries("wide", self.parts.wide, keys, {}, rows, inverse)  # {}: no mode, so no successors

    @property
    def _has_channels(self) -> bool:
        """Whether any client sends or receives messages."""
        return bool(self.parts.awaited)

    def _awaited(self, table: MoveTable, node: int) -> Sequence[tuple[int, int]] | None:
        """Where the client waits for messages and for nothing else: the columns of their channels, each with its number
        when it is empty; without those that are empty in all states. Else None."""
        return self.parts.awaited.get((table.index, node))

    def _late_columns(self, number: int) -> list[int]:
        """The columns that a late write covers."""
        return self.parts.late_columns[number]

    def _late(
        self, number: int, columns: list[int], kinds: Sequence[Numbers], rows: Rows, inverse: Rows
    ) -> list[list[int]]:
        """The delta of each word when a late write arrives, for each kind."""
        keys = [(number, numbers) for numbers in kinds]
        return self._entries("late", self.parts.late, keys, [0] * self.layout.words, rows, inverse)

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
        keys = [(monitor, event, state) for event, state in steps]
        return self._entries("monitor", self.parts.steps, keys, 0, rows, inverse)

    def _entries(
        self, what: str, known: Mapping[K, V], keys: Sequence[K], blank: V, rows: Rows, inverse: Rows
    ) -> list[V]:
        for at, key in enumerate(keys):
            if key not in known:
                self._lack(rows[inverse == at], what, *key)
        return [known.get(key, blank) for key in keys]  # blank: the rows are lacking

    def _lack(self, rows: Rows, *what: object) -> None:
        self._lacking[rows] = True
        self._wanted.setdefault(_name(what), int(rows[0]))  # one state is enough to have it compiled


def _name(what: tuple[object, ...]) -> int:
    """A positive number for something unknown, the same one everywhere."""
    # Not `hash`: that of a string differs from process to process.
    digest = blake2b(repr(what).encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> (64 - NAME_BITS)) | 1  # fits into an int64; never 0
