"""Invariants over packed levels: each is evaluated once per distinct projection that it reads.

The judge keeps, for every invariant, what was reached and the first violation with the place where it was met.

Example: two clients that add one to a counter, as in `lakeproof.search.expansion`; clients that are alike share states.
An *always* invariant reads the counter alone, so eight states cost three evaluations. An *eventually* one sees two.

    level    states    the counter in them    *always* is put to    *eventually* is put to
    0        1         absent                 absent                -
    1        1         absent                 -                     -
    2        2         absent, 1              1                     -
    3        2         1, 1                   -                     -
    4        2         1, 2                   2                     1, 2
"""

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.impl.effects import Effect
from lakeproof.model.identity import identity
from lakeproof.model.invariants import Eventually, Monitor, OnStep, Reads
from lakeproof.model.snapshot import CallView, Event, Snapshot, Transition
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Scenario
from lakeproof.search import evaluation
from lakeproof.search.faults import Mode, Move
from lakeproof.search.fresh_names import AS_GIVEN, Spelling
from lakeproof.search.kernel import Kernel, advance
from lakeproof.search.packing import Words, take
from lakeproof.search.projections import STORED, trim_zeros
from lakeproof.search.recheck import KEPT
from lakeproof.search.semantics import Cell, Value, write_of
from lakeproof.search.setup import run_aftermath
from lakeproof.search.space import DEAD
from lakeproof.search.states import FirstReach, States
from lakeproof.search.views import (
    END_READS,
    END_REPAIR,
    STEP_READS,
    UNSEEN,
    transition,
    unhandled_after,
    unhandled_errors,
)
from lakeproof.search.world import LateWrite

T = TypeVar("T", Snapshot, Transition)

APPLIED = (Mode.NORMAL, Mode.LOST_APPLIED, Mode.REPEATED_APPLIED, Mode.FALSE_PREDICATE)
"""Modes of a client's move in which its effect takes place: what a *step* invariant looks at."""


class Judge(States):
    """Evaluates a scenario's invariants level by level."""

    def __init__(
        self,
        scenario: Scenario,
        kernel: Kernel,
        groups: Sequence[Sequence[int]] = (),
        found_out: dict[str, frozenset[Reads]] | None = None,
    ) -> None:
        super().__init__(scenario, kernel, groups, found_out)
        self._scenario = scenario
        self._sought = scenario.sought_ids
        # If all that is sought is refuted, and something of it was expected to hold, nothing is left to find out.
        self._unexpected = any(scenario.expected(name) != "violated" for name in scenario.sought_ids)
        self.finals: set[tuple[int, ...]] = set()
        """The distinct final states, as numbers of cells, clock and what clients received."""
        self._eventually = [i for i in scenario.invariants if isinstance(i, Eventually)]
        self._steps = [i for i in scenario.invariants if isinstance(i, OnStep)]
        self._aftermath = list(scenario.aftermath)
        # By client and task: how many *step* invariants were undecided, and, by node, whether and which watch.
        self._watched: dict[tuple[int, str], tuple[int, npt.NDArray[np.bool_], list[list[OnStep]]]] = {}

    @property
    def decided(self) -> bool:
        """Whether nothing is left to search for: all that is sought is violated, and not as expected. If it is all as
        expected, the search goes on for calls that raise what is no answer."""
        if any(self.records[name].violation is None for name in self._sought):
            return False
        return self._unexpected or self.records[NO_UNHANDLED_EXCEPTION].violation is not None

    @property
    def violated(self) -> bool:
        """Whether any invariant is violated."""
        return any(record.violation is not None for record in self.records.values())

    @property
    def watches_moves(self) -> bool:
        """Whether any *step* invariant is still undecided."""
        return any(self.records[invariant.id].violation is None for invariant in self._steps)

    def level(self, words: Words, level: int) -> None:
        """Judge the states of a level."""
        self._judge_broken(words, level)
        self.always(words, level)
        quiet = np.flatnonzero(~self.kernel.alive(words))
        if len(quiet):
            self._judge_finals(take(words, quiet), level)

    def open_ends(self) -> list[int]:
        """The monitors that judge final states, and have found nothing yet."""
        monitors = enumerate(self.kernel.space.monitors)
        return [index for index, m in monitors if m.at_end is not None and self.records[m.id].violation is None]

    def transitions(self, move: Move, before: Words, level: int) -> None:
        """Judge one kind of move out of these states (``step`` invariants)."""
        # Faults that change nothing (a refusal, a write that was dropped) are no transition of the store.
        if move.mode is Mode.DELIVER:
            self._judge_deliveries(before, level)
        elif move.mode in APPLIED:
            self._judge_moves(move, before, level)

    def monitors(self, level: int) -> None:
        """Take in what monitors have found since the last call."""
        for found in self.kernel.unread:
            name = self.kernel.space.monitors[found.monitor].id
            self.records[name].add(found.findings, FirstReach(level, found.numbers, found.move))
        self.kernel.unread.clear()

    def _judge_broken(self, words: Words, level: int) -> None:
        """Look for clients that ended by raising what is no answer. Costs nothing as long as there are none."""
        record = self.records[NO_UNHANDLED_EXCEPTION]
        for table in self.kernel.tables:
            if record.violation is not None or not table.behaviour.broken:
                continue
            nodes = table.nodes_of(words)
            # One is enough: the record keeps its first violation only.
            for row in np.flatnonzero(np.isin(nodes, table.behaviour.broken))[:1].tolist():
                self.broken(table.client, int(nodes[row]), FirstReach(level, self.full(words, row)))

    def broken(self, client: int, node_id: int, place: FirstReach) -> None:
        """Take in that a client ended at this node by raising what is no answer."""
        calls = self.kernel.tables[client].behaviour.nodes[node_id].calls
        self.records[NO_UNHANDLED_EXCEPTION].add(unhandled_errors([calls]), place)

    def _judge_finals(self, words: Words, level: int) -> None:
        for row, numbers in self.fresh("finals", words, frozenset(Reads)):
            self.finals.add(trim_zeros(numbers))
            place = FirstReach(level, self.full(words, row))
            self.final(numbers, place)
            self._judge_aftermath(numbers, place)
        self._judge_ends(words, level)

    def final(self, numbers: tuple[int, ...], place: FirstReach) -> None:
        """Put the *eventually* invariants to a final state."""
        seen = self.kernel.space.snapshot(numbers, clients=True, clock=True)
        # Under symmetry a state stands for all exchanges of clients: a check that reads clients must judge all alike.
        exchanged = list(self._exchanges.of(seen)) if self._eventually else []
        respelled = [
            self.kernel.space.snapshot(numbers, clients=True, clock=True, spelling=each) for each in self.spellings
        ]
        for invariant in self._eventually:
            record = self.records[invariant.id]
            if record.violation is None:
                # Without clients in sight all exchanges look the same.
                cases = exchanged if Reads.CLIENTS in invariant.may_read else [seen]
                found = (case.only(invariant.may_read) for case in (*cases, *respelled))
                record.add(self.check_all_symmetric(invariant.id, invariant.check, found), place)

    def _judge_ends(self, words: Words, level: int) -> None:
        for index in self.open_ends():
            name = ("ends", self.kernel.space.monitors[index].id)
            # A monitor's end reads the stores and its own state: many final states share both.
            for row, numbers in self.fresh(name, words, STORED, [self.kernel.space.watches[index]]):
                self.end(index, numbers, FirstReach(level, self.full(words, row)))

    def end(self, index: int, numbers: tuple[int, ...], place: FirstReach) -> None:
        """Hold what a monitor remembers against a final state."""
        space = self.kernel.space
        monitor, column = space.monitors[index], space.watches[index]
        assert monitor.at_end is not None
        state = space.columns[column].values[numbers[column]]
        # A monitor rests after its violation: its state is no longer one of the user's.
        if state is not DEAD:
            seen = space.snapshot(numbers, clients=False, clock=False).only(END_READS, END_REPAIR)
            self.records[monitor.id].add(self._ask(monitor.id, monitor.at_end, state, seen), place)

    def _judge_aftermath(self, numbers: tuple[int, ...], place: FirstReach) -> None:
        cells, time = self._cells_at(numbers)
        # What clients have received does not matter to an aftermath: it runs once for all such final states.
        key = (frozenset(cells.items()), time)
        seen = self.seen.setdefault("aftermath", set())
        if key not in seen:
            seen.add(key)
            self.aftermath(numbers, place)

    def aftermath(self, numbers: tuple[int, ...], place: FirstReach) -> None:
        """Run the aftermaths on a final store."""
        cells, time = self._cells_at(numbers)
        for aftermath in self._aftermath:
            record = self.records[aftermath.id]
            # Also for a check that is violated already: its calls may raise what no call so far has raised.
            if record.violation is None or self.records[NO_UNHANDLED_EXCEPTION].violation is None:
                outcomes, seen = run_aftermath(aftermath, self._scenario, cells, time)
                self.records[NO_UNHANDLED_EXCEPTION].add(unhandled_after(outcomes), place)
                if record.violation is None:
                    record.add(self._ask(aftermath.id, aftermath.check, outcomes, seen), place)

    def _cells_at(self, numbers: tuple[int, ...]) -> tuple[dict[Cell, Value], int]:
        """The filled cells of a state, and its time."""
        space = self.kernel.space
        cells = {cell: space.columns[column].values[numbers[column]] for cell, column in space.cells.items()}
        filled = {cell: value for cell, value in cells.items() if value is not None}
        return filled, space.time(numbers)  # type: ignore[return-value]

    def watched(self, client: int, task: str) -> list[int]:
        """The nodes of a client at which some undecided *step* invariant watches the move of this task."""
        return [int(node) for node in np.flatnonzero(self._watchers(client, task)[0])]

    def _watching(self, call: CallView | None, op: Effect | None) -> list[OnStep]:
        if call is None or op is None or isinstance(op, UNSEEN):
            return []
        op = write_of(op)
        return [i for i in self._steps if self.records[i.id].violation is None and self._watches(i, call.name, op)]

    def _watches(self, invariant: OnStep, name: str, op: Effect) -> bool:
        found = evaluation.watches(invariant, name, op)
        # The answer was needed for each node once, and is kept in tables: an impure one would decide by when it came.
        self._again.take(invariant.id, "watches", partial(evaluation.watches, invariant, name, op), found)
        return found

    def _judge_moves(self, move: Move, before: Words, level: int) -> None:
        table = self.kernel.tables[move.client]
        nodes = table.nodes_of(before)
        watched = self._watchers(move.client, move.task)[0][nodes]
        if not watched.any():
            return
        # By node, so that a projection need not hold clients: the node says which call and which effect it is.
        for node_id in np.unique(nodes[watched]).tolist():
            rows = take(before, np.flatnonzero(nodes == node_id))
            for row, numbers in self.fresh(("step", move, node_id), rows, STEP_READS):
                self.step(move, node_id, numbers, FirstReach(level, self.full(rows, row), move))

    def _watchers(self, client: int, task: str) -> tuple[npt.NDArray[np.bool_], list[list[OnStep]]]:
        """For each node of a client whether any undecided *step* invariant watches the move of this task, and which do.
        They are evaluated once, until one of them is violated."""
        nodes = self.kernel.tables[client].behaviour.nodes
        undecided = sum(self.records[invariant.id].violation is None for invariant in self._steps)
        of, known, watchers = self._watched.get((client, task), (undecided, np.zeros(0, np.bool_), []))
        # One of them was violated since: it watches nothing any more, and nodes that it alone watched are skipped.
        if of != undecided:
            watchers = []
        if len(watchers) < len(nodes):
            watchers += [self._watching(n.representative.current, n.effect(task)) for n in nodes[len(watchers) :]]
            known = np.fromiter(map(bool, watchers), np.bool_, len(watchers))
            self._watched[client, task] = (undecided, known, watchers)
        return known, watchers

    def step(self, move: Move, node_id: int, numbers: tuple[int, ...], place: FirstReach) -> None:
        """Put the *step* invariants to a client's move."""
        node = self.kernel.tables[move.client].behaviour.nodes[node_id]
        call, op = node.representative.current, node.effect(move.task)
        assert op is not None
        watching = self._watchers(move.client, move.task)[1][node_id]
        self._put_step(numbers, move.client, call, write_of(op), watching, place)

    def _put_step(
        self,
        numbers: tuple[int, ...],
        client: int,
        call: CallView | None,
        op: Effect,
        watching: Sequence[OnStep],
        place: FirstReach,
    ) -> None:
        first = self._transition(numbers, client, call, op)
        respelled = [self._transition(numbers, client, call, op, spelling) for spelling in self.spellings]
        for invariant in watching:
            cases = chain(self._by_anyone(first), respelled)
            found = self.check_all_symmetric(invariant.id, invariant.check, cases)
            self.records[invariant.id].add(found, place)

    def watched_deliveries(self) -> list[int]:
        """The numbers of late writes that some undecided *step* invariant watches."""
        # Number 0 is no late write, and is no LateWrite.
        late = enumerate(self.kernel.space.columns[self.kernel.space.late].values)
        return [n for n, write in late if isinstance(write, LateWrite) and self._watching(write.call, write.op)]

    def _judge_deliveries(self, before: Words, level: int) -> None:
        pending = self.kernel.layout.field(before, self.kernel.space.late)
        watched = self.watched_deliveries()
        for number in np.unique(pending).tolist():
            rows = take(before, np.flatnonzero(pending == number))
            # ``number in watched`` is tested where the loop begins: an unwatched write has no projections to look at.
            for row, numbers in self.fresh(("late", number), rows, STEP_READS) if number in watched else ():
                self.delivery(number, numbers, FirstReach(level, self.full(rows, row), Move(-1, Mode.DELIVER)))

    def delivery(self, number: int, numbers: tuple[int, ...], place: FirstReach) -> None:
        """Put the *step* invariants to the arrival of a late write."""
        late = self.kernel.space.columns[self.kernel.space.late].values[number]
        assert isinstance(late, LateWrite)
        watching = self._watching(late.call, late.op)
        self._put_step(numbers, late.client, late.call, late.op, watching, place)

    def _by_anyone(self, transition: Transition) -> Iterator[Transition]:
        """The transition, and the same one by each client that is interchangeable with its own."""
        # A transition names its client: an invariant that tells interchangeable ones apart ends the symmetry.
        yield transition
        for group in self._groups:
            if transition.client in group:
                yield from (attrs.evolve(transition, client=client) for client in group if client != transition.client)

    def look_again(self) -> None:
        """Put some questions to invariants once more, in another order.

        Raises:
            ScenarioError: one of them answers otherwise.
        """
        # Monitors were advanced inside the kernel, whose tables keep each step: some of these are put again, too.
        for monitor, events, state, after in self.kernel.steps(KEPT):
            self._again.take(monitor.id, "next state", partial(_next, monitor, state, events), identity(after))
        self._again.check()

    def _transition(
        self,
        numbers: tuple[int, ...],
        client: int,
        call: CallView | None,
        op: Effect | None,
        spelling: Spelling = AS_GIVEN,
    ) -> Transition:
        """An effect on a state with these numbers, at the time of that state."""
        assert call is not None
        assert op is not None
        cells, now = self._cells_at(numbers)
        # Not for the usual case: respelling walks through all values.
        if spelling is not AS_GIVEN:
            call, op, cells = spelling.value(call), spelling.value(op), spelling.value(cells)  # type: ignore[assignment]
        return transition(self.kernel.space.setting, now, client, call, op, cells)


def _next(monitor: Monitor, state: Hashable, events: Sequence[Event]) -> Hashable:
    return identity(advance(monitor, state, events)[0])
