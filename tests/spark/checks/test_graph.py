"""The graph of commits as arrays, held against its definition, node by node."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.spark_checks.checks import graph
from lakeproof.spark_checks.checks.graph import CYCLE, GENERATION, MISSING, OLDER, UNREACHABLE, Graph


@attrs.frozen
class Node:
    name: int
    parents: tuple[int, ...]
    generation: int = 1
    date: int = 0
    head: bool = False


def arrays(nodes: list[Node]) -> Graph:
    return Graph(
        names=np.array([node.name for node in nodes], np.int64),
        heads=np.array([node.head for node in nodes], np.bool_),
        generations=np.array([node.generation for node in nodes], np.int64),
        dates=np.array([node.date for node in nodes], np.int64),
        starts=np.cumsum([0, *(len(node.parents) for node in nodes)], dtype=np.int64),
        parents=np.array([parent for node in nodes for parent in node.parents], np.int64),
    )


def ancestors(nodes: dict[int, Node], begin: tuple[int, ...]) -> set[int]:
    found: set[int] = set()
    todo = list(begin)
    while todo:
        name = todo.pop()
        if name in nodes and name not in found:
            found.add(name)
            todo += nodes[name].parents
    return found


def defined(rows: list[Node]) -> list[int]:
    """What `judge` must say, by definition."""
    nodes = {node.name: node for node in rows}
    seen = ancestors(nodes, tuple(parent for node in rows if node.head for parent in node.parents))
    bits = []
    for node in rows:
        there = [nodes[parent] for parent in node.parents if parent in nodes]
        lacks = len(there) < len(node.parents)
        bit = MISSING if lacks else 0
        if not node.head:
            expected = 1 + max((parent.generation for parent in there), default=0)
            if node.generation < expected or (node.generation > expected and not lacks):
                bit |= GENERATION
            if any(node.date < parent.date for parent in there):
                bit |= OLDER
            if node.name in ancestors(nodes, node.parents):
                bit |= CYCLE
            if node.name not in seen:
                bit |= UNREACHABLE
        bits.append(bit)
    return bits


COMMITS = st.integers(0, 9)


@st.composite
def graphs(draw: st.DrawFn) -> list[Node]:
    """Any parents, so that cycles, missing and repeated parents come up; generations are right or not."""
    names = draw(st.lists(COMMITS, unique=True, max_size=8))
    nodes = [
        Node(
            name=name,
            parents=tuple(draw(st.lists(COMMITS, max_size=3))),
            generation=draw(st.integers(0, 4)),
            date=draw(st.integers(-2, 2)),
        )
        for name in names
    ]
    heads = draw(st.lists(COMMITS, max_size=3))
    nodes += [Node(name=100 + number, parents=(commit,), head=True) for number, commit in enumerate(heads)]
    return draw(st.permutations(nodes))


@settings(max_examples=400, deadline=None)
@given(graphs())
def test_every_node_is_judged_as_the_definition_says(nodes: list[Node]) -> None:
    assert graph.judge(arrays(nodes)).bits.tolist() == defined(nodes)


@settings(max_examples=200, deadline=None)
@given(graphs())
def test_cycles_are_found_whatever_dates_and_generations_say(nodes: list[Node]) -> None:
    flat = [attrs.evolve(node, generation=0, date=0) for node in nodes]
    known = {node.name: node for node in nodes if not node.head}
    found = graph.judge(arrays(flat)).bits & CYCLE
    assert [bool(bit) for bit in found] == [
        not node.head and node.name in ancestors(known, node.parents) for node in nodes
    ]


def test_an_empty_graph_has_nothing_wrong() -> None:
    assert graph.judge(arrays([])).bits.tolist() == []


def test_heads_of_nothing_name_what_is_missing() -> None:
    assert graph.judge(arrays([Node(7, (1,), head=True)])).bits.tolist() == [MISSING]


def test_a_commit_without_parents_has_generation_1() -> None:
    head = Node(100, (1,), head=True)
    assert graph.judge(arrays([Node(1, ()), head])).bits.tolist() == [0, 0]
    assert graph.judge(arrays([Node(1, (), generation=2), head])).bits.tolist() == [GENERATION, 0]


def test_the_largest_generation_of_the_parents_counts() -> None:
    nodes = [Node(1, ()), Node(2, (1,), 2), Node(3, (1, 2), 3), Node(4, (2, 1), 2), Node(100, (3,), head=True)]
    found = graph.judge(arrays(nodes))
    assert found.bits.tolist() == [0, 0, 0, GENERATION | UNREACHABLE, 0]
    assert found.expected[3] == 3


def test_where_a_parent_is_missing_the_generation_may_be_larger_but_not_smaller() -> None:
    known = [Node(1, ()), Node(2, (1,), 2)]
    for generation, wrong in ((2, GENERATION), (3, 0), (9, 0)):
        bits = graph.judge(arrays([*known, Node(3, (2, 8), generation), Node(100, (3,), head=True)])).bits
        assert bits.tolist() == [0, 0, MISSING | wrong, 0]


def test_a_name_that_comes_twice_is_as_reachable_as_it_is_once() -> None:
    nodes = [Node(1, ()), Node(1, ()), Node(100, (1,), head=True)]
    assert graph.judge(arrays(nodes)).bits.tolist() == [0, 0, 0]


def test_what_leads_to_a_cycle_and_what_it_leads_to_is_not_on_it() -> None:
    nodes = [Node(1, ()), Node(2, (3, 1), 5), Node(3, (2,), 5), Node(4, (3,), 6), Node(5, (5,), 6), Node(6, (5,), 7)]
    bits = graph.judge(arrays(nodes)).bits & CYCLE
    assert bits.tolist() == [0, CYCLE, CYCLE, 0, CYCLE, 0]


@pytest.mark.parametrize("count", [200_000])
def test_a_long_line_with_wrong_generations_is_walked_without_recursion(count: int) -> None:
    names = np.arange(count)
    line = Graph(
        names=np.append(names, -1),
        heads=np.append(np.zeros(count, np.bool_), True),
        generations=np.append(np.ones(count, np.int64), 0),
        dates=np.zeros(count + 1, np.int64),
        starts=np.concatenate([[0], np.arange(count), [count]]),
        parents=np.append(names[:-1], count - 1),
    )
    bits = graph.judge(line).bits
    assert bits[0] == 0
    assert (bits[1:count] == GENERATION).all()
