"""Whether an effect is one that every store understands: addresses and values of exactly the types of the contract.

A store takes bytes; what else a flow hands over (an integer, text, a bytearray that changes later) fails in one store
and passes in another. So each driver refuses it, with an error that is raised in the flow, where it asks for the
effect. What is left is distinguished by ``==``: equal effects, and the replies to them, have the same type and bits.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, cast

import attrs

from lakeproof.impl.effects import Deadline, Expiry, Local, Sleep
from lakeproof.impl.printable import safe_repr
from lakeproof.model import channels, kv, objects, watches

_REPAIR: Final[Mapping[str, str]] = {
    "bytes": "encode it",
    "str": "decode it",
    "int": "give a whole number of at most 63 bits",
    "bool": "give True or False",
    "pairs of str": "give a tuple of pairs such as (('state', 'open'),)",
    "bytes, None or EXISTS": "give the predicate that get returned, None, or EXISTS",
    "(partition, key, predicate) each": "give tuples such as (b'p', b'k', None)",
    "(partition, key, value or None) each": "give tuples such as (b'p', b'k', b'v')",
}


def exact(effect: object) -> object:
    """The effect, with subclasses of the contract's types (an enumeration of texts, say) turned into those types.

    Raises:
        TypeError: a field has another type; names the field, what was found, what was expected, and the repair.
    """
    changed = {}
    for field, kind, usual, optional in _CHECKS.get(type(effect), ()):
        value = getattr(effect, field)
        if type(value) is usual or (optional and value is None):  # the common case by far, without a call
            continue
        taken = _EXACT[kind](value)
        if taken is _WRONG:
            raise TypeError(
                f"{type(effect).__name__}: {field} is {_short_repr(value)}: expected {kind}, found "
                f"{type(value).__name__}; {_REPAIR[kind]}"
            )
        # The same object where nothing had to change: an effect is made once, and compared often.
        if taken is not value:
            changed[field] = taken
    return attrs.evolve(effect, **changed) if changed else effect  # type: ignore[misc]  # effects are attrs classes


class _Defect(Enum):
    WRONG = 0


_WRONG: Final = _Defect.WRONG


def _bytes(value: object) -> object:
    if type(value) is bytes:
        return value
    # By the methods of the type itself: a subclass may have its own, and would run here.
    return bytes.__getitem__(value, slice(None)) if isinstance(value, bytes) else _WRONG


def _text(value: object) -> object:
    if type(value) is str:
        return value
    return str.__str__(value) if isinstance(value, str) else _WRONG


def _whole(value: object) -> object:
    # In Python True is 1, so a flag would pass for a number. 63 bits and a sign fit in 64 bits of any store and
    # language.
    if not isinstance(value, int) or isinstance(value, bool) or value.bit_length() > 63:
        return _WRONG
    return value if type(value) is int else int.__int__(value)


def _bytes_or_none(value: object) -> object:
    return None if value is None else _bytes(value)


def _predicate(value: object) -> object:
    return value if value is None or isinstance(value, kv.Presence) else _bytes(value)


def _pairs(value: object) -> object:
    if not isinstance(value, tuple):
        return _WRONG
    for pair in cast("tuple[object, ...]", value):
        # Exactly these types: what is equal but of another type would be another effect.
        if type(pair) is not tuple or len(pair) != 2 or any(type(part) is not str for part in pair):
            return _WRONG
    return value if type(value) is tuple else tuple(cast("tuple[object, ...]", value))


def _triples(value: object, last: Callable[[object], object]) -> object:
    if type(value) is not tuple:
        return _WRONG
    taken = []
    for one in cast("tuple[object, ...]", value):
        if type(one) is not tuple or len(one) != 3:
            return _WRONG
        parts = (_bytes(one[0]), _bytes(one[1]), last(one[2]))
        if _WRONG in parts:
            return _WRONG
        taken.append(one if all(new is old for new, old in zip(parts, one, strict=True)) else parts)
    return value if all(new is old for new, old in zip(taken, value, strict=True)) else tuple(taken)


_EXACT: Final[Mapping[str, Callable[[object], object]]] = {
    "bytes": _bytes,
    "str": _text,
    "int": _whole,
    "bool": lambda value: value if isinstance(value, bool) else _WRONG,
    "pairs of str": _pairs,
    "bytes, None or EXISTS": _predicate,
    "an operation": exact,
    "(partition, key, predicate) each": lambda value: _triples(value, _predicate),
    "(partition, key, value or None) each": lambda value: _triples(value, _bytes_or_none),
}

_KEY: Final = {"partition": "bytes", "key": "bytes"}
_METADATA: Final = "pairs of str"
_WATCH: Final = {"partition": "bytes", "prefix": "bytes"}

_FIELDS: Final[Mapping[type, Mapping[str, str]]] = {
    Sleep: {"microseconds": "int"},
    Deadline: {"microseconds": "int"},
    Expiry: {"microseconds": "int"},
    channels.Send: {"channel": "str", "message": "bytes", "capacity": "int?"},
    channels.Receive: {"channel": "str"},
    channels.TryReceive: {"channel": "str"},
    watches.StartWatch: _WATCH,
    watches.NextChanges: _WATCH,
    watches.EndWatch: _WATCH,
    kv.Get: _KEY,
    kv.Set: {**_KEY, "value": "bytes?"},  # None is the contract's own error: MissingValue
    kv.SetIf: {**_KEY, "value": "bytes?", "predicate": "bytes, None or EXISTS"},
    kv.ExpiringSet: {**_KEY, "value": "bytes?", "ttl": "int"},
    kv.ExpiringSetIf: {**_KEY, "value": "bytes?", "predicate": "bytes, None or EXISTS", "ttl": "int"},
    kv.Delete: _KEY,
    kv.DeleteIf: {**_KEY, "predicate": "bytes"},
    kv.Transact: {"checks": "(partition, key, predicate) each", "writes": "(partition, key, value or None) each"},
    kv.ScanBatch: {"partition": "bytes", "start": "bytes", "batch_size": "int"},
    objects.Put: {
        "address": "str",
        "content": "bytes",
        "metadata": _METADATA,
        "if_absent": "bool",
        "if_match": "str?",
        "not_after": "int?",
    },
    objects.GetObject: {"address": "str"},
    objects.HeadObject: {"address": "str"},
    objects.Copy: {
        "source": "str",
        "destination": "str",
        "metadata": f"{_METADATA}?",
        "if_match": "str?",
        "not_after": "int?",
        "if_absent": "bool",
        "if_destination_match": "str?",
    },
    objects.SetMetadata: {"address": "str", "metadata": _METADATA, "if_metageneration": "int?", "if_version": "str?"},
    objects.DeleteObject: {"address": "str", "if_match": "str?"},
    objects.ListObjects: {"prefix": "str", "after": "str", "page_size": "int"},
    Local: {"op": "an operation"},
}
"""Of each effect, what its fields must be; with a question mark: or None."""

_USUAL: Final[Mapping[str, type]] = {"bytes": bytes, "str": str, "bool": bool, "bytes, None or EXISTS": bytes}
"""A value of this very type is right as it is."""


_CHECKS: Final[Mapping[type, tuple[tuple[str, str, type | None, bool], ...]]] = {
    effect: tuple(
        (field, kind.removesuffix("?"), _USUAL.get(kind.removesuffix("?")), kind.endswith("?"))
        for field, kind in fields.items()
    )
    for effect, fields in _FIELDS.items()
}
"""The same, as `exact` goes through it: the field, what it must be, the type that needs no closer look, whether it may
be None."""


def _short_repr(value: object) -> str:
    shown = safe_repr(value)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."
