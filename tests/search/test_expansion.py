"""Expansions: projections on any number of columns; what monitors hear."""

from collections.abc import Hashable, Iterator

import numpy as np
import pytest

from lakeproof import Call, Scenario
from lakeproof.impl.effects import Env
from lakeproof.model.invariants import Finding, Monitor, Reached, Violation
from lakeproof.model.snapshot import Event, Returned, Snapshot
from lakeproof.search import expansion
from lakeproof.search.expansion import projections
from lakeproof.search.packing import Layout, Words, lay_out
from lakeproof.search.search import search

P = b"p"


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


async def write_two(env: Env, key: bytes) -> None:
    await write(env, key)
    await write(env, key)


@pytest.mark.parametrize(
    ("log", "verdict"),
    [("i0 r0 i1 r1", "violated"), ("i1 i0 r0 r1", "violated"), ("i0 r0 r1 i1", "holds"), ("i0 r0", "holds")],
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
