"""Watches: the search against an enumeration of all that generated flows can do; and planted faults."""

from collections.abc import Callable
from typing import Final

import attrs
import pytest

from lakeproof.model import watches
from lakeproof.search import semantics, space
from lakeproof.search.faults import COST, Mode
from lakeproof.search.tables import ClientTable
from tests.planting import text_fault
from tests.search.agreement import check_agreement, differences, in_parts
from tests.search.test_channels import ALWAYS_READY, NEVER_BLOCKED
from tests.search.test_planted_faults import lose_mode
from tests.search.walks import ENDS
from tests.search.watched import COPIED, WATCHED, generated


@pytest.mark.parametrize("seeds", in_parts(range(20), 20, deep=range(20, 120)))
def test_the_search_finds_what_can_be_and_nothing_else(seeds: range) -> None:
    assert list(differences(WATCHED, seeds)) == []


@pytest.mark.parametrize("seed", [1, 5, 8, 9])
def test_all_ways_to_search_agree(seed: int) -> None:
    check_agreement(attrs.evolve(generated(seed), invariants=[COPIED, ENDS]))


Plant = Callable[[pytest.MonkeyPatch], None]
Changes = tuple[tuple[bytes, watches.Change], ...]
_append, _start = watches.append, semantics._apply_to_watch


def _too_late(patch: pytest.MonkeyPatch) -> None:
    """A watch begins after the first write that it should see."""
    not_yet: watches.Queue = ((),)

    def start(near: semantics.Cells, op: watches.StartWatch) -> tuple[object, semantics.Writes]:
        if type(op) is watches.StartWatch:
            return _start(near, op)[0], {semantics.watch_cell(op): not_yet}
        waits = type(op) is watches.NextChanges and near.get(semantics.watch_cell(op)) == not_yet
        return (semantics.Asleep.ASLEEP, {}) if waits else _start(near, op)

    def append(queue: watches.Queue, part: bytes, prefix: bytes, changes: Changes) -> watches.Queue:
        return _append((), part, prefix, changes)[:0] if queue == not_yet else _append(queue, part, prefix, changes)

    patch.setattr(semantics, "_apply_to_watch", start)
    patch.setattr(watches, "append", append)


PLANTS: Final[dict[str, Plant]] = {
    "a change on top of another one is lost": text_fault(watches, "(*queue, seen) if", "queue or (seen,) if"),
    "the last change comes first": text_fault(watches, "(*queue, seen)", "(seen, *queue)"),
    "only the last change is kept": text_fault(watches, "(*queue, seen)", "(seen,)"),
    "the prefix is ignored": text_fault(watches, "and change.key.startswith(prefix)", ""),
    "deletes are not delivered": text_fault(watches, "or holds((part, key))", ""),
    "deletes of absent keys are": text_fault(watches, "if value is not None or holds((part, key))", ""),
    "a watch begins too early": text_fault(
        semantics,
        "return entries, {} if queue == watches.NEW else {cell: watches.NEW}",
        "return entries, {cell: tuple((watches.Change(each.key, each.value),) for each in entries)}",
    ),
    "a watch begins too late": _too_late,
    "watches are lost for nothing": lambda patch: patch.setitem(COST, Mode.WATCH_LOST, ()),
    "who waits can move": NEVER_BLOCKED,
    "who waits is ready": ALWAYS_READY,
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
