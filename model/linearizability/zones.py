"""Zones: a register whose every observed value has one possible writer, in O(n log n).

A value's writer and those that met it are a cluster: whatever else is written lies before or after all of it. A
successful compare-and-set ends one cluster and begins the next, so that chains of clusters make blocks. A block spans
from its earliest return to its latest call: a forward zone, all of which it must occupy; if the latest call comes
first, a backward zone, at any one point of which it fits. The blocks can be laid out iff forward zones are disjoint,
no backward zone lies inside one, and the operations of each block fit into its own order.

Example: a write of 1 from time 0 to 5, over an initial 0, and a read of each value. The initial write returns before
everything, at -1. On the left, the cluster of 0 spans from -1 to its latest call, 1: a forward zone. The cluster of 1
has its latest call at 3 and its earliest return at 4: a backward zone, which fits at any point between them. On the
right, the forward zone of 0 goes from -1 to 3, and the backward zone of 1 from 1 to 2 lies inside it: violated.

    write 1  |---------|         write 1  |---------|
    read 0     |-|               read 1     |-|
    read 1         |-|           read 0         |-|
             0 1 2 3 4 5                  0 1 2 3 4 5

>>> from lakeproof.model.linearizability.specifications import ANY, IS
>>> def reads(first: int, second: int) -> Register:
...     problem = Register(0)
...     problem.add(0, 0, 5, ANY, 0, 1)
...     problem.add(1, 1, 2, IS, first, NO_WRITE)
...     problem.add(2, 3, 4, IS, second, NO_WRITE)
...     return problem
>>> zones(reads(0, 1)), zones(reads(1, 0)).verdict
(KeyResult(verdict=<Verdict.HOLDS: 'holds'>, why='', at=-1), <Verdict.VIOLATED: 'violated'>)

Source: P. Gibbons, E. Korach, Testing shared memories, 1997. The chains, and the guards that say "not this value", are
ours: see docs/histories.md.
"""

from collections.abc import Iterable

from lakeproof.model.linearizability.hidden import MOMENT, Hider, Hiders, Times
from lakeproof.model.linearizability.history import NEVER
from lakeproof.model.linearizability.layout import EARLIEST, SEVERAL, START, Layout, Undecided, Violated, clash
from lakeproof.model.linearizability.problem import HOLDS, KeyResult, Register, Verdict
from lakeproof.model.linearizability.specifications import ANY, IS_NOT, NO_WRITE


def zones(problem: Register) -> KeyResult | None:
    """The verdict, or None where zones cannot tell. Never inconclusive. Cost: O(n log n) time, O(n) memory."""
    try:
        _Denying(problem).check()
    except Violated as error:
        # The later return of the first conflict: by then it shows, and perhaps earlier.
        known = [problem.returns[i] for i in error.operations[:2] if problem.returns[i] != NEVER]
        return KeyResult(Verdict.VIOLATED, at=max(known, default=-1))
    except Undecided:
        return None
    return HOLDS


class _Denying(Layout):
    """The same, with operations that say "not this value"."""

    def __init__(self, problem: Register) -> None:
        super().__init__(problem)
        self.there_by: dict[int, float] = {}
        self.doubtful: list[int] = []
        """The "not this value" that some block must surely hide, but which one is open."""

    def check(self) -> None:
        # After this, a value that was met has one writer, and at most one compare-and-set that takes it.
        self._gather()
        self._spans()
        self._lay_out()  # without any "not": if this is impossible, all is
        if IS_NOT in self.problem.guards:
            # These deadlines are implied, not chosen: where no layout is left, the history is violated.
            moved = self._nots()
            if moved:
                self._move(moved)
                self._lay_out()
            if self.doubtful:
                self._hide()

    def _nots(self) -> set[int]:
        """Settle all "not this value", but for the doubtful ones. Gives those whose deadline has moved.

        Raises Violated or Undecided. All that is found stays true when times get tighter.
        """
        guards, happened = self.problem.guards, self.happened
        nots = [i for i, guard in enumerate(guards) if guard == IS_NOT and happened[i]]
        self._clocks({self.problem.values[i] for i in nots})
        self._order()
        # The recorded returns stay in the problem: `_not` compares with them, and a verdict names one of them.
        self.returns = returns = list(self.returns)
        return {self.heirs[self.problem.values[i]] for i in nots if self._not(i, returns)}

    def _not(self, i: int, returns: list[float]) -> bool:
        """Whether its deadline moved. An observer has until its return; what also writes may take place at its call."""
        problem = self.problem
        value, call, observes = problem.values[i], problem.calls[i], problem.writes[i] == NO_WRITE
        writer = self.writers.get(value)
        if writer is None:
            return False  # it was never there
        if writer == SEVERAL:
            raise Undecided
        if writer != START:
            late = problem.calls[writer] > (call if observes else problem.returns[i])
            if late or not self.happened[writer]:
                return False  # it came later, or not at all
        deadline = problem.returns[i] if observes else call
        heir = self.heirs.get(value)
        # A compare-and-set has surely taken the value by then: the operation can take effect right after it.
        if heir is not None and returns[heir] <= deadline:
            return False
        # If the block lasted until the deadline, it would conflict with another one: in each layout it is over before.
        if heir is None and self._clashes(self.block_of[writer], (self.spans[self.block_of[writer]][0], deadline)):
            return False
        # The value may still come later than this operation: two ways to fulfil it, and zones can follow only one.
        if self.there_by[value] > call:
            raise Undecided
        if heir is None:
            # The value was there by the call, and an operation that is called after the return still meets it.
            if self.met_from.get(value, EARLIEST) > problem.returns[i]:
                raise Violated
            if not observes:
                raise Undecided
            self.doubtful.append(i)
            return False
        # The same with a compare-and-set that takes the value only after the return.
        if problem.calls[heir] > problem.returns[i]:
            raise Violated
        if not observes:
            raise Undecided
        returns[heir] = deadline
        return True

    def _hide(self) -> None:
        """Choose a block to hide each value in doubt, and make it do so. Raises Undecided if that leads nowhere.

        Tighter times have fewer layouts, so that any layout that is left will do.
        """
        problem, block_of, first = self.problem, self.block_of, dict[int, int]()
        for i in sorted(self.doubtful, key=problem.returns.__getitem__):
            # By returns: the earliest deadline of a block is the strictest, and what is hidden once is hidden for good.
            first.setdefault(block_of[self.writers[problem.values[i]]], i)
        candidates = Hiders(list(self.spans), self.roots, self._spare())
        times = Times(list(self.calls), list(self.returns))
        self.calls, self.returns = times.calls, times.returns
        for block, i in first.items():
            deadline = problem.returns[i]
            # The first that fits: what another choice would have made possible is left to the frontier. A spare write,
            # which was not met, needs no place in the layout: where a forward zone has its place, that one comes after
            # the hidden blocks, too, and in time.
            if not any(self._try(block, hider, deadline, times) for hider in candidates.find(block, deadline, times)):
                raise Undecided
        try:
            self._lay_out()  # exact: whatever the choices were, a layout proves that the history holds
        except Violated:
            raise Undecided from None

    def _try(self, hidden: int, hider: Hider, deadline: int, times: Times) -> bool:
        """Move times so that the hider begins before the deadline, and the hidden block is before it. False, and all is
        as it was, if something near has no place then."""
        calls, returns, root = times.calls, times.returns, self.roots[hidden]
        writer, over, begin = hider
        before = calls[writer], returns[writer], returns[root]
        if root != START:
            # What is called after a block's earliest return comes after the block: an earlier return of its writer puts
            # the hidden one first, a later call of its own puts the hider after it.
            returns[root] = min(returns[root], over)
        calls[writer] = max(calls[writer], begin)
        returns[writer] = min(returns[writer], deadline - MOMENT / 2)
        whole = calls[writer] < returns[writer] and (root == START or calls[root] < returns[root])
        if whole and self._fit((root, writer)):
            return True
        calls[writer], returns[writer], returns[root] = before
        return False

    def _fit(self, writers: tuple[int, int]) -> bool:
        """Whether the blocks of these, whose times have moved, have their places among the others. Notes them then."""
        try:
            moved = {block: self._span(block) for writer in writers if (block := self.block_of.get(writer)) is not None}
        except Violated:
            return False
        if any(self._clashes(block, span) for block, span in moved.items()) or clash(*moved.values()):
            return False
        for block, span in moved.items():
            self.spans[block] = span
        return True

    def _spare(self) -> list[tuple[float, int]]:
        """The writes that may have happened, and that no read would have noticed, by their calls."""
        problem = self.problem
        # A spare write of a denied value would need a hider itself.
        denied = {value for value, guard in zip(problem.values, problem.guards, strict=True) if guard == IS_NOT}
        return [
            (problem.calls[i], i)
            for i, value in enumerate(problem.writes)
            if value != NO_WRITE and not self.happened[i] and problem.guards[i] == ANY and value not in denied
        ]

    def _clocks(self, values: Iterable[int]) -> None:
        """When these, and all others of their blocks, were surely there: at the earliest return from their writers."""
        met_by, returns, writes = self.met_by, self.returns, self.problem.writes
        blocks = {self.block_of.get(self.writers.get(value, SEVERAL), -1) for value in values} - {-1}
        for root in map(self.roots.__getitem__, blocks):
            chain = [(self.problem.initial, EARLIEST) if root == START else (writes[root], returns[root])]
            while (heir := self.heirs.get(chain[-1][0])) is not None:
                chain.append((writes[heir], returns[heir]))
            earliest: float = NEVER
            for value, returned in reversed(chain):
                # A later link implies the earlier ones.
                earliest = self.there_by[value] = min(earliest, returned, met_by.get(value, NEVER))
