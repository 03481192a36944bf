"""Channels: the search against an enumeration of all that generated flows can do; and planted faults."""

from collections.abc import Callable
from typing import Final

import attrs
import pytest

from lakeproof.model import channels
from lakeproof.search import expansion, semantics, tables
from lakeproof.search.faults import COST, Mode
from tests.planting import text_fault
from tests.search.agreement import check_agreement, differences, in_parts
from tests.search.channelled import CHANNELLED, CROWDED, generated
from tests.search.test_planted_faults import lose_mode
from tests.search.walks import ENDS


@pytest.mark.parametrize("seeds", in_parts(range(60), 20, deep=range(1_000, 1_100)))
def test_the_search_finds_what_can_be_and_nothing_else(seeds: range) -> None:
    assert list(differences(CHANNELLED, seeds)) == []


@pytest.mark.deep
@pytest.mark.parametrize("seed", [0, 3, 5, 6, 7])
def test_all_ways_to_search_agree(seed: int) -> None:
    check_agreement(attrs.evolve(generated(seed), invariants=[CROWDED, ENDS]))


Plant = Callable[[pytest.MonkeyPatch], None]


NEVER_BLOCKED: Final = text_fault(expansion, "words[0]), self._has_channels)", "words[0]), False)")
ALWAYS_READY: Final = text_fault(expansion, "np.asarray(known == IMPOSSIBLE,", "np.zeros_like(nodes,")
"""Fairness takes a client that waits for a message for one that can move."""


def _free(mode: Mode) -> Plant:
    return lambda patch: patch.setitem(COST, mode, ())


PLANTS: Final[dict[str, Plant]] = {
    "last in, first out": text_fault(channels, "min(op.at, len(messages) - 1)", "max(0, len(messages) - 1 - op.at)"),
    "each message is delivered twice": text_fault(channels, "op.message), None", "*[op.message] * 2), None"),
    "a message on top of another one is lost": text_fault(channels, "op.message), None", "op.message)[:1], None"),
    "a try leaves the message": text_fault(channels, "if not messages:", "if isinstance(op, TryReceive):"),
    "capacity is ignored": text_fault(channels, "if op.capacity is not None and", "if False and"),
    "a full channel answers as any other": text_fault(channels, "return messages, False", "return messages, None"),
    "messages are lost for nothing": _free(Mode.MESSAGE_LOST),
    "messages overtake for nothing": _free(Mode.MESSAGE_OVERTAKEN),
    # Who waits is woken by the first message, and by none that comes on top of it.
    "a lost wake-up": text_fault(channels, "and not messages  #", "and len(messages) != 1  #"),
    "who waits can move": NEVER_BLOCKED,
    "the last client stands for all": text_fault(expansion, "found &= still", "found = still"),
    "who waits is ready": ALWAYS_READY,
    "who waits does not crash": text_fault(
        tables, "if mode is Mode.CRASH and", 'if mode is Mode.CRASH and type(op).__name__ != "Receive" and'
    ),
    **{f"dropped transitions: {mode.value}": lose_mode(mode) for mode in (Mode.MESSAGE_LOST, Mode.MESSAGE_DUPLICATED)},
    f"dropped transitions: {Mode.MESSAGE_OVERTAKEN.value}": lose_mode(Mode.MESSAGE_OVERTAKEN),
}


@pytest.mark.deep
@pytest.mark.parametrize("fault", PLANTS)
def test_planted_faults_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTS[fault](monkeypatch)
    semantics._apply_to_one.cache_clear()
    try:
        assert any(differences(CHANNELLED, range(60)))
    finally:
        semantics._apply_to_one.cache_clear()
