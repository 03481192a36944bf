"""The protocol ``exec:``, version 1: operations and answers as lines of JSON. See docs/targets.md.

Keys, values and partitions are in Base64 (RFC 4648, section 4, with padding). A predicate token is whatever JSON value
``get`` gave with the value, null excepted; here it is its JSON text, as bytes.
"""

import binascii
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Final, assert_never, cast

import attrs

from lakeproof.impl.printable import printable
from lakeproof.impl.stores.base import Answer
from lakeproof.model import kv
from lakeproof.plain_json import decode
from lakeproof.words import reason

LINE_MAX: Final = 16 << 20
"""Bytes of a line; a longer one is nonsense, and is not read to its end."""
_SHOWN: Final = 120
_WORDS_MAX: Final = 300


class Nonsense(ValueError):
    """A line, or an answer, that the protocol does not know. Names what was there and what was expected."""


@attrs.frozen
class Reply:
    """A line of an implementation: the request that it answers, and one of the two things that it says of it."""

    id: int
    ok: Mapping[str, object] | None
    error: Mapping[str, object] | None
    line: bytes = attrs.field(default=b"", eq=False)


# An error that an operation cannot have is nonsense, not a verdict: a delete that answers not_found has no meaning in
# the contract.
_POSSIBLE: Final[Mapping[type[kv.Op], frozenset[str]]] = {
    kv.Get: frozenset(kv.ERRORS) - {"predicate_failed", "missing_value"},
    kv.Set: frozenset(kv.ERRORS) - {"predicate_failed", "not_found"},
    kv.SetIf: frozenset(kv.ERRORS) - {"not_found"},
    kv.Delete: frozenset(kv.ERRORS) - {"predicate_failed", "not_found", "missing_value"},
    kv.ScanBatch: frozenset(kv.ERRORS) - {"predicate_failed", "not_found", "missing_key", "missing_value"},
}


def request(number: int, op: kv.Op) -> bytes:
    """The line of an operation.

    Raises kv.Refused for what the protocol cannot say: a predicate that ``get`` did not give, or `kv.DeleteIf`.
    """
    fields: dict[str, object] = {"id": number, "op": _NAMES[type(op)], "partition": _b64(op.partition)}
    match op:
        case kv.Get(_, key) | kv.Delete(_, key):
            fields |= {"key": _b64(key)}
        case kv.Set(_, key, value):
            fields |= {"key": _b64(key), "value": _b64(value)}
        case kv.SetIf(_, key, value, predicate):
            fields |= {"key": _b64(key), "value": _b64(value), "predicate": _predicate(predicate)}
        case kv.ScanBatch(_, start, batch_size):
            fields |= {"start": _b64(start), "limit": batch_size}
        case kv.DeleteIf():
            raise kv.Refused(f"{op!r}: the protocol has no such operation; use its five")
        case _:
            assert_never(op)
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


_NAMES: Final[Mapping[type, str]] = {
    kv.Get: "get",
    kv.Set: "set",
    kv.SetIf: "set_if",
    kv.Delete: "delete",
    kv.DeleteIf: "delete_if",
    kv.ScanBatch: "scan",
}


def _b64(value: bytes | None) -> str | None:
    return None if value is None else b64encode(value).decode("ascii")


def _predicate(predicate: kv.Predicate) -> object:
    if predicate is None:
        return None
    if isinstance(predicate, kv.Presence):
        return {"exists": True}
    try:
        return {"value": json.loads(predicate)}  # back from the JSON text that `_token` made of it
    except (ValueError, RecursionError) as error:
        raise kv.Refused(f"predicate {predicate!r}: no token that get gave ({error})") from error


def parse(line: bytes) -> Reply:
    """A line of an implementation. Raises Nonsense."""
    if len(line) > LINE_MAX:
        raise Nonsense(f"a line of more than {LINE_MAX:,} bytes; expected one answer")
    try:
        fields = decode(line.decode())
    except RecursionError:
        raise Nonsense(f"{_shorten(line)}: nested too deeply; expected one answer") from None
    except ValueError as error:
        raise Nonsense(f"{_shorten(line)} is no JSON ({reason(error)}); expected one object a line") from error
    if type(fields) is not dict or type(fields.get("id")) is not int:  # not isinstance: true is an int, too
        raise Nonsense(f'{_shorten(line)}: expected an object with "id", the number of a request')
    ok, error_ = fields.get("ok"), fields.get("error")
    # Both or neither: `answer` rejects it with the request that it belongs to, which is known, other than for a line
    # without an id.
    if (ok is None) is (error_ is None):
        return Reply(fields["id"], None, None, line)
    return Reply(fields["id"], ok if type(ok) is dict else None, error_ if type(error_) is dict else None, line)


def answer(op: kv.Op, reply: Reply) -> Answer:
    """What a reply says of the operation. Raises the error that it says, or Nonsense."""
    if reply.error is not None:
        raise _error(op, reply.error)
    if reply.ok is None:
        raise Nonsense(f'expected either "ok" or "error", an object, and got {_shorten(reply.line)}')
    if isinstance(op, kv.Get):
        # Null in a set_if means *must be absent*, so it cannot also be a token.
        if reply.ok.get("predicate") is None:
            raise Nonsense('the answer of get has no "predicate"; expected a token, not null')
        return kv.ValueWithPredicate(_bytes(reply.ok, "value"), _token(reply.ok["predicate"]))
    if isinstance(op, kv.ScanBatch):
        return _batch(op, reply.ok)
    return None


def _token(given: object) -> bytes:
    try:
        return json.dumps(given).encode()
    except RecursionError:
        raise Nonsense('"predicate" is nested too deeply; expected a token') from None


def _error(op: kv.Op, fields: Mapping[str, object]) -> kv.KVError:
    kind, message = fields.get("kind"), fields.get("message", "")
    if type(kind) is not str or kind not in kv.ERRORS:
        raise Nonsense(f"error of kind {_shorten(kind)}; expected one of {', '.join(kv.ERRORS)}")
    if kind not in _POSSIBLE[type(op)]:
        raise Nonsense(f"{_NAMES[type(op)]} answered {kind}; expected one of {', '.join(sorted(_POSSIBLE[type(op)]))}")
    return kv.ERRORS[kind](_words(message) if type(message) is str else "")


def _words(message: str) -> str:
    """A message for people, on one line that any terminal shows."""
    words = printable(" ".join(message[: 4 * _WORDS_MAX].split()))  # cut first: a line may have megabytes
    return words if len(words) <= _WORDS_MAX else f"{words[:_WORDS_MAX]}..."


def _batch(op: kv.ScanBatch, fields: Mapping[str, object]) -> kv.Batch:
    entries = fields.get("entries")
    if type(entries) is not list:
        raise Nonsense(f'the answer of scan has "entries" {_shorten(entries)}; expected a list')
    if op.batch_size and len(entries) > op.batch_size:  # 0: no limit
        raise Nonsense(f"scan with limit {op.batch_size} answered {len(entries)} entries; expected no more")
    found = []
    for entry in entries:
        if type(entry) is not dict:
            raise Nonsense(f'entry {_shorten(entry)}; expected {{"key": BASE64, "value": BASE64}}')
        found.append(kv.Entry(_bytes(entry, "key"), _bytes(entry, "value")))
    # The protocol does not say whether there is more. A full batch may be followed by others, a shorter one is the
    # last.
    return kv.Batch(tuple(found), more=0 < op.batch_size == len(found))


def _bytes(fields: Mapping[str, object], name: str) -> bytes:
    text = fields.get(name)
    try:
        return b64decode(cast("str", text), validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise Nonsense(f'"{name}": {_shorten(text)}; expected Base64') from error


def _shorten(value: object) -> str:
    if isinstance(value, bytes | str) and len(value) > _SHOWN:
        return f"{value[:_SHOWN]!r}..."
    try:
        text = repr(value)
    except RecursionError:
        return "something nested too deeply"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
