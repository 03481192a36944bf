"""Faults planted in the search itself are caught: searches no longer agree with the enumerator on its sets."""

from collections.abc import Callable
from functools import partial

import attrs
import numpy as np
import pytest

from lakeproof.impl.effects import Effect, Local
from lakeproof.model import kv, objects
from lakeproof.model.identity import Exact, identity
from lakeproof.model.invariants import Reads
from lakeproof.search import by_level, paths, space, tables
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.by_level import GivesWay, LevelSearch
from lakeproof.search.execution import Execution
from lakeproof.search.faults import Mode, Move
from lakeproof.search.judge import Judge
from lakeproof.search.kernel import Kernel, Rows, Sink
from lakeproof.search.packing import Layout, Words, distinct, repack, take
from lakeproof.search.paths import path_to
from lakeproof.search.program import Disk
from lakeproof.search.results import Result
from lakeproof.search.semantics import Cells, Writes, apply
from lakeproof.search.symmetry import Symmetry
from lakeproof.search.tables import ClientTable
from lakeproof.search.trie import Node, Raw
from tests.differential.agreement import disagreements, enumerated
from tests.differential.generated import flow_set
from tests.differential.handmade import HANDMADE

Plant = Callable[[pytest.MonkeyPatch], None]
Telling = str | int
"""A set that tells a broken search from the enumerator: one made by hand, by its name, or a generated one."""

PLANTS: dict[str, tuple[Plant, Telling]] = {}

LATE = "a late write is dated by the clock of its arrival"
MONITOR = "a monitor over clients of one program"
ALONE = "what was read shows where something is found, and not where it runs alone"
UNSPOKEN = "clients of one program that mint identifiers of which no demand speaks"
KEPT = "what a client keeps outlives it"


def plant(what: str, told_by: Telling) -> Callable[[Plant], Plant]:
    """A fault by its description."""

    def keep(function: Plant) -> Plant:
        PLANTS[what] = function, told_by
        return function

    return keep


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

for each in (mode for mode in Mode if mode not in ELSEWHERE):
    plant(f"dropped transitions: {each.value}", LOST_IN[each])(lose_mode(each))


REPLACED: dict[str, tuple[Telling, object, str, object]] = {
    "a wrongly merged state: one of a level is lost": (
        MONITOR, by_level, "distinct", lambda words: take(distinct(words), slice(0, max(1, len(words[0]) - 1))),
    ),
    "wrongly merged states: budgets do not count": (
        LATE, ClientTable, "_cost", lambda self, mode: [np.uint64(0)] * self.space.layout.words,
    ),
    "states that are not merged: twins within a level": (MONITOR, by_level, "distinct", lambda words: words),
    "a crashed client moves on": (
        "a crash in the middle of a finally", Behaviour, "crash", lambda self, node_id: node_id,
    ),
    "ranks that do not rise: a state in two levels": (12, Behaviour, "_rise", lambda *_: None),
    "a late write that changes nothing": (LATE, Kernel, "_late_changes", lambda *_: ()),
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

for what, (told_by, owner, name, value) in REPLACED.items():
    plant(what, told_by)(partial(pytest.MonkeyPatch.setattr, target=owner, name=name, value=value, raising=False))


@plant("dropped transitions: what happens once no client can move", LATE)
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    deliver = Kernel._deliver

    def early(self: Kernel, words: Words, sink: Sink) -> None:
        alive = np.flatnonzero(self.alive(words))
        if len(alive):
            deliver(self, take(words, alive), lambda move, rows, after: sink(move, alive[rows], after))

    monkeypatch.setattr(Kernel, "_deliver", early)


def trust(monkeypatch: pytest.MonkeyPatch) -> None:
    """No check of what was merged."""
    monkeypatch.setattr(Behaviour, "_agree", lambda *_: None)
    monkeypatch.setattr(Behaviour, "_adopt", lambda *_: None)


@plant("wrongly merged pasts: nobody checks the first guess", ALONE)
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    trust(monkeypatch)


@plant("wrongly merged pasts: what a client has returned does not count", "True or 1 is returned")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    key = Behaviour._key

    def blind(self: Behaviour, raw: Raw) -> object:
        return ("done", raw.depth) if self._merge and raw.op is None else key(self, raw)

    monkeypatch.setattr(Behaviour, "_key", blind)


@plant("wrongly merged pasts: what is equal is taken for the same", "True or 1 is returned")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Exact, "__eq__", lambda one, other: one.value == other.value)
    monkeypatch.setattr(Exact, "__hash__", lambda one: hash(one.value))


def misread(monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Cells, Effect, int], tuple[object, Writes]]) -> None:
    """Let the tables, and nobody else, get effects wrong."""
    monkeypatch.setattr(tables, "apply", wrong)


@plant("a wrong predicate: a changed value satisfies it", "increments race")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(cells: Cells, op: Effect, now: int) -> tuple[object, Writes]:
        if isinstance(op, kv.SetIf) and isinstance(op.predicate, bytes):
            return apply(cells, kv.SetIf(op.partition, op.key, op.value, kv.EXISTS))
        return apply(cells, op, now)

    misread(monkeypatch, wrong)


@plant("a wrong scan: one entry too few", "scans and pages break off, and writes fall between them")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(cells: Cells, op: Effect, now: int) -> tuple[object, Writes]:
        reply, writes = apply(cells, op, now)
        return (kv.Batch(reply.entries[:-1], more=False) if isinstance(reply, kv.Batch) else reply), writes

    misread(monkeypatch, wrong)


@plant("a transaction that writes its first key only", "two keys change in one step")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(cells: Cells, op: Effect, now: int) -> tuple[object, Writes]:
        return apply(cells, kv.Transact(op.checks, op.writes[:1]) if isinstance(op, kv.Transact) else op, now)

    misread(monkeypatch, wrong)


@plant("a copy that does not look at its destination", "a copy looks at its destination")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(cells: Cells, op: Effect, now: int) -> tuple[object, Writes]:
        blind = attrs.evolve(op, if_absent=False, if_destination_match=None) if isinstance(op, objects.Copy) else op
        return apply(cells, blind, now)

    misread(monkeypatch, wrong)


@plant("a clock without skew", "clients of one program whose clocks differ")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_point = ClientTable._compile_point

    def wrong(self: ClientTable, node: Node, number: int) -> None:
        client, self.client = self.client, 0
        compile_point(self, node, number)
        self.client = client

    monkeypatch.setattr(ClientTable, "_compile_point", wrong)


@plant("symmetry where a monitor tells clients apart", MONITOR)
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = LevelSearch._attempt

    def wrong(self: LevelSearch) -> Result | GivesWay:
        monkeypatch.setattr(by_level, "Symmetry", lambda _: Symmetry(self.behaviours))
        return attempt(self)

    monkeypatch.setattr(LevelSearch, "_attempt", wrong)


def overlook(monkeypatch: pytest.MonkeyPatch, seen: Callable[[Judge, list[int], frozenset[Reads]], list[int]]) -> None:
    """Let the judge take states for equal that differ in some columns."""
    columns = Judge._columns
    monkeypatch.setattr(Judge, "_columns", lambda self, reads: seen(self, columns(self, reads), reads))


@plant("a stale projection: a cell is left out", MONITOR)
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(self: Judge, columns: list[int], reads: frozenset[Reads]) -> list[int]:
        return [column for column in columns if column != self.kernel.space.cells.get(("kv", b"p", b"a"))]

    overlook(monkeypatch, blind)


@plant("a stale projection: what clients were told is left out", MONITOR)
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    overlook(monkeypatch, lambda self, columns, reads: [c for c in columns if c not in self.kernel.space.clients])


@plant("states that are packed anew without their last column", ALONE)
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(words: Words, old: Layout, new: Layout) -> Words:
        found = repack(words, old, new)
        place = new.places[len(old.places) - 1]
        found[place.word] &= ~np.uint64(place.mask << place.shift)
        return found

    monkeypatch.setattr(paths, "repack", wrong)


@plant("a restart that loses what the client keeps", KEPT)
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    restart = Execution._restart

    def wrong(self: Execution) -> None:
        self._disk.store = {}
        restart(self)

    monkeypatch.setattr(Execution, "_restart", wrong)


@plant("a restart that keeps the call under way", KEPT)
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    restart = Execution._restart

    def wrong(self: Execution) -> None:
        self.begins = True
        restart(self)

    monkeypatch.setattr(Execution, "_restart", wrong)


@plant("wrongly merged pasts: what a client keeps does not count, and nobody checks", ALONE)
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    trust(monkeypatch)
    monkeypatch.setattr(Execution, "kept", property(lambda self: bool(self.program.recover)))


@pytest.mark.parametrize("what", PLANTS)
def test_a_planted_fault_is_caught(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, test_differential.py finds no disagreement about these sets."""
    fault, told_by = PLANTS[what]
    made = HANDMADE[told_by] if isinstance(told_by, str) else flow_set(told_by)
    expected = enumerated(made)
    assert expected is not None
    fault(monkeypatch)
    try:
        told = any(disagreements(made.scenario(), expected))
    except AssertionError:  # the search itself notices that it is broken
        told = True
    assert told, f"{what}: {told_by!r} does not tell"
