"""What a claim about a key-value store asks, and how it says that the answer is wrong."""

import re
from typing import Final

from lakeproof.impl.stores.base import NO_ANSWER, Store
from lakeproof.model import kv


class NotConforming(AssertionError):
    """A store does not do what its contract says."""


class NotJudged(Exception):
    """A claim says nothing of a store: no answer came, what it needs could not be set up, or a command is lacking."""


class LeftOut(Exception):
    """A claim is not about such a store: nothing was looked at."""


LACKS: Final = re.compile(
    r"unknown ?(?:operation|command)|not ?(yet )?implemented|(not|un) ?supported|method ?not ?allowed", re.IGNORECASE
)
"""How a store says that it has no such command, in the code or the words of an error."""


async def reply_of(store: Store, op: kv.Op | kv.Transact) -> kv.Reply:
    """What a store answers, errors as values."""
    try:
        return await (store.perform_all(op) if isinstance(op, kv.Transact) else store.perform(op))
    except kv.KVError as error:
        return error


def raise_if_none(found: kv.Reply) -> None:
    """Raises what is no answer to the question: it is unknown, or the store lacks the command."""
    # Raised, not compared: without an answer nothing is known of the store.
    if isinstance(found, NO_ANSWER) or (isinstance(found, kv.Refused) and LACKS.search(str(found))):
        raise found


def agree(op: kv.Op | kv.Transact, expected: kv.Reply, found: kv.Reply, *, opaque: bool = False) -> bool:
    """Whether an answer is right. Errors are compared by class, as their words are the driver's own, but for the number
    of a failed check. A full batch may say that there is more where there is nothing. ``opaque``: predicates are not
    compared."""
    if isinstance(expected, kv.KVError) and not isinstance(expected, kv.CheckFailed):
        return type(found) is type(expected)  # a subclass of PredicateFailed, say, would be another answer
    if isinstance(expected, kv.Batch) and isinstance(found, kv.Batch) and isinstance(op, kv.ScanBatch):
        # A store that does not look one entry ahead cannot know.
        full = 0 < op.batch_size == len(found.entries)
        return found.entries == expected.entries and (found.more == expected.more or (found.more and full))
    if opaque and isinstance(expected, kv.ValueWithPredicate) and isinstance(found, kv.ValueWithPredicate):
        return found.value == expected.value
    return found == expected


async def expect(store: Store, op: kv.Op | kv.Transact, expected: kv.Reply) -> None:
    """Raises NotConforming for any other answer, and a KVError for none."""
    found = await reply_of(store, op)
    raise_if_none(found)
    if not agree(op, expected, found):
        raise NotConforming(f"{op!r}: expected {expected!r}, found {short(found)}")


def equal(what: str, found: object, expected: object) -> None:
    """Raises NotConforming if they differ."""
    if found != expected:
        raise NotConforming(f"{what}: expected {short(expected)}, found {short(found)}")


def short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 200 else f"{shown[:200]}... ({len(shown)} characters)"


async def scan_all(store: Store, partition: bytes, start: bytes = b"", batch_size: int = 0) -> list[kv.Entry]:
    """A whole scan."""
    return [entry async for entry in store.scan(partition, start, batch_size)]
