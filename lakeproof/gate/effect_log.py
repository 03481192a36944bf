"""Logs of effects: the requests of clients to a key-value store, and its answers. JSON Lines, one effect a line.

    {"client": "c1", "effect": "get", "partition": "p", "key": "k", "reply": {"value": {"base64": "CgFy/w=="}}}
    {"client": "c1", "effect": "set_if", "partition": "p", "key": "k", "value": "1", "predicate": null, "reply": null}
    {"client": "c2", "effect": "scan", "partition": "p", "start": "k", "limit": 0, "reply": {"entries": [["k", "1"]]}}

Texts are UTF-8; other bytes are ``{"base64": ...}``. ``predicate``: null for *if absent*, true for *if present*,
else the value that must be there. ``reply``: null for success without content; a value; entries, with
``"more": true`` if the batch was cut; or one of the words of `WORDS`. ``limit`` 0: all. The lines of one client are in
the order of its requests; those of different clients may be in any order.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs

from lakeproof.files import write_whole
from lakeproof.model import kv
from lakeproof.words import Unusable

WORDS: Final[Mapping[str, type[kv.KVError]]] = {
    "not found": kv.NotFound,
    "predicate failed": kv.PredicateFailed,
    "refused": kv.Refused,
    "no answer": kv.OutcomeUnknown,
}
Op = kv.Get | kv.Set | kv.SetIf | kv.Delete | kv.ScanBatch
_KINDS: Final[Mapping[str, tuple[type[Op], tuple[str, ...]]]] = {
    "get": (kv.Get, ("partition", "key")),
    "set": (kv.Set, ("partition", "key", "value")),
    "set_if": (kv.SetIf, ("partition", "key", "value", "predicate")),
    "delete": (kv.Delete, ("partition", "key")),
    "scan": (kv.ScanBatch, ("partition", "start", "limit")),
}
"""Each effect with its fields in a line, in the order of the operation's own."""
_DEFAULTS: Final = {"start": "", "limit": 0}
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
        fields = json.loads(line)
        if not isinstance(fields, dict):
            raise ValueError(f"expected an object, found {line.strip()[:40]}")  # noqa: TRY004  # of JSON
        client, effect = fields.get("client"), fields.get("effect")
        if not isinstance(client, str) or not client:
            raise ValueError(f"client: expected a name, found {client!r}")
        if not isinstance(effect, str) or effect not in _KINDS:
            raise ValueError(f"effect: expected one of {', '.join(_KINDS)}, found {effect!r}")
        kind, names = _KINDS[effect]
        fields = _DEFAULTS | fields
        for name in (*names, "reply"):
            if name not in fields:
                raise ValueError(f"{effect}: the field {name!r} is missing")
        op = kind(*[_content(name, fields[name]) for name in names])  # type: ignore[arg-type]  # by name of the right type
        return Logged(number, client, op, _reply(effect, fields["reply"]))
    # From Base64, UTF-8 and JSON come kinds of ValueError; JSON that is nested too deeply gives the other one.
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{path}:{number}: {error}; a log of effects has one JSON object a line") from None


def _content(name: str, value: object) -> object:
    if name == "limit":
        # In Python true is a number, too.
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ValueError(f"limit: expected a number from 0 on, found {value!r}")
        return value
    if name == "predicate" and (value is None or value is True):
        return kv.EXISTS if value else None
    return _bytes(name, value)


def _reply(effect: str, reply: object) -> object:
    if isinstance(reply, str) and reply in WORDS:
        return WORDS[reply]()
    if effect == "get" and isinstance(reply, dict) and "value" in reply:
        value = _bytes("reply.value", reply["value"])
        return kv.ValueWithPredicate(value, value)  # the predicate of a value is the value: see `kv.ValueWithPredicate`
    if effect == "scan" and isinstance(reply, dict) and isinstance(reply.get("entries"), list):
        return kv.Batch(tuple(_entry(each) for each in reply["entries"]), reply.get("more") is True)
    if effect not in _READS and reply is None:
        return None
    wanted = {"get": '{"value": ...}', "scan": '{"entries": [...]}'}.get(effect, "null")
    raise ValueError(f"reply: expected {wanted}, or one of {', '.join(WORDS)}, found {reply!r}")


def _entry(value: object) -> kv.Entry:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"reply.entries: expected pairs of key and value, found {value!r}")
    return kv.Entry(_bytes("key", value[0]), _bytes("value", value[1]))


def _bytes(what: str, value: object) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "strict")
    if isinstance(value, dict) and isinstance(value.get("base64"), str):
        return base64.b64decode(value["base64"], validate=True)
    raise ValueError(f'{what}: expected a text or {{"base64": ...}}, found {value!r}')


def write(path: Path, effects: Iterable[tuple[str, Op, object]]) -> int:
    """Write a log: client, effect and reply of each. Returns their number."""
    lines = [json.dumps(_line_content(*each)) for each in effects]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, "".join(f"{line}\n" for line in lines))
    return len(lines)


def _line_content(client: str, op: Op, reply: object) -> dict[str, object]:
    effect, names = next((effect, names) for effect, (kind, names) in _KINDS.items() if kind is type(op))
    values = zip(names, attrs.astuple(op, recurse=False), strict=True)
    fields = {name: _content_text(value) for name, value in values}
    return {"client": client, "effect": effect, **fields, "reply": _answer(reply)}


def _answer(reply: object) -> object:
    match reply:
        case None:
            return None
        case kv.ValueWithPredicate(value, _):
            return {"value": _content_text(value)}
        case kv.Batch(entries, more):
            return {"entries": [[_content_text(each.key), _content_text(each.value)] for each in entries], "more": more}
        case _:
            # Other errors (a missing key, an interrupted scan) are definite and change nothing, as a refusal.
            return next((word for word, kind in WORDS.items() if isinstance(reply, kind)), "refused")


def _content_text(content: object) -> object:
    if not isinstance(content, bytes):
        return True if content is kv.EXISTS else content  # *if absent* is null; a limit stays
    try:
        return content.decode()
    except UnicodeDecodeError:
        # JSON has no bytes, and replacement characters could make two keys one.
        return {"base64": base64.b64encode(content).decode()}
