"""Lassos are short: against all closed walks of small graphs, by definition; and planted faults."""

from collections import deque
from collections.abc import Iterator, Sequence
from random import Random

import attrs
import numpy as np
import pytest

from lakeproof.search import fair_loops
from lakeproof.search.fair_loops import NOT_OWED
from lakeproof.search.graph import Graph, broken_run
from tests.planting import text_fault
from tests.search.agreement import in_parts

WALKED = 7
"""Closed walks are enumerated up to this length."""
MOVERS = 2
FAIRNESS = ("none", "weak", "strong")
Edge = tuple[int, int, int, int]
"""Source, target, mover, step."""


@attrs.frozen
class Small:
    """A small graph, of which state 0 is the first one, and a promise."""

    edges: tuple[Edge, ...]
    owing: tuple[bool, ...]
    kept: tuple[bool, ...]

    def can_move(self, mover: int, state: int) -> bool:
        return any(source == state and by == mover for source, _, by, _ in self.edges)

    def graph(self) -> Graph:
        size, columns = len(self.owing), np.array(sorted(self.edges), np.int64).reshape(-1, 4).T
        can_move = [[self.can_move(mover, state) for state in range(size)] for mover in range(MOVERS)]
        return Graph(
            states=size,
            source=columns[0],
            target=columns[1],
            move=np.arange(len(columns[0])),
            mover=columns[2],
            step=columns[3],
            can_move=np.array(can_move, np.bool_),
            depth=np.array([self.distances()[state, False] for state in range(size)]),
        )

    def distances(self) -> dict[tuple[int, bool], int]:
        """How far away each state is, without and with a promise that is owed all the way from some state on."""
        begins = [(0, False), *([(0, True)] if self.owing[0] and not self.kept[0] else [])]
        far, waiting = dict.fromkeys(begins, 0), deque(begins)
        while waiting:
            state, owed = waiting.popleft()
            for source, target, _, _ in self.edges:
                open_ = not self.kept[target]
                reached = [(target, owed)] if open_ or not owed else []
                reached += [(target, True)] if open_ and self.owing[target] else []
                for each in reached if source == state else ():
                    if each not in far:
                        far[each] = far[state, owed] + 1
                        waiting.append(each)
        return far

    def lasso(self, fairness: str) -> tuple[int, bool] | None:
        """The length of the shortest one, as far as walks are enumerated; and whether it goes on for ever."""
        found = []
        for (state, owed), far in self.distances().items():
            if owed and not any(self.can_move(mover, state) for mover in range(MOVERS)):
                found.append((far, False))
            elif owed:
                found += [(far + len(walk), True) for walk in self.walks(state) if self.is_fair(walk, fairness)]
        return min(found, default=None)

    def walks(self, start: int) -> Iterator[tuple[Edge, ...]]:
        """All closed walks from a state, through states in which the promise is open."""
        waiting: list[tuple[Edge, ...]] = [()]
        while waiting:
            walk = waiting.pop()
            at = walk[-1][1] if walk else start
            if walk and at == start:
                yield walk
            if len(walk) < WALKED:
                waiting += [(*walk, edge) for edge in self.edges if edge[0] == at and not self.kept[edge[1]]]

    def is_fair(self, walk: Sequence[Edge], fairness: str) -> bool:
        """By definition: whoever can always move does; each step that can be taken is taken."""
        states = {edge[0] for edge in walk}
        if fairness == "weak":
            always = [mover for mover in range(MOVERS) if all(self.can_move(mover, state) for state in states)]
            return {*always} <= {edge[2] for edge in walk}
        if fairness == "strong":
            open_ = {edge[3] for edge in self.edges if edge[0] in states} - {NOT_OWED}
            return open_ <= {edge[3] for edge in walk}
        return True


def small(seed: int) -> Small:
    """A random one: all of its states are reached."""
    random = Random(seed)
    size = random.randint(2, 5)
    edges: set[Edge] = {(random.randrange(state), state, random.randrange(MOVERS), state) for state in range(1, size)}
    for _ in range(random.randint(1, 5)):
        step = random.choice((NOT_OWED, *range(20, 24)))
        edges.add((random.randrange(size), random.randrange(size), random.randrange(MOVERS), step))
    owing, kept = ([random.random() < chance for _ in range(size)] for chance in (0.5, 0.15))
    return Small(tuple(edges), tuple(owing), tuple(kept))


def wrong(seeds: range) -> list[str]:
    """Where the search for a lasso finds a longer one than there is, or a loop that is none."""
    found = []
    for seed in seeds:
        each = small(seed)
        graph = each.graph()
        for fairness in FAIRNESS:
            lasso = broken_run(graph, np.array(each.owing), np.array(each.kept), fairness)
            got = None if lasso is None else (len(lasso.way) + len(lasso.loop), bool(lasso.loop))
            expected = each.lasso(fairness)
            beyond = lasso is not None and len(lasso.loop) > WALKED
            if got != expected and not (beyond and (expected is None or got < expected)):  # type: ignore[operator]
                found.append(f"{seed}, {fairness}: {expected}, found {got}")
            elif lasso is not None and lasso.loop:
                columns = (graph.source, graph.target, graph.mover, graph.step)
                walk = [tuple(int(column[edge]) for column in columns) for edge in lasso.loop]
                joined = all(one[1] == after[0] for one, after in zip(walk, [*walk[1:], walk[0]], strict=True))
                if not joined or not each.is_fair(walk, fairness):  # type: ignore[arg-type]
                    found.append(f"{seed}, {fairness}: {walk} is no fair loop")
    return found


@pytest.mark.parametrize("seeds", in_parts(range(250), 250, deep=range(1_000, 2_000)))
def test_no_lasso_is_shorter(seeds: range) -> None:
    assert wrong(seeds) == []


def test_strong_fairness_looks_again_at_what_is_left_of_a_component() -> None:
    """One that never must leads to where the promise can be kept; a loop beside it is fair without going there."""
    edges = ((0, 1, 0, 20), (1, 0, 0, 21), (0, 2, 0, NOT_OWED), (2, 0, 0, 22), (2, 3, 0, 23))
    each = Small(edges, owing=(True,) * 4, kept=(False, False, False, True))
    lasso = broken_run(each.graph(), np.array(each.owing), np.array(each.kept), "strong")
    assert lasso is not None
    assert (len(lasso.way) + len(lasso.loop), bool(lasso.loop)) == each.lasso("strong") == (2, True)


def test_a_loop_that_is_too_dear_to_shorten_is_still_fair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_loops, "SETS_MAX", 0)
    longer = wrong(range(250))
    assert longer
    assert all("no fair loop" not in each for each in longer)


REQUESTED = 'graph = self._graph\n        if self._fairness == "weak":'
OWED = "left_out, taken = owed"
FAULTS = {
    "who cannot move is owed a move": text_fault(
        fair_loops, REQUESTED, f"return {(1 << MOVERS) - 1}\n        {REQUESTED}"
    ),
    "no move is owed to any client": text_fault(fair_loops, REQUESTED, f"return 0\n        {REQUESTED}"),
    "what was done before is forgotten": text_fault(
        fair_loops, OWED, "left_out, taken = self._owed_in(int(self._graph.source[edge])), 0"
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_walk_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[fault](monkeypatch)
    assert any(wrong(range(seed, seed + 1)) for seed in range(250))
