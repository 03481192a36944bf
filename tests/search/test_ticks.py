"""Keys with a time to live against continuous time, and faults planted."""

from collections.abc import Callable, Iterator
from typing import Final, cast

import pytest

from lakeproof import kv
from lakeproof.model.snapshot import CallView
from lakeproof.search import kernel, semantics
from lakeproof.search.results import Limits, Options
from lakeproof.search.search import search
from tests.planting import text_fault
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
@pytest.mark.parametrize("seeds", in_parts(range(12), 12, deep=range(12, 42)))
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


def _overdue(patch: pytest.MonkeyPatch) -> None:
    """Time passes although a key is due."""
    text_fault(kernel, "nothing_due &= rest != 0", "pass")(patch)
    in_time = "isinstance(value, kv.Leased)}\n    # A lease"
    text_fault(semantics, in_time, in_time.replace("isinstance(value, kv.Leased)", "getattr(value, 'left', 0)"))(patch)


LEASE: Final = "Leased(op.value, op.ttl)"
PASSED: Final = "kv.Leased(lease.value, lease.left - passed)"
PLANTS: Final[dict[str, Plant]] = {
    "a key never expires": text_fault(kv, f"kept[op.partition, op.key] = {LEASE}", "pass"),
    "a plain write keeps the time to live": text_fault(
        kv,
        "kept.pop((partition, key), None)",
        "kept |= {at: Leased(after[at], held.left) for at, held in kept.items() if at == (partition, key)}",
    ),
    "a predicate outlives its key": text_fault(kv, "return found == predicate", "return found in (predicate, None)"),
    "a renewal is ignored": text_fault(
        kv, LEASE, "Leased(op.value, getattr(store.get((op.partition, op.key)), 'left', op.ttl))"
    ),
    "a key expires a tick too soon": text_fault(
        semantics, PASSED, "kv.Leased(lease.value, (lease.left - passed) * (lease.left - passed != tick))"
    ),
    "time goes to the next deadline": text_fault(semantics, "min(lease.left, tick)", "lease.left"),
    "all that is due goes at once": text_fault(semantics, PASSED, f"{PASSED} if lease.left > passed else None"),
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
