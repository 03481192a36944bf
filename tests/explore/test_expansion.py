"""Expansions: projections on any number of columns, batches, late writes, monitors, each by a small example."""

from collections.abc import Hashable, Iterator

import numpy as np
import pytest

from lakeproof import Call, Faults, Scenario
from lakeproof.explore import expansion
from lakeproof.explore.expansion import projections
from lakeproof.explore.packing import Layout, Words, lay_out
from lakeproof.explore.plain import plain_search
from lakeproof.explore.search import Options, search
from lakeproof.impl.effects import Env
from lakeproof.model import kv
from lakeproof.model.invariants import Always, Finding, Monitor, Reached, Violation
from lakeproof.model.snapshot import Event, Returned, Snapshot
from tests.explore.agreement import check_agreement

P = b"p"
UNBROKEN = Always(id="unbroken", meaning="holds", check=lambda _: [Reached("a state")])


def words_of(layout: Layout, rows: list[tuple[int, ...]]) -> Words:
    packed = [layout.pack(row) for row in rows]
    return [np.array([row[word] for row in packed], np.uint64) for word in range(layout.words)]


class TestProjections:
    """Exact for any number of columns: those that do not fit into a key are taken together in groups."""

    WIDTHS = (40, 30, 20, 0, 3)
    ROWS: list[tuple[int, ...]] = [
        (5, 1, 2, 0, 0),
        (6, 0, 2, 0, 0),
        (5, 1, 2, 0, 0),
        (5, 1, 3, 0, 0),
        (6, 1, 1, 0, 7),
        (5, 0, 3, 0, 0),
    ]

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


async def write_many(env: Env) -> None:
    for number in range(6):
        await env.store.set(P, b"k", b"%d" % number)


async def read_twice(env: Env) -> tuple[bytes, ...]:
    found = []
    for _ in range(2):
        try:
            found.append((await env.store.get(P, b"k")).value)
        except kv.NotFound:
            found.append(b"")
    return tuple(found)


def test_a_reader_sees_each_of_many_values_in_turn() -> None:
    # Nothing or one of six values, and then the same or a later one: 7 * 8 / 2 = 28 pairs, each with the last write.
    race = scenario(Call(read_twice), Call(write_many))
    for merge in (True, False):
        assert search(race, options=Options(merge=merge)).final_states == 28


def test_one_late_write_is_under_way_at_a_time() -> None:
    race = scenario(Call(write_twice), faults=Faults(lost_answers=2, duplicates=2))
    check_agreement(race, plain_search(race))


async def put_object(env: Env, address: str, content: bytes) -> None:
    await env.objects.put(address, content)


async def copy_object(env: Env, source: str, destination: str) -> None:
    await env.objects.copy(source, destination)


def test_a_copy_replaces_whatever_was_put_there_before() -> None:
    race = scenario(
        Call(put_object, "b", b"put"), Call(copy_object, "a", "b"), setup=(Call(put_object, "a", b"copied"),)
    )
    check_agreement(race, plain_search(race))


def test_a_copy_that_loses_its_answer_was_made_of_what_was_there() -> None:
    """Of the states of one level, some have spent the budget, and some have another object to copy."""
    race = scenario(Call(put_object, "a", b"put"), Call(copy_object, "a", "b"), faults=Faults(lost_answers=1))
    check_agreement(race, plain_search(race))


async def write_two(env: Env, key: bytes) -> None:
    await write(env, key)
    await write(env, key)


@pytest.mark.parametrize(
    ("log", "verdict"),
    [
        ("i0 r0 i1 r1", "violated"),
        ("i0 i1 r0 r1", "violated"),
        ("i0 i1 r1 r0", "violated"),
        ("i1 i0 r0 r1", "violated"),
        ("i1 i0 r1 r0", "violated"),
        ("i1 r1 i0 r0", "violated"),
        ("i0 r0 r1 i1", "holds"),
        ("r0 i0 i1 r1", "holds"),
        ("i0 r0", "holds"),
    ],
)
def test_monitors_hear_of_invocations_and_returns_in_the_order_of_their_effects(log: str, verdict: str) -> None:
    def advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
        kind = "r" if isinstance(event, Returned) else "i"
        return f"{state} {kind}{event.client}".strip(), ()

    def at_end(state: Hashable, _: Snapshot) -> Iterator[Finding]:
        yield Violation("m", log) if state == log else Reached(str(state))

    listening = Monitor(id="m", meaning="", initial="", advance=advance, at_end=at_end)
    clients = [[Call(write_two, b"a")], [Call(write_two, b"b")]]
    assert search(Scenario(name="m", clients=clients, invariants=[listening])).findings[0].verdict == verdict


async def breaks(env: Env) -> None:
    await write(env, b"a")
    raise KeyError("k")


def test_monitors_hear_of_no_return_of_a_call_that_raised_what_is_no_answer() -> None:
    def advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
        return state, ((Violation("m", "it returned") if isinstance(event, Returned) else Reached("invoked")),)

    silent = Monitor(id="m", meaning="", initial=0, advance=advance)
    assert search(Scenario(name="m", clients=[[Call(breaks)]], invariants=[silent])).findings[0].verdict == "holds"


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
