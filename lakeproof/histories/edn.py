"""Values and events in EDN: Jepsen's and Knossos' histories, a map an event, and Porcupine's key-value files.

Values that were written apart stay apart: ``1``, ``1.0``, ``1M`` and ``"1"`` are four. What would be rounded, or is in
a map or set twice, is refused.

Example: a text is cut into pieces, and a bracket that closes makes a value of those since the one that opened.

>>> [str(one) for one in values_in('[:r "x" 1.50M] #{1 2}')[0]]
[':r', 'x', '1.50']
>>> values_in("{:a 1, :a 2}")
Traceback (most recent call last):
    ...
ValueError: something is in a map or set twice

Source: https://github.com/edn-format/edn, and https://clojure.org/reference/reader for what it leaves open.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final
from uuid import UUID

from lakeproof.histories.edn_splitter import forms
from lakeproof.histories.errors import Unreadable, shorten_value
from lakeproof.histories.events import TYPES, HistoryWriter, follow_index
from lakeproof.model.linearizability.values import DEPTH_MAX, Atom, freeze
from lakeproof.plain_json import double
from lakeproof.words import reason

# One match for each thing: texts and characters whole, brackets, comments, words; last what begins and does not end.
_PIECE: Final = re.compile(
    r'"(?:[^"\\]|\\[\s\S])*"|\\(?:[A-Za-z0-9]+|[\s\S])|#?\{|[\[(\])}]|;[^\n]*|[^ ,\t\r\n\f\[\](){}";\\]+|["\\]'
)
_MARKS: Final = frozenset('"#;[({])}')
_CLOSES: Final = {"]": "[", ")": "(", "}": "{"}
_TEXT: Final = re.compile(r'"(?:[^"\\]|\\(?:[tnrbf"\\]|u[0-9A-Fa-f]{4}|[0-3][0-7]{2}|[0-7]{1,2}(?![0-7])))*"')
_ESCAPE: Final = re.compile(r"\\(?:([0-7]{1,3})|.)")
_CHARACTERS: Final = {"newline": "\n", "return": "\r", "space": " ", "tab": "\t"}
_CODE: Final = re.compile(r"u[0-9A-Fa-f]{4}")
_INTEGER: Final = re.compile(r"[+-]?(?:0|[1-9][0-9]*)N?")
_DECIMAL: Final = re.compile(r"[+-]?[0-9]+(?:(?:\.[0-9]+)?[eE][+-]?[0-9]+|\.[0-9]+|(?=M))M?")
_RATIO: Final = re.compile(r"-?[0-9]+/[0-9]+")
_REST: Final = r"[\w.*+!?$%&=:#<>@-]"
_NAME: Final = re.compile(rf":{_REST}+(?:/{_REST}+)?|(?:[^\W\d]|[*!?$%&=<>@]|[-+.](?!\d)){_REST}*(?:/{_REST}+)?|/")
_TAG: Final = re.compile(rf"#[A-Za-z]{_REST}*(?:/{_REST}+)?")
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6}0*)?(?:Z|[+-]\d\d:\d\d)")
_WORDS: Final = {"nil": None, "true": True, "false": False}


def read(lines: Iterable[tuple[int, str]], recorder: HistoryWriter) -> Iterator[None]:
    """Append all events; yields after each. The nemesis is no client, and left out."""
    for form in forms(lines):
        try:
            [event] = values_in(form.text)
        except (ValueError, ArithmeticError) as error:
            why = reason(error)
            raise Unreadable(
                f"{shorten_value(form.text)} is no EDN map ({why}); expected one event", form.line
            ) from error
        assert isinstance(event, dict), "a form is a map"
        names = [key.text for key in event if isinstance(key, Atom) and key.kind == "keyword"]
        if len(names) < len(event):
            shown = shorten_value(form.text)
            raise Unreadable(f"{shown}; expected names that are keywords, such as :process", form.line)
        parts = {str(name).removeprefix(":"): part for name, part in zip(names, event.values(), strict=True)}
        _add(parts, form.line, recorder)
        yield


def value(text: str, line: int) -> object:
    """The one value in a text. Raises Unreadable."""
    try:
        [found] = values_in(text)
    except (ValueError, ArithmeticError) as error:
        raise Unreadable(f"value {shorten_value(text)} ({reason(error)}); expected one value in EDN", line) from error
    return found


def values_in(text: str) -> list[object]:
    """The values of a text, one after the other. Raises ValueError for what is none, ArithmeticError for a time or an
    exponent that is out of range. Cost: linear."""
    values: list[object] = []
    # Of each bracket that is open: it, the tag before it, and the values before that.
    opened: list[tuple[str, str, list[object]]] = []
    tag = ""
    for piece in _PIECE.findall(text):
        made: object
        if piece[0] not in _MARKS:  # nearly all of them
            made = _scalar(piece)
        elif piece in _MADE:
            if len(opened) > DEPTH_MAX:
                raise ValueError(f"nested more than {DEPTH_MAX} deep")
            opened.append((piece, tag, values))
            values, tag = [], ""
            continue
        elif piece in _CLOSES:
            if tag or not opened or opened[-1][0][-1] != _CLOSES[piece]:
                raise ValueError(f"{piece!r} closes what it did not open")
            opening, tag, before = opened.pop()
            made, values = _MADE[opening](values), before
        elif piece[0] == '"':
            made = _text(piece)
        elif piece[0] == ";":  # a comment
            continue
        elif not tag and _TAG.fullmatch(piece):
            tag = piece
            continue
        else:
            raise ValueError(f"{shorten_value(piece)} is no value")
        values.append(_apply_tag(tag, made) if tag else made)
        tag = ""
    if opened or tag:
        raise ValueError(f"{opened[-1][0] if opened else tag!r} is not followed by its end")
    return values


def _map(parts: list[object]) -> object:
    if len(parts) % 2:
        raise ValueError("a name in a map has no value")
    return dict(zip(_once(parts[::2]), parts[1::2], strict=True))


def _once(parts: list[object]) -> list[object]:
    try:
        frozen: list[object] = [freeze(one) for one in parts]
    except TypeError as error:
        raise ValueError(str(error)) from error
    if len(set(frozen)) < len(frozen):
        raise ValueError("something is in a map or set twice")
    return frozen


_MADE: Final[dict[str, Callable[[list[object]], object]]] = {
    "[": tuple,
    "(": tuple,
    "{": _map,
    "#{": lambda parts: frozenset(_once(parts)),
}
"""By the bracket that opens: what the values up to its end make."""


def _text(piece: str) -> str:
    if not _TEXT.fullmatch(piece):
        raise ValueError(f"the text {shorten_value(piece)} does not end, or has an escape that EDN does not know")
    if "\\" not in piece:
        return piece[1:-1]
    # But for octal numbers the escapes are those of JSON, whose reader makes one letter of two surrogates.
    plain = _ESCAPE.sub(lambda found: f"\\u{int(found[1], 8):04x}" if found[1] else found[0], piece)
    read: str = json.loads(plain, strict=False)
    return read


@lru_cache(maxsize=1 << 12)  # keywords and small numbers are nearly all there are
def _scalar(piece: str) -> object:
    """The value of a word or a character."""
    if piece in _WORDS:
        return _WORDS[piece]
    if _INTEGER.fullmatch(piece):
        return int(piece.removesuffix("N"))
    if _NAME.fullmatch(piece):
        return Atom("keyword" if piece[0] == ":" else "symbol", piece)
    if _DECIMAL.fullmatch(piece):
        return Atom("decimal", str(Decimal(piece[:-1]))) if piece[-1] == "M" else double(piece)
    if _RATIO.fullmatch(piece) and piece.rpartition("/")[2].strip("0"):
        return Atom("fraction", str(Fraction(piece)))
    letter = piece[1:] if piece[0] == "\\" else ""
    if letter in _CHARACTERS or _CODE.fullmatch(letter):
        return Atom("character", _CHARACTERS.get(letter) or chr(int(letter[1:], 16)))
    if len(letter) == 1 and (letter.isalnum() or "!" <= letter <= "~"):
        return Atom("character", letter)
    raise ValueError(f"{shorten_value(piece)} is no value")


def _apply_tag(tag: str, made: object) -> object:
    """A value with a tag before it. Raises ValueError for a tag that is not known."""
    if tag == "#inst" and isinstance(made, str) and _INSTANT.fullmatch(made):
        return Atom("datetime", str(datetime.fromisoformat(made).astimezone(UTC)))
    if tag == "#inst":
        raise ValueError(f"#inst {shorten_value(made)}: expected a time of microseconds with its zone, or a text")
    if tag == "#uuid" and isinstance(made, str):
        return Atom("uuid", str(UUID(made)))
    raise ValueError(f"the tag {shorten_value(tag)} is not known")


def _add(event: dict[str, object], line: int, recorder: HistoryWriter) -> None:
    missing = [name for name in ("process", "type", "f") if name not in event]
    if missing:
        raise Unreadable(f"an event without :{missing[0]}; expected :process, :type and :f", line)
    process, kind, f = event["process"], _keyword(event["type"]), _keyword(event["f"])
    if _keyword(process) == "nemesis":
        return
    if type(process) is not int:
        raise Unreadable(f":process {shorten_value(process)}; expected a number, or :nemesis", line)
    if kind not in TYPES:
        raise Unreadable(
            f":type {shorten_value(event['type'])}; expected {', '.join(f':{name}' for name in TYPES)}", line
        )
    if f is None:
        raise Unreadable(f":f {shorten_value(event['f'])}; expected the name of an operation, a keyword", line)
    recorder.index = follow_index(recorder.index, event.get("index"), line)
    recorder.add(process, kind, f, event.get("key"), event.get("value"), event.get("time"), line)


def _keyword(value: object) -> str | None:
    return str(value.text).removeprefix(":") if isinstance(value, Atom) and value.kind == "keyword" else None
