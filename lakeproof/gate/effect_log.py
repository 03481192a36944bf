"""Logs of effects: what clients have asked of a key-value store, and what it answered. JSON Lines, one effect a line.

    {"client": "c1", "effect": "get", "partition": "p", "key": "k", "reply": {"value": {"base64": "CgFy/w=="}}}
    {"client": "c1", "effect": "set_if", "partition": "p", "key": "k", "value": "1", "predicate": null, "reply": null}
    {"client": "c2", "effect": "scan", "partition": "p", "start": "k", "limit": 0, "reply": {"entries": [["k", "1"]]}}

Texts are UTF-8; other bytes are ``{"base64": ...}``. ``predicate``: null for *if absent*, true for *if present*,
else the value that must be there. ``reply``: null for success without content; a value; entries, with
``"more": true`` if the batch was cut; or one of the words of `WORDS`. ``limit`` 0: all. The lines of one client are in
the order in which it asked; those of different clients may be in any order.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs

from lakeproof.model import kv
from lakeproof.words import Unusable

WORDS: Final[Mapping[str, type[kv.KVError]]] = {
    "not found": kv.NotFound,
    "predicate failed": kv.PredicateFailed,
    "refused": kv.Refused,
    "no answer": kv.OutcomeUnknown,
}
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "get": ("partition", "key"),
    "set": ("partition", "key", "value"),
    "set_if": ("partition", "key", "value", "predicate"),
    "delete": ("partition", "key"),
    "scan": ("partition",),
}
Op = kv.Get | kv.Set | kv.SetIf | kv.Delete | kv.ScanBatch
_NAMES: Final = {kv.Get: "get", kv.Set: "set", kv.SetIf: "set_if", kv.Delete: "delete", kv.ScanBatch: "scan"}
_READS: Final = ("get", "scan")


@attrs.frozen
class Logged:
    """One effect. line: its number in the file, from 1."""

    line: int
    client: str
    op: Op
    reply: object


def read(path: Path) -> Iterator[Logged]:
    """The effects of a log, in the order of its lines. Blank lines are skipped.

    Raises Unusable: a line is none; it names the line, what was expected and what was found.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _parse_line(line, number, path)
    except OSError as error:
        raise Unusable(f"{path}: cannot be read: {error.strerror}; name a log of effects") from None
    except UnicodeDecodeError as error:
        raise Unusable(f"{path}: byte {error.start}: not UTF-8, so no log of effects") from None


def _parse_line(line: str, number: int, path: Path) -> Logged:
    try:
        told = json.loads(line)
        if not isinstance(told, dict):
            raise ValueError(f"expected an object, found {line.strip()[:40]}")  # noqa: TRY004  # of JSON
        client, effect = told.get("client"), told.get("effect")
        if not isinstance(client, str) or not client:
            raise ValueError(f"client: expected a name, found {client!r}")
        if not isinstance(effect, str) or effect not in _FIELDS:
            raise ValueError(f"effect: expected one of {', '.join(_FIELDS)}, found {effect!r}")
        for name in (*_FIELDS[effect], "reply"):
            if name not in told:
                raise ValueError(f"{effect}: the field {name!r} is missing")
        return Logged(number, client, _op(effect, told), _reply(effect, told["reply"]))
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{path}:{number}: {error}; a log of effects has one JSON object a line") from None


def _op(effect: str, told: Mapping[str, object]) -> Op:
    partition = _bytes("partition", told["partition"])
    if effect == "scan":
        limit = told.get("limit", 0)
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
            raise ValueError(f"limit: expected a number from 0 on, found {limit!r}")
        return kv.ScanBatch(partition, _bytes("start", told.get("start", "")), limit)
    key = _bytes("key", told["key"])
    match effect:
        case "get":
            return kv.Get(partition, key)
        case "delete":
            return kv.Delete(partition, key)
        case "set":
            return kv.Set(partition, key, _bytes("value", told["value"]))
        case _:
            asked = told["predicate"]
            predicate = None if asked is None else kv.EXISTS if asked is True else _bytes("predicate", asked)
            return kv.SetIf(partition, key, _bytes("value", told["value"]), predicate)


def _reply(effect: str, told: object) -> object:
    if isinstance(told, str) and told in WORDS:
        return WORDS[told]()
    if effect == "get" and isinstance(told, dict) and "value" in told:
        value = _bytes("reply.value", told["value"])
        return kv.ValueWithPredicate(value, value)
    if effect == "scan" and isinstance(told, dict) and isinstance(told.get("entries"), list):
        return kv.Batch(tuple(_entry(each) for each in told["entries"]), told.get("more") is True)
    if effect not in _READS and told is None:
        return None
    wanted = {"get": '{"value": ...}', "scan": '{"entries": [...]}'}.get(effect, "null")
    raise ValueError(f"reply: expected {wanted}, or one of {', '.join(WORDS)}, found {told!r}")


def _entry(told: object) -> kv.Entry:
    if not isinstance(told, list) or len(told) != 2:
        raise ValueError(f"reply.entries: expected pairs of key and value, found {told!r}")
    return kv.Entry(_bytes("key", told[0]), _bytes("value", told[1]))


def _bytes(what: str, told: object) -> bytes:
    if isinstance(told, str):
        return told.encode("utf-8", "strict")
    if isinstance(told, dict) and isinstance(told.get("base64"), str):
        return base64.b64decode(told["base64"], validate=True)
    raise ValueError(f'{what}: expected a text or {{"base64": ...}}, found {told!r}')


def write(path: Path, effects: Iterable[tuple[str, Op, object]]) -> int:
    """Write a log: client, effect and reply of each. Returns their number."""
    lines = [json.dumps(_line_content(*each)) for each in effects]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return len(lines)


def _line_content(client: str, op: Op, reply: object) -> dict[str, object]:
    told: dict[str, object] = {"client": client, "effect": _NAMES[type(op)], "partition": _content_text(op.partition)}
    if isinstance(op, kv.ScanBatch):
        told |= {"start": _content_text(op.start), "limit": op.batch_size}
    else:
        told["key"] = _content_text(op.key)
    if isinstance(op, kv.Set | kv.SetIf):
        told["value"] = _content_text(op.value)
    if isinstance(op, kv.SetIf):
        told["predicate"] = (
            _content_text(op.predicate) if isinstance(op.predicate, bytes) else op.predicate is kv.EXISTS or None
        )
    return told | {"reply": _answer(reply)}


def _answer(reply: object) -> object:
    match reply:
        case None:
            return None
        case kv.ValueWithPredicate(value, _):
            return {"value": _content_text(value)}
        case kv.Batch(entries, more):
            return {"entries": [[_content_text(each.key), _content_text(each.value)] for each in entries], "more": more}
        case _:
            return next((word for word, kind in WORDS.items() if isinstance(reply, kind)), "refused")


def _content_text(content: bytes) -> object:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}
