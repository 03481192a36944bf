"""The dense modules begin with a worked example, and it is true."""

import doctest
import importlib
import re
from pathlib import Path

import numpy as np
import pytest

from lakeproof import Call, Env, Scenario, kv
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from lakeproof.search import expansion, tables
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.faults import Mode
from lakeproof.search.kernel import Kernel
from lakeproof.search.packing import Words, concatenate, repack
from lakeproof.search.setup import prepare
from lakeproof.search.space import Relayout

AT = (b"counters", b"n")

ROOT = Path(__file__).parents[1]
RUN = sorted(
    str(path.relative_to(ROOT).with_suffix("")).replace("/", ".").removeprefix("lakeproof.")
    for room in ("lakeproof", "impl", "model")
    for path in (ROOT / room).rglob("*.py")
    if re.search(r"^>>> ", path.read_text(), re.MULTILINE)
)
"""Modules with examples that are run as they stand. Those of tables and expansion are compared below."""


@pytest.mark.parametrize("name", RUN)
def test_the_example_of_a_module_says_what_happens(name: str) -> None:
    module = importlib.import_module(f"lakeproof.{name}")
    assert module.__doc__ is not None
    found = doctest.DocTestFinder().find(module.__doc__, name, module=module, globs=vars(module).copy())
    [example] = [each for each in found if each.examples]
    assert doctest.DocTestRunner().run(example).failed == 0


async def add_one(env: Env) -> None:
    try:
        held = int((await env.store.get(*AT)).value)
    except kv.NotFound:
        held = 0
    await env.store.set(*AT, b"%d" % (held + 1))


def expanded(kernel: Kernel, words: Words) -> Words:
    """The next level, each state once."""
    found: list[Words] = []
    while True:
        found.clear()
        try:
            kernel.expand(words, lambda move, rows, after: found.append(after))
        except Relayout:
            old = kernel.relayout()
            words = repack(words, old, kernel.layout)
            continue
        [word] = concatenate(found, kernel.layout.words)
        return [np.unique(word)]


def states(kernel: Kernel, words: Words) -> set[tuple[int, ...]]:
    """Nodes of both clients, and the number of the counter."""
    rows = [kernel.layout.unpack([int(word[row]) for word in words]) for row in range(len(words[0]))]
    return {(a, b, cell) for a, b, _, *rest in rows for cell in (rest or [0])}


def test_two_counters_move_through_the_levels_and_tables_that_the_docstrings_show() -> None:
    clients = [[Call(add_one)], [Call(add_one)]]
    scenario = Scenario(name="counters", clients=clients, invariants=[], expect={NO_UNHANDLED_EXCEPTION: "holds"})
    setting = prepare(scenario)
    kernel = Kernel(setting, [Behaviour(trie) for trie in setting.tries], [])
    assert expansion.__doc__ is not None
    assert tables.__doc__ is not None
    shown = {
        int(level): {tuple(map(int, state.split(","))) for state in re.findall(r"\(([\d, ]+)\)", line)}
        for level, line in re.findall(r"^    level (\d) (.*)$", expansion.__doc__, re.MULTILINE)
    }
    level = kernel.first()
    for number in range(5):
        assert states(kernel, level) == shown[number]
        level = expanded(kernel, level) if number < 4 else level
    compiled = kernel.tables[0]
    for line in re.findall(r"^    ([013] .*)$", tables.__doc__, re.MULTILINE):
        rows = re.findall(r"(?<!\S)([013](?: +[\d-]){3})", line)
        for row, table in zip(rows, (compiled.child, compiled.number), strict=True):
            node, *entries = row.split()
            found = table[Mode.NORMAL][int(node)][:3]
            assert [("-" if entry < 0 else str(entry)) for entry in found] == entries
