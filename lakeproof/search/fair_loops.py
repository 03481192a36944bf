"""The shortest loop of a lasso: a closed walk in a component that leaves no client out.

Breadth first over pairs: where the walk stands, and what it still owes, a set of bits. *Weakly* fair: who could move in
all states so far, and has not; that only shrinks. *Strongly* fair: which steps could be taken so far, and which have
been. A walk that is back at its start and owes nothing is a loop. There may be exponentially many such sets: past
`SETS_MAX` pairs, the walk goes to the nearest thing that it owes, again and again, and may be longer than it must be.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

import attrs
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from lakeproof.search.graph import Graph

STARTS_TRIED: Final = 64
SETS_MAX: Final = 1 << 16

# Not -1: that is the step of time, which strong fairness owes as it owes any other.
NOT_OWED: Final = -2
"""The step of what may happen again and again, and never must."""

Owed = tuple[int, int]
"""Bits: what may be left out; and of steps, which have been taken."""


def shortest_loop(
    graph: "Graph", component: Sequence[int], far: npt.NDArray[np.int64], fairness: str, most: int | None = None
) -> tuple[int, ...]:
    """The edges of the fair loop in a fair component that makes the shortest lasso, where ``far`` says how far away its
    states are. None if way and loop together are not shorter than ``most``. Of the component, the STARTS_TRIED nearest
    states are tried.

    Cost: at most SETS_MAX pairs for each of these, some microseconds each, as long as these suffice.
    """
    walks = _Walks(graph, component, fairness)
    best: tuple[int, ...] = ()
    # A loop begins where the walk enters the component: near starts make short ways. The state breaks ties.
    for start in sorted(component, key=lambda state: (int(far[state]), state))[:STARTS_TRIED]:
        way = int(far[start])
        found = walks.shortest(start, None if most is None else most - way)
        if found:
            best, most = found, way + len(found)
    return best


class _Walks:
    """The walks in a component."""

    def __init__(self, graph: "Graph", component: Sequence[int], fairness: str) -> None:
        self._graph = graph
        self._component = frozenset(component)
        self._fairness = fairness
        self._numbers: dict[int, int] = {}
        self._inner: dict[int, list[int]] = {}
        self._asks: dict[int, int] = {}
        # Once one start has needed too many pairs, the other starts of this component go the greedy way, too.
        self._too_many = False

    def _edges(self, state: int) -> list[int]:
        """The edges from a state that stay in the component, faults excepted."""
        found = self._inner.get(state)
        if found is None:
            graph = self._graph
            found = [
                e for e in graph.edges_of(state) if graph.mover[e] >= 0 and int(graph.target[e]) in self._component
            ]
            self._inner[state] = found
        return found

    def _owed_in(self, state: int) -> int:
        if state not in self._asks:
            self._asks[state] = self._requested_in(state)
        return self._asks[state]

    def _requested_in(self, state: int) -> int:
        """Who can move in a state; or which steps can be taken."""
        graph = self._graph
        if self._fairness == "weak":
            return sum(1 << int(mover) for mover in np.flatnonzero(graph.can_move[:, state]))
        if self._fairness == "strong":
            steps = {int(graph.step[e]) for e in graph.edges_of(state) if graph.mover[e] >= 0} - {NOT_OWED}
            return sum(1 << self._number(step) for step in steps)
        # Without fairness nothing is owed, and any closed walk will do.
        return 0

    def _number(self, step: int) -> int:
        # The steps of a component are bits 0, 1, ...: as positions of bits, the numbers of steps are far too large.
        return self._numbers.setdefault(step, len(self._numbers))

    def _after(self, owed: Owed, edge: int) -> Owed:
        left_out, taken = owed
        here = self._owed_in(int(self._graph.target[edge]))
        if self._fairness == "strong":
            step = int(self._graph.step[edge])
            # The step is paid for good, also where a later state offers it again.
            taken |= 1 << self._number(step) if step != NOT_OWED else 0
            return ((left_out | here) & ~taken, taken)
        # Who cannot move in one state of the loop owes nothing in the whole of it.
        return (left_out & here & ~(1 << int(self._graph.mover[edge])), 0)

    def shortest(self, start: int, most: int | None) -> tuple[int, ...]:
        """The shortest loop from a state round to it, if it is shorter than this."""
        # The start's own demands count from the beginning: the loop comes through it.
        first = (start, (self._owed_in(start), 0))
        came: dict[tuple[int, Owed], tuple[tuple[int, Owed], int] | None] = {first: None}
        level, length = [first], 0
        while level and (most is None or length + 1 < most):
            length += 1
            following = []
            for at in level:
                for edge in self._edges(at[0]):
                    after = (int(self._graph.target[edge]), self._after(at[1], edge))
                    # Before the look into ``came``: without fairness the walk returns to the very pair that it began
                    # with.
                    if after[0] == start and not after[1][0]:
                        return _back(came, at, edge)
                    if after not in came:
                        came[after] = (at, edge)
                        following.append(after)
            self._too_many = self._too_many or len(came) > SETS_MAX
            if self._too_many:
                found = self._greedy(start)
                return found if most is None or len(found) < most else ()
            level = following
        return ()

    def _greedy(self, start: int) -> tuple[int, ...]:
        """From a state round to it again: to the nearest edge or state that is still wanted, one after the other."""
        found: list[int] = []
        # A state that a demand accepts may be the start itself.
        left = [demand for demand in self._demands if start not in demand.states]
        at = start
        while left:
            edges = {edge for demand in left for edge in demand.edges}
            states = {state for demand in left for state in demand.states}
            path = self._path(at, edges, states)
            found += path
            at = int(self._graph.target[path[-1]])
            passed = {int(self._graph.target[edge]) for edge in path}
            left = [each for each in left if not (each.edges & set(path)) and not (each.states & passed)]
        # Nothing was owed, or the last demand was met elsewhere: the loop is still to be closed.
        if at != start or not found:
            found += self._path(at, set(), {start})
        return tuple(found)

    @cached_property
    def _demands(self) -> list["_Demand"]:
        return list(self._all_demands())

    def _all_demands(self) -> Iterator["_Demand"]:
        graph, edges = self._graph, [edge for state in self._component for edge in self._edges(state)]
        if self._fairness == "weak":
            for mover in range(len(graph.can_move)):
                # Weak fairness is met by a move, or by one state in which there is none.
                stuck = frozenset(state for state in self._component if not graph.can_move[mover, state])
                yield _Demand(frozenset(edge for edge in edges if graph.mover[edge] == mover), stuck)
        elif self._fairness == "strong":
            for step in {int(graph.step[edge]) for edge in edges} - {NOT_OWED}:
                yield _Demand(frozenset(edge for edge in edges if graph.step[edge] == step), frozenset())

    def _path(self, start: int, edges: set[int], states: set[int]) -> list[int]:
        """The shortest path, of one edge at least, that ends with one of these edges or in one of these states."""
        came: dict[int, int] = {}
        waiting = deque([start])
        while waiting:
            state = waiting.popleft()
            for edge in self._edges(state):
                to = int(self._graph.target[edge])
                if edge in edges or to in states:
                    path = [edge]
                    while state != start:
                        path.append(came[state])
                        state = int(self._graph.source[came[state]])
                    return path[::-1]
                if to not in came and to != start:
                    came[to] = edge
                    waiting.append(to)
        raise AssertionError("a component that is not connected: the search is broken")


def _back(
    came: dict[tuple[int, Owed], tuple[tuple[int, Owed], int] | None], at: tuple[int, Owed], edge: int
) -> tuple[int, ...]:
    found = [edge]
    while (before := came[at]) is not None:
        at, edge = before
        found.append(edge)
    return tuple(found[::-1])


@attrs.frozen
class _Demand:
    """What a loop must do: take one of these edges, or come through one of these states."""

    edges: frozenset[int]
    states: frozenset[int]
