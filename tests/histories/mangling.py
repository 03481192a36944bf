"""Histories as events, written in every format; and which events a recorder can have written."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Final

import attrs
from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[object]], object]


@attrs.frozen
class Event:
    process: int
    type: str
    f: str
    key: str | None
    value: object


def as_json(event: Event) -> str:
    told = {"process": event.process, "type": event.type, "f": event.f, "value": event.value}
    return json.dumps(told if event.key is None else {**told, "key": event.key}) + "\n"


def from_json(line: str) -> Event:
    told = json.loads(line)
    return Event(told["process"], told["type"], told["f"], told.get("key"), told.get("value"))


def from_log(line: str) -> Event:
    """The value is left as it is written."""
    process, kind, f, value = re.split("[ \t]+", line.strip(" \t\r"), maxsplit=6)[3:]
    return Event(int(process), kind.removeprefix(":"), f, None, value)


def edn(value: object) -> str:
    """JSON's values as EDN writes them."""
    if isinstance(value, list):
        return f"[{' '.join(map(edn, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} {edn(held)}' for key, held in value.items())}}}"
    return "nil" if value is None else json.dumps(value)


def as_edn(event: Event) -> str:
    key = "" if event.key is None else f", :key {edn(event.key)}"
    told = f":process {event.process}, :type :{event.type}, :f :{event.f}{key}, :value {edn(event.value)}"
    return f"{{{told}}}\n"


def as_record(event: Event) -> str:
    """Over several lines, read by the library alone."""
    return f"#jepsen.history.Op{as_edn(event).replace(', :', chr(10) + ' :')}"


def as_log(event: Event) -> str:
    value = ":timed-out" if event.type == "info" else edn(event.value)
    return f"INFO  jepsen.util - {event.process}\t:{event.type}\t:{event.f}\t{value}\n"


def as_text(event: Event) -> str:
    """A line of history.txt: an error follows where Jepsen does not know what happened."""
    error = "\t:timed-out\tagain" if event.type == "info" else ""
    return f"{event.process}\t:{event.type}\t:{event.f}\t{edn(event.value)}{error}\n"


def as_logged(event: Event) -> str:
    """A line of jepsen.log as it is today."""
    return f"2026-02-26 23:39:01,300{{GMT}}\tINFO\t[jepsen worker 0] jepsen.util: {as_text(event)}"


def as_item(event: Event) -> str:
    """Of an array of JSON, over several lines."""
    return as_json(event).replace('", "', '",\n  "').replace("}\n", "},\n")


ARRAY: Final = ("[", '{"process": "nemesis", "type": "info", "f": "stop"}]\n')
"""Around items: the last one has no comma behind it."""


def as_blanks(event: Event) -> str:
    return as_log(event).replace("\t", "  ")


@attrs.frozen
class Format:
    """How an event is written, and what is around all of them. ``whole``: an event ends with its line end alone."""

    name: str
    written: Callable[[Event], str]
    around: tuple[str, str] = ("", "")
    model: str = "register"
    whole: bool = False

    def pieces(self, events: Sequence[Event]) -> list[str]:
        return [self.written(event) for event in events]


FORMATS: Final = {
    "json-lines": Format("jsonl", as_json, model="kv"),
    "json-array": Format("json", as_item, ARRAY, model="kv"),
    "edn-maps": Format("edn", as_edn),
    "edn-vector": Format("edn", as_edn, ("[", "]\n")),
    "edn-records": Format("edn", as_record),
    "porcupine-kv": Format("edn", as_edn, model="append"),
    "porcupine-etcd": Format("jepsen-log", as_log, whole=True),
    "etcd-blanks": Format("jepsen-log", as_blanks, whole=True),
    "history-txt": Format("jepsen-text", as_text, whole=True),
    "jepsen-today": Format("jepsen-text", as_logged, whole=True),
}
MODELS: Final[dict[str, tuple[str, ...]]] = {
    "register": ("read", "write", "cas"),
    "kv": ("get", "set", "delete", "set_if"),
    "append": ("get", "put", "append"),
}
NUMBERS: Final = st.integers(0, 12) | st.integers(-(10**30), 10**30)


def argument(draw: Draw, f: str) -> object:
    value = draw(NUMBERS)
    match f:
        case "read" | "get" | "delete":
            return None
        case "cas":
            return [value, draw(NUMBERS)]
        case "set_if":
            return {"value": value, "predicate": draw(st.sampled_from([None, {"exists": True}, {"value": 3}]))}
        case "put" | "append":
            return f"x {value} y"
    return value


@st.composite
def histories(draw: Draw, model: str, processes: int = 3) -> list[Event]:
    """Events as a recorder writes them: each process does one operation at a time, and some are left open."""
    opened: dict[int, Event] = {}
    made: list[Event] = []
    for _ in range(int(str(draw(st.integers(1, 10))))):
        process = int(str(draw(st.integers(0, processes - 1))))
        begun = opened.pop(process, None)
        if begun is None:
            f = str(draw(st.sampled_from(MODELS[model])))
            key = None if model == "register" else str(draw(st.sampled_from("ab")))
            begun = opened[process] = Event(process, "invoke", f, key, argument(draw, f))
            made.append(begun)
            continue
        how = str(draw(st.sampled_from(["ok", "ok", "ok", "fail", "info"])))
        value = begun.value
        if how == "ok" and begun.f in ("read", "get"):
            value = draw(st.sampled_from(["", "x 1 y"])) if model == "append" else draw(NUMBERS)
        made.append(attrs.evolve(begun, type=how, value=value))
    return made


def recordable(events: Sequence[Event]) -> bool:
    """Whether a recorder can have written them: calls and returns by turns, of each process, and each with its own."""
    opened: dict[int, Event] = {}
    for event in events:
        begun = opened.pop(event.process, None)
        if (begun is None) is not (event.type == "invoke"):
            return False
        if begun is None:
            opened[event.process] = event
        elif (begun.f, begun.key) != (event.f, event.key) and (begun.f != event.f or event.key is not None):
            return False
    return bool(events)


def mangled(draw: Draw, events: list[Event], other: list[Event]) -> list[Event]:
    """Repeated, left out, put elsewhere, or mixed with another history."""
    made = list(events)
    for _ in range(int(str(draw(st.integers(0, 3))))):
        at, to = (int(str(draw(st.integers(0, max(len(made) - 1, 0))))) for _ in range(2))
        match draw(st.sampled_from(["repeat", "leave out", "swap", "mix"])) if made else "mix":
            case "repeat":
                made.insert(to, made[at])
            case "leave out":
                del made[at]
            case "swap":
                made[at], made[to] = made[to], made[at]
            case _:
                for event in other:
                    made.insert(int(str(draw(st.integers(0, len(made))))), event)
    return made
