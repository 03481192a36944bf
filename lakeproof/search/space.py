"""The state space of a setting: its columns, the behaviours of its clients, and the layout of its states."""

from collections.abc import Callable, Hashable, Sequence
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from lakeproof.model import kv
from lakeproof.model.identity import identity
from lakeproof.model.invariants import Monitor
from lakeproof.model.snapshot import CallView, Snapshot
from lakeproof.search import packing
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.execution import Program
from lakeproof.search.faults import BUDGETS
from lakeproof.search.fresh_names import Spelling
from lakeproof.search.packing import Column, Layout, lay_out
from lakeproof.search.semantics import TIMER, WATCHED, Cell, Footprint, Value
from lakeproof.search.setup import Setting, snapshot
from lakeproof.search.trie import Trie


class _Dead:
    """Of one kind with nothing that a monitor may have for a state."""

    def __repr__(self) -> str:
        return "DEAD"


DEAD: Final = _Dead()
"""The state of a monitor that has found its violation and rests. Compared with ``is``."""


SPARE_MAX: Final = 3
"""A column gets no more bits than that beyond those it needs."""


class Relayout(Exception):
    """A column outgrew its bits, or a new one came: states must be packed anew, and the work be repeated."""


def share_behaviours(setting: Setting, make: Callable[[Trie], Behaviour], *, symmetry: bool) -> list[Behaviour]:
    """One behaviour per client; the same one for clients that run the same program on the same clock.

    Programs differ in their label, which shows only in fresh identifiers. Sharing is undone (see
    `Behaviour.minted`) for a program that mints any.
    """
    found: list[Behaviour] = []
    for index, program in enumerate(setting.programs):
        twin = None
        if symmetry and not setting.scenario.timers:  # each client has a timer of its own
            for earlier in range(index):
                other = setting.programs[earlier]
                if _same_program(program, other) and setting.skews[index] == setting.skews[earlier]:
                    twin = found[earlier]
                    break
        if twin is None or twin.minted:  # a value that names its client makes twins differ
            twin = make(setting.tries[index])
        found.append(twin)
    return found


def _same_program(one: Program, other: Program) -> bool:
    parts = [(each.calls, each.recover, each.frozen_now) for each in (one, other)]
    return identity(parts[0]) == identity(parts[1]) and (one.observers == other.observers)


class Space:
    """Columns and layout. Numbers are given out as values are met; `needs_relayout` says that they no longer fit."""

    def __init__(self, setting: Setting, behaviours: Sequence[Behaviour], monitors: Sequence[Monitor]) -> None:
        self.setting = setting
        self.behaviours = list(behaviours)
        self.monitors = list(monitors)
        self.columns: list[Column] = []
        self.cells: dict[Cell, int] = {}
        self.watched: list[Cell] = []
        """The cells of watches."""
        self.clients = [self._add(_nodes(client, behaviour)) for client, behaviour in enumerate(behaviours)]
        # Jumps are counted up from 0; budgets are counted down from their total: their numbers are their values.
        jumps = len(setting.times) - 1
        self.clock = self._add(_counter("clock", jumps)) if jumps or setting.scenario.time == "read" else -1
        self.budgets = [self._add(_counter(kind, total)) if total else -1 for kind, total in self._budgets()]
        self.late = self._add(Column("late write", None))  # number 0: none is in flight
        self.watches = [self._add(Column(("monitor", m.id), m.first(late=setting.scenario.late))) for m in monitors]
        for cell in sorted(setting.cells):  # the kind comes first, so bytes never meet text
            self.cell(cell)
        self.layout = self._lay_out()

    def cell(self, cell: Cell) -> int:
        """The column of a cell; a new one for a new cell."""
        if cell not in self.cells:
            self.watched += [cell] if cell[0] == WATCHED else []
            self.cells[cell] = self._add(Column(cell, self.setting.cells.get(cell)))
        return self.cells[cell]

    def covered(self, footprint: Footprint) -> list[int]:
        """The columns of the known cells in a footprint, in order of their cells; first the clock, if it counts."""
        for cell in footprint.cells:
            self.cell(cell)
        clock = [self.clock] if footprint.timed and self.clock >= 0 else []
        # In one order for the same cells: keys of wide moves are tuples of their numbers.
        return clock + [self.cells[cell] for cell in sorted(self.cells) if footprint.covers(cell)]

    def is_watched(self, footprint: Footprint) -> bool:
        """Whether an effect may write to a watch that is known."""
        return any(map(footprint.notifies, self.watched))

    def decode_columns(self, columns: Sequence[int], numbers: Sequence[int]) -> tuple[dict[Cell, Value], int]:
        """The filled cells among `covered` columns with these numbers, and the time."""
        cells: dict[Cell, Value] = {}
        time = self.setting.times[0]
        for column, number in zip(columns, numbers, strict=True):
            if column == self.clock:
                time = self.moment(number)
            elif (value := self.columns[column].values[number]) is not None:
                cells[self.columns[column].name] = value  # type: ignore[index, assignment]
        return cells, time

    @property
    def needs_relayout(self) -> bool:
        """Whether some column does not fit into its place any more, or has none. Looked at after every compilation."""
        return len(self.layout.places) < len(self.columns) or any(len(taken) > room for taken, room in self._room)

    def relayout(self) -> Layout:
        """Lay the columns out anew, and return the old layout."""
        old, self.layout = self.layout, self._lay_out()
        return old

    def initial(self) -> tuple[int, ...]:
        """The packed first state."""
        numbers = [0] * len(self.columns)
        for client, column in enumerate(self.clients):
            numbers[column] = self.behaviours[client].root
        for column, (_, total) in zip(self.budgets, self._budgets(), strict=True):
            if column >= 0:
                numbers[column] = total
        return self.layout.pack(numbers)

    def snapshot(
        self, numbers: Sequence[int], *, clients: bool, clock: bool, spelling: Spelling | None = None
    ) -> Snapshot:
        """The snapshot of an unpacked state; parts that nothing reads are left empty. ``spelling``: of identifiers."""
        cells = {}
        for cell, column in self.cells.items():
            # A state from before the cell was known has no number for it: nothing had written to it.
            value = self.columns[column].values[numbers[column]] if column < len(numbers) else self._initial(cell)
            if value is not None:
                cells[cell] = value
        views: tuple[tuple[CallView, ...], ...] = ()
        if clients:
            views = tuple(self.behaviours[c].nodes[numbers[self.clients[c]]].calls for c in range(len(self.clients)))
        if spelling is not None:
            cells, views = spelling.value(cells), spelling.value(views)  # type: ignore[assignment]
        return snapshot(cells, self.time(numbers) if clock else self.setting.times[0], views)  # type: ignore[arg-type]

    def time(self, numbers: Sequence[int]) -> int:
        """The clock of an unpacked state, microseconds."""
        return self.moment(numbers[self.clock] if self.clock >= 0 else 0)

    def moment(self, number: int) -> int:
        """The time that a number of the clock's column stands for: of jumps, or of what has passed."""
        if len(self.setting.times) > 1 or self.clock < 0:  # numbers are jumps, and 0 without a clock
            return self.setting.times[number]
        return self.setting.times[0] + cast("int", self.columns[self.clock].values[number])

    @property
    def timers(self) -> list[int]:
        """The columns of timers."""
        return [column for cell, column in self.cells.items() if cell[0] == TIMER]

    @property
    def leases(self) -> list[tuple[int, Cell, npt.NDArray[np.int64]]]:
        """The columns of keys that have had a time to live, their cells, and by number how much of it is left; -1:
        there is none."""
        if not self.setting.scenario.tick:
            return []
        found = []
        for cell, column in self.cells.items():
            left = [value.left if isinstance(value, kv.Leased) else -1 for value in self.columns[column].values]
            if max(left) >= 0:
                found.append((column, cell, np.array(left)))
        return found

    def _initial(self, cell: Cell) -> Value | None:
        return self.setting.cells.get(cell)

    def _budgets(self) -> list[tuple[str, int]]:
        return list(zip(BUDGETS, self.setting.budgets, strict=True))

    def _lay_out(self) -> Layout:
        widths = self._widths()
        # Cells come first, highest: a level of one word is then sorted by its stores, too (`Projections.fresh`).
        cells = [self.cells[cell] for cell in sorted(self.cells)]
        others = [column for column in range(len(self.columns)) if column not in set(cells)]
        layout = lay_out(widths, cells + others)
        # The lists themselves, since they grow: `needs_relayout` compares their lengths at that time.
        self._room = [(self.columns[column].values, 1 << place.bits) for column, place in enumerate(layout.places)]
        return layout

    def _widths(self) -> list[int]:
        """How many bits each column is given: one word's spare bits go to the columns that may grow, since a new layout
        is dear and an unused bit of a word is free."""
        widths = [column.bits for column in self.columns]
        for column in self.clients:
            widths[column] = max(widths[column], 1) + 1  # room for twice as many nodes
        # A column with one value so far gets nothing: it may never change.
        growing = [column for column in (*self.clients, *self.cells.values(), *self.watches) if widths[column]]
        spare = (packing.WORD_BITS - sum(widths)) // max(1, len(growing))  # below 0 where one word is not enough
        for column in growing:
            widths[column] += min(SPARE_MAX, max(0, spare))
        return widths

    def _add(self, column: Column) -> int:
        self.columns.append(column)
        return len(self.columns) - 1


def _nodes(client: int, behaviour: Behaviour) -> Column:
    """A column whose values are the nodes of a behaviour, which gains them."""
    column = Column(("client", client), 0)
    column.values = cast("list[Hashable]", behaviour.nodes)
    return column


def _counter(name: str, total: int) -> Column:
    column = Column(name, 0)
    for number in range(1, total + 1):
        column.number(number)
    return column
