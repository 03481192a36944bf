"""The clusters and blocks of a register's history, and whether they can be laid out.

A part of `lakeproof.model.linearizability.zones`, which says what they are.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

from lakeproof.model.linearizability.history import NEVER
from lakeproof.model.linearizability.problem import Register
from lakeproof.model.linearizability.specifications import IS, NO_WRITE

START: Final = -1
"""The number of the operation that wrote the initial value, before all others."""
SEVERAL: Final = -2
"""In place of a value's only possible writer, where there are more."""
EARLIEST: Final = -1
"""An event before all others."""

Span = tuple[float, float]
"""Of a block: its earliest return, its latest call."""


class Undecided(Exception):
    """More than one writer of an observed value, or a "not" that more than one layout could fulfil."""


class Violated(Exception):
    """No layout exists. Says which operations show it, if few do."""

    def __init__(self, *operations: int) -> None:
        super().__init__()
        self.operations = operations


class Layout:
    """The clusters and blocks of one problem."""

    def __init__(self, problem: Register) -> None:
        self.problem = problem
        self.calls: Sequence[float] = problem.calls
        self.returns: Sequence[float] = problem.returns
        self.writers = _writers(problem)
        self.happened = self._happened()
        self.heirs: dict[int, int] = {}
        """By value: the compare-and-set that took it and wrote another."""
        self.met_by: dict[int, int] = {}
        """By value: the earliest return of those that met it and left it. Nothing moves their times."""
        self.met_from: dict[int, int] = {}
        """By value: the latest call of those that met it and left it."""
        self.block_of: dict[int, int] = {}
        """By writer: its block."""
        self.roots: list[int] = []
        """By block: its first writer."""
        self.spans: list[tuple[float, float]] = []
        """By block: earliest return, latest call."""
        self.by_end: list[tuple[float, float, int]] = []
        self.latest_so_far: list[tuple[float, int, float]] = []
        """Along `by_end`: the latest call, its block, and the latest one of another block."""

    def _happened(self) -> bytearray:
        """Which operations did: those that returned, and writers of what was met, back along the chain.

        Raises Undecided if something met has several possible writers, Violated if it has none.
        """
        guards, values, returns = self.problem.guards, self.problem.values, self.returns
        happened = bytearray(b"\1") * len(returns)
        if NEVER in returns:  # the common case, all returned, needs no second array
            happened = bytearray(returned != NEVER for returned in returns)
        writers = self.writers
        # What an operation with the guard IS met was written by some operation. If only one optional operation can have
        # done that, it did happen; and if that one is a compare-and-set, what it expected was written too, and so on.
        required = {value for value, guard, here in zip(values, guards, happened, strict=True) if guard == IS and here}
        todo = list(required)
        met: set[int] = set()
        undecided = False
        while todo:
            value = todo.pop()
            if value in met:
                continue
            met.add(value)
            writer = writers.get(value)
            if writer is None:
                raise Violated
            if writer == SEVERAL:
                # The loop goes on: a value without any writer is a violation, whatever the undecided ones are.
                undecided = True
            elif writer != START and not happened[writer]:
                happened[writer] = 1
                if guards[writer] == IS:
                    todo.append(values[writer])
        if undecided:
            raise Undecided
        return happened

    def _gather(self) -> None:
        """Raises Violated if two took one value, which was there once."""
        problem, heirs, met_by, met_from = self.problem, self.heirs, self.met_by, self.met_from
        calls, returns = problem.calls, problem.returns
        rows = zip(self.happened, problem.guards, problem.values, problem.writes, strict=True)
        for i, (here, guard, value, write) in enumerate(rows):
            if guard == IS and here:
                if write == NO_WRITE:
                    met_from[value] = calls[i]  # rows are in the order of calls: the last one is the latest
                    if returns[i] < met_by.get(value, NEVER):
                        met_by[value] = returns[i]
                # A value has one writer, so that it was there during one interval. The first compare-and-set ends that
                # interval, and the second one finds the value gone.
                elif heirs.setdefault(value, i) != i:
                    raise Violated(i, heirs[value])

    def _spans(self) -> None:
        """Blocks from their first writers on. Raises Violated if a block's own order does not fit its times."""
        writers = [i for i, here in enumerate(self.happened) if here and self.problem.writes[i] != NO_WRITE]
        self.roots = [START, *(i for i in writers if self.problem.guards[i] != IS)]
        self.block_of = {root: block for block, root in enumerate(self.roots)}
        self.spans = [self._span(block) for block in range(len(self.roots))]
        # `_span` has followed each chain from its root. A compare-and-set that it has not reached is part of a cycle:
        # each one needs the other's value to be there first. The 1 is START.
        if len(self.block_of) != len(writers) + 1:
            raise Violated  # compare-and-sets that only follow from each other

    def _move(self, writers: Iterable[int]) -> None:
        """Take the spans again of what these have written, whose times have changed. Raises Violated as `_spans`."""
        for block in {self.block_of[writer] for writer in writers}:
            self.spans[block] = self._span(block)

    def _span(self, block: int) -> tuple[float, float]:
        """Raises Violated if the block's own order does not fit its times. Notes who belongs to it."""
        calls, returns, met_by, heirs = self.calls, self.returns, self.met_by, self.heirs
        writer = self.roots[block]
        earliest: float = EARLIEST
        latest: float = EARLIEST
        value = self.problem.initial
        if writer != START:
            earliest, latest, value = returns[writer], calls[writer], self.problem.writes[writer]
        while True:  # along the chain: the readers of a value, then the compare-and-set that takes it
            met = met_by.get(value)
            if met is not None:
                # This reader of the value returned before something earlier in the chain was called.
                if met < latest:
                    raise Violated(self.problem.returns.index(met), self._called(latest))
                earliest, latest = min(earliest, met), max(latest, self.met_from[value])
            heir = heirs.get(value)
            if heir is None:  # the value is the last one of its block
                return earliest, latest
            if returns[heir] < latest:
                raise Violated(heir, self._called(latest))
            earliest, latest = min(earliest, returns[heir]), max(latest, calls[heir])
            self.block_of[heir] = block
            value = self.problem.writes[heir]

    def _lay_out(self) -> None:
        """Raises Violated, with all pairs that conflict, unless forward zones are disjoint and hold no other."""
        forward = sorted(span for span in self.spans if span[0] < span[1])
        # Before START, whose zone can begin at -1.
        ends, found = -2.0, list[float]()
        for begin, end in forward:
            # In this order, a zone overlaps an earlier one iff it overlaps the one that reaches furthest.
            if begin < ends:
                found += [end, ends]
            ends = max(ends, end)
        begins = [zone[0] for zone in forward]
        for end, begin in self.spans:
            # A backward zone (from its latest call to its earliest return) fits at any of its points outside forward
            # zones. Only the last forward zone that begins before it can hold it whole: they are disjoint, or the
            # history is violated anyway.
            if begin <= end:
                at = bisect_right(begins, begin) - 1
                if at >= 0 and end < forward[at][1]:
                    found += [begin, forward[at][1]]
        if found:
            raise Violated(*map(self._called, found))

    def _called(self, event: float) -> int:
        """The operation that was called then."""
        return bisect_left(self.problem.calls, event)

    def _order(self) -> None:
        """Put the blocks into the order of their ends, for `_clashes`."""
        self.by_end = sorted((end, latest, block) for block, (end, latest) in enumerate(self.spans))
        # The second best is for `_clashes` of the block that is itself the best: a block does not conflict with itself.
        best: tuple[float, int] = (EARLIEST, -1)
        second: float = EARLIEST
        for _, latest, block in self.by_end:
            if latest > best[0]:
                best, second = (latest, block), best[0]
            else:
                second = max(second, latest)
            self.latest_so_far.append((*best, second))

    def _clashes(self, block: int, span: Span) -> bool:
        """Whether some other block, as it was in the beginning, surely comes after and before one with this span."""
        # Each block up to `at` has a return before the latest call of this one, so that it must come before it.
        at = bisect_left(self.by_end, (span[1], EARLIEST, -1)) - 1
        if at < 0:
            return False
        latest, of, second = self.latest_so_far[at]
        return (second if of == block else latest) > span[0]


def _writers(problem: Register) -> dict[int, int]:
    """By value: its only possible writer, or SEVERAL. The initial value has been written at START."""
    writers = {problem.initial: START}
    writes: Sequence[int] = problem.writes
    for i, value in enumerate(writes):
        if value != NO_WRITE:
            writers[value] = SEVERAL if value in writers else i
    return writers


def clash(*spans: Span) -> bool:
    """Whether two blocks cannot both have their place: each would have to be before the other. One always has."""
    return len(spans) == 2 and spans[0][0] < spans[1][1] and spans[1][0] < spans[0][1]
