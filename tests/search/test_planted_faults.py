"""Faults planted in the search itself are caught: searches no longer agree with the enumerator on its sets."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from lakeproof.impl.effects import Local
from lakeproof.model import kv, objects
from lakeproof.model.identity import Exact, identity
from lakeproof.search import behaviour, by_level, execution, expansion, packing, projections, semantics, space, tables
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.execution import Execution
from lakeproof.search.faults import Mode, Move
from lakeproof.search.judge import Judge
from lakeproof.search.kernel import Kernel, Rows, Sink
from lakeproof.search.packing import Words, distinct, take
from lakeproof.search.paths import path_to
from lakeproof.search.program import Disk
from lakeproof.search.tables import ClientTable
from lakeproof.search.trie import Node
from tests.differential.agreement import disagreements, enumerated
from tests.differential.generated import flow_set
from tests.differential.handmade import HANDMADE
from tests.planting import text_fault

Plant = Callable[[pytest.MonkeyPatch], None]
Telling = str | int
"""A set that tells a broken search from the enumerator: one made by hand, by its name, or a generated one."""

LATE = "a late write is dated by the clock of its arrival"
MONITOR = "a monitor over clients of one program"
ALONE = "what was read shows where something is found, and not where it runs alone"
UNSPOKEN = "clients of one program that mint identifiers of which no demand speaks"
KEPT = "what a client keeps outlives it"


def lose(monkeypatch: pytest.MonkeyPatch, lost: Callable[[Move, Rows], Rows]) -> None:
    """Let the kernel hand on only the rows of a move that ``lost`` leaves (as places among them)."""
    expand = Kernel.expand

    def lossy(self: Kernel, words: Words, sink: Sink) -> None:
        def leaky(move: Move, rows: Rows, after: Words) -> None:
            kept = lost(move, rows)
            if len(kept):
                sink(move, rows[kept], take(after, kept))

        expand(self, words, leaky)

    monkeypatch.setattr(Kernel, "expand", lossy)


def lose_mode(mode: Mode) -> Plant:
    return lambda monkeypatch: lose(monkeypatch, lambda move, rows: np.arange(0 if move.mode is mode else len(rows)))


ELSEWHERE = {
    *(Mode.CUT_OFF, Mode.EXPIRE, Mode.MESSAGE_LOST, Mode.MESSAGE_DUPLICATED, Mode.MESSAGE_OVERTAKEN, Mode.WATCH_LOST),
}
"""Of timeouts, times to live, channels and watches: test_time.py, test_ticks.py, test_channels.py and test_watches.py
plant faults in them."""

LOST_IN = {
    Mode.NORMAL: MONITOR,
    Mode.REFUSED: "a ghost variable is 0 or False",
    **dict.fromkeys((Mode.LOST_APPLIED, Mode.LOST_DROPPED, Mode.REPEATED_APPLIED, Mode.REPEATED_DROPPED), LATE),
    Mode.FALSE_PREDICATE: "increments race",
    Mode.SCAN_FAILURE: "scans and pages break off, and writes fall between them",
    Mode.CRASH: "a crash in the middle of a finally",
    Mode.RESTART: KEPT,
    Mode.DELIVER: LATE,
    Mode.TICK: "a step is at the time of its state",
}

REPLACED: dict[str, tuple[Telling, object, str, object]] = {
    "a wrongly merged state: one of a level is lost": (
        MONITOR, by_level, "distinct", lambda words: take(distinct(words), slice(0, max(1, len(words[0]) - 1))),
    ),
    "wrongly merged states: budgets do not count": (
        LATE, ClientTable, "_cost", lambda *_: [],
    ),
    "states that are not merged: twins within a level": (MONITOR, by_level, "distinct", lambda words: words),
    "a crashed client moves on": (
        "a crash in the middle of a finally", Behaviour, "crash", lambda self, node_id: node_id,
    ),
    "ranks that do not rise: a state in two levels": (12, Behaviour, "_rise", lambda *_: None),
    "a late write that changes nothing": (LATE, Kernel, "_changes", lambda *_: ()),
    "writes of objects that are never reported as failed": (
        *("each conditional write of an object may be reported as failed", objects),
        *("conditional", lambda op: False),
    ),
    "deletes of objects that are never reported as failed": (
        *("each conditional write of an object may be reported as failed", objects),
        *("conditional", lambda op: bool(objects.conditions(op)) and not isinstance(op, objects.DeleteObject)),
    ),
    "monitors that miss returns": (MONITOR, ClientTable, "_event", lambda *_: 0),
    "symmetry among clients that mint identifiers": (
        UNSPOKEN, Behaviour, "minted", property(lambda _: False, lambda _, value: None),
    ),
    "transitions that are not judged": ("a step is at the time of its state", Judge, "_judge_moves", lambda *_: None),
    "late writes that are not judged": (
        "only a late write shrinks the store, and a monitor looks on", Judge, "_judge_deliveries", lambda *_: None,
    ),
    "no aftermath": (3, Judge, "_judge_aftermath", lambda *_: None),
    "a way back that ends one step early": (MONITOR, by_level, "path_to", lambda *found: path_to(*found)[:-1]),
    "restarts of clients that can move only": (
        KEPT, Node, "restarts", property(lambda node: bool(node.representative.kept and node.op)),
    ),
    "writes of a client's own store that are no schedule points": (
        KEPT, Disk, "at_once", lambda self, op: (self.answer(op),) if type(op) is Local else None,
    ),
    "symmetry among clients that recover otherwise": (
        *("clients of one program that recover otherwise", space),
        *("_same_program", lambda one, other: identity(one.calls) == identity(other.calls)),
    ),
}
"""What tells it, and what takes the place of an attribute."""

KNOWN = "self._known(table, at_nodes, table.touched(here, at_nodes), rows)"
CELLS = "space.cells.values() if column < known"
TEXTS: dict[str, tuple[Telling, Plant]] = {
    "dropped transitions: what happens once no client can move": (
        LATE, text_fault(expansion, "(pending == number)", "((pending == number) & self.alive(words))"),
    ),
    "wrongly merged pasts: what a client has returned does not count": (
        "True or 1 is returned",
        text_fault(behaviour, '"done", self._grade(raw), raw.visible, ', '"done", self._grade(raw), '),
    ),
    "a wrong predicate: a changed value satisfies it": (
        "increments race", text_fault(kv, "return found == predicate", "return (found is None) is (predicate is None)"),
    ),
    "a wrong scan: one entry too few": (
        "scans and pages break off, and writes fall between them",
        text_fault(kv, "store[partition, key]) for key in cut)", "store[partition, key]) for key in cut[:-1])"),
    ),
    "a transaction that writes its first key only": (
        "two keys change in one step",
        text_fault(kv, "for part, key, value in writes}", "for part, key, value in writes[:1]}"),
    ),
    "a copy that does not look at its destination": (
        "a copy looks at its destination",
        text_fault(objects, "_may_write(replaced, op.if_absent, op.if_destination_match)", "True"),
    ),
    "a clock without skew": (
        "clients of one program whose clocks differ", text_fault(tables, "now(self.client, self", "now(0, self"),
    ),
    "symmetry where a monitor tells clients apart": (
        MONITOR, text_fault(by_level, "if self.symmetric and not monitors", "if self.symmetric"),
    ),
    "a stale projection: a cell is left out": (
        MONITOR, text_fault(projections, CELLS, f"{CELLS} and column != space.cells.get(('kv', b'p', b'a'))"),
    ),
    "a stale projection: what clients were told is left out": (
        MONITOR, text_fault(projections, "columns += space.clients", "columns += []"),
    ),
    "states that are packed anew without their last column": (
        ALONE, text_fault(packing, "enumerate(old.places)", "enumerate(old.places[:-1])"),
    ),
    "a place in a table that is computed before the table has grown": (
        "a key has more values than the tables have room for at first",
        text_fault(
            expansion,
            f"numbers = {KNOWN}\n        at = at_nodes * table.values +",
            f"at = at_nodes * table.values\n        at = at + {KNOWN} #",
        ),
    ),
    "a restart that loses what the client keeps": (
        KEPT, text_fault(execution, "self.mint.begin_life()", "self._disk.store = self.mint.begin_life() or {}"),
    ),
    "a restart that keeps the call under way": (
        KEPT, text_fault(execution, "if self.op is not None and not self.begins", "if self.op is None"),
    ),
}
"""What tells it, and a change of the text of a module."""


def trust(monkeypatch: pytest.MonkeyPatch) -> None:
    """No check of what was merged."""
    monkeypatch.setattr(Behaviour, "_agree", lambda *_: None)
    monkeypatch.setattr(Behaviour, "_adopt", lambda *_: None)


def compare_by_equality(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Exact, "__eq__", lambda one, other: one.value == other.value)
    monkeypatch.setattr(Exact, "__hash__", lambda one: hash(one.value))


def keep_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    trust(monkeypatch)
    monkeypatch.setattr(Execution, "kept", property(lambda self: bool(self.program.recover)))


PLANTS: dict[str, tuple[Telling, Plant]] = {
    **{f"dropped transitions: {mode.value}": (told_by, lose_mode(mode)) for mode, told_by in LOST_IN.items()},
    **{
        what: (told_by, partial(pytest.MonkeyPatch.setattr, target=owner, name=name, value=value, raising=False))
        for what, (told_by, owner, name, value) in REPLACED.items()
    },
    **TEXTS,
    "wrongly merged pasts: nobody checks the first guess": (ALONE, trust),
    "wrongly merged pasts: what is equal is taken for the same": ("True or 1 is returned", compare_by_equality),
    "wrongly merged pasts: what a client keeps does not count, and nobody checks": (ALONE, keep_nothing),
}


def test_each_way_to_move_is_lost_somewhere() -> None:
    assert LOST_IN.keys() | ELSEWHERE == {*Mode}


@pytest.mark.parametrize("what", PLANTS)
def test_a_planted_fault_is_caught(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, test_differential.py finds no disagreement about these sets."""
    told_by, fault = PLANTS[what]
    made = HANDMADE[told_by] if isinstance(told_by, str) else flow_set(told_by)
    expected = enumerated(made)
    assert expected is not None
    fault(monkeypatch)
    monkeypatch.setattr(semantics, "_apply_to_one", semantics._apply_to_one.__wrapped__)  # else it remembers
    try:
        told = any(disagreements(made.scenario(), expected))
    except AssertionError:  # the search itself notices that it is broken
        told = True
    assert told, f"{what}: {told_by!r} does not tell"
