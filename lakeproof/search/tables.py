"""A client's moves as tables: what each (node, value of the touched cell) does to a packed state.

An effect on one cell is a *point* move: the successor of a state is the state plus a delta that depends on two
small numbers, so that a whole level moves in a dozen array operations. An effect on a range of cells (a scan, a
listing, a copy) is a *wide* move: the delta depends on the projection of the state on those cells. Entries are
compiled when they are first met.

Example: a client reads a counter that is absent at first (number 0 of the cell), then sets it to what it read plus one.
Its nodes: 0 reads; 1 has read nothing and sets "1"; 3 has read "1" and sets "2"; 2 is done. Both tables have a row for
each node and a column for each number of the touched cell: 0 is absent, 1 is "1", 2 is "2".

    node after the move        number of the cell after it
             0    1    2                0    1    2
    0        1    3    -       0        0    1    -       reads: the cell stays
    1        2    2    -       1        1    1    -       sets "1", whatever is there
    3        -    2    -       3        -    2    -       sets "2"

A "-" is UNKNOWN: no state of the search has needed it. With the node's number in bits 58 and 59 and the cell's in
bits 62 and 63, node 1 on cell 0 adds ``((2 - 1) << 58) + ((1 - 0) << 62)`` to the word of a state.
"""

from collections.abc import Sequence
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.impl.effects import Now
from lakeproof.impl.parallel import MAIN
from lakeproof.model.snapshot import Event, Invoked, events_of_ended
from lakeproof.search.faults import BUDGETS, COST, OF_CLIENTS, REPEATED, Mode, Move, Result, outcomes
from lakeproof.search.packing import Column, Words, double_array
from lakeproof.search.replies import RESTARTED, reply_of_task
from lakeproof.search.semantics import Writes, apply, footprint, write_of
from lakeproof.search.space import Relayout, Space
from lakeproof.search.trie import Node
from lakeproof.search.world import LateWrite

DONE: Final = 0
POINT: Final = 1
WIDE: Final = 2
ELSEWHERE: Final = 3
"""The main task waits for others: what is open is in the tables of these."""

UNKNOWN: Final = -1
IMPOSSIBLE: Final = -2

Ints = npt.NDArray[np.int64]


@attrs.frozen
class WideMove:
    """What a wide effect does to all states with one projection, for one mode."""

    child: int
    changes: tuple[tuple[int, int], ...]  # (column, number after)
    event: int


class MoveTable:
    """The moves of one task of a client as plain arrays: what an expansion looks up. `ClientTable` says how they come
    about."""

    client: int
    task: str
    index: int
    """Among all tables of an expansion."""
    kind: npt.NDArray[np.uint8]
    ranks: Ints
    values: int
    """The second dimension of the tables."""
    flat: dict[Mode, Ints]
    """By node and number of the touched cell: the node after the move, UNKNOWN or IMPOSSIBLE."""
    event: dict[Mode, Ints]
    delta: dict[Mode, Words]
    shift: Words
    mask: Words
    """By node: where the touched cell is in each word."""
    node_word: int
    node_shift: np.uint64
    node_mask: np.uint64
    again: Ints
    """By node: the node after a restart, UNKNOWN or IMPOSSIBLE. Empty where clients do not restart."""
    again_event: Ints
    again_delta: Words

    def nodes_of(self, words: Words) -> npt.NDArray[np.intp]:
        """At which node each state has this client."""
        return ((words[self.node_word] >> self.node_shift) & self.node_mask).astype(np.intp)

    def touched(self, words: Words, nodes: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """The number of the touched cell of states with this client at these nodes."""
        numbers = np.zeros(len(nodes), np.uint64)
        for word, shift, mask in zip(words, self.shift, self.mask, strict=True):
            numbers |= (word >> shift[nodes]) & mask[nodes]  # the mask is 0 but in the cell's word
        return numbers.astype(np.intp)

    def move(self, mode: Mode) -> Move:
        """The move of this mode. A crash and a restart are of all tasks."""
        return Move(self.client, mode, MAIN if mode in OF_CLIENTS else self.task)

    def catch_up(self) -> None:
        """Take in the nodes that a client with the same behaviour has brought."""

    def frozen(self) -> "MoveTable":
        """The arrays as they are now, and nothing else."""
        found = MoveTable()
        for name in MoveTable.__annotations__:  # without behaviour, space and events: flows cannot be sent
            setattr(found, name, getattr(self, name))
        return found


class ClientTable(MoveTable):
    """The compiled moves of one task of a client."""

    def __init__(self, space: Space, client: int, events: Column, task: str = MAIN, index: int | None = None) -> None:
        """events: the lists of events that monitors advance by, as numbers; 0 is the empty one."""
        self.space = space
        self.client = client
        self.task = task
        self.index = client if index is None else index
        self.behaviour = space.behaviours[client]
        self.modes = space.setting.modes
        self._events = events
        self._nodes, self._reshaped = 16, False
        self.values = 4  # the second dimension of the tables
        self.admitted = self.laid_out = 0
        self.kind = np.zeros(self._nodes, np.uint8)
        self.ranks = np.zeros(self._nodes, np.int64)
        self.column = np.full(self._nodes, -1, np.int64)
        self.child = {mode: self._blank() for mode in self.modes}
        self.number = {mode: self._blank() for mode in self.modes}
        self.event = {mode: np.zeros((self._nodes, self.values), np.int64) for mode in self.modes}
        self.late = {mode: np.zeros(self._nodes, np.int64) for mode in self.modes if mode in REPEATED}
        self.again = np.full(self._nodes, UNKNOWN, np.int64)
        self.again_event = np.zeros(self._nodes, np.int64)
        self.wide: dict[tuple[int, tuple[int, ...]], dict[Mode, WideMove]] = {}
        self.admit()  # deltas follow when the kernel lays out the states of all clients

    def admit(self) -> None:
        """Take in the nodes that the behaviour has gained."""
        nodes = self.behaviour.nodes
        while self._nodes < len(nodes):
            self._grow_nodes()
        for node in nodes[self.admitted :]:
            self._admit(node)
        self.admitted = len(nodes)

    def catch_up(self) -> None:
        if self.admitted < len(self.behaviour.nodes):
            self._settle()

    def _admit(self, node: Node) -> None:
        op = node.effect(self.task)
        self.ranks[node.id] = node.rank
        if not node.restarts:
            self.again[node.id] = IMPOSSIBLE
        if op is None:
            self.kind[node.id] = DONE if node.op is None else ELSEWHERE
            return
        if isinstance(op, Now):
            self.kind[node.id] = POINT
            self.column[node.id] = self.space.clock  # -1: nothing may read the time, and compiling this raises
            return
        touched = footprint(op)
        # Not one cell but a range, several, or none (`Local`); and a write of a watched key also appends to the watch.
        # `timed`: the object store notes its time, so that the clock decides, too.
        several = touched.within is not None or len(touched.cells) != 1 or self.space.is_watched(touched)
        if several or (touched.timed and self.space.clock >= 0):
            self.kind[node.id] = WIDE
            self.space.covered(touched)  # for its cells' columns: the next layout needs them
            return
        self.kind[node.id] = POINT
        self.column[node.id] = self.space.cell(touched.cells[0])

    def compile(self, nodes: Sequence[int], numbers: Sequence[int]) -> None:
        """Compile point moves: what happens at each of these nodes when the touched cell has this number.

        Raises:
            Relayout: a new value, cell or node does not fit the layout of the states.
        """
        for node_id, number in zip(nodes, numbers, strict=True):
            self._compile_point(self.behaviour.nodes[node_id], number)
        self._settle()
        # Not reached after a Relayout: then `lay_out` computes these deltas with all others.
        self._refresh(np.asarray(nodes, np.int64), np.asarray(numbers, np.int64))

    def _settle(self) -> None:
        """Make the nodes and values that have just been compiled part of the tables."""
        self.admit()
        if self.space.needs_relayout:
            raise Relayout
        if self._reshaped:  # `flat` and `delta` have one index: node * values + number
            self.lay_out()
        for node in range(self.laid_out, self.admitted):
            if self.column[node] >= 0:
                self._lay_out_node(node)
        self.laid_out = self.admitted

    def _compile_point(self, node: Node, number: int) -> None:
        op = node.effect(self.task)
        assert op is not None
        column = int(self.column[node.id])
        while self.values <= number:
            self._grow_values()
        reply: object
        writes: Writes = {}
        if isinstance(op, Now):
            reply = self.space.setting.now(self.client, self.space.moment(number))
        else:
            cell = footprint(op).cells[0]
            value = self.space.columns[column].values[number]
            # The time plays no part here: what depends on a clock that moves is wide (`_admit`).
            reply, writes = apply({} if value is None else {cell: value}, op, self.space.setting.times[0])  # type: ignore[dict-item]
        by_mode = {result.mode: result for result in outcomes(op, reply, writes, self.modes)}
        for mode in self.modes:
            # Each mode gets an entry, if only IMPOSSIBLE: that NORMAL is not UNKNOWN says that the pair is compiled.
            if mode is Mode.CRASH and self._first(node):
                self._enter(mode, node, number, self.behaviour.crash(node.id), number, 0)  # 0: a crash returns nothing
            elif mode not in by_mode:
                self.child[mode][node.id, number] = IMPOSSIBLE
            else:
                result = by_mode[mode]
                child = self.behaviour.child(node.id, reply_of_task(self.task, result.reply))
                after = number
                for written in result.writes.values():  # of the touched cell, if it changes
                    after = self.space.columns[column].number(written)
                self._enter(mode, node, number, child, after, self._event(node, child))
            if mode in REPEATED and mode in by_mode:
                self.late[mode][node.id] = self._late_number(node)

    def compile_restarts(self, nodes: Sequence[int]) -> None:
        """Compile what a restart does at each of these nodes. Raises Relayout, as `compile`."""
        for node_id in nodes:
            child = self.behaviour.child(node_id, RESTARTED)
            self.again[node_id] = child
            # The call under way has no Returned: its view is CRASHED. What a recovery returns at once has one.
            self.again_event[node_id] = self._events.number(self._returned(self.behaviour.nodes[node_id], child))
        self._settle()
        self._refresh_restarts(np.asarray(nodes, np.int64))

    def compile_wide(self, node_id: int, columns: Sequence[int], numbers: tuple[int, ...]) -> dict[Mode, WideMove]:
        """The moves of a wide effect at a node, when the covered cells have these numbers.

        Raises:
            Relayout: as in `compile`.
        """
        # The key leaves out the columns: with a new one, `Kernel.relayout` empties `wide`.
        if (known := self.wide.get((node_id, numbers))) is not None:
            return known
        node = self.behaviour.nodes[node_id]
        op = node.effect(self.task)
        assert op is not None
        assert not isinstance(op, Now)
        cells, now = self.space.decode_columns(columns, numbers)
        found = {
            result.mode: self._wide_move(node, result) for result in outcomes(op, *apply(cells, op, now), self.modes)
        }
        if Mode.CRASH in self.modes and self._first(node):
            found[Mode.CRASH] = WideMove(self.behaviour.crash(node_id), (), 0)
        for mode in self.late:
            if mode in found:
                self.late[mode][node_id] = self._late_number(node)
        self.wide[node_id, numbers] = found
        self._settle()
        return found

    def _wide_move(self, node: Node, result: Result) -> WideMove:
        columns = ((self.space.cell(cell), value) for cell, value in result.writes.items())
        changes = tuple((column, self.space.columns[column].number(value)) for column, value in columns)
        child = self.behaviour.child(node.id, reply_of_task(self.task, result.reply))
        return WideMove(child, changes, self._event(node, child))

    def _enter(self, mode: Mode, node: Node, number: int, child: int, after: int, event: int) -> None:
        self.child[mode][node.id, number] = child
        self.number[mode][node.id, number] = after
        self.event[mode][node.id, number] = event

    def _first(self, node: Node) -> bool:
        """Whether this task stands for all, where they crash together."""
        return node.open[0][0] == self.task

    def _late_number(self, node: Node) -> int:
        call, op = node.representative.current, node.effect(self.task)
        assert call is not None
        assert op is not None
        # Interchangeable clients share it, or a state would have two representatives. With a monitor, none are.
        owner = self.client if self.space.monitors else self.space.behaviours.index(self.behaviour)
        return self.space.columns[self.space.late].number(LateWrite(write_of(op), owner, call))

    def _event(self, node: Node, child_id: int) -> int:
        if not self.space.monitors:
            return 0
        raw = node.representative
        assert raw.current is not None
        # A call is invoked with its first effect: a client that has not moved since its last call has begun nothing.
        begun = (Invoked(self.client, raw.index, raw.current.name, raw.current.args),) if raw.begins else ()
        return self._events.number(self._returned(node, child_id, raw.index, begun))

    def _returned(
        self, node: Node, child_id: int, under_way: int = -1, begun: tuple[Event, ...] = ()
    ) -> tuple[Event, ...]:
        """What has returned between two nodes; and before the root, which no step leads to."""
        raw, child = node.representative, self.behaviour.nodes[child_id].representative
        calls = list(enumerate(child.calls[: child.index]))
        earlier = events_of_ended(self.client, calls[: raw.index]) if raw.parent is None else ()
        return (*earlier, *begun, *events_of_ended(self.client, calls[raw.index :], under_way))

    def lay_out(self) -> None:
        """Compute all deltas under the space's present layout."""
        self._reshaped = False
        self._widen()
        layout, size = self.space.layout, self._nodes * self.values
        place = layout.places[self.space.clients[self.client]]
        self.node_word, self.node_shift, self.node_mask = place.word, np.uint64(place.shift), np.uint64(place.mask)
        self.shift = [np.zeros(self._nodes, np.uint64) for _ in range(layout.words)]
        self.mask = [np.zeros(self._nodes, np.uint64) for _ in range(layout.words)]
        for node in np.flatnonzero(self.column >= 0):
            self._lay_out_node(int(node))
        self.laid_out = self.admitted
        self.delta = {mode: [np.zeros(size, np.uint64) for _ in range(layout.words)] for mode in self.modes}
        self.flat = {mode: np.full(size, UNKNOWN, np.int64) for mode in self.modes}
        self._refresh(*np.nonzero(self.child[Mode.NORMAL] != UNKNOWN))
        self.again_delta = [np.zeros(self._nodes, np.uint64) for _ in range(layout.words)]
        self._refresh_restarts(np.flatnonzero(self.again >= 0))

    def _widen(self) -> None:
        """A write of watched keys touches several cells. No state has the watch before its cell is laid out."""
        for node in self.behaviour.nodes[: self.admitted] if self.space.watched else ():
            op = node.effect(self.task) if self.kind[node.id] == POINT else None
            if op is not None and self.space.is_watched(footprint(op)):
                self.kind[node.id], self.column[node.id] = WIDE, -1

    def _lay_out_node(self, node: int) -> None:
        target = self.space.layout.places[int(self.column[node])]
        self.shift[target.word][node] = target.shift
        self.mask[target.word][node] = target.mask

    def _cost(self, mode: Mode) -> list[tuple[int, int]]:
        """What a move of this mode takes off the budgets: columns, each with the change of its number."""
        return [(self.space.budgets[BUDGETS.index(kind)], -1) for kind in COST[mode]]

    def _refresh(self, nodes: Ints, numbers: Ints) -> None:
        """Recompute the deltas of some entries."""
        layout = self.space.layout
        at = nodes * self.values + numbers
        for mode in self.modes:
            child = self.child[mode][nodes, numbers]  # also UNKNOWN and IMPOSSIBLE, whose deltas nothing reads
            self.flat[mode][at] = child
            parts = [np.full(len(at), part, np.uint64) for part in layout.delta(self._cost(mode))]
            # Below 0 the cast wraps around, modulo 2**64, and so do the sums. Each field of the successor fits into its
            # bits, so no borrow is left over.
            parts[self.node_word] += (child - nodes).astype(np.uint64) << self.node_shift
            change = (self.number[mode][nodes, numbers] - numbers).astype(np.uint64)
            for word in range(layout.words):
                here = self.mask[word][nodes] > 0  # the cell lies in one word; in none without bits, or of a wide one
                parts[word][here] += change[here] << self.shift[word][nodes][here]
            if mode in REPEATED:
                place = layout.places[self.space.late]
                parts[place.word] += self.late[mode][nodes].astype(np.uint64) << np.uint64(place.shift)
            for word in range(layout.words):
                self.delta[mode][word][at] = parts[word]

    def _refresh_restarts(self, nodes: Ints) -> None:
        """Recompute the deltas of some restarts."""
        if not len(nodes):
            return
        for word, part in enumerate(self.space.layout.delta(self._cost(Mode.RESTART))):
            self.again_delta[word][nodes] = part
        self.again_delta[self.node_word][nodes] += (self.again[nodes] - nodes).astype(np.uint64) << self.node_shift

    def wide_delta(self, node: int, mode: Mode, move: WideMove, numbers: dict[int, int]) -> list[int]:
        """The delta of a wide move, per word."""
        changes = [*self._cost(mode), (self.space.clients[self.client], move.child - node)]
        changes += [(column, after - numbers[column]) for column, after in move.changes]
        changes += [(self.space.late, int(self.late[mode][node]))] if mode in REPEATED else []
        return self.space.layout.delta(changes)

    def _blank(self) -> Ints:
        return np.full((self._nodes, self.values), UNKNOWN, np.int64)

    def _grow_nodes(self) -> None:
        self.kind = double_array(self.kind, 0, 0)
        self.ranks = double_array(self.ranks, 0, 0)
        self.column = double_array(self.column, 0, -1)
        self.again = double_array(self.again, 0, UNKNOWN)
        self.again_event = double_array(self.again_event, 0, 0)
        for mode in self.modes:
            self.child[mode] = double_array(self.child[mode], 0, UNKNOWN)
            self.number[mode] = double_array(self.number[mode], 0, UNKNOWN)
            self.event[mode] = double_array(self.event[mode], 0, 0)
        for mode in self.late:
            self.late[mode] = double_array(self.late[mode], 0, 0)
        self._nodes *= 2
        self._reshaped = True

    def _grow_values(self) -> None:
        for mode in self.modes:
            self.child[mode] = double_array(self.child[mode], 1, UNKNOWN)
            self.number[mode] = double_array(self.number[mode], 1, UNKNOWN)
            self.event[mode] = double_array(self.event[mode], 1, 0)
        self.values *= 2
        self._reshaped = True
