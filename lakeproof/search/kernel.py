"""The expansion kernel: an expansion whose tables are compiled from the flows as they are needed.

The kernel knows nothing of levels, invariants or limits: it turns states into successors and hands them to a
sink, with the moves that made them. Monitors advance here, because their states are columns.

Example: level 1 of two clients that count (`lakeproof.search.expansion`). The counter is absent in both states: its
column has no bits. To set "1", a second value, `expand` raises Relayout; the caller takes the new layout, repacks the
level and calls again. All is compiled now, and `sink` gets two moves, with rows and successors:

    a: (0, 1, 0) -> (1, 1, 0), (1, 0, 0) -> (2, 0, 1)    b: (0, 1, 0) -> (0, 2, 1), (1, 0, 0) -> (1, 1, 0)
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import cast

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.impl.effects import Effect
from lakeproof.model import kv
from lakeproof.model.invariants import Finding, Monitor, Violation
from lakeproof.model.snapshot import Event
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.evaluation import advance_monitor, comparable
from lakeproof.search.expansion import CompiledParts, Effects, Expansion, Numbers, Roles
from lakeproof.search.expansion import Sink as Sink
from lakeproof.search.faults import Mode, Move
from lakeproof.search.packing import Column, Layout, Words, add_deltas, projections, take
from lakeproof.search.packing import Rows as Rows
from lakeproof.search.semantics import (
    AWAITED,
    CHANNEL,
    WATCHED,
    Cell,
    Value,
    apply,
    footprint,
    lease_name,
    pass_time,
)
from lakeproof.search.setup import Setting
from lakeproof.search.space import DEAD, Relayout, Space
from lakeproof.search.tables import UNKNOWN, WIDE, ClientTable, MoveTable
from lakeproof.search.world import LateWrite

Changes = tuple[tuple[int, int], ...]
"""Columns, each with the change of its number."""


@attrs.frozen
class MonitorFindings:
    """What a monitor found in a transition: met first from the state with these numbers, by ``move``."""

    monitor: int
    findings: tuple[Finding, ...]
    numbers: tuple[int, ...]
    move: Move


class Kernel(Expansion):
    """Compiled tables of all clients, over one `Space`."""

    def __init__(self, setting: Setting, behaviours: Sequence[Behaviour], monitors: Sequence[Monitor]) -> None:
        for monitor in monitors:
            comparable(monitor.id, monitor.first(late=setting.scenario.late))
        self.setting = setting
        self.space = Space(setting, behaviours, monitors)
        self.events = Column("events", ())
        self.tables: list[ClientTable] = [
            ClientTable(self.space, client, self.events) for client in range(len(behaviours))
        ]
        self.tasks: list[ClientTable] = []
        self._tasks_known = [0] * len(behaviours)
        self.unread: list[MonitorFindings] = []
        """What monitors have found since the list was last emptied."""
        self.parts = CompiledParts()
        self.roles = Roles(
            clients=tuple(self.space.clients),
            clock=self.space.clock if len(setting.times) > 1 else -1,  # a clock that goes on is `_pass_time`'s
            last_time=len(setting.times) - 1,
            budgets=tuple(self.space.budgets),
            late=self.space.late,
            watches=tuple(self.space.watches),
            modes=setting.modes,
        )
        self.relayout()

    def expand(self, words: Words, sink: Sink) -> None:
        super().expand(words, sink)
        for column, cell, left in self.space.leases:
            self._expire(words, column, cell, left, sink)
        if timers := self.space.timers + [column for column, *_ in self.space.leases]:
            self._pass_time(words, timers, sink)

    def alive(self, words: Words) -> npt.NDArray[np.bool_]:
        """Which states have a client that can move, or a time to live that is not over."""
        anyone = super().alive(words)
        for column, _, left in self.space.leases:
            anyone |= left[self.layout.field(words, column)] >= 0
        return anyone

    def time_passes(self, words: Words) -> npt.NDArray[np.bool_]:
        """In which states a timer runs, or a time to live, and nothing is due that comes first."""
        runs, nothing_due = np.zeros(len(words[0]), np.bool_), np.ones(len(words[0]), np.bool_)
        for column in self.space.timers:
            runs |= self.layout.field(words, column) > 0  # number 0 is the initial value: not set
        for column, _, left in self.space.leases:
            rest = left[self.layout.field(words, column)]
            runs |= rest > 0
            nothing_due &= rest != 0  # 0: due, and EXPIRE comes first
        return runs & nothing_due & self.alive(words)

    def _expire(self, words: Words, column: int, cell: Cell, left: npt.NDArray[np.int64], sink: Sink) -> None:
        """A key whose time to live is over is gone."""
        rows = np.flatnonzero(left[self.layout.field(words, column)] == 0)
        if not len(rows):
            return
        op = kv.Delete(cell[1], cell[2])  # type: ignore[arg-type, misc]
        # Like a delete by a client, the end of a key is appended to the watches that cover it.
        columns = self.space.covered(footprint(op))
        self._happen(Move(-1, Mode.EXPIRE, lease_name(cell)), words, rows, columns, partial(self._changes, op), sink)

    def _pass_time(self, words: Words, timers: list[int], sink: Sink) -> None:
        """Time goes on (see `pass_time`), if a client can still move, or a time to live is not over."""
        rows = np.flatnonzero(self.time_passes(words))
        if not len(rows):
            return
        clock = [self.space.clock] if self.space.clock >= 0 else []
        self._happen(Move(-1, Mode.TICK), words, rows, [*clock, *timers], self._passed, sink)

    def _happen(
        self,
        move: Move,
        words: Words,
        rows: Rows,
        columns: list[int],
        changes: Callable[[list[int], Numbers], Changes],
        sink: Sink,
    ) -> None:
        """Let happen in these rows what no client does. ``changes``: what comes of it where these columns have these
        numbers."""
        here = take(words, rows)
        kinds, inverse = projections(here, self.layout, columns)
        deltas = [self.layout.delta(changes(columns, kind)) for kind in kinds]
        if self.space.needs_relayout:
            raise Relayout
        sink(move, rows, add_deltas(here, deltas, inverse))

    def _passed(self, columns: list[int], numbers: Numbers) -> Changes:
        """By how much each column's number changes when time goes on, of the clock and of timers."""
        all_columns, before = self.space.columns, dict(zip(columns, numbers, strict=True))
        values = {column: all_columns[column].values[number] for column, number in before.items()}
        timers = {all_columns[column].name: column for column in columns if column != self.space.clock}
        cells = {name: values[column] for name, column in timers.items() if values[column] is not None}
        passed, left = pass_time(cast("dict[Cell, Value]", cells), self.setting.scenario.tick)
        after: dict[int, Hashable] = {column: left.get(cast("Cell", name)) for name, column in timers.items()}
        if self.space.clock in values:
            after[self.space.clock] = cast("int", values[self.space.clock]) + passed
        return tuple((column, all_columns[column].number(value) - before[column]) for column, value in after.items())

    @property
    def every(self) -> list[ClientTable]:
        """All tables, by their index."""
        return [*self.tables, *self.tasks]

    def _more(self) -> list[ClientTable]:
        for client, behaviour in enumerate(self.space.behaviours):
            while self._tasks_known[client] < len(behaviour.tasks):
                task = behaviour.tasks[self._tasks_known[client]]
                # Before Relayout is raised, the table is counted and kept: the call that repeats this goes on after it.
                self._tasks_known[client] += 1
                table = ClientTable(self.space, client, self.events, task, len(self.tables) + len(self.tasks))
                self.tasks.append(table)
                if self.space.needs_relayout:
                    raise Relayout
                table.lay_out()
        return self.tasks

    def frozen(self) -> Expansion:
        """The tables as they are now: plain values that can be sent anywhere, and expand what they know. They are this
        kernel's own, so it must compile nothing until they are sent."""
        while True:
            try:
                return self._frozen()
            except Relayout:
                self.relayout()

    def _frozen(self) -> Expansion:
        self._more()
        for table in self.every:
            table.catch_up()
        if self.space.needs_relayout:
            raise Relayout
        for table in self.every:
            for node in np.flatnonzero(table.kind[: table.admitted] == WIDE).tolist():
                self._columns_of(table, node)
            for node, numbers in table.wide:
                self._compile_wide(table, node, self.parts.columns[table.index, node], [numbers])
        known = len(self.space.columns[self.space.late].values)
        awaited = {
            (table.index, node.id): found
            for table in (self.tables if self._has_channels else ())
            for node in table.behaviour.nodes
            if (found := self._awaited(table, node.id)) is not None
        }
        late_columns = {number: self._late_columns(number) for number in range(1, known)}  # 0: nothing is in flight
        tables, tasks = [table.frozen() for table in self.tables], [table.frozen() for table in self.tasks]
        parts = attrs.evolve(self.parts, late_columns=late_columns, awaited=awaited)
        return Expansion(self.roles, self.layout, tables, tasks, parts)

    def relayout(self) -> Layout:
        """Lay out states and tables anew; returns the old layout."""
        old = self.space.relayout()
        self.layout = self.space.layout
        self.parts = CompiledParts(steps=self.parts.steps)  # a new cell may lie in a known range, and deltas are others
        for table in self.every:
            # Keyed by the numbers of the covered columns, of which there may be more now.
            table.wide = {} if len(old.places) < len(self.layout.places) else table.wide
            table.lay_out()
        return old

    def first(self) -> Words:
        """The initial state, as a list of one."""
        while True:
            if self.space.needs_relayout:
                self.relayout()
            else:
                return [np.array([part], np.uint64) for part in self.space.initial()]

    def _known(self, table: MoveTable, nodes: Rows, numbers: Rows, rows: Rows) -> Rows:
        self._compile_missing(self._own(table), nodes, numbers)
        return numbers

    def _know_restarts(self, table: MoveTable, nodes: Rows, rows: Rows) -> None:
        missing = np.unique(nodes[table.again[nodes] == UNKNOWN])
        if len(missing):
            self._own(table).compile_restarts(missing.tolist())

    def _own(self, table: MoveTable) -> ClientTable:
        clients = len(self.tables)
        return self.tables[table.index] if table.index < clients else self.tasks[table.index - clients]

    def _compile_missing(self, table: ClientTable, nodes: Rows, numbers: Rows) -> None:
        highest = int(numbers.max()) if len(numbers) else 0
        # A higher number would be looked up in the row of the next node. Compiling a known pair again changes nothing.
        if highest < table.values:
            missing = table.flat[Mode.NORMAL][nodes * table.values + numbers] == UNKNOWN
            if not missing.any():
                return
            nodes, numbers = nodes[missing], numbers[missing]
        pairs = np.unique(nodes * (highest + 1) + numbers)  # each pair once, as one integer
        table.compile([int(pair) // (highest + 1) for pair in pairs], [int(pair) % (highest + 1) for pair in pairs])

    def _columns_of(self, table: MoveTable, node: int) -> list[int]:
        key = (table.index, node)
        if key not in self.parts.columns:
            op = self._own(table).behaviour.nodes[node].effect(table.task)
            assert op is not None
            self.parts.columns[key] = self.space.covered(footprint(op))
            if self.space.needs_relayout:
                raise Relayout
        return self.parts.columns[key]

    @property
    def _has_channels(self) -> bool:
        waiting = any(behaviour.tasks for behaviour in self.space.behaviours)  # tasks may, and have no tables yet
        return waiting or any(cell[0] in (CHANNEL, WATCHED) for cell in self.space.cells)

    def _awaited(self, table: MoveTable, node: int) -> Sequence[tuple[int, int]] | None:
        open_ = [op for _, op in self.space.behaviours[table.client].nodes[node].open]
        if any(type(op) not in AWAITED for op in open_):
            return None
        found = []
        # A client at its end waits for nothing: no cell must be empty, and the answer is [].
        for cell, empty in {footprint(op).cells[0]: AWAITED[type(op)] for op in open_}.items():
            column = self.space.cells.get(cell, len(self.layout.places))
            if column < len(self.layout.places):
                found.append((column, self.space.columns[column].known(empty)))
            elif self.setting.cells.get(cell) != empty:  # what no state tells apart is as it was at first
                return None
        return found

    def _wide(
        self, table: MoveTable, node: int, columns: list[int], kinds: Sequence[Numbers], rows: Rows, inverse: Rows
    ) -> list[Effects]:
        self._compile_wide(self._own(table), node, columns, kinds)
        return super()._wide(table, node, columns, kinds, rows, inverse)

    def _compile_wide(self, table: ClientTable, node: int, columns: list[int], kinds: Sequence[Numbers]) -> None:
        for numbers in kinds:
            if (table.index, node, numbers) not in self.parts.wide:
                moves = table.compile_wide(node, columns, numbers)
                before = dict(zip(columns, numbers, strict=True))
                self.parts.wide[table.index, node, numbers] = {
                    mode: (table.wide_delta(node, mode, move, before), move.event) for mode, move in moves.items()
                }

    def _late_columns(self, number: int) -> list[int]:
        return self.space.covered(footprint(self._late_write(number).op))

    def _late(
        self, number: int, columns: list[int], kinds: Sequence[Numbers], rows: Rows, inverse: Rows
    ) -> list[list[int]]:
        for numbers in kinds:
            if (number, numbers) not in self.parts.late:
                changes = self._changes(self._late_write(number).op, columns, numbers)
                # The write has arrived: the column falls back to 0, and the next one may be in flight.
                self.parts.late[number, numbers] = self.layout.delta([(self.space.late, -number), *changes])
        if self.space.needs_relayout:
            raise Relayout
        return super()._late(number, columns, kinds, rows, inverse)

    def _late_write(self, number: int) -> LateWrite:
        late = self.space.columns[self.space.late].values[number]
        assert isinstance(late, LateWrite)
        return late

    def _changes(self, op: Effect, columns: list[int], numbers: Numbers) -> Changes:
        """By how much an effect that no client waits for changes each column's number."""
        before = dict(zip(columns, numbers, strict=True))
        cells, now = self.space.decode_columns(columns, numbers)
        _, writes = apply(cells, op, now)
        # An effect writes within its footprint only, so each cell has a number before.
        after = ((self.space.cell(cell), value) for cell, value in writes.items())
        return tuple((column, self.space.columns[column].number(value) - before[column]) for column, value in after)

    def _advanced(
        self,
        monitor: int,
        move: Move,
        steps: Sequence[tuple[int, int]],
        before: Words,
        rows: Rows,
        inverse: Rows,
    ) -> list[int]:
        for at, (event, state) in enumerate(steps):
            if (monitor, event, state) not in self.parts.steps:
                self._compile_step(monitor, event, state, [int(word[at]) for word in before], move)
        if self.space.needs_relayout:
            raise Relayout
        return super()._advanced(monitor, move, steps, before, rows, inverse)

    def steps(self, count: int) -> Iterator[tuple[Monitor, Sequence[Event], Hashable, Hashable]]:
        """Some steps of monitors, as they were made: monitor, events, the state before and after. At least so many, if
        there are so many."""
        known = list(self.parts.steps.items())
        for (index, event, number), after in known[:: max(1, len(known) // count)]:
            values = self.space.columns[self.space.watches[index]].values
            yield self.space.monitors[index], self._events_of(event), values[number], values[after]

    def _events_of(self, number: int) -> tuple[Event, ...]:
        return cast("tuple[Event, ...]", self.events.values[number])

    def _compile_step(self, index: int, event: int, number: int, row: Sequence[int], move: Move) -> None:
        column = self.space.columns[self.space.watches[index]]
        state, findings = advance(self.space.monitors[index], column.values[number], self._events_of(event))
        self.parts.steps[index, event, number] = column.number(state)
        if findings:  # once: a chunk that is expanded again finds the step known
            self.unread.append(MonitorFindings(index, findings, self.layout.unpack(row), move))


def advance(monitor: Monitor, state: Hashable, events: Sequence[Event]) -> tuple[Hashable, tuple[Finding, ...]]:
    """A monitor's state after some events. After a violation it rests, in the state DEAD."""
    found: list[Finding] = []
    for event in events:
        if state is DEAD:
            break
        state, findings = advance_monitor(monitor, state, event)
        found.extend(findings)
        if any(isinstance(finding, Violation) for finding in findings):
            state = DEAD  # one state for all violated ones: fewer states of the search
    return state, tuple(found)
