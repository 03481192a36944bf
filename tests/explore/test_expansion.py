"""Expansions: projections on any number of columns, batches, late writes, monitors, each by a small example."""

from collections.abc import Hashable, Iterator

import numpy as np
import pytest

from impl.effects import Env
from lakeproof import Call, Faults, Scenario
from lakeproof.explore import expansion
from lakeproof.explore.expansion import projections
from lakeproof.explore.packing import Layout, Words, lay_out
from lakeproof.explore.plain import plain_search
from lakeproof.explore.search import Options, search
from model import kv
from model.invariants import Always, Finding, Monitor, Reached, Violation
from model.snapshot import Event, Returned, Snapshot
from tests.explore.agreement import check_agreement

P = b"p"
UNBROKEN = Always(id="unbroken", meaning="holds", check=lambda _: [Reached("a state")])


def words_of(layout: Layout, rows: list[tuple[int, ...]]) -> Words:
    packed = [layout.pack(row) for row in rows]
    return [np.array([row[word] for row in packed], np.uint64) for word in range(layout.words)]


class TestProjections:
    """Exact for any number of columns: those that do not fit into a key are taken together in groups."""

    WIDTHS = (40, 30, 20, 0, 3)
    ROWS = [(5, 1, 2, 0, 0), (6, 0, 2, 0, 0), (5, 1, 2, 0, 0), (5, 1, 3, 0, 0), (6, 1, 1, 0, 7), (5, 0, 3, 0, 0)]

    @pytest.mark.parametrize("bits_max", [62, 61, 50, 40])
    @pytest.mark.parametrize("columns", [(0, 1, 2, 3, 4), (2, 1, 0), (0, 1), (4, 3), (3,), (0, 4, 2)], ids=repr)
    def test_each_row_has_its_own_numbers_and_each_kind_is_there_once(
        self, columns: tuple[int, ...], bits_max: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(expansion, "KEY_BITS_MAX", bits_max)
        layout = lay_out(self.WIDTHS, range(5))
        kinds, which = projections(words_of(layout, self.ROWS), layout, columns)
        assert [kinds[at] for at in which.tolist()] == [tuple(row[column] for column in columns) for row in self.ROWS]
        assert len(set(kinds)) == len(kinds) == len(set(which.tolist()))

    def test_seventy_columns_of_one_bit(self) -> None:
        layout = lay_out([1] * 70, range(70))
        rows = [tuple(int(column in (first, 69 - first)) for column in range(70)) for first in range(70)]
        kinds, which = projections(words_of(layout, rows), layout, range(70))
        assert [kinds[at] for at in which.tolist()] == rows
        assert len(kinds) == 35


async def write(env: Env, key: bytes, value: bytes = b"1") -> None:
    await env.store.set(P, key, value)


async def write_twice(env: Env) -> None:
    for value in (b"1", b"2"):
        try:
            await env.store.set(P, value, value)
        except kv.OutcomeUnknown:
            continue


async def scan_all(env: Env) -> tuple[bytes, ...]:
    return tuple([entry.key async for entry in env.store.scan(P, start=b"b")])


def scenario(*clients: Call, setup: tuple[Call, ...] = (), faults: Faults | None = None) -> Scenario:
    return Scenario(
        name="expansion",
        clients=[[call] for call in clients],
        setup=setup,
        faults=faults or Faults(),
        invariants=[UNBROKEN],
    )


def test_a_batch_begins_with_the_key_that_is_its_start() -> None:
    race = scenario(Call(scan_all), Call(write, b"b"), setup=(Call(write, b"a"), Call(write, b"c")))
    found = search(race, options=Options(keep_finals=True))
    assert {final.value[1][0][0].value for final in found.finals} == {(b"c",), (b"b", b"c")}  # type: ignore[index]


def test_one_late_write_is_under_way_at_a_time() -> None:
    race = scenario(Call(write_twice), faults=Faults(lost_answers=2, duplicates=2))
    check_agreement(race, plain_search(race))


async def told(env: Env, one: Hashable, other: Hashable) -> Hashable:
    """One of two values, whichever way the race goes."""
    try:
        await env.store.get(P, b"k")
    except kv.NotFound:
        return one
    return other


@pytest.mark.parametrize(("one", "other"), [(1, True), (0.0, -0.0)], ids=repr)
def test_monitors_tell_returns_apart_by_type_and_bits(one: Hashable, other: Hashable) -> None:
    def never(wrong: Hashable) -> Monitor:
        def advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
            if isinstance(event, Returned) and event.call.name == "told":
                bad = repr(event.call.value) == repr(wrong)
                return state, (Violation(f"never-{wrong!r}", "it was") if bad else Reached("a return"),)
            return state, ()

        return Monitor(id=f"never-{wrong!r}", meaning="", initial=0, advance=advance)

    race = Scenario(
        name="told", clients=[[Call(told, one, other)], [Call(write, b"k")]], invariants=[never(one), never(other)]
    )
    assert [finding.verdict for finding in search(race).findings][:2] == ["violated", "violated"]


def test_a_monitor_rests_after_its_violation() -> None:
    """It is not asked again: its state after a violation means nothing."""

    def advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
        assert state == "before", "it was asked after its violation"
        if isinstance(event, Returned):
            return "after", (Violation("m", "a call returned"),)
        return state, ()

    def at_end(state: Hashable, _: Snapshot) -> Iterator[Finding]:
        assert state == "before"
        yield Reached("an end")

    resting = Monitor(id="m", meaning="", initial="before", advance=advance, at_end=at_end)
    clients = [[Call(write, b"a"), Call(write, b"b")], [Call(write, b"c")]]
    found = search(Scenario(name="rests", clients=clients, invariants=[resting, UNBROKEN]))
    assert [finding.verdict for finding in found.findings][:2] == ["violated", "holds"]
    assert found.complete
