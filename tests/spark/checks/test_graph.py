"""The graph of commits as arrays, held against its definition, node by node."""

import attrs
import numpy as np
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
            generation=draw(st.integers(-3, 4)),
            date=draw(st.integers(-2, 2)),
        )
        for name in names
    ]
    heads = draw(st.lists(COMMITS, max_size=3))
    nodes += [Node(name=100 + number, parents=(commit,), head=True) for number, commit in enumerate(heads)]
    return draw(st.permutations(nodes))


@settings(max_examples=400)
@given(graphs())
def test_every_node_is_judged_as_the_definition_says(nodes: list[Node]) -> None:
    assert graph.judge(arrays(nodes)).bits.tolist() == defined(nodes)


def test_a_long_line_with_wrong_generations_is_walked_without_recursion() -> None:
    count = 200_000
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
