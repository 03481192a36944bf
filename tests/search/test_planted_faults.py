"""Faults planted in the search itself are caught: searches no longer agree with the enumerator on its sets."""

from collections.abc import Callable
from functools import lru_cache

import attrs
import numpy as np
import pytest

from lakeproof.impl.effects import Effect, Local
from lakeproof.model import kv, objects
from lakeproof.model.identity import Exact
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
from tests.differential.enumerator import Enumeration
from tests.differential.generated import flow_set
from tests.differential.handmade import HANDMADE

SETS = 80
STATES_MAX = 300

Plant = Callable[[pytest.MonkeyPatch], None]

PLANTS: dict[str, Plant] = {}


def plant(what: str) -> Callable[[Plant], Plant]:
    """A fault by its description."""

    def keep(function: Plant) -> Plant:
        PLANTS[what] = function
        return function

    return keep


@lru_cache(None)
def expected_of(key: str | int) -> Enumeration | None:
    """What the enumerator says of a set: of one made by hand, by its name, or of a generated one."""
    return enumerated(HANDMADE[key] if isinstance(key, str) else flow_set(key), STATES_MAX)


def caught() -> bool:
    """Whether some set tells a search from the enumerator."""
    for key in (*HANDMADE, *range(SETS)):
        expected = expected_of(key)
        made = HANDMADE[key] if isinstance(key, str) else flow_set(key)
        try:
            if expected is not None and disagreements(made.scenario(), expected):
                return True
        except AssertionError:  # the search itself notices that it is broken
            return True
    return False


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

for each in (mode for mode in Mode if mode not in ELSEWHERE):
    plant(f"dropped transitions: {each.value}")(lose_mode(each))


@plant("dropped transitions: what happens once no client can move")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    deliver = Kernel._deliver

    def early(self: Kernel, words: Words, sink: Sink) -> None:
        alive = np.flatnonzero(self.alive(words))
        if len(alive):
            deliver(self, take(words, alive), lambda move, rows, after: sink(move, alive[rows], after))

    monkeypatch.setattr(Kernel, "_deliver", early)


@plant("a wrongly merged state: one of a level is lost")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_level, "distinct", lambda words: take(distinct(words), slice(0, max(1, len(words[0]) - 1))))


@plant("wrongly merged states: budgets do not count")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClientTable, "_cost", lambda self, mode: [np.uint64(0)] * self.space.layout.words)


@plant("states that are not merged: twins within a level")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_level, "distinct", lambda words: words)


def trust(monkeypatch: pytest.MonkeyPatch) -> None:
    """No check of what was merged."""
    monkeypatch.setattr(Behaviour, "_agree", lambda *_: None)
    monkeypatch.setattr(Behaviour, "_adopt", lambda *_: None)


@plant("wrongly merged pasts: nobody checks the first guess")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    trust(monkeypatch)


@plant("wrongly merged pasts: what a client has returned does not count")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    key = Behaviour._key

    def blind(self: Behaviour, raw: Raw) -> object:
        return ("done", raw.depth) if self._merge and raw.op is None else key(self, raw)

    monkeypatch.setattr(Behaviour, "_key", blind)


@plant("wrongly merged pasts: what is equal is taken for the same")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Exact, "__eq__", lambda one, other: one.value == other.value)
    monkeypatch.setattr(Exact, "__hash__", lambda one: hash(one.value))


@plant("a crashed client moves on")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Behaviour, "crash", lambda self, node_id: node_id)


@plant("ranks that do not rise: a state in two levels")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Behaviour, "_rise", lambda *_: None)


def misread(monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Cells, Effect, int], tuple[object, Writes]]) -> None:
    """Let the tables, and nobody else, get effects wrong."""
    monkeypatch.setattr(tables, "apply", wrong)


@plant("a wrong predicate: a changed value satisfies it")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(cells: Cells, op: Effect, now: int) -> tuple[object, Writes]:
        if isinstance(op, kv.SetIf) and isinstance(op.predicate, bytes):
            return apply(cells, kv.SetIf(op.partition, op.key, op.value, kv.EXISTS))
        return apply(cells, op, now)

    misread(monkeypatch, wrong)


@plant("a wrong scan: one entry too few")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(cells: Cells, op: Effect, now: int) -> tuple[object, Writes]:
        reply, writes = apply(cells, op, now)
        return (kv.Batch(reply.entries[:-1], more=False) if isinstance(reply, kv.Batch) else reply), writes

    misread(monkeypatch, wrong)


@plant("a transaction that writes its first key only")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(cells: Cells, op: Effect, now: int) -> tuple[object, Writes]:
        return apply(cells, kv.Transact(op.checks, op.writes[:1]) if isinstance(op, kv.Transact) else op, now)

    misread(monkeypatch, wrong)


@plant("a copy that does not look at its destination")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(cells: Cells, op: Effect, now: int) -> tuple[object, Writes]:
        blind = attrs.evolve(op, if_absent=False, if_destination_match=None) if isinstance(op, objects.Copy) else op
        return apply(cells, blind, now)

    misread(monkeypatch, wrong)


@plant("a late write that changes nothing")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kernel, "_late_changes", lambda *_: ())


@plant("a clock without skew")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_point = ClientTable._compile_point

    def wrong(self: ClientTable, node: Node, number: int) -> None:
        client, self.client = self.client, 0
        compile_point(self, node, number)
        self.client = client

    monkeypatch.setattr(ClientTable, "_compile_point", wrong)


@plant("monitors that miss returns")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClientTable, "_event", lambda *_: 0)


@plant("symmetry among clients that mint identifiers")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Behaviour, "minted", property(lambda _: False, lambda _, value: None), raising=False)


@plant("symmetry where a monitor tells clients apart")
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


@plant("a stale projection: a cell is left out")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(self: Judge, columns: list[int], reads: frozenset[Reads]) -> list[int]:
        return [column for column in columns if column != self.kernel.space.cells.get(("kv", b"p", b"a"))]

    overlook(monkeypatch, blind)


@plant("a stale projection: what clients were told is left out")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    overlook(monkeypatch, lambda self, columns, reads: [c for c in columns if c not in self.kernel.space.clients])


@plant("transitions that are not judged")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "_judge_moves", lambda *_: None)


@plant("late writes that are not judged")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "_judge_deliveries", lambda *_: None)


@plant("no aftermath")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "_judge_aftermath", lambda *_: None)


@plant("a way back that ends one step early")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_level, "path_to", lambda *found: path_to(*found)[:-1])


@plant("states that are packed anew without their last column")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(words: Words, old: Layout, new: Layout) -> Words:
        found = repack(words, old, new)
        place = new.places[len(old.places) - 1]
        found[place.word] &= ~np.uint64(place.mask << place.shift)
        return found

    monkeypatch.setattr(paths, "repack", wrong)


@plant("a restart that loses what the client keeps")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    restart = Execution._restart

    def wrong(self: Execution) -> None:
        self._disk.store = {}
        restart(self)

    monkeypatch.setattr(Execution, "_restart", wrong)


@plant("a restart that keeps the call under way")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    restart = Execution._restart

    def wrong(self: Execution) -> None:
        self.begins = True
        restart(self)

    monkeypatch.setattr(Execution, "_restart", wrong)


@plant("restarts of clients that can move only")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Node, "restarts", property(lambda node: bool(node.representative.kept and node.op)))


@plant("writes of a client's own store that are no schedule points")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Disk, "at_once", lambda self, op: (self.answer(op),) if type(op) is Local else None)


@plant("symmetry among clients that recover otherwise")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "_same_program", lambda one, other: one.calls == other.calls)


@plant("wrongly merged pasts: what a client keeps does not count, and nobody checks")
def _(monkeypatch: pytest.MonkeyPatch) -> None:
    trust(monkeypatch)
    monkeypatch.setattr(Execution, "kept", property(lambda self: bool(self.program.recover)))


SOON = {
    "a restart that loses what the client keeps",
    "restarts of clients that can move only",
    "symmetry among clients that recover otherwise",
    f"dropped transitions: {Mode.LOST_APPLIED.value}",
    "a wrongly merged state: one of a level is lost",
    "ranks that do not rise: a state in two levels",
    "states that are not merged: twins within a level",
    "wrongly merged pasts: nobody checks the first guess",
    "wrongly merged pasts: what a client has returned does not count",
    "wrongly merged pasts: what is equal is taken for the same",
    "a wrong predicate: a changed value satisfies it",
    "a late write that changes nothing",
    "symmetry among clients that mint identifiers",
    "monitors that miss returns",
    "a stale projection: what clients were told is left out",
    "transitions that are not judged",
    "a way back that ends one step early",
    "states that are packed anew without their last column",
}
"""One of each kind is looked for by default, all of them with `deep`."""


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=() if what in SOON else pytest.mark.deep, id=what) for what in PLANTS]
)
def test_a_planted_fault_is_caught(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTS[what](monkeypatch)
    assert caught(), f"nobody notices: {what}"
