"""Histories for the tests of their pages, as events; and what unpacks a page as its script does."""

import json
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Final

from lakeproof.show.pages.columns import NONE, Packed

Event = tuple[object, str, str, object, object]
"""Process, type, f, key, value."""

STALE: Final[list[Event]] = [
    (0, "invoke", "set", "a", 1), (1, "invoke", "set", "a", 2), (0, "ok", "set", "a", 1),
    (2, "invoke", "get", "a", None), (1, "info", "set", "a", 2), (2, "ok", "get", "a", 2),
    (0, "invoke", "get", "a", None), (0, "ok", "get", "a", 1),
    (3, "invoke", "set_if", "b", {"value": 3, "predicate": None}), (3, "fail", "set_if", "b", None),
    (3, "invoke", "get", "b", None), (3, "ok", "get", "b", None), (4, "invoke", "delete", "b", None),
]  # fmt: skip
"""A read of 1 after a read of 2; also an unknown outcome, a refusal, a read of nothing, and an open operation."""


def write(events: list[Event], path: Path) -> Path:
    """A file in JSON Lines."""
    names = ("process", "type", "f", "key", "value")
    path.write_text("".join(json.dumps(dict(zip(names, event, strict=True))) + "\n" for event in events), "utf-8")
    return path


def unpacked(packed: Packed) -> list[dict[str, object]]:
    """Each operation, its texts looked up: written from the format, not from the code that packs."""
    raw = zlib.decompress(b64decode(packed.data))
    layout = packed.layout
    count = layout["operations"]
    assert isinstance(count, int)
    names = layout["columns"]
    assert isinstance(names, list)
    words = [int.from_bytes(raw[at : at + 4], "little") for at in range(0, 4 * count * len(names), 4)]
    columns = {name: words[at * count : (at + 1) * count] for at, name in enumerate(names)}
    total = sum(int(str(layout[name])) for name in ("texts", "keys", "processes"))
    rest = raw[4 * count * len(names) :]
    lengths = [int.from_bytes(rest[at : at + 4], "little") for at in range(0, 4 * total, 4)]
    texts, at = [], 4 * total
    for length in lengths:
        texts.append(rest[at : at + length].decode())
        at += length
    assert at == len(rest)
    first_key, fs = int(str(layout["texts"])), layout["fs"]
    first_process = first_key + int(str(layout["keys"]))
    assert isinstance(fs, list)
    found, call = [], 0
    for i in range(count):
        call += columns["call"][i]
        span, result = columns["span"][i], columns["result"][i]
        found.append(
            {
                "call": call,
                "returned": None if span == NONE else call + span,
                "process": texts[first_process + columns["process"][i]],
                "f": fs[columns["f"][i]],
                "status": columns["status"][i],
                "key": texts[first_key + columns["key"][i]],
                "argument": texts[columns["argument"][i]],
                "result": None if result == NONE else texts[result],
                "line": (columns["line"][i] + call) & NONE,
            }
        )
    return found
