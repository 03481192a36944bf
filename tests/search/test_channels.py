"""Channels: the search against an enumeration of all that generated flows can do; and planted faults."""

from collections.abc import Callable
from typing import Final

import attrs
import numpy as np
import pytest

from lakeproof.model import channels
from lakeproof.model.channels import Messages
from lakeproof.search import expansion, semantics, tables
from lakeproof.search.faults import COST, Mode
from lakeproof.search.packing import Words
from lakeproof.search.trie import Node
from tests.search.agreement import check_agreement, differences, in_parts
from tests.search.channelled import CHANNELLED, CROWDED, generated
from tests.search.test_planted_faults import lose_mode
from tests.search.walks import ENDS


@pytest.mark.parametrize("seeds", in_parts(range(60), 20, deep=range(1_000, 1_200)))
def test_the_search_finds_what_can_be_and_nothing_else(seeds: range) -> None:
    assert list(differences(CHANNELLED, seeds)) == []


@pytest.mark.deep
@pytest.mark.parametrize("seed", [0, 3, 5, 6, 7])
def test_all_ways_to_search_agree(seed: int) -> None:
    check_agreement(attrs.evolve(generated(seed), invariants=[CROWDED, ENDS]))


Plant = Callable[[pytest.MonkeyPatch], None]


def _stepped(wrong: Callable[[Messages, channels.Op], tuple[Messages, bytes | bool | None]]) -> Plant:
    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(channels, "step", wrong)

    return plant


_step = channels.step


def _last_first(messages: Messages, op: channels.Op) -> tuple[Messages, bytes | bool | None]:
    left, taken = _step(messages if isinstance(op, channels.Send) else messages[::-1], op)
    return left if isinstance(op, channels.Send) else left[::-1], taken


def _sent_twice(messages: Messages, op: channels.Op) -> tuple[Messages, bytes | bool | None]:
    after, taken = _step(messages, op)
    return (*after, op.message) if isinstance(op, channels.Send) else after, taken


def _one_place(messages: Messages, op: channels.Op) -> tuple[Messages, bytes | bool | None]:
    """A channel takes one message; what is sent then is lost."""
    return (messages, None) if isinstance(op, channels.Send) and messages else _step(messages, op)


def _peeked(messages: Messages, op: channels.Op) -> tuple[Messages, bytes | bool | None]:
    """Whoever tries to receive may look, and leaves the last message."""
    looks = isinstance(op, channels.TryReceive) and len(messages) == 1 and messages[0].startswith(b"b")
    return (messages, None) if looks else _step(messages, op)


def _boundless(messages: Messages, op: channels.Op) -> tuple[Messages, bytes | bool | None]:
    return _step(messages, attrs.evolve(op, capacity=None) if isinstance(op, channels.Send) else op)


def _dropped_unseen(messages: Messages, op: channels.Op) -> tuple[Messages, bytes | bool | None]:
    left, taken = _step(messages, op)
    return left, None if taken is False else taken


def _free(mode: Mode) -> Plant:
    return lambda patch: patch.setitem(COST, mode, ())


def _never_woken(patch: pytest.MonkeyPatch) -> None:
    """Who waits is woken by the first message, and by none that comes on top of it."""
    patch.setattr(channels, "waits", lambda messages, op: type(op) is channels.Receive and len(messages) != 1)


def never_blocked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(expansion.Expansion, "_blocked", lambda self, words: np.zeros(len(words[0]), np.bool_))


def _any_blocked(patch: pytest.MonkeyPatch) -> None:
    """One client that waits stands for all."""

    def blocked(self: expansion.Expansion, words: Words) -> object:
        found = np.zeros(len(words[0]), np.bool_)
        for table in self.tables:
            nodes = table.nodes_of(words)
            found |= np.isin(
                nodes, [node for node in np.unique(nodes).tolist() if self._awaited(table, node) is not None]
            )
        return found

    patch.setattr(expansion.Expansion, "_blocked", blocked)


def always_ready(patch: pytest.MonkeyPatch) -> None:
    """Fairness takes a client that waits for a message for one that can move."""
    patch.setattr(expansion.Expansion, "asleep", lambda self, table, words: np.zeros(len(words[0]), np.bool_))


def _refused(patch: pytest.MonkeyPatch) -> None:
    """A crash of a client that waits is forgotten."""
    usual = tables.ClientTable._compile_point

    def compiled(self: tables.ClientTable, node: Node, number: int) -> None:
        usual(self, node, number)
        if Mode.CRASH in self.modes and isinstance(node.effect(self.task), channels.Receive):
            self.child[Mode.CRASH][node.id, number] = tables.IMPOSSIBLE

    patch.setattr(tables.ClientTable, "_compile_point", compiled)


PLANTS: Final[dict[str, Plant]] = {
    "last in, first out": _stepped(_last_first),
    "each message is delivered twice": _stepped(_sent_twice),
    "a message on top of another one is lost": _stepped(_one_place),
    "a try leaves the message": _stepped(_peeked),
    "capacity is ignored": _stepped(_boundless),
    "a full channel answers as any other": _stepped(_dropped_unseen),
    "messages are lost for nothing": _free(Mode.MESSAGE_LOST),
    "messages overtake for nothing": _free(Mode.MESSAGE_OVERTAKEN),
    "a lost wake-up": _never_woken,
    "who waits can move": never_blocked,
    "one that waits stands for all": _any_blocked,
    "who waits is ready": always_ready,
    "who waits does not crash": _refused,
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
