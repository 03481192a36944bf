"""Jepsen's and Knossos' histories in EDN: maps, one after the other or in one vector; and Porcupine's key-value files.

Plain events, a line each and without anything nested, are nearly all there are: they are read by a pattern, some fifty
times faster than by the library, which reads the rest. Both understand the same of the same line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Final
from uuid import UUID

from lakeproof.histories.edn_splitter import Form, forms
from lakeproof.histories.edn_strict import objection
from lakeproof.histories.errors import MissingExtra, Unreadable, shorten_value
from lakeproof.histories.events import TYPES, HistoryWriter, follow_index
from lakeproof.model.linearizability.values import Atom, freeze
from lakeproof.words import reason

# Only what both readers take for the same: a text without escapes, a number without a suffix and of no more digits than
# Python converts, and nothing that goes on behind it, such as `12N` or `:a/b`. All else is for the library.
_SCALAR: Final = r"""-?(?:0|[1-9][0-9]{0,4000})(?![\w.*+!?$%&=<>/-])|"[^"\\]*"|:[a-z][a-z_-]*|nil|true|false"""
_FLAT: Final = rf"\[(?:(?:{_SCALAR})(?: (?:{_SCALAR}))*)?\]|{_SCALAR}"  # a vector of scalars, or one
_VALUE: Final = rf"(?:\[(?:(?:{_FLAT})(?: (?:{_FLAT}))*)?\]|{_SCALAR})"  # two levels: [[:r 1 nil]]
_LOGGED: Final = re.compile(_VALUE)
_PLAIN: Final = re.compile(rf"\{{(:[a-z]+ {_VALUE}(?:, :[a-z]+ {_VALUE})*)\}}")
_PAIR: Final = re.compile(rf":([a-z]+) ({_VALUE})(?:, |$)")
_PIECE: Final = re.compile(_FLAT)
_WORDS: Final = {"nil": None, "true": True, "false": False}
_TEXT_OR_RETURN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\\.|[\r\f]', re.DOTALL)
_BATCH: Final = 256  # maps a call: with each one the library builds its tables


def read(lines: Iterable[tuple[int, str]], recorder: HistoryWriter) -> Iterator[None]:
    """Append all events; yields after each. The nemesis is no client, and left out."""
    waiting: list[Form] = []
    for form in forms(lines):
        event = _plain(form.text)
        if event is None:
            waiting.append(form)
            if len(waiting) < _BATCH:
                continue
        yield from _flush(waiting, recorder)  # events keep their order
        if event is not None:
            _add(event, form.line, recorder)
            yield
    yield from _flush(waiting, recorder)


def value(text: str, line: int) -> object:
    """The one value in a text. Raises Unreadable."""
    if _LOGGED.fullmatch(text):
        return _value(text)
    try:
        values = _load_text(_replace_returns(text))
        wrong = objection(text, values[0]) if len(values) == 1 else "there is not one value"
        if not wrong:
            return _ours(values[0])
    except MissingExtra:
        raise
    except ValueError as error:
        wrong = reason(error)
    raise Unreadable(f"value {shorten_value(text)} ({wrong}); expected one value in EDN", line)


def _plain(text: str) -> dict[str, object] | None:
    """A map that the pattern reads; None: it takes the library."""
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    pairs = _PAIR.findall(match[1])
    event = {name: _value(value) for name, value in pairs}
    return event if len(event) == len(pairs) else None  # a name twice: `objection` says so


def _value(text: str) -> object:
    first = text[0]
    if first == "[":
        return [_value(piece) for piece in _PIECE.findall(text, 1, len(text) - 1)]  # without the outer brackets
    if first == '"':
        return text[1:-1]
    if first == ":":
        return Atom("keyword", text)
    return _WORDS[text] if text in _WORDS else int(text)


def _flush(waiting: list[Form], recorder: HistoryWriter) -> Iterator[None]:
    for form, value in zip(waiting, _parse_maps(waiting), strict=True):
        _add(value, form.line, recorder)
        yield
    waiting.clear()


def _parse_maps(waiting: Sequence[Form]) -> list[dict[str, object]]:
    """What the library makes of some maps. Raises Unreadable for the first that it cannot read."""
    if not waiting:
        return []
    try:
        values = _load_text("\n".join(_replace_returns(form.text) for form in waiting))
    except MissingExtra:  # a ValueError as well
        raise
    except ValueError as error:
        if len(waiting) == 1:
            message = f"{shorten_value(waiting[0].text)} is no EDN map ({reason(error)})"
            raise Unreadable(message, waiting[0].line) from error
        # One of them is wrong, or some are not kept apart: halving finds the line.
        values = []
    if len(values) == len(waiting):
        return [_event(value, form) for value, form in zip(values, waiting, strict=True)]
    if len(waiting) == 1:
        raise Unreadable(f"{shorten_value(waiting[0].text)}; expected one map", waiting[0].line)
    half = len(waiting) // 2
    return _parse_maps(waiting[:half]) + _parse_maps(waiting[half:])


def _replace_returns(text: str) -> str:
    """Carriage returns outside of texts are space; the library does not know."""
    if "\r" not in text and "\f" not in text:
        return text
    return _TEXT_OR_RETURN.sub(lambda match: " " if match[0] in "\r\f" else match[0], text)


def _load_text(text: str) -> list[object]:
    """Raises ValueError, whatever the library raises; MissingExtra."""
    try:
        import edn_format
    except ImportError as error:
        raise MissingExtra("edn_format is not installed, which reads such EDN; pip install 'lakeproof[edn]'") from error

    try:
        # By default PLY writes its tables to a file beside the library; that folder may not be ours to write.
        return list(edn_format.loads_all(text, write_ply_tables=False))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except Exception as error:  # it raises what its parts raise: of lexing, of times, of numbers, of tags
        raise ValueError(str(error)) from error


def _event(value: object, form: Form) -> dict[str, object]:
    """The map of an event: names without colons, values that are ours."""
    import edn_format

    if not isinstance(value, edn_format.ImmutableDict):
        raise Unreadable(f"{shorten_value(form.text)}; expected a map", form.line)
    if not all(isinstance(key, edn_format.Keyword) for key in value):
        raise Unreadable(f"{shorten_value(form.text)}; expected names that are keywords, such as :process", form.line)
    try:
        wrong = objection(form.text, value)
        if wrong:
            raise ValueError(f"{shorten_value(form.text)}: {wrong}; expected one event in EDN")
        made = {key.name: _ours(part) for key, part in value.items()}
    except RecursionError:
        raise Unreadable("nested too deeply; expected one event", form.line) from None
    except ValueError as error:
        raise Unreadable(str(error), form.line) from error
    return made


def _ours(value: object) -> object:
    import edn_format

    match value:
        case edn_format.Keyword():
            return Atom("keyword", f":{value.name}")  # as `_value` makes it
        case edn_format.Symbol():
            return Atom("symbol", str(value))
        case float() if not isfinite(value):
            raise ValueError(f"value {value}; expected a number that is finite")
        case bool() | int() | float() | None:
            return value
        # `Char` is a str in this library; in EDN a character is no text.
        case str():
            return Atom("character", str(value)) if isinstance(value, edn_format.Char) else str(value)
        case edn_format.ImmutableDict() | dict():
            return {freeze(_ours(key)): _ours(part) for key, part in value.items()}
        case frozenset() | set():
            return frozenset(freeze(_ours(one)) for one in value)
        case list() | tuple() | edn_format.ImmutableList():
            return tuple(_ours(one) for one in value)
        case Decimal() | Fraction() | datetime() | UUID():
            return Atom(type(value).__name__.lower(), str(value))
        case _:
            raise ValueError(f"value {shorten_value(value)}; expected plain data")


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
    # What an unknown outcome has for a value is a remark; with independent keys it may be needed for the key.
    value = None if kind == "info" and not recorder.independent else event.get("value")
    recorder.add(process, kind, f, event.get("key"), value, event.get("time"), line)


def _keyword(value: object) -> str | None:
    return str(value.text).removeprefix(":") if isinstance(value, Atom) and value.kind == "keyword" else None
