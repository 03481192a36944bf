"""The expansion kernel: all successors of a list of packed states, by array operations.

The kernel knows nothing of levels, invariants or limits: it turns states into successors and hands them to a
sink, with the moves that made them. Monitors advance here, because their states are columns.
"""

from collections.abc import Callable, Sequence
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.explore.behaviour import Behaviour
from lakeproof.explore.faults import BUDGETS, COST, REPEATED, Mode, Move
from lakeproof.explore.meaning import apply, footprint
from lakeproof.explore.packing import Layout, Words, distinct, take
from lakeproof.explore.setting import Setting
from lakeproof.explore.space import DEAD, Relayout, Space
from lakeproof.explore.tables import DONE, IMPOSSIBLE, POINT, UNKNOWN, WIDE, ClientTable, Events, WideMove
from lakeproof.explore.world import LateWrite
from model.invariants import Finding, Monitor, Violation
from model.snapshot import Event

Rows = npt.NDArray[np.intp]
Sink = Callable[[Move, Rows, Words], None]
"""Receives a move, the rows of the sources, and the successors, row by row."""


@attrs.frozen
class MonitorFindings:
    """What a monitor said of a transition: met first from the state with these numbers, by ``move``."""

    monitor: int
    findings: tuple[Finding, ...]
    numbers: tuple[int, ...]
    move: Move


class Kernel:
    """Compiled tables of all clients, over one `Space`."""

    def __init__(self, setting: Setting, behaviours: Sequence[Behaviour], monitors: Sequence[Monitor]) -> None:
        self.setting = setting
        self.space = Space(setting, behaviours, monitors)
        self.events = Events()
        self.tables = [ClientTable(self.space, client, self.events) for client in range(len(behaviours))]
        self.heard: list[MonitorFindings] = []
        """What monitors have found since somebody last emptied this list."""
        self._advanced: dict[tuple[int, int, int], int] = {}
        self._late_moves: dict[tuple[int, tuple[int, ...]], tuple[tuple[int, int], ...]] = {}
        self.relaid()

    def relaid(self) -> Layout:
        """Lay out states and tables anew; returns the old layout."""
        old = self.space.renew()
        self.layout = self.space.layout
        self._wide_columns: dict[tuple[int, int], list[int]] = {}
        for table in self.tables:
            table.wide = {} if len(old.places) < len(self.layout.places) else table.wide
            table.lay_out()
        if len(old.places) < len(self.layout.places):
            self._late_moves = {}
        self._compiled_wide: dict[tuple[int, int, tuple[int, ...]], dict[Mode, list[int]]] = {}
        return old

    def first(self) -> Words:
        """The initial state, as a list of one."""
        while True:
            if self.space.stale:
                self.relaid()
            else:
                return [np.array([part], np.uint64) for part in self.space.initial()]

    def expand(self, words: Words, sink: Sink) -> None:
        """Hand every transition out of these states to ``sink``.

        Raises:
            Relayout: the states must be repacked, and this call be repeated.
            Disagreement, NondeterministicFlow: see `Behaviour.child`.
        """
        anyone = np.zeros(len(words[0]), np.bool_)
        for table in self.tables:
            table.catch_up()
            nodes = table.nodes_of(words)
            kinds = table.kind[nodes]
            anyone |= kinds != DONE
            self._expand_point(table, words, nodes, np.flatnonzero(kinds == POINT), sink)
            self._expand_wide(table, words, nodes, np.flatnonzero(kinds == WIDE), sink)
        if self.space.layout.places[self.space.late].bits:
            self._deliver(words, sink)
        if self.space.clock >= 0:
            self._tick(words, anyone, sink)

    def alive(self, words: Words) -> npt.NDArray[np.bool_]:
        """Which states have a client that can move."""
        anyone = np.zeros(len(words[0]), np.bool_)
        for table in self.tables:
            table.catch_up()
            anyone |= table.kind[table.nodes_of(words)] != DONE
        return anyone

    def _expand_point(self, table: ClientTable, words: Words, nodes: Rows, rows: Rows, sink: Sink) -> None:
        if not len(rows):
            return
        here, at_nodes = take(words, rows), nodes[rows]
        numbers = np.zeros(len(rows), np.uint64)
        for word, shift, mask in zip(here, table.shift, table.mask, strict=True):
            numbers |= (word >> shift[at_nodes]) & mask[at_nodes]
        small = numbers.astype(np.intp)
        self._compile_missing(table, at_nodes, small)
        at = at_nodes * table.values + small
        for mode in self.setting.modes:
            children = table.flat[mode][at]
            may = self._affordable(here, mode)
            fits = children != IMPOSSIBLE
            may = fits if may is None else may & fits
            if may.all():
                chosen, picked, at_mode = rows, here, at
            else:
                keep = np.flatnonzero(may)
                if not len(keep):
                    continue
                chosen, picked, at_mode = rows[keep], take(here, keep), at[keep]
            after = [word + delta[at_mode] for word, delta in zip(picked, table.delta[mode], strict=True)]
            move = Move(table.client, mode)
            if self.space.monitors:
                self._advance(move, picked, after, table.event[mode].reshape(-1)[at_mode])
            sink(move, chosen, after)

    def _compile_missing(self, table: ClientTable, nodes: Rows, numbers: Rows) -> None:
        highest = int(numbers.max()) if len(numbers) else 0
        if highest < table.values:
            missing = table.flat[Mode.NORMAL][nodes * table.values + numbers] == UNKNOWN
            if not missing.any():
                return
            nodes, numbers = nodes[missing], numbers[missing]
        pairs = np.unique(nodes * (highest + 1) + numbers)
        table.compile([int(pair) // (highest + 1) for pair in pairs], [int(pair) % (highest + 1) for pair in pairs])

    def _affordable(self, words: Words, mode: Mode) -> npt.NDArray[np.bool_] | None:
        """Which states can pay for a move of this mode; None if it is free."""
        may: npt.NDArray[np.bool_] | None = None
        for kind in COST[mode]:
            left = self.layout.field(words, self.space.budgets[BUDGETS.index(kind)]) > 0
            may = left if may is None else may & left
        if mode in REPEATED and may is not None and self.layout.places[self.space.late].bits:
            may &= self.layout.field(words, self.space.late) == 0
        return may

    def _expand_wide(self, table: ClientTable, words: Words, nodes: Rows, rows: Rows, sink: Sink) -> None:
        if not len(rows):
            return
        at_nodes = nodes[rows]
        for node in np.unique(at_nodes):
            chosen = rows[at_nodes == node]
            self._expand_wide_node(table, int(node), take(words, chosen), chosen, sink)

    def _expand_wide_node(self, table: ClientTable, node: int, here: Words, rows: Rows, sink: Sink) -> None:
        columns = self._columns_of(table, node)
        kinds, inverse = _projections(here, self.layout, columns)
        moves = [table.compile_wide(node, columns, numbers) for numbers in kinds]
        deltas = [self._wide_deltas(table, node, columns, *pair) for pair in zip(kinds, moves, strict=True)]
        for mode in self.setting.modes:
            possible = np.array([mode in move for move in moves])
            may = self._affordable(here, mode)
            fits = possible[inverse]
            keep = np.flatnonzero(fits if may is None else may & fits)
            if not len(keep):
                continue
            picked, which = take(here, keep), inverse[keep]
            after = []
            for word in range(self.layout.words):
                parts = np.array([delta[mode][word] if mode in delta else 0 for delta in deltas], np.uint64)
                after.append(picked[word] + parts[which])
            step = Move(table.client, mode)
            if self.space.monitors:
                events = np.array([move[mode].event if mode in move else 0 for move in moves], np.int64)
                self._advance(step, picked, after, events[which])
            sink(step, rows[keep], after)

    def _columns_of(self, table: ClientTable, node: int) -> list[int]:
        key = (table.client, node)
        if key not in self._wide_columns:
            op = table.behaviour.nodes[node].op
            assert op is not None
            self._wide_columns[key] = self.space.covered(footprint(op))
            if self.space.stale:
                raise Relayout
        return self._wide_columns[key]

    def _wide_deltas(
        self, table: ClientTable, node: int, columns: list[int], numbers: tuple[int, ...], moves: dict[Mode, WideMove]
    ) -> dict[Mode, list[int]]:
        key = (table.client, node, numbers)
        found = self._compiled_wide.get(key)
        if found is None:
            by_column = dict(zip(columns, numbers, strict=True))
            found = {mode: table.wide_delta(node, mode, move, by_column) for mode, move in moves.items()}
            self._compiled_wide[key] = found
        return found

    def _deliver(self, words: Words, sink: Sink) -> None:
        pending = self.layout.field(words, self.space.late)
        for number in np.unique(pending[pending > 0]):
            rows = np.flatnonzero(pending == number)
            here = take(words, rows)
            late = self.space.columns[self.space.late].values[int(number)]
            assert isinstance(late, LateWrite)
            columns = self.space.covered(footprint(late.op))
            kinds, inverse = _projections(here, self.layout, columns)
            place = self.layout.places[self.space.late]
            deltas = []
            for numbers in kinds:
                total = [0] * self.layout.words
                total[place.word] -= int(number) << place.shift
                for column, change in self._late_changes(int(number), late, columns, numbers):
                    target = self.layout.places[column]
                    total[target.word] += change << target.shift
                deltas.append([part % (1 << 64) for part in total])
            if self.space.stale:
                raise Relayout
            after = [
                here[word] + np.array([delta[word] for delta in deltas], np.uint64)[inverse]
                for word in range(self.layout.words)
            ]
            sink(Move(-1, Mode.DELIVER), rows, after)

    def _late_changes(
        self, number: int, late: LateWrite, columns: list[int], numbers: tuple[int, ...]
    ) -> tuple[tuple[int, int], ...]:
        """By how much a late write changes each column's number."""
        found = self._late_moves.get((number, numbers))
        if found is None:
            before = dict(zip(columns, numbers, strict=True))
            cells, now = self.space.near(columns, numbers)
            _, writes = apply(cells, late.op, now)
            found = tuple(
                (column, self.space.columns[column].number(value) - before[column])
                for column, value in ((self.space.cell(cell), value) for cell, value in writes.items())
            )
            self._late_moves[number, numbers] = found
        return found

    def _tick(self, words: Words, anyone: npt.NDArray[np.bool_], sink: Sink) -> None:
        place = self.layout.places[self.space.clock]
        last = len(self.setting.times) - 1
        rows = np.flatnonzero(anyone & (self.layout.field(words, self.space.clock) < last))
        if len(rows):
            after = take(words, rows)
            after[place.word] = after[place.word] + np.uint64(1 << place.shift)
            sink(Move(-1, Mode.TICK), rows, after)

    def _advance(self, move: Move, before: Words, after: Words, events: npt.NDArray[np.int64]) -> None:
        """Move the monitors on, in place, wherever something was invoked or returned."""
        for index, column in enumerate(self.space.watches):
            rows = np.flatnonzero(events > 0)
            if not len(rows):
                return
            place = self.layout.places[column]
            states = self.layout.field(take(after, rows), column).astype(np.int64)
            pairs = events[rows] * (1 << 32) + states
            kinds, firsts, inverse = np.unique(pairs, return_index=True, return_inverse=True)
            results = []
            for pair, first in zip(kinds, firsts, strict=True):
                row = tuple(int(word[rows[first]]) for word in before)
                results.append(self._advanced_number(index, int(pair) >> 32, int(pair) & 0xFFFFFFFF, row, move))
            if self.space.stale:
                raise Relayout
            change = np.array(results, np.int64)[inverse] - states
            after[place.word][rows] += change.astype(np.uint64) << np.uint64(place.shift)

    def _advanced_number(self, index: int, event: int, number: int, row: tuple[int, ...], move: Move) -> int:
        key = (index, event, number)
        found = self._advanced.get(key)
        if found is None:
            column = self.space.columns[self.space.watches[index]]
            state, findings = advance(self.space.monitors[index], column.values[number], self.events.lists[event])
            found = self._advanced[key] = column.number(state)
            if findings:
                self.heard.append(MonitorFindings(index, findings, self.layout.unpack(row), move))
        return found


def advance(monitor: Monitor, state: object, events: Sequence[Event]) -> tuple[object, tuple[Finding, ...]]:
    """A monitor's state after some events. After a violation it rests, in the state DEAD."""
    found: list[Finding] = []
    for event in events:
        if state == DEAD:
            break
        state, findings = monitor.advance(state, event)
        found.extend(findings)
        if any(isinstance(finding, Violation) for finding in findings):
            state = DEAD
    return state, tuple(found)


KEY_BITS_MAX: Final = 62


def _projections(words: Words, layout: Layout, columns: Sequence[int]) -> tuple[list[tuple[int, ...]], Rows]:
    """The distinct numbers of these columns, and for each row which of them it has."""
    width = sum(layout.places[column].bits for column in columns)
    assert width <= KEY_BITS_MAX, f"a scan over {len(columns)} cells with {width} bits: split the partition"
    key = np.zeros(len(words[0]), np.uint64)
    for column in columns:
        bits = layout.places[column].bits
        if bits:
            key = (key << np.uint64(bits)) | layout.field(words, column)
    kinds = distinct([key])[0]
    numbers = []
    for kind in kinds.tolist():
        row: list[int] = []
        for column in reversed(columns):
            bits = layout.places[column].bits
            row.append(kind & ((1 << bits) - 1))
            kind >>= bits
        numbers.append(tuple(reversed(row)))
    return numbers, np.searchsorted(kinds, key)
