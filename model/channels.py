"""Channels: messages between clients, first in, first out. What an operation does to the messages of one channel.

A channel is its messages, oldest first, as a tuple. It outlives its clients.
"""

from enum import Enum
from typing import Final

import attrs

Messages = tuple[bytes, ...]


@attrs.frozen(cache_hash=True)
class Send:
    """Append a message; the reply is False where there is no room for it. ``capacity``: how many there is room for."""

    channel: str
    message: bytes
    capacity: int | None = None


@attrs.frozen(cache_hash=True)
class Receive:
    """Take a message. Possible only where there is one. ``at``: how many were passed over; where there are fewer now,
    the last one is taken."""

    channel: str
    at: int = 0


@attrs.frozen(cache_hash=True)
class TryReceive(Receive):
    """The same; the reply is None where there is no message."""


Op = Send | Receive


class Overtaken(Enum):
    """A reply to `Receive`: a later message overtakes the one that was to be taken."""

    OVERTAKEN = "overtaken"


OVERTAKEN: Final = Overtaken.OVERTAKEN


def step(messages: Messages, op: Op) -> tuple[Messages, bytes | bool | None]:
    """The messages after an operation, and the reply. A `Receive` finds a message, or it is not made."""
    if isinstance(op, Send):
        if op.capacity is not None and len(messages) >= op.capacity:
            return messages, False  # False says that it was not sent
        return (*messages, op.message), None
    if not messages:
        assert isinstance(op, TryReceive), f"{op} waits: there is no message"
        return (), None
    # The search chose `at` when there were more messages: another receiver may have taken some meanwhile.
    at = min(op.at, len(messages) - 1)
    return messages[:at] + messages[at + 1 :], messages[at]


def waits(messages: Messages, op: object) -> bool:
    """Whether an operation is not possible before a message comes."""
    return type(op) is Receive and not messages  # and not isinstance: `TryReceive` is one, and never waits
