"""The protocol ``flow:``, version 1: effects, replies and results as lines of JSON. See docs/flow-protocol.md.

Keys, values, partitions and contents are in Base64 (RFC 4648, section 4, with padding). The predicate of a value is the
Base64 of the value: a program hands it back unchanged.
"""

import json
from base64 import b64encode
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Final, cast

import attrs

from lakeproof.impl.effects import Effect, Now
from lakeproof.impl.printable import safe_repr
from lakeproof.model import kv, objects

VERSION: Final = 1
LINE_MAX: Final = 16 << 20
"""Bytes of a line; a longer one is nonsense, and is not read to its end."""
_SHOWN: Final = 120  # characters of a value in a message
INT_BITS: Final = 63
"""Of a whole number, with its sign apart."""


class Nonsense(ValueError):
    """A line that the protocol does not know. Names what was there and what was expected."""


class Unfit(Exception):
    """A reply that no store gives to this effect. The search makes such replies up, to tell pasts apart."""


@attrs.frozen
class Asks:
    """The flow waits for an effect."""

    number: int
    effect: Effect
    at: str = attrs.field(eq=False)  # a place is no part of what a flow does
    state: str | None = None
    """What decides all that the flow does from here on, as it says: JSON. None: it does not say."""

    @property
    def state_key(self) -> Hashable:
        """What is compared of it with other moments of the flow: not its number."""
        return None if self.state is None else (self.effect, self.state)


@attrs.frozen
class Mints:
    """The flow waits for a fresh identifier."""

    number: int
    kind: str
    at: str = attrs.field(eq=False)


@attrs.frozen
class Returns:
    """The flow has ended with a value: plain JSON, lists as tuples, objects as sorted pairs."""

    value: Hashable


@attrs.frozen
class Raises:
    """The flow has ended with an error. ``definite`` None: with a mistake of its own."""

    kind: str
    definite: bool | None
    message: str
    at: str = attrs.field(eq=False)


@attrs.frozen
class Opens:
    """Several effects are open: those that have come since the last line, each with the path of its task."""

    effects: tuple[tuple[str, Asks | Mints], ...]


Message = Asks | Mints | Opens | Returns | Raises


def count_opened(message: Message) -> int:
    """How many effects a line opens."""
    return len(message.effects) if isinstance(message, Opens) else int(isinstance(message, Asks | Mints))


STORE_ERRORS: Final[Mapping[str, type[Exception]]] = {
    **kv.ERRORS,
    "scan_interrupted": kv.ScanInterrupted,
    "object_not_found": objects.ObjectNotFound,
    "precondition_failed": objects.PreconditionFailed,
    "unsupported": objects.Unsupported,
    "expired": objects.Expired,
}
"""What stores answer instead of a result, by kind; a flow that passes one on raises the same kind."""

_KINDS: Final = {kind: name for name, kind in STORE_ERRORS.items()}


def greeting() -> bytes:
    """The first line to a program."""
    return f'{{"protocol":"flow:","version":{VERSION},"parallel":true}}\n'.encode()


def start(number: int, call: str, args: str) -> bytes:
    """Begin a flow. args: of `arguments`."""
    # The arguments are already JSON: they are made once for all runs of a call.
    return f'{{"start":{number},"call":{json.dumps(call)},{args}}}\n'.encode()


def reset(number: int) -> bytes:
    """Drop a flow, wherever it stands."""
    return f'{{"reset":{number}}}\n'.encode()


def answer(flow: int, number: int, reply: str) -> bytes:
    """The reply to an effect of a flow. reply: of `effect_reply`, `error_reply` or `mint_reply`."""
    return f'{{"flow":{flow},"effect":{number},{reply}}}\n'.encode()


def arguments(args: Sequence[object], options: Mapping[str, object]) -> str:
    """The arguments of a call, as the inside of a JSON object.

    Raises:
        TypeError: one has no JSON; names it, what is expected, and the repair.
    """
    # Sorted: one call has one text, by which its runs are known.
    plain = [_plain(arg) for arg in args], {name: _plain(value) for name, value in sorted(options.items())}
    return f'"args":{_json(plain[0])},"options":{_json(plain[1])}'


def _plain(value: object) -> object:
    match value:
        case None | bool() | str():
            return value
        case int() if value.bit_length() <= INT_BITS:  # JSON readers in other languages have 64 bits
            return value
        case bytes():
            return {"base64": _b64(value)}
        case tuple() | list():
            return [_plain(part) for part in cast("Sequence[object]", value)]
    raise TypeError(
        f"argument {safe_repr(value)[:_SHOWN]}: expected None, bool, an integer of at most 63 bits, str, "
        f"bytes, or a tuple "
        f"of these; pass the parts that the program needs"
    )


def mint_reply(identifier: str) -> str:
    """A fresh identifier, as a reply."""
    return f'"ok":{{"id":{json.dumps(identifier)}}}'


def error_reply(error: Exception) -> str:
    """An error of a store, as a reply."""
    kind = type(error)
    # By the bases, too: a store may raise a class of its own below one of these.
    name = next((_KINDS[base] for base in kind.__mro__ if base in _KINDS), None)
    if name is None:
        raise Unfit(f"an error {kind.__name__}")
    definite = bool(getattr(STORE_ERRORS[name], "definite", False))
    return f'"error":{{"kind":"{name}","definite":{json.dumps(definite)}}}'


# A search meets the same effects with the same replies in many of its runs.
@lru_cache(1 << 14)
def effect_reply(effect: Effect, reply: Hashable) -> str:
    """The reply of a store to an effect.

    Raises:
        Unfit: no store gives it.
    """
    match effect, reply:
        case kv.Get(), kv.ValueWithPredicate():
            return f'"ok":{_json({"value": _b64(reply.value), "predicate": _b64(reply.predicate)})}'
        case kv.ScanBatch(), kv.Batch():
            entries = [{"key": _b64(entry.key), "value": _b64(entry.value)} for entry in reply.entries]
            return f'"ok":{_json({"entries": entries, "more": reply.more})}'
        case objects.GetObject(), bytes():
            return f'"ok":{_json({"content": _b64(reply)})}'
        case objects.HeadObject(), objects.Head():
            return f'"ok":{_json(_head(reply))}'
        case objects.ListObjects(), objects.Page():
            return f'"ok":{_json({"heads": [_head(head) for head in reply.heads], "more": reply.more})}'
        case Now(), int():  # microseconds since 1970
            return f'"ok":{{"now":{reply}}}'
        # Before this every read has had its type: None to a read is no answer of a store.
        case _, None if not isinstance(effect, _READS):
            return '"ok":{}'
    raise Unfit(f"{type(reply).__name__} to {type(effect).__name__}")


_READS: Final = (kv.Get, kv.ScanBatch, objects.GetObject, objects.HeadObject, objects.ListObjects, Now)


def _head(head: objects.Head) -> dict[str, object]:
    return {
        "address": head.address,
        "size_bytes": head.size_bytes,
        "etag": head.etag,
        "last_modified": head.last_modified,
        "metadata": dict(head.metadata),
        "metageneration": head.metageneration,
        "version": head.version,
    }


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _b64(value: bytes) -> str:
    return b64encode(value).decode("ascii")
