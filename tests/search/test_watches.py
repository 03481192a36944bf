"""Watches: the search against an enumeration of all that generated flows can do; and planted faults."""

from collections.abc import Callable
from typing import Final

import attrs
import pytest

from lakeproof.model import kv, watches
from lakeproof.search import semantics, space
from lakeproof.search.faults import COST, Mode
from lakeproof.search.tables import ClientTable
from tests.search.agreement import check_agreement, differences, in_parts
from tests.search.test_channels import always_ready, never_blocked
from tests.search.test_planted_faults import lose_mode
from tests.search.walks import ENDS
from tests.search.watched import COPIED, WATCHED, generated


@pytest.mark.parametrize("seeds", in_parts(range(20), 20, deep=range(20, 260)))
def test_the_search_finds_what_can_be_and_nothing_else(seeds: range) -> None:
    assert list(differences(WATCHED, seeds)) == []


@pytest.mark.parametrize("seed", [1, 5, 8, 9])
def test_all_ways_to_search_agree(seed: int) -> None:
    check_agreement(attrs.evolve(generated(seed), invariants=[COPIED, ENDS]))


Plant = Callable[[pytest.MonkeyPatch], None]
Tagged = tuple[tuple[bytes, watches.Change], ...]
_append, _changes_of, _start = watches.append, watches.changes_of, semantics._apply_to_watch


def _appended(wrong: Callable[[watches.Queue, bytes, bytes, Tagged], watches.Queue]) -> Plant:
    return lambda patch: patch.setattr(watches, "append", wrong)


def _prefix_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(watches, "append", lambda queue, part, prefix, changes: _append(queue, part, b"", changes))
    patch.setattr(semantics.Footprint, "notifies", lambda self, cell: bool(self.written) and cell[0] == "watch")


def _deletes(delivered: bool) -> Plant:
    def changed(op: object, holds: Callable[[kv.Address], bool]) -> Tagged:
        if delivered:
            return _changes_of(op, lambda _: True)
        return tuple(each for each in _changes_of(op, holds) if each[1].value is not None)

    return lambda patch: patch.setattr(watches, "changes_of", changed)


def _too_early(patch: pytest.MonkeyPatch) -> None:
    def start(near: semantics.Cells, op: watches.StartWatch) -> tuple[object, semantics.Writes]:
        reply, writes = _start(near, op)
        if type(op) is watches.StartWatch and isinstance(reply, tuple) and reply:
            old = tuple((watches.Change(entry.key, entry.value),) for entry in reply)
            writes = {semantics.watch_cell(op): old}
        return reply, writes

    patch.setattr(semantics, "_apply_to_watch", start)


def _too_late(patch: pytest.MonkeyPatch) -> None:
    """A watch begins after the first write that it should see."""
    not_yet: watches.Queue = ((),)

    def start(near: semantics.Cells, op: watches.StartWatch) -> tuple[object, semantics.Writes]:
        if type(op) is watches.StartWatch:
            return _start(near, op)[0], {semantics.watch_cell(op): not_yet}
        waits = type(op) is watches.NextChanges and near.get(semantics.watch_cell(op)) == not_yet
        return (semantics.Asleep.ASLEEP, {}) if waits else _start(near, op)

    def append(queue: watches.Queue, part: bytes, prefix: bytes, changes: Tagged) -> watches.Queue:
        return _append((), part, prefix, changes)[:0] if queue == not_yet else _append(queue, part, prefix, changes)

    patch.setattr(semantics, "_apply_to_watch", start)
    patch.setattr(watches, "append", append)


PLANTS: Final[dict[str, Plant]] = {
    "a change on top of another one is lost": _appended(lambda queue, *more: queue or _append(queue, *more)),
    "the last change comes first": _appended(lambda queue, *more: _append((), *more) + queue),
    "only the last change is kept": _appended(lambda queue, *more: _append((), *more) or queue),
    "the prefix is ignored": _prefix_ignored,
    "deletes are not delivered": _deletes(delivered=False),
    "deletes of absent keys are": _deletes(delivered=True),
    "a watch begins too early": _too_early,
    "a watch begins too late": _too_late,
    "watches are lost for nothing": lambda patch: patch.setitem(COST, Mode.WATCH_LOST, ()),
    "who waits can move": never_blocked,
    "who waits is ready": always_ready,
    "a write that was compiled before the watch": lambda patch: patch.setattr(ClientTable, "_widen", lambda self: None),
    "a write that is compiled after the watch": lambda patch: patch.setattr(
        space.Space, "is_watched", lambda self, touched: False
    ),
    f"dropped transitions: {Mode.WATCH_LOST.value}": lose_mode(Mode.WATCH_LOST),
}


@pytest.mark.parametrize("fault", PLANTS)
def test_planted_faults_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTS[fault](monkeypatch)
    semantics.footprint.cache_clear()
    semantics._apply_to_one.cache_clear()
    try:
        assert any(differences(WATCHED, range(60)))
    finally:
        semantics.footprint.cache_clear()
        semantics._apply_to_one.cache_clear()
