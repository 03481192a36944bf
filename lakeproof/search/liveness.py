"""Liveness over packed states: the graph of all states that a search has visited, and what promises are broken in it.

The graph is made at the end, when all states are known: each is expanded once more. Every promise is put to the
distinct projections of the states that it looks at. What breaks it is a lasso: a way from the start, and a loop, or an
end.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.impl.effects import Now
from lakeproof.model.invariants import Liveness, Predicate, Promise, Violation
from lakeproof.model.snapshot import Reads
from lakeproof.scenario import Scenario
from lakeproof.search import evaluation
from lakeproof.search.faults import Mode, Move
from lakeproof.search.fresh_names import NotOpaque
from lakeproof.search.graph import NOT_OWED, Graph, Lasso, broken_run
from lakeproof.search.judge import Judge
from lakeproof.search.kernel import Kernel, Rows
from lakeproof.search.packing import Index, Words, concatenate, projections, take
from lakeproof.search.paths import CHUNK, Levels
from lakeproof.search.replies import UNANSWERED
from lakeproof.search.results import Counterexample
from lakeproof.search.semantics import CHANNEL, TIMER, WATCHED, apply, footprint
from lakeproof.search.space import Relayout
from lakeproof.search.symmetry import Symmetry
from lakeproof.search.tables import DONE, ELSEWHERE, ClientTable

# A step is (mover, node, number of the reply) in one integer: 24 bits for each of the last two leave 15 for the mover.
_NUMBERS_MAX: Final = 1 << 24


@attrs.frozen
class Runs:
    """The runs of a search. ``moves``: what the numbers of the graph's moves mean. The graph's last state stands for
    all that were not expanded: a step that leads there can be taken, and nothing is known of what follows."""

    judge: Judge
    words: Words
    graph: Graph
    moves: tuple[Move, ...]

    def judged(self, liveness: Liveness, scenario: Scenario) -> Counterexample | None:
        """The shortest counterexample to a property. What it was reached in is noted.

        Raises:
            ScenarioError: a predicate of it failed.
        """
        record, found = self.judge.records[liveness.id], list[Counterexample]()
        # One for each client where the property is about calls: what one client owes, another one does not pay.
        for promise in liveness.promises(len(scenario.clients)):
            # The last state stands for what was not expanded. It owes nothing and keeps everything, so no lasso leads
            # through it: what follows there is not known, and must not count as a violation.
            owing = np.append(self._true(liveness.id, promise.before, promise.reads), False)
            record.reached += int(owing.sum())
            record.example = record.example or ("what was promised came" if owing.any() else "")
            kept = np.append(self._true(liveness.id, promise.after, promise.reads), True)
            lasso = broken_run(self.graph, owing, kept, liveness.fairness)
            if lasso is not None:
                found.append(self._counterexample(liveness.id, promise, lasso))
        return min(found, key=lambda each: len(each.moves), default=None)

    def _counterexample(self, name: str, promise: Promise, lasso: Lasso) -> Counterexample:
        moves = tuple(self.moves[int(self.graph.move[edge])] for edge in (*lasso.way, *lasso.loop))
        evidence = in_words(promise, len(lasso.way), len(lasso.loop))
        return Counterexample(Violation(name, evidence), moves, len(lasso.way) if lasso.loop else None)

    def _true(self, name: str, predicate: Predicate, reads: frozenset[Reads]) -> npt.NDArray[np.bool_]:
        """In which states a predicate is true."""
        space = self.judge.kernel.space
        columns = list(space.clients) if Reads.CLIENTS in reads else []
        # The cells of both stores are one part (`STORED`); only a predicate of clients alone can do without them.
        columns += [*space.cells.values()] if reads != {Reads.CLIENTS} else []
        columns += [space.clock] if Reads.CLOCK in reads and space.clock >= 0 else []
        # Nodes at which the same is visible count as one: a predicate cannot see more of a client.
        shown = self.judge.shown_only(self.words) if Reads.CLIENTS in reads else self.words
        kinds, which = projections(shown, self.judge.kernel.layout, columns)
        answers = []
        for kind in kinds:
            numbers = [0] * len(space.columns)
            for column, number in zip(columns, kind, strict=True):
                numbers[column] = number
            seen = space.snapshot(numbers, clients=Reads.CLIENTS in reads, clock=True)
            ask = partial(evaluation.holds, name, predicate, seen.only(reads))
            answers.append(ask())
            self.judge.take_again(name, "truth", ask, answers[-1])
            for spelling in self.judge.spellings:
                respelled = space.snapshot(numbers, clients=Reads.CLIENTS in reads, clock=True, spelling=spelling)
                if evaluation.holds(name, predicate, respelled.only(reads)) is not answers[-1]:
                    raise NotOpaque(f"{name} depends on how a fresh identifier is spelled")
        return np.array(answers, np.bool_)[which]  # an answer for each projection, then for each state


def in_words(promise: Promise, way: int, loop: int) -> str:
    """What breaks a promise."""
    if not loop:
        return f"{promise.broken}: the run ends here"
    steps = f"step {way + 1} repeats" if loop == 1 else f"steps {way + 1} to {way + loop} repeat"
    return f"{promise.broken}: {steps} for ever"


def runs_of(judge: Judge, levels: Levels, expanded: int, names: Symmetry) -> Runs:
    """The runs through the states of these levels, of which the first ``expanded`` were expanded."""
    kernel = judge.kernel
    while True:
        try:
            parts = [levels.read(level, kernel.layout) for level in range(expanded)]
            words = concatenate(parts, kernel.layout.words)
            depth = np.repeat(np.arange(expanded, dtype=np.int64), [len(part[0]) for part in parts])
            return _runs(judge, words, depth, names, whole=expanded == len(levels))
        # The expansion has met a value or a node that does not fit: the levels are read anew, in the new layout.
        except Relayout:
            kernel.relayout()


def _runs(judge: Judge, words: Words, depth: npt.NDArray[np.int64], names: Symmetry, *, whole: bool) -> Runs:
    """``whole``: all levels were expanded, so that these states are all that there are."""
    kernel, index = judge.kernel, Index(words)
    numbers: dict[Move, int] = {}
    replies: dict[object, int] = {}
    strong = any(each.fairness == "strong" for each in of_liveness(kernel.setting.scenario))
    columns: list[list[npt.NDArray[np.int64]]] = [[], [], [], [], []]
    movers = {(table.client, table.task): table.index for table in kernel.every}
    # Two rows beside those of tasks: time, which must go on at last, and what may happen again and again, and need not.
    time, free = len(movers), len(movers) + 1
    movers_at_large = dict.fromkeys((Mode.TICK, Mode.EXPIRE), time)
    # NORMAL is here for the tasks of UNANSWERED: that a write's answer comes too late is owed by no one.
    movers_at_large |= dict.fromkeys((Mode.NORMAL, Mode.CUT_OFF, Mode.DELIVER), free)
    for at in range(0, len(words[0]), CHUNK):
        chunk = take(words, slice(at, at + CHUNK))

        def sink(move: Move, rows: Rows, after: Words, chunk: Words = chunk, at: int = at) -> None:
            target = index.numbers(names.canonical(after, kernel))
            # Else a lasso that leads through it would be missed, and the verdict on a broken promise be "holds".
            assert not whole or (target >= 0).all(), "a successor that no level has: the search is broken"
            # The last state of the graph: this successor lies in a level that was not expanded.
            target = np.where(target < 0, len(words[0]), target)
            # -1 is a fault: its budget ends, so it is in no loop.
            mover = movers_at_large.get(move.mode, -1)
            step = np.full(len(rows), NOT_OWED if mover == free else -1, np.int64)
            if move.mode is Mode.NORMAL and not move.task.endswith(UNANSWERED):
                mover = movers[move.client, move.task]
                step = _steps(kernel, kernel.every[mover], take(chunk, rows), replies) if strong else step
            number = numbers.setdefault(move, len(numbers))
            for column, part in zip(
                columns,
                (rows + at, target, np.full(len(rows), number), np.full(len(rows), mover), step),
                strict=True,
            ):
                column.append(part.astype(np.int64))

        kernel.expand(chunk, sink)
    source, target, move, mover, step = (np.concatenate([*parts, np.zeros(0, np.int64)]) for parts in columns)
    # `Graph.first_edge` needs the edges by source; stable, so that equal searches report the same lasso.
    order = np.argsort(source, kind="stable")
    clock, timers = kernel.roles.clock, kernel.space.timers
    none = np.zeros(len(words[0]), np.bool_)
    can_move = [
        none if table.task.endswith(UNANSWERED) else ~np.isin(table.kind[table.nodes_of(words)], (DONE, ELSEWHERE))
        for table in kernel.every
    ]
    # Where time can go on: to a jump that is left, or to a timer that runs, or to the end of a lease.
    still = np.full(len(words[0]), clock >= 0)
    if clock >= 0:
        still &= kernel.layout.field(words, clock) < kernel.roles.last_time
    for timer in timers:
        still |= kernel.layout.field(words, timer) > 0
    still &= kernel.alive(words)
    for column, _, left in kernel.space.leases:
        still |= left[kernel.layout.field(words, column)] >= 0
    # A task that waits for a message, a change or a timer cannot move, and fairness does not owe it a step.
    if any(cell[0] in (TIMER, CHANNEL, WATCHED) for cell in kernel.space.cells):
        can_move = [may & ~kernel.asleep(table, words) for may, table in zip(can_move, kernel.every, strict=True)]
    graph = Graph(
        states=len(words[0]) + 1,
        source=source[order],
        target=target[order],
        move=move[order],
        mover=mover[order],
        step=step[order],
        can_move=np.pad(np.stack([*can_move, still, none]), ((0, 0), (0, 1))),  # the last state is in no broken run
        depth=np.append(depth, 0),
    )
    return Runs(judge, words, graph, tuple(numbers))


def _steps(kernel: Kernel, table: ClientTable, words: Words, replies: dict[object, int]) -> npt.NDArray[np.int64]:
    """Which step a task takes in each of these states: at which node, and what it is answered. Not the node after it,
    which two replies may share: a flow that does not look whether it has taken a lock. ``replies``: their numbers."""
    nodes = table.nodes_of(words).astype(np.int64)
    found = (table.index * _NUMBERS_MAX + nodes) * _NUMBERS_MAX
    for node in np.unique(nodes).tolist():
        op, rows = table.behaviour.nodes[node].effect(table.task), np.flatnonzero(nodes == node)
        # The clock stands still in each loop, so all that is read of it there is one reply.
        if op is not None and not isinstance(op, Now):
            covered = kernel.space.covered(footprint(op))
            kinds, which = projections(take(words, rows), kernel.layout, covered)
            seen = (kernel.space.decode_columns(covered, kind) for kind in kinds)
            answers = [apply(cells, op, now)[0] for cells, now in seen]
            found[rows] += np.array([replies.setdefault(each, len(replies)) for each in answers])[which]
    return found


def of_liveness(scenario: Scenario) -> Sequence[Liveness]:
    """The liveness properties among a scenario's invariants."""
    return [each for each in scenario.invariants if isinstance(each, Liveness)]


def is_liveness(scenario: Scenario, name: str) -> bool:
    """Whether this is the id of a *liveness* property."""
    return any(each.id == name for each in of_liveness(scenario))
