"""What a program says: its lines become values, or are refused. See `lakeproof.languages.protocol`.

Example: the second effect of flow 1 is due. Objects become tuples, since values must be hashable.

>>> line = b'{"flow": 1, "effect": 2, "op": "set", "partition": "cA==", "key": "bg==", "value": "NQ==", "at": "a.go:7"}'
>>> read_message(line, flow=1, number=2)
Asks(number=2, effect=Set(partition=b'p', key=b'n', value=b'5'), at='a.go:7', state=None)
>>> read_message(b'{"flow": 1, "returns": {"left": [3, null]}}', flow=1, number=2)
Returns(value=(('left', (3, None)),))
>>> read_message(b'{"flow": 1, "effect": 2, "op": "get", "partition": "cA==", "key": "n"}', flow=1, number=2)
Traceback (most recent call last):
    ...
lakeproof.languages.protocol.Nonsense: "key": 'n'; expected Base64
"""

import binascii
import json
import re
from base64 import b64decode
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Final, cast

from lakeproof.impl.effects import Effect, Now, Sleep
from lakeproof.impl.printable import printable, safe_repr
from lakeproof.languages.protocol import INT_BITS, VERSION, Asks, Message, Mints, Nonsense, Opens, Raises, Returns
from lakeproof.model import kv, objects
from lakeproof.plain_json import decode
from lakeproof.words import reason

_SHOWN: Final = 120  # characters of a value in a message
_WORDS_MAX: Final = 300
_MINT: Final = "unique"
_TASK: Final = re.compile(r"[1-9][0-9]{0,5}(\.[1-9][0-9]{0,5}){0,20}")  # numbers of children: 2.1
_PLACE: Final = re.compile(r"[^\x00-\x1f]{1,200}:[0-9]{1,9}")  # FILE:LINE, on one line of a report


def read_greeting(line: bytes) -> bool:
    """A program's first line: whether it takes one flow after the other. Raises Nonsense, also for another version."""
    body = _object(line)
    if body.get("protocol") != "flow:" or type(body.get("version")) is not int:  # true is an int, and no version
        raise Nonsense(
            f'{_shorten_value(line)}: expected {{"protocol": "flow:", "version": {VERSION}}} as its first line'
        )
    if body["version"] != VERSION:
        raise Nonsense(f"version {body['version']} of the protocol flow:; expected {VERSION}: use that adapter")
    resets = body.get("resets", True)  # most do, so it may be left out
    if type(resets) is not bool:
        raise Nonsense(f'"resets" is {_shorten_value(resets)}; expected true or false')
    return resets


def read_acknowledgement(line: bytes, number: int) -> None:
    """Raises Nonsense: it does not say that this flow was dropped."""
    if _object(line).get("reset") != number:
        raise Nonsense(f'{_shorten_value(line)}: expected {{"reset": {number}}}: flow {number} is over')


def read_message(line: bytes, flow: int, number: int) -> Message:
    """What a flow does next. number: that of its next effect.

    Raises:
        Nonsense: it is no line of the protocol, or comes from another flow, or out of turn.
    """
    try:
        return _read_body(line, _object(line), flow, number)
    # The reader of JSON goes deeper than what makes values of it.
    except RecursionError:
        raise _nested_too_deeply(line) from None


def _read_body(line: bytes, body: Mapping[str, object], flow: int, number: int) -> Message:
    if body.get("flow") != flow:
        raise Nonsense(
            f'{_shorten_value(line)}: expected "flow": {flow}; an earlier flow must be silent after its reset'
        )
    # A wrong place is refused in each kind of line, also in those of which it is not shown.
    at = _place(body)
    if "op" in body:
        return _read_request(line, body, number)
    if "opens" in body:
        return _opens(line, body["opens"], number)
    if ("returns" in body) is ("raises" in body):  # both, or neither
        raise Nonsense(f'{_shorten_value(line)}: expected one of "op", "opens", "returns" and "raises"')
    if "returns" in body:
        return Returns(_freeze_value(body["returns"]))
    raised = body["raises"]
    if type(raised) is not dict:
        raise Nonsense(f'"raises" is {_shorten_value(raised)}; expected {{"kind": TEXT, "definite": true}}')
    definite = raised.get("definite")
    if definite is not None and type(definite) is not bool:
        raise Nonsense(
            f'"definite" is {_shorten_value(definite)}; expected true, false, or null for a mistake in the flow'
        )
    message = _text(raised, "message") if "message" in raised else ""
    return Raises(_text(raised, "kind"), definite, message[:_WORDS_MAX], at)


def _read_request(line: bytes, body: Mapping[str, object], number: int) -> Asks | Mints:
    at = _place(body)
    if body.get("effect") != number:
        raise Nonsense(
            f'{_shorten_value(line)}: expected "effect": {number}; ask for one effect at a time, or use "opens"'
        )
    if body.get("op") == _MINT:
        return Mints(number, _text(body, "kind"), at)
    # One text for what is one value to JSON, and another one for 1, 1.0 and true.
    state = json.dumps(body["state"], sort_keys=True) if "state" in body else None
    return Asks(number, _effect(line, body), at, state)


def _opens(line: bytes, body: object, number: int) -> Opens:
    """Effects of several tasks. Raises Nonsense, also for one task with two of them."""
    if type(body) is not list or any(type(each) is not dict for each in body):
        raise Nonsense(f'"opens" is {_shorten_value(body)}; expected a list of effects')
    found: list[tuple[str, Asks | Mints]] = []
    for at, each in enumerate(cast("list[dict[str, object]]", body)):
        task = _text(each, "task")
        if task and not _TASK.fullmatch(task):
            raise Nonsense(f'"task": {_shorten_value(task)}; expected a path such as "2.1", or "" for the main task')
        if task in dict(found):
            raise Nonsense(f"{_shorten_value(line)}: task {task!r} asks for two effects; expected one for each task")
        found.append((task, _read_request(line, each, number + at)))  # they count on within the line
    return Opens(tuple(found))


def _object(line: bytes) -> dict[str, object]:
    try:
        body = decode(line.decode())
    except RecursionError:
        raise _nested_too_deeply(line) from None
    except ValueError as error:
        raise Nonsense(f"{_shorten_value(line)} is no JSON ({reason(error)}); expected one object a line") from error
    if type(body) is not dict:
        raise Nonsense(f"{_shorten_value(line)}: expected one object a line")
    return cast("dict[str, object]", body)


def _nested_too_deeply(line: bytes) -> Nonsense:
    return Nonsense(f"{_shorten_value(line)}: nested too deeply; expected one object a line")


_Parser = Callable[[Mapping[str, object], str], object]


def _effect(line: bytes, body: Mapping[str, object]) -> Effect:
    op = body.get("op")
    known = _EFFECTS.get(op) if isinstance(op, str) else None
    if known is None:
        raise Nonsense(
            f"{_shorten_value(line)}: effect {_shorten_value(op)}; expected one of {', '.join(_EFFECTS)}, {_MINT}"
        )
    kind, fields = known
    # A condition with a misspelt name would be a write without one.
    names = [name for name, _ in fields]
    if strange := sorted(body.keys() - _OF_ANY_EFFECT - set(names)):
        has = ", ".join(names) or "none"
        raise Nonsense(f"{_shorten_value(line)}: field {_shorten_value(strange[0])}; {op} has {has}")
    return kind(*(parse(body, name) for name, parse in fields))


def _text(body: Mapping[str, object], name: str) -> str:
    found = body.get(name)
    # JSON can write half of a surrogate pair, which no later line of ours could carry.
    if type(found) is not str or any("\ud800" <= one <= "\udfff" for one in found):
        raise Nonsense(f'"{name}": {_shorten_value(found)}; expected text that has a UTF-8')
    return found


def _optional_text(body: Mapping[str, object], name: str) -> str | None:
    return None if body.get(name) is None else _text(body, name)


def _place(body: Mapping[str, object]) -> str:
    if "at" not in body:
        return ""
    at = _text(body, "at")
    if not _PLACE.fullmatch(at):
        raise Nonsense(f'"at": {_shorten_value(at)}; expected FILE:LINE, or nothing')
    return at


def _text_or_empty(body: Mapping[str, object], name: str) -> str:
    return _text(body, name) if name in body else ""


def _bytes(body: Mapping[str, object], name: str) -> bytes:
    found = body.get(name)
    try:
        return b64decode(cast("str", found), validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise Nonsense(f'"{name}": {_shorten_value(found)}; expected Base64') from error


def _start(body: Mapping[str, object], name: str) -> bytes:
    return _bytes(body, name) if name in body else b""


def _value(body: Mapping[str, object], name: str) -> bytes:
    # None is an error of the caller's, which the store answers: MissingValue.
    return cast("bytes", None) if name in body and body[name] is None else _bytes(body, name)


def _predicate(body: Mapping[str, object], name: str) -> kv.Predicate:
    found = body.get(name)
    if found is None and name in body:  # null, and not left out
        return None
    if type(found) is dict and found == {"exists": True}:
        return kv.EXISTS
    if type(found) is dict and found.keys() == {"value"}:
        return _bytes(found, "value")
    raise Nonsense(
        f'"{name}": {_shorten_value(found)}; expected null, {{"exists": true}}, or {{"value": what get returned}}'
    )


def _token(body: Mapping[str, object], name: str) -> bytes:
    found = _predicate(body, name)
    if not isinstance(found, bytes):
        raise Nonsense(f'"{name}": {_shorten_value(body.get(name))}; expected {{"value": what get returned}}')
    return found


def _number(body: Mapping[str, object], name: str) -> int:
    found = body.get(name, 0)  # left out: 0
    if type(found) is not int or found.bit_length() > INT_BITS:
        raise Nonsense(f'"{name}": {_shorten_value(found)}; expected a whole number of at most 63 bits')
    return found


def _size(body: Mapping[str, object], name: str) -> int:
    found = _number(body, name)
    if found < 0:
        raise Nonsense(f'"{name}": {found}; expected 0 (all) or more')
    return found


def _optional_number(body: Mapping[str, object], name: str) -> int | None:
    return None if body.get(name) is None else _number(body, name)


def _flag(body: Mapping[str, object], name: str) -> bool:
    found = body.get(name, False)
    if type(found) is not bool:
        raise Nonsense(f'"{name}": {_shorten_value(found)}; expected true or false')
    return found


def _metadata(body: Mapping[str, object], name: str) -> objects.Metadata:
    found = body.get(name, {})
    if type(found) is not dict or not all(type(value) is str for value in found.values()):
        raise Nonsense(f'"{name}": {_shorten_value(found)}; expected an object of texts')
    return tuple(sorted(cast("dict[str, str]", found).items()))


def _optional_metadata(body: Mapping[str, object], name: str) -> objects.Metadata | None:
    return None if body.get(name) is None else _metadata(body, name)


_OF_ANY_EFFECT: Final = frozenset({"flow", "effect", "op", "at", "state", "task"})
_AT: Final[tuple[tuple[str, _Parser], ...]] = (("partition", _bytes), ("key", _bytes))

_EFFECTS: Final[Mapping[str, tuple[Callable[..., Effect], tuple[tuple[str, _Parser], ...]]]] = {  # type: ignore[explicit-any]
    "get": (kv.Get, _AT),
    "set": (kv.Set, (*_AT, ("value", _value))),
    "set_if": (kv.SetIf, (*_AT, ("value", _value), ("predicate", _predicate))),
    "delete": (kv.Delete, _AT),
    "delete_if": (kv.DeleteIf, (*_AT, ("predicate", _token))),
    "scan": (kv.ScanBatch, (("partition", _bytes), ("start", _start), ("limit", _size))),
    "now": (Now, ()),
    "sleep": (partial(Sleep, ""), (("microseconds", _number),)),
    "put_object": (
        objects.Put,
        (
            ("address", _text),
            ("content", _bytes),
            ("metadata", _metadata),
            ("if_absent", _flag),
            ("if_match", _optional_text),
            ("not_after", _optional_number),
        ),
    ),
    "get_object": (objects.GetObject, (("address", _text),)),
    "head_object": (objects.HeadObject, (("address", _text),)),
    "copy_object": (
        objects.Copy,
        (
            ("source", _text),
            ("destination", _text),
            ("metadata", _optional_metadata),
            ("if_match", _optional_text),
            ("not_after", _optional_number),
            ("if_absent", _flag),
            ("if_destination_match", _optional_text),
        ),
    ),
    "set_metadata": (
        objects.SetMetadata,
        (
            ("address", _text),
            ("metadata", _metadata),
            ("if_metageneration", _optional_number),
            ("if_version", _optional_text),
        ),
    ),
    "delete_object": (objects.DeleteObject, (("address", _text), ("if_match", _optional_text))),
    "list_objects": (
        objects.ListObjects,
        (("prefix", _text_or_empty), ("after", _text_or_empty), ("limit", _size)),
    ),
}
"""By name: the effect, and how its fields are read, in order."""


def _freeze_value(value: object) -> Hashable:
    match value:
        case list():
            return tuple(_freeze_value(part) for part in cast("list[object]", value))
        case dict():
            # JSON's order of names means nothing.
            return tuple((name, _freeze_value(part)) for name, part in sorted(cast("dict[str, object]", value).items()))
    return value


def _shorten_value(value: object) -> str:
    if isinstance(value, bytes | str) and len(value) > _SHOWN:
        return f"{value[:_SHOWN]!r}..."
    text = printable(safe_repr(value))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
