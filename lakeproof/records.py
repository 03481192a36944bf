"""Codecs: a scenario's own values to bytes and back, so that its invariants see values and stories stay readable.

A store holds bytes. With ``Scenario(records=JSON)`` the snapshots of its invariants have ``values``: what the bytes
stand for, by address. Flows encode with the same codec. Records of lakeFS' key schema are in ``store``, as always.
"""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, Protocol

import attrs

from lakeproof.model import kv
from lakeproof.model.invariants import (
    Always,
    AlwaysEventually,
    Eventually,
    Invariant,
    LeadsTo,
    Monitor,
    OnStep,
    Terminates,
)
from lakeproof.model.snapshot import Snapshot, Transition, Value

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    V = TypeVar("V", default=Value)
else:
    from typing import TypeVar

    V = TypeVar("V")

P = ParamSpec("P")
T = TypeVar("T")

_CACHE: Final = 1 << 16


class CodecError(Exception):
    """A codec does not decode what a scenario's store holds."""


class Codec(Protocol[V]):
    """How values of a type are stored. Hashable; deterministic both ways: predicates of ``set_if`` compare bytes."""

    def __hash__(self) -> int: ...

    def encode(self, value: V, /) -> bytes:
        """The bytes of a value. Raises ValueError or TypeError where there are none."""

    def decode(self, address: kv.Address, content: bytes, /) -> V:
        """The value of the bytes at a partition and key. Raises ValueError where they are none."""


AnyCodec = Codec[Any]  # type: ignore[explicit-any]  # as json.loads has it


@attrs.frozen
class _JSON:
    """JSON in UTF-8, keys in order, without spaces. Decoded lists are tuples, and objects cannot be changed."""

    def encode(self, value: Value) -> bytes:
        # Keys in order and no spaces: equal values have equal bytes, and predicates of ``set_if`` compare bytes.
        plain = json.dumps(value, default=_plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return plain.encode()

    def decode(self, address: kv.Address, content: bytes) -> Value:
        return _freeze_json(json.loads(content))


JSON: Final[AnyCodec] = _JSON()
"""The codec for most scenarios: numbers, texts, lists and objects, readable in every story."""


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} has no JSON: expected None, bool, int, float, str, a tuple or a mapping of these")


def _freeze_json(value: object) -> Value:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list():
            return tuple(map(_freeze_json, value))
        case dict():
            # A check that changed what it sees would change what later checks see: decoded values are shared
            # (`_value`).
            return MappingProxyType({str(key): _freeze_json(inner) for key, inner in value.items()})
    raise AssertionError(f"{value!r} came out of JSON")


def decoding(invariant: Invariant, codec: AnyCodec) -> Invariant:
    """The same invariant, over snapshots that show values. One that decodes already gets the new codec."""
    match invariant:
        case Always() | Eventually():
            return attrs.evolve(invariant, check=over_values(invariant.check, codec))
        case OnStep():
            return attrs.evolve(invariant, check=over_values(invariant.check, codec))
        case Monitor():
            # Its ``advance`` sees events, which have no stored bytes.
            at_end = invariant.at_end
            return invariant if at_end is None else attrs.evolve(invariant, at_end=over_values(at_end, codec))
        case LeadsTo():
            before, after = (over_values(each, codec) for each in (invariant.before, invariant.after))
            return attrs.evolve(invariant, before=before, after=after)
        case AlwaysEventually():
            return attrs.evolve(invariant, holds=over_values(invariant.holds, codec))
        # It looks at calls alone.
        case Terminates():
            return invariant


def over_values(check: Callable[P, T], codec: AnyCodec) -> Callable[P, T]:
    """The same check, or predicate, where it is given snapshots and transitions: over those that show values."""
    return _OverValues(check.check if isinstance(check, _OverValues) else check, codec)


@attrs.frozen
class _OverValues(Generic[P, T]):
    """A value, so that scenarios can be compared and sent to other processes."""

    check: Callable[P, T]
    codec: AnyCodec

    def __call__(self, *args: P.args, **_: P.kwargs) -> T:
        return self.check(*(self._decode(each) for each in args))  # type: ignore[call-arg, arg-type]

    def _decode(self, given: object) -> object:
        if isinstance(given, Transition):
            before, after = decode_snapshot(given.before, self.codec), decode_snapshot(given.after, self.codec)
            return attrs.evolve(given, before=before, after=after)
        return decode_snapshot(given, self.codec) if isinstance(given, Snapshot) else given


def decode_snapshot(snapshot: Snapshot, codec: AnyCodec) -> Snapshot:
    """A snapshot with ``values``. Cost: each pair of an address and bytes is decoded once.

    Raises CodecError: the codec does not decode what the store holds.
    """
    return snapshot.with_values(lambda address, content: _value(codec, address, content))


# The codec is a part of the key: another one makes other values of the same bytes.
@lru_cache(_CACHE)
def _value(codec: AnyCodec, address: kv.Address, content: bytes) -> Value:
    try:
        value: Value = codec.decode(address, content)
    # json.JSONDecodeError and UnicodeDecodeError are ValueErrors, too.
    except ValueError as error:
        raise CodecError(
            f"records: {content[:40]!r} at {address!r} does not decode ({error}); encode what the flows write with the "
            "same codec, or leave records= out"
        ) from error
    return value
