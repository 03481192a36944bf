"""The graph of all states of a search, and the runs in it that break a promise.

A promise (`lakeproof.model.invariants.Promise`) is broken by a run from a state that owes it, through states in which
it is not kept: to an end, where no client can move; or round a loop, for ever. Which loops count is a question of
fairness. A loop lies in a strongly connected component. In one that is *weakly* fair, each client moves on some edge,
or cannot move in some state. For *strong* fairness each step that can be taken in some state is taken on some edge;
where one is not, the states in which it can be are taken out, and the rest falls into smaller components.

Example: client a holds a lock and can release it, client b spins. In state 0, b's step leads to state 0, and a's to
state 1, where b can take the lock. State 0 with b's edge is a component. Without fairness that is a loop in which b's
call never ends. With weak fairness it is none: a can move in state 0, and never does.

Sources: R. Tarjan, Depth-first search and linear graph algorithms, 1972; O. Lichtenstein, A. Pnueli, Checking that
finite state concurrent programs satisfy their linear specification, 1985, for components and fairness.
"""

from collections.abc import Iterator
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.search.fair_loops import NOT_OWED as NOT_OWED
from lakeproof.search.fair_loops import shortest_loop

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

TRIMMED_MIN: Final = 100
"""States that are in no loop are looked for as long as one in so many is found to be none."""


@attrs.frozen(kw_only=True)
class Graph:
    """States are numbers, edges are columns. State 0 is the first one."""

    states: int
    source: Ints
    target: Ints
    move: Ints
    """By edge: the number of the move."""
    mover: Ints
    """By edge: whose move it is, as a row of ``can_move``: that of a client, of a task of it, of time, which passes
    at last, or of what always may happen and never must; -1: a fault's, of which there is an end."""
    step: Ints
    """By edge: which step of its client it is; NOT_OWED; of no meaning where ``mover`` is -1."""
    can_move: Bools
    """By mover and state."""
    depth: Ints
    """By state: its distance from the first one."""
    first_edge: Ints = attrs.field(init=False)
    """By state: the first of its edges; they are sorted by their source."""

    def __attrs_post_init__(self) -> None:
        # Past ``__setattr__``, which a frozen class refuses.
        object.__setattr__(self, "first_edge", np.searchsorted(self.source, np.arange(self.states + 1)))

    def edges_of(self, state: int) -> range:
        return range(int(self.first_edge[state]), int(self.first_edge[state + 1]))


@attrs.frozen
class Lasso:
    """The edges to a state, and from there round a loop; no loop: the run ends there."""

    way: tuple[int, ...]
    loop: tuple[int, ...]


def broken_run(graph: Graph, owing: Bools, kept: Bools, fairness: str) -> Lasso | None:
    """The shortest run that breaks a promise: owed in the states ``owing``, and kept in ``kept``. Way and loop count,
    each step once; of loops, those that begin at one of the nearest states (see `shortest_loop`).

    Cost: linear in the graph, some microseconds an edge in the part where it is not kept; and that of the loops.
    """
    # A state that keeps the promise pays what is owed: no run that breaks it comes through one after it came to owe.
    open_ = ~kept
    far, came = _distances(graph, owing & open_, open_)
    reached = far >= 0
    ends = np.flatnonzero(reached & ~graph.can_move.any(axis=0))
    end = int(ends[np.argmin(far[ends])]) if len(ends) else -1
    loop: tuple[int, ...] = ()
    # An end is a candidate as good as a loop: the shorter run is reported, and a loop is only looked for below this.
    most = int(far[end]) if end >= 0 else None
    for component in fair_components(graph, reached, fairness):
        # Even a loop of one step at the nearest state would not be shorter.
        if most is not None and int(far[component].min()) + 1 >= most:
            continue
        found = shortest_loop(graph, component.tolist(), far, fairness, most)
        if found:
            loop, most = found, int(far[graph.source[found[0]]]) + len(found)
    if loop:
        return Lasso(_way(graph, came, int(graph.source[loop[0]])), loop)
    return Lasso(_way(graph, came, end), ()) if end >= 0 else None


def _distances(graph: Graph, starts: Bools, within: Bools) -> tuple[Ints, Ints]:
    """By state: how far it is from the first one by way of a start and then within these states (-1: not at all), and
    the edge that leads there (-1: it is a start, and its own distance counts)."""
    # Starts have different distances to begin with, so a state that was numbered may be reached by a shorter way later.
    far = np.where(starts, graph.depth, -1)
    came = np.full(graph.states, -1, np.int64)
    inner = within[graph.source] & within[graph.target]
    edges = np.flatnonzero(inner)
    distance = int(graph.depth[starts].min()) if starts.any() else 0
    # An empty level does not end the search: a start that is further away may wait behind it.
    last = int(graph.depth[starts].max()) if starts.any() else -1
    while distance <= last:
        out = edges[far[graph.source[edges]] == distance]
        to = graph.target[out]
        nearer = (far[to] < 0) | (far[to] > distance + 1)
        out, to = out[nearer], to[nearer]
        if len(out):
            far[to] = distance + 1
            # Where two edges lead to one state, NumPy keeps the last; both are equally short.
            came[to] = out
            last = max(last, distance + 1)
        distance += 1
    return far, came


def _way(graph: Graph, came: Ints, state: int) -> tuple[int, ...]:
    """The edges from the first state to this one."""
    found: list[int] = []
    while came[state] >= 0:
        found.append(int(came[state]))
        state = int(graph.source[came[state]])
    while state != 0:
        # Before the first state that owes, any shortest way will do: what is kept there does not matter.
        into = np.flatnonzero((graph.target == state) & (graph.depth[graph.source] == graph.depth[state] - 1))
        found.append(int(into[0]))  # the first one: equal searches show equal runs
        state = int(graph.source[into[0]])
    return tuple(found[::-1])


def fair_components(graph: Graph, within: Bools, fairness: str) -> Iterator[Ints]:
    """The components of these states, in ascending order of their states, in which a fair run can stay for ever.

    Cost: that of `components`, for strong fairness again for what is left of each component that is not fair.
    """
    waiting = [np.flatnonzero(within)]
    # One array for all components, cleared after each: a new one for each would make the search quadratic.
    member: Bools = np.zeros(graph.states, np.bool_)
    while waiting:
        for component in components(graph, _trim_states(graph, waiting.pop())):
            out = _owed_edges(graph, component)
            member[component] = True
            stays_inside = member[graph.target[out]]
            member[component] = False
            inner = out[stays_inside]
            if fairness == "weak":
                # Weak fairness: a client that could move in every state of the loop must move in it.
                moves = np.isin(np.arange(len(graph.can_move)), graph.mover[inner])
                if np.all(moves | ~graph.can_move[:, component].all(axis=1)):
                    yield component
            elif fairness == "strong":
                # Strong fairness: a step that can be taken again and again must be taken. One that leaves the component
                # cannot be without leaving it, so a fair run avoids the states in which it can be taken; the rest is
                # decomposed anew.
                missed = out[~np.isin(graph.step[out], graph.step[inner]) & (graph.step[out] != NOT_OWED)]
                if not len(missed):
                    yield component
                else:
                    waiting.append(np.setdiff1d(component, graph.source[missed]))
            else:
                yield component


def _owed_edges(graph: Graph, states: Ints) -> Ints:
    """The edges from these states that are no faults, ascending if the states are."""
    first, last = graph.first_edge[states], graph.first_edge[states + 1]
    counts = last - first
    # The ranges first[i]..last[i] one after the other, without a loop: the sum counts on from 0, each range shifts it.
    edges = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
    # Faults have budgets: none of them can be part of what repeats for ever.
    return edges[graph.mover[edges] >= 0]


def _trim_states(graph: Graph, states: Ints) -> Ints:
    """Without states that no loop leads through, as far as rounds find them that remove many."""
    edges = _owed_edges(graph, states)
    left = np.zeros(graph.states, np.bool_)
    left[states] = True
    while True:
        edges = edges[left[graph.source[edges]] & left[graph.target[edges]]]
        entered = np.zeros(graph.states, np.bool_)
        entered[graph.target[edges]] = True
        left[:] = False
        left[graph.source[edges]] = True
        left &= entered
        rest = states[left[states]]
        # A long chain loses one state a round; Tarjan's algorithm is linear and takes over where rounds remove few.
        if len(states) - len(rest) <= len(states) // TRIMMED_MIN:
            return rest
        states = rest


def components(graph: Graph, states: Ints) -> Iterator[Ints]:
    """The strongly connected components of these states (ascending), by moves that are owed: those that have such a
    move inside. Tarjan's algorithm, without recursion.

    Cost: linear in the states and their edges.
    """
    # Numbers within these states, and Python lists below: indexing a NumPy array one by one is several times slower.
    local = np.full(graph.states, -1, np.int64)
    local[states] = np.arange(len(states))
    kept = _owed_edges(graph, states)
    kept = kept[local[graph.target[kept]] >= 0]
    targets = local[graph.target[kept]].tolist()
    # ``kept`` is ascending by source, since ``states`` is. The state behind the last gives the last range its end.
    firsts = np.searchsorted(graph.source[kept], np.append(states, graph.states)).tolist()
    index = [-1] * len(states)
    low = [0] * len(states)
    on_stack = [False] * len(states)
    stack: list[int] = []
    count = 0
    for root in range(len(states)):
        if index[root] >= 0:
            continue
        # The stack of the recursion: a node, and which of its edges is next. Python's own would end at 1,000 frames.
        work = [(root, firsts[root])]
        index[root] = low[root] = count
        count += 1
        stack.append(root)
        on_stack[root] = True
        while work:
            node, at = work.pop()
            if at < firsts[node + 1]:
                work.append((node, at + 1))
                to = targets[at]
                if index[to] < 0:
                    index[to] = low[to] = count
                    count += 1
                    stack.append(to)
                    on_stack[to] = True
                    work.append((to, firsts[to]))
                elif on_stack[to]:
                    low[node] = min(low[node], index[to])
                continue
            # The return from a recursive call: what the child reaches, its parent reaches.
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                found: list[int] = []
                while not found or found[-1] != node:
                    found.append(stack.pop())
                    on_stack[found[-1]] = False
                # A single state is a component of every graph; it can repeat only with an edge to itself.
                if len(found) > 1 or node in targets[firsts[node] : firsts[node + 1]]:
                    yield states[np.sort(found)]
