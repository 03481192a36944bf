"""Our own format: one JSON object a line, or JSON objects in an array. See docs/histories.md."""

from collections.abc import Iterable, Iterator
from typing import Final

from lakeproof.histories.edn_splitter import forms
from lakeproof.histories.errors import Unreadable, shorten_value
from lakeproof.histories.events import TYPES, HistoryWriter, follow_index
from lakeproof.plain_json import decode
from lakeproof.words import reason

_FIELDS: Final = frozenset({"process", "type", "f"})


def read(lines: Iterable[tuple[int, str]], recorder: HistoryWriter) -> Iterator[None]:
    """Append all events; yields after each, so that the caller may look at the size. The nemesis is left out."""
    index: int | None = None
    add = recorder.add  # looked up once: a file has millions of events
    for number, line in lines:
        if not line.strip(" \t\r\n"):
            continue
        try:
            event = decode(line)
        except RecursionError:
            raise Unreadable("nested too deeply; expected one event", number) from None
        except ValueError as error:
            raise Unreadable(
                f"{shorten_value(line.strip())} is no JSON ({reason(error)}); expected one object a line", number
            ) from error
        if type(event) is not dict or not event.keys() >= _FIELDS:
            raise Unreadable(f"{shorten_value(line.strip())}; expected an object with process, type, f", number)
        process, type_, f = event["process"], event["type"], event["f"]
        if type(process) is not int and type(process) is not str:  # true is an int to `isinstance`, and no process
            raise Unreadable(f"process {shorten_value(process)}; expected a number or a name", number)
        if type_ not in TYPES:
            raise Unreadable(f"type {shorten_value(type_)}; expected {', '.join(TYPES)}", number)
        if type(f) is not str:
            raise Unreadable(f"f {shorten_value(f)}; expected the name of an operation", number)
        get = event.get
        index = follow_index(index, get("index"), number)
        add(process, type_, f, get("key"), get("value"), get("time"), number)
        yield


def read_array(lines: Iterable[tuple[int, str]], recorder: HistoryWriter) -> Iterator[None]:
    """The same of objects that stand in one array, or over several lines."""
    # Objects of JSON have the brackets and texts of EDN's maps, so one splitter serves both.
    return read(((form.line, form.text) for form in forms(lines, json=True)), recorder)
