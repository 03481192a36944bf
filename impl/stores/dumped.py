"""How lakeFS' store is written down in files: its own dump, and rows as JSON Lines.

lakeFS' ``lakefs kv dump`` writes one document, partition and key in plain text, the value in base64. Other tools write
all three in base64. A document has one notation, and the first entry that can be only one of them decides it::

    {"partition": "shop-dc1cbt", "key": "branches/dev", "value": "CgNkZXY="}              a hyphen is no base64: plain
    {"partition": "c2hvcC1kYzFjYnQ=", "key": "YnJhbmNoZXMvZGV2", "value": "CgNkZXY="}     decodes to a name: base64

A name such as ``auth`` would be good base64, of bytes that lakeFS uses for no partition: it is plain.
Source: lakeFS ``pkg/kv/dump.go``.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, Literal, cast

from lakeproof.model import keys

Notation = Literal["plain", "base64"]
Row = tuple[bytes, bytes, bytes]
"""Partition, key, value."""

FIELDS: Final = ("partition", "key", "value")
LINE_FIELDS: Final = ("partition_key", "key", "value")
# The first field of a row; a dump of lakeFS begins with others.
_LINES: Final = re.compile(rb'\s*\{\s*"(?:partition_key|key|value)"\s*:')
_HEAD_BYTES: Final = 4096
_PLAIN: Final = frozenset({"graveler", "auth", "basicAuth", "aclauth", "pulls", "instances", "tasks"})
"""Partitions of lakeFS whose names would be good base64, or nearly."""
_GRAVELER: Final = base64.b64encode(keys.GRAVELER).decode()


class NotADump(ValueError):
    """The file is no dump. Says the place, and what was expected."""


def is_lines(path: Path) -> bool:
    """Whether a file is JSON Lines of rows, and not one document: its first bytes show it. Raises OSError."""
    with path.open("rb") as file:
        return _LINES.match(file.read(_HEAD_BYTES)) is not None


def decide_notation(entries: Iterable[Mapping[str, object]]) -> Notation:
    """The notation of a document. Reads up to the first entry that decides; of one that has none, base64."""
    for entry in entries:
        found = _notation_of(entry.get("partition"), entry.get("key"))
        if found is not None:
            return found
    return "base64"


def _notation_of(partition: object, key: object) -> Notation | None:
    if not isinstance(partition, str) or not isinstance(key, str):
        return None
    if partition in _PLAIN:  # before the decoding: "graveler" has eight characters, all of them of base64
        return "plain"
    decoded = _decode_base64(partition)
    if decoded is None:
        return "plain"
    # No name ends with padding; and bytes that decode to a name of lakeFS' do so by no accident.
    if partition.endswith("=") or _is_name(decoded):
        return "base64"
    # Both could be either: the partition decides nothing here, and the next entry may.
    return "plain" if _decode_base64(key) is None else None


def _is_name(partition: bytes) -> bool:
    """Whether lakeFS has partitions of such names: its own, those of repositories, and of staging tokens."""
    try:
        text = partition.decode()
    except UnicodeDecodeError:
        return False
    return text.isprintable() and (text in _PLAIN or "-" in text or ":" in text)


def _decode_base64(text: str) -> bytes | None:
    """None: it is no base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def row(where: str, entry: Mapping[str, object], notation: Notation, names: tuple[str, ...] = FIELDS) -> Row:
    """An entry. ``where``: its place, for messages. A value that is not there is empty, as Go leaves it out.

    Raises NotADump.
    """
    found: list[bytes] = []
    for name in names:
        text = entry.get(name, "" if name == "value" else None)  # Go's omitempty
        packed = notation == "base64" or name == "value"
        expected = "base64" if packed else "text"
        if not isinstance(text, str):
            raise NotADump(f"{where}: {name} is {text!r}, expected {expected}; write the dump again")
        # One notation for all: decoded as text, this entry would be in a partition that lakeFS does not have, and be
        # missed.
        if not packed and text == _GRAVELER:
            raise NotADump(f"{where}: {name} {text!r} is in base64, and others are plain; write the dump again")
        # JSON may have a lone surrogate, which has no UTF-8 of its own.
        value = _decode_base64(text) if packed else text.encode(errors="surrogatepass")
        if value is None:
            raise NotADump(f"{where}: {name} is {text[:40]!r}, expected base64; write the dump again")
        found.append(value)
    return cast("Row", tuple(found))


def lines(path: Path) -> Iterator[Row]:
    """The rows of a file of JSON Lines, ``partition_key``, ``key`` and ``value`` in base64. Memory: one line.

    Raises NotADump, OSError.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except (ValueError, RecursionError) as error:
                why = " ".join(str(error).split())[:120]
                raise NotADump(f"{path}:{number}: no JSON ({why}); write the rows again") from None
            if not isinstance(found, dict) or not found.keys() >= set(LINE_FIELDS):
                raise NotADump(
                    f"{path}:{number}: expected an object with {', '.join(LINE_FIELDS)}; write the rows again"
                )
            yield row(f"{path}:{number}", found, "base64", LINE_FIELDS)
