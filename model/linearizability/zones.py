"""Zones: a register whose every observed value has one possible writer, in O(n log n).

A value's writer and those that met it are a cluster: whatever else is written lies before or after all of it. A
successful compare-and-set ends one cluster and begins the next, so that chains of clusters make blocks. A block spans
from its earliest return to its latest call: a forward zone, all of which it must occupy; if the latest call comes
first, a backward zone, at any one point of which it fits. The blocks can be laid out iff forward zones are disjoint,
no backward zone lies inside one, and the operations of each block fit into its own order.

Source: P. Gibbons, E. Korach, Testing shared memories, 1997. The chains, and the guards that say "not this value", are
ours: see docs/linearizability.md.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from model.linearizability.hiding import START, Hiders, Times
from model.linearizability.history import NEVER
from model.linearizability.problem import HOLDS, Answer, Register, Verdict
from model.linearizability.specifications import ANY, IS, IS_NOT, NO_WRITE

_SEVERAL: Final = -2
_EARLIEST: Final = -1
_MOMENT: Final = 0.5
"""Between two events."""
_ROUNDS: Final = 12


class _Own(list[float]):
    """Times that may be moved: no longer the problem's."""


class _Undecided(Exception):
    """More than one writer of an observed value, or a "not" that more than one layout could fulfil."""


class _Violated(Exception):
    """No layout exists. Says which operations show it, if few do."""

    def __init__(self, *operations: int) -> None:
        super().__init__()
        self.operations = operations


def zones(problem: Register) -> Answer | None:
    """The verdict, or None where zones cannot tell. Never inconclusive. Cost: O(n log n) time, O(n) memory."""
    try:
        _Layout(problem).check()
    except _Violated as error:
        known = [problem.returns[i] for i in error.operations[:2] if problem.returns[i] != NEVER]
        return Answer(Verdict.VIOLATED, at=max(known, default=-1))
    except _Undecided:
        return None
    return HOLDS


class _Layout:
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
        self.there_by: dict[int, float] = {}
        self.doubtful: list[int] = []
        """The "not this value" that some block must surely hide, but which one is open."""
        self.by_end: list[tuple[float, float, int]] = []
        self.latest_so_far: list[tuple[float, int, float]] = []
        """Along `by_end`: the latest call, its block, and the latest one of another block."""

    def check(self) -> None:
        self._gather()
        self._spans()
        self._lay_out()  # without any "not": if this is impossible, all is
        if IS_NOT in self.problem.guards:
            moved = self._nots()
            if moved:
                self._move(moved)
                self._lay_out()
            if self.doubtful:
                self._hide()

    def _happened(self) -> bytearray:
        """Which operations did: those that returned, and writers of what was met, back along the chain.

        Raises _Undecided if something met has several possible writers, _Violated if it has none.
        """
        guards, values, returns = self.problem.guards, self.problem.values, self.returns
        happened = bytearray(b"\1") * len(returns)
        if NEVER in returns:
            happened = bytearray(returned != NEVER for returned in returns)
        writers = self.writers
        asked = {value for value, guard, here in zip(values, guards, happened, strict=True) if guard == IS and here}
        todo = list(asked)
        met: set[int] = set()
        undecided = False
        while todo:
            value = todo.pop()
            if value in met:
                continue
            met.add(value)
            writer = writers.get(value)
            if writer is None:
                raise _Violated
            if writer == _SEVERAL:
                undecided = True
            elif writer != START and not happened[writer]:
                happened[writer] = 1
                if guards[writer] == IS:
                    todo.append(values[writer])
        if undecided:
            raise _Undecided
        return happened

    def _gather(self) -> None:
        """Raises _Violated if two took one value, which was there once."""
        problem, heirs, met_by, met_from = self.problem, self.heirs, self.met_by, self.met_from
        calls, returns = problem.calls, problem.returns
        rows = zip(self.happened, problem.guards, problem.values, problem.writes, strict=True)
        for i, (here, guard, value, write) in enumerate(rows):
            if guard == IS and here:
                if write == NO_WRITE:
                    met_from[value] = calls[i]
                    if returns[i] < met_by.get(value, NEVER):
                        met_by[value] = returns[i]
                elif heirs.setdefault(value, i) != i:
                    raise _Violated(i, heirs[value])

    def _spans(self) -> None:
        """Blocks from their first writers on. Raises _Violated if a block's own order does not fit its times."""
        writers = [i for i, here in enumerate(self.happened) if here and self.problem.writes[i] != NO_WRITE]
        self.roots = [START, *(i for i in writers if not self._chained(i))]
        self.block_of = {root: block for block, root in enumerate(self.roots)}
        self.spans = [self._span(block) for block in range(len(self.roots))]
        if len(self.block_of) != len(writers) + 1:
            raise _Violated  # compare-and-sets that only follow from each other

    def _move(self, writers: Iterable[int]) -> None:
        """Take the spans again of what these have written, whose times have changed. Raises _Violated as `_spans`."""
        for block in {self.block_of[writer] for writer in writers}:
            self.spans[block] = self._span(block)

    def _span(self, block: int) -> tuple[float, float]:
        """Raises _Violated if the block's own order does not fit its times. Notes who belongs to it."""
        calls, returns, met_by, heirs = self.calls, self.returns, self.met_by, self.heirs
        writer = self.roots[block]
        earliest: float = _EARLIEST
        latest: float = _EARLIEST
        value = self.problem.initial
        if writer != START:
            earliest, latest, value = returns[writer], calls[writer], self.problem.writes[writer]
        while True:
            met = met_by.get(value)
            if met is not None:
                if met < latest:
                    raise _Violated(self.problem.returns.index(met), self._called(latest))
                earliest, latest = min(earliest, met), max(latest, self.met_from[value])
            heir = heirs.get(value)
            if heir is None:
                return earliest, latest
            if returns[heir] < latest:
                raise _Violated(heir, self._called(latest))
            earliest, latest = min(earliest, returns[heir]), max(latest, calls[heir])
            self.block_of[heir] = block
            value = self.problem.writes[heir]

    def _lay_out(self) -> None:
        """Raises _Violated, with all pairs that conflict, unless forward zones are disjoint and hold no other."""
        forward = sorted(span for span in self.spans if span[0] < span[1])
        ends: float = -2
        found: list[int] = []
        for begin, end in forward:
            if begin < ends:
                found += [self._called(end), self._called(ends)]
            ends = max(end, ends)
        begins = [span[0] for span in forward]
        for end, begin in self.spans:
            if begin <= end:
                at = bisect_right(begins, begin) - 1
                if at >= 0 and end < forward[at][1]:
                    found += [self._called(begin), self._called(forward[at][1])]
        if found:
            raise _Violated(*found)

    def _called(self, event: float) -> int:
        """The operation that was called then."""
        return bisect_left(self.problem.calls, event)

    def _nots(self) -> set[int]:
        """Settle all "not this value", but for the doubtful ones. Gives those whose deadline has moved.

        Raises _Violated or _Undecided. All that is found stays true when times get tighter.
        """
        guards, happened = self.problem.guards, self.happened
        nots = [i for i, guard in enumerate(guards) if guard == IS_NOT and happened[i]]
        self._clocks({self.problem.values[i] for i in nots})
        return {self.heirs[self.problem.values[i]] for i in nots if self._not(i)}

    def _not(self, i: int) -> bool:
        """Whether its deadline moved. An observer has until its return; what also writes may take place at its call."""
        problem = self.problem
        value, call, observes = problem.values[i], problem.calls[i], problem.writes[i] == NO_WRITE
        writer = self.writers.get(value)
        if writer is None:
            return False  # it was never there
        if writer == _SEVERAL:
            raise _Undecided
        if writer != START:
            late = problem.calls[writer] > (call if observes else problem.returns[i])
            if late or not self.happened[writer]:
                return False  # it came later, or not at all
        deadline = problem.returns[i] if observes else call
        heir = self.heirs.get(value)
        if heir is not None and self.returns[heir] <= deadline:
            return False
        if heir is None and self._hidden(self.block_of[writer], deadline):
            return False
        if self.there_by[value] > call:
            raise _Undecided
        if heir is None:
            if self.met_from.get(value, _EARLIEST) > problem.returns[i]:
                raise _Violated
            if not observes:
                raise _Undecided
            self.doubtful.append(i)
            return False
        if problem.calls[heir] > problem.returns[i]:
            raise _Violated
        if not observes:
            raise _Undecided
        self.returns = self._own(self.returns)
        self.returns[heir] = deadline
        return True

    @staticmethod
    def _own(times: Sequence[float]) -> list[float]:
        return times if isinstance(times, _Own) else _Own(times)

    def _hide(self) -> None:
        """Choose a block to hide each value in doubt, and make it do so. Raises _Undecided if that leads nowhere.

        Tighter times have fewer layouts, so that any layout that is left will do.
        """
        spans, block_of, given = self.spans, self.block_of, (self.calls, self.returns)
        candidates = Hiders(spans, self.roots, self._spare())
        problem, unfit, urgent = self.problem, set[tuple[int, int]](), list[int]()
        first: dict[int, int] = {}  # what is hidden once is hidden for good
        for i in sorted(self.doubtful, key=problem.returns.__getitem__):
            first.setdefault(block_of[self.writers[problem.values[i]]], i)
        happened = self.happened
        for _ in range(_ROUNDS):
            self.calls, self.returns = given
            self.happened = bytearray(happened)
            order = sorted(first.items(), key=lambda each: each[1] not in urgent)  # each: a block and its "not"
            hiders, stuck = self._choose(order, candidates, unfit)
            if stuck is not None:  # the others have left it nothing: it chooses first, and among all
                if stuck in urgent:
                    break
                urgent.insert(0, stuck)
                unfit = {(i, root) for i, root in unfit if i != stuck}
                continue
            spared = [i for i in hiders if i not in block_of]  # blocks of their own, which nobody met
            self.spans = [*spans, *((self.returns[i], self.calls[i]) for i in spared)]
            try:
                self._move(hiders.keys() - spared)
                self._lay_out()
                return
            except _Violated as error:
                known = len(unfit)
                for k in error.operations:  # another block must hide what those of this one were to hide
                    value = problem.values[k] if problem.guards[k] == IS else problem.writes[k]
                    block = block_of.get(self.writers.get(value, _SEVERAL))
                    unfit.update(hiders.get(k if block is None else self.roots[block], ()))
                if len(unfit) == known:
                    break
        raise _Undecided

    def _choose(
        self, order: Sequence[tuple[int, int]], candidates: Hiders, unfit: Collection[tuple[int, int]]
    ) -> tuple[dict[int, list[tuple[int, int]]], int | None]:
        """One hider for each "not", in this order, and the times that follow. order: blocks with what is to hide them.
        unfit: pairs of a "not" and a hider that are not to be.

        Returns the pairs by the writer whose times they have moved, and the first "not" that found nobody.
        """
        problem, calls, returns = self.problem, _Own(self.calls), _Own(self.returns)
        self.calls, self.returns = calls, returns
        hiders: dict[int, list[tuple[int, int]]] = {}
        for block, i in order:
            barred = {root for other, root in unfit if other == i} if unfit else ()
            found = candidates.find(block, problem.returns[i], Times(calls, returns, self.happened), barred)
            if found is None:
                return hiders, i
            hider, after = found
            root, over = candidates.roots[block], max(candidates.spans[block])
            self.happened[hider] = 1
            if after < over:  # the other one must be the first of the two, and be over by then
                returns[root] = min(returns[root], after + _MOMENT / 2)
                hiders.setdefault(root, []).append((i, hider))
            calls[hider] = max(calls[hider], after + _MOMENT)
            returns[hider] = min(returns[hider], problem.returns[i] - _MOMENT / 2)
            hiders.setdefault(hider, []).append((i, hider))
        return hiders, None

    def _spare(self) -> list[tuple[float, int]]:
        """The writes that may have happened, and that nobody would have noticed, by their calls."""
        problem = self.problem
        denied = {value for value, guard in zip(problem.values, problem.guards, strict=True) if guard == IS_NOT}
        return [
            (problem.calls[i], i)
            for i, value in enumerate(problem.writes)
            if value != NO_WRITE and not self.happened[i] and problem.guards[i] == ANY and value not in denied
        ]

    def _chained(self, writer: int) -> bool:
        return self.problem.guards[writer] == IS

    def _clocks(self, values: Iterable[int]) -> None:
        """When these, and all others of their blocks, were surely there: at the earliest return from their writers on.

        Then the ends of all blocks, in order.
        """
        met_by, returns, writes = self.met_by, self.returns, self.problem.writes
        blocks = {self.block_of.get(self.writers.get(value, _SEVERAL), -1) for value in values} - {-1}
        for root in map(self.roots.__getitem__, blocks):
            chain = [(self.problem.initial, _EARLIEST) if root == START else (writes[root], returns[root])]
            while (heir := self.heirs.get(chain[-1][0])) is not None:
                chain.append((writes[heir], returns[heir]))
            earliest: float = NEVER
            for value, returned in reversed(chain):
                earliest = self.there_by[value] = min(earliest, returned, met_by.get(value, NEVER))
        self.by_end = sorted((end, latest, block) for block, (end, latest) in enumerate(self.spans))
        best: tuple[float, int] = (_EARLIEST, -1)
        second: float = _EARLIEST
        for _, latest, block in self.by_end:
            if latest > best[0]:
                best, second = (latest, block), best[0]
            else:
                second = max(second, latest)
            self.latest_so_far.append((*best, second))

    def _hidden(self, block: int, deadline: float) -> bool:
        """Whether some other block surely comes after this one, and begins before the deadline."""
        at = bisect_left(self.by_end, (deadline, _EARLIEST, -1)) - 1
        if at < 0:
            return False
        latest, of, second = self.latest_so_far[at]
        return (second if of == block else latest) > self.spans[block][0]


def _writers(problem: Register) -> dict[int, int]:
    """By value: its only possible writer, or _SEVERAL. The initial value has been written at START."""
    writers = {problem.initial: START}
    writes: Sequence[int] = problem.writes
    for i, value in enumerate(writes):
        if value != NO_WRITE:
            writers[value] = _SEVERAL if value in writers else i
    return writers
