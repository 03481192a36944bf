"""Codecs: a scenario's own values to bytes and back, so that its invariants see values and stories stay readable.

A store holds bytes. With ``Scenario(records=JSON)`` the snapshots of its invariants have ``values``: what the bytes
stand for, by address. Flows encode with the same codec. Records of lakeFS' key schema are in ``store``, as always.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

import attrs

from lakeproof.model import kv
from lakeproof.model.invariants import (
    Always,
    AlwaysEventually,
    Eventually,
    Finding,
    Invariant,
    LeadsTo,
    Monitor,
    OnStep,
    Predicate,
    Terminates,
)
from lakeproof.model.snapshot import AnySnapshot, AnyTransition, Outcome, Snapshot, Transition, Value

OutcomesCheck = Callable[[tuple[Outcome, ...], AnySnapshot], Sequence[Finding]]

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    V = TypeVar("V", default=Value)
else:
    from typing import TypeVar

    V = TypeVar("V")

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
            of_state = invariant.check
            return attrs.evolve(
                invariant, check=_StateCodec(of_state.check if isinstance(of_state, _StateCodec) else of_state, codec)
            )
        case OnStep():
            of_step = invariant.check
            return attrs.evolve(
                invariant, check=_StepCodec(of_step.check if isinstance(of_step, _StepCodec) else of_step, codec)
            )
        case Monitor():
            at_end = invariant.at_end
            # Its ``advance`` sees events, which have no stored bytes.
            if at_end is None:
                return invariant
            return attrs.evolve(
                invariant, at_end=_EndCodec(at_end.check if isinstance(at_end, _EndCodec) else at_end, codec)
            )
        case LeadsTo():
            before, after = (_Predicate.of(each, codec) for each in (invariant.before, invariant.after))
            return attrs.evolve(invariant, before=before, after=after)
        case AlwaysEventually():
            return attrs.evolve(invariant, holds=_Predicate.of(invariant.holds, codec))
        # It looks at calls alone.
        case Terminates():
            return invariant


def decoding_outcomes(check: OutcomesCheck, codec: AnyCodec) -> OutcomesCheck:
    """The same check of an aftermath, over a snapshot that shows values."""
    return _Outcomes(check.check if isinstance(check, _Outcomes) else check, codec)


# Values, so that scenarios can be compared and sent to other processes.


@attrs.frozen
class _StateCodec:
    check: Callable[[AnySnapshot], Iterable[Finding]]
    codec: AnyCodec

    def __call__(self, snapshot: Snapshot) -> Iterable[Finding]:
        return self.check(decode_snapshot(snapshot, self.codec))


@attrs.frozen
class _Predicate:
    holds: Predicate
    codec: AnyCodec

    @classmethod
    def of(cls, predicate: Predicate, codec: AnyCodec) -> "_Predicate":
        return cls(predicate.holds if isinstance(predicate, _Predicate) else predicate, codec)

    def __call__(self, snapshot: Snapshot) -> bool:
        return self.holds(decode_snapshot(snapshot, self.codec))


@attrs.frozen
class _StepCodec:
    check: Callable[[AnyTransition], Iterable[Finding]]
    codec: AnyCodec

    def __call__(self, step: Transition) -> Iterable[Finding]:
        before, after = decode_snapshot(step.before, self.codec), decode_snapshot(step.after, self.codec)
        return self.check(attrs.evolve(step, before=before, after=after))


@attrs.frozen
class _EndCodec:
    check: Callable[[Hashable, AnySnapshot], Iterable[Finding]]
    codec: AnyCodec

    def __call__(self, state: Hashable, snapshot: Snapshot) -> Iterable[Finding]:
        return self.check(state, decode_snapshot(snapshot, self.codec))


@attrs.frozen
class _Outcomes:
    check: OutcomesCheck
    codec: AnyCodec

    def __call__(self, outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> Sequence[Finding]:
        return self.check(outcomes, decode_snapshot(snapshot, self.codec))


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
