"""Keys with a time to live against continuous time, and faults planted."""

from collections.abc import Callable, Iterator
from typing import Final, cast

import attrs
import numpy as np
import pytest

from lakeproof import kv
from lakeproof.model.snapshot import CallView
from lakeproof.search import kernel, semantics
from lakeproof.search.packing import Words
from lakeproof.search.results import Limits, Options
from lakeproof.search.search import search
from tests.search.agreement import in_parts
from tests.search.leased import BY_HAND, End, Step, ends, generated, scenario_of


def searched(clients: tuple[tuple[Step, ...], ...], time: str) -> set[End]:
    """What the search ends with, without timers: nobody waits for them any more."""
    result = search(scenario_of(clients, time), Limits(states_max=100_000), Options(keep_finals=True))
    found: set[End] = set()
    for final in result.finals:
        cells, views = cast(
            "tuple[frozenset[tuple[semantics.Cell, bytes]], tuple[tuple[CallView, ...], ...]]", final.value
        )
        told = tuple(cast("tuple[object, ...]", calls[-1].value) for calls in views)
        kept = ((cell, held) for cell, held in cells if cell[0] == "kv")
        found.add((told, frozenset((cast("bytes", cell[-1]), held) for cell, held in kept)))
    return found


def differences(seeds: range, time: str) -> Iterator[object]:
    """Where the search ends otherwise than continuous time allows."""
    for clients in (*BY_HAND, *map(generated, seeds)):
        if searched(clients, time) != ends(clients):
            yield clients


@pytest.mark.parametrize("time", ["sleeps", "read"])
@pytest.mark.parametrize("seeds", in_parts(range(12), 12, deep=range(12, 100), deep_size=30))
def test_ticks_are_as_good_as_continuous_time(seeds: range, time: str) -> None:
    assert list(differences(seeds, time)) == []


def test_orders_are_counted_by_hand() -> None:
    held = (((True,), (None,)), frozenset[tuple[bytes, bytes]]())
    seen = (((True,), (b"a0",)), frozenset[tuple[bytes, bytes]]())
    late = (("sleep", 0, 2), ("get", 0, 0))
    assert ends(((("claim", 0, 2),), late)) == {held, seen}
    assert ends(((("claim", 0, 1), *late),)) == {(((True, None),), frozenset())}
    assert ends(((("claim", 0, 2), *late),)) == {(((True, None),), frozenset()), (((True, b"a0"),), frozenset())}


Plant = Callable[[pytest.MonkeyPatch], None]


def _step(wrong: "Callable[[Store, kv.Op], object]") -> Plant:
    return lambda patch: patch.setattr(kv, "step_leased", wrong)


def _passing(wrong: Callable[[semantics.Cells, int], object]) -> Plant:
    return lambda patch: patch.setattr(kernel, "pass_time", wrong)


_usual_step, _usual_time = kv.step_leased, semantics.pass_time
Store = dict[kv.Address, bytes | kv.Leased]


def _never(store: Store, op: kv.Op) -> object:
    """What is written lives for ever."""
    after, reply = _usual_step(store, op)
    return {at: kv.plain(value) for at, value in after.items()}, reply


def _keeps_the_lease(store: Store, op: kv.Op) -> object:
    """A write without a time to live keeps that of the key."""
    after, reply = dict(_usual_step(store, op)[0]), _usual_step(store, op)[1]
    for at, held in store.items():
        value = after.get(at)
        if isinstance(held, kv.Leased) and isinstance(value, bytes):
            after[at] = kv.Leased(value, held.left)
    return after, reply


def _valid_predicate(store: Store, op: kv.Op) -> object:
    """A predicate of what is gone holds."""
    if isinstance(op, kv.SetIf) and isinstance(op.predicate, bytes) and not store:
        op = attrs.evolve(op, predicate=None)
    return _usual_step(store, op)


def _deaf_to_renewal(store: Store, op: kv.Op) -> object:
    """A write with a time to live leaves the key the one that it has."""
    after, reply = _usual_step(store, op)
    kept = {at: held.left for at, held in store.items() if isinstance(held, kv.Leased)}
    renewed = {at: kv.Leased(v.value, kept[at]) for at, v in after.items() if isinstance(v, kv.Leased) and at in kept}
    return {**after, **renewed}, reply


def _early(cells: semantics.Cells, tick: int) -> object:
    """A time to live ends a tick too soon."""
    passed, after = _usual_time(cells, tick)
    ends_now = {at: kv.Leased(v.value, 0) for at, v in after.items() if isinstance(v, kv.Leased) and v.left == tick}
    return passed, {**after, **ends_now}


def _next_deadline(cells: semantics.Cells, tick: int) -> object:
    """Time goes on to the next moment at which anything ends, and to no moment between."""
    return _usual_time(cells, 1 << 60)


def _all_at_once(patch: pytest.MonkeyPatch) -> None:
    """What is due is gone when time passes, and not after it."""

    def gone(cells: semantics.Cells, tick: int) -> object:
        passed, after = _usual_time(cells, tick)
        return passed, {at: v for at, v in after.items() if not (isinstance(v, kv.Leased) and not v.left)}

    patch.setattr(kernel, "pass_time", gone)


def _overdue(patch: pytest.MonkeyPatch) -> None:
    """Time passes although a key is due."""

    def passes(self: kernel.Kernel, words: Words) -> object:
        runs = [self.layout.field(words, column) > 0 for column in self.space.timers]
        runs += [left[self.layout.field(words, column)] > 0 for column, _, left in self.space.leases]
        return np.logical_or.reduce(runs)

    def careless(cells: semantics.Cells, tick: int) -> object:
        due = {at: value for at, value in cells.items() if isinstance(value, kv.Leased) and not value.left}
        passed, after = _usual_time({at: value for at, value in cells.items() if at not in due}, tick)
        return passed, {**after, **due}

    patch.setattr(kernel.Kernel, "time_passes", passes)
    patch.setattr(kernel, "pass_time", careless)


PLANTS: Final[dict[str, Plant]] = {
    "a key never expires": _step(_never),
    "a plain write keeps the time to live": _step(_keeps_the_lease),
    "a predicate outlives its key": _step(_valid_predicate),
    "a renewal is ignored": _step(_deaf_to_renewal),
    "a key expires early": _passing(_early),
    "time goes to the next deadline": _passing(_next_deadline),
    "all that is due goes at once": _all_at_once,
    "time passes what is due": _overdue,
}


@pytest.mark.parametrize("fault", PLANTS)
def test_planted_faults_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    semantics._apply_to_one.cache_clear()
    PLANTS[fault](monkeypatch)
    try:
        assert any(differences(range(40), "sleeps"))
    finally:
        semantics._apply_to_one.cache_clear()
