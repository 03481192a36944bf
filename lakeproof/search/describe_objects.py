"""What objects, and the entries that refer to them, are in words; and text that leaves a terminal alone."""

import re
from collections.abc import Sequence
from typing import Final

from lakeproof.model import objects
from lakeproof.model.catalog import NotAnObjectEntry, decode_object_entry
from lakeproof.model.committed import (
    META_RANGE_FORMAT,
    RANGE_FORMAT,
    Entry,
    MalformedObject,
    decode_meta_range,
    decode_range,
)

KEY_SHOWN_MAX: Final = 40
VALUE_SHOWN_MAX: Final = 160
"""Bytes of a key, and of a value, which is often a JSON object."""
SHOWN_MAX: Final = 3
"""Parts of a whole that readers are shown."""
HASH_SHOWN: Final = 8
"""Characters of a content address that readers are shown."""
_HASH: Final = re.compile(r"\b[0-9a-f]{64}\b")
_HASH_BYTES: Final = re.compile(rb"\b[0-9a-f]{64}\b")


def content_in_words(content: bytes) -> str:
    """The content of an object: what a range or metarange holds, or the bytes."""
    try:
        if content.startswith(RANGE_FORMAT):
            # The content of a range or metarange is binary: as bytes it would fill a line and say nothing.
            return f"range of {_some([_entry(entry) for entry in decode_range(content)])}"
        if content.startswith(META_RANGE_FORMAT):
            return f"metarange of {_some([printable(info.range_id) for info in decode_meta_range(content)])}"
    except MalformedObject:
        # It only begins like one: shown as bytes.
        pass
    return text(content, VALUE_SHOWN_MAX)


def _entry(entry: Entry) -> str:
    referred = entry_in_words(entry.data)
    return text(entry.path) + (f" ({referred})" if referred else "")


def _some(texts: Sequence[str]) -> str:
    rest = len(texts) - SHOWN_MAX
    return ", ".join(texts[:SHOWN_MAX]) + (f" and {rest} more" if rest > 0 else "")


def entry_in_words(data: bytes) -> str:
    """The object that the data of an entry refers to; empty where it refers to none."""
    try:
        entry = decode_object_entry(data)
    except NotAnObjectEntry:
        return ""
    return f"of {printable(entry.address)}{metadata_of(entry.metadata)}" if entry.address else ""


def metadata_of(metadata: objects.Metadata) -> str:
    """Metadata in words, each pair after a blank."""
    return "".join(f" {printable(key)}={printable(content)}" for key, content in metadata)


def condition_of(op: objects.Put | objects.Copy | objects.SetMetadata | objects.DeleteObject) -> str:
    """The condition of a write in words; empty where it has none."""
    if not objects.conditional(op):
        return ""
    match op:
        case objects.Put():
            return "if absent" if op.if_absent else f"if its ETag is {op.if_match}"
        case objects.Copy():
            parts = ["if absent"] if op.if_absent else []
            parts += [f"if the source's ETag is {op.if_match}"] if op.if_match is not None else []
            parts += [f"if its ETag is {op.if_destination_match}"] if op.if_destination_match is not None else []
            return ", ".join(parts)
        case objects.DeleteObject():
            return f"if its ETag is {op.if_match}"
        case objects.SetMetadata(if_metageneration=int() as generation):
            return f"if its metageneration is {generation}"
        case _:
            return f"if its version is {op.if_version}"


def text(content: bytes, most: int = KEY_SHOWN_MAX) -> str:
    """Bytes as a reader sees them: text where they are text, and never a control character."""
    # Before the cut: a hash that is cut in half would not be recognised, and be shown as it is.
    short = _HASH_BYTES.sub(lambda found: found[0][:HASH_SHOWN] + b"..", content)
    shown = short[:most].decode("utf-8", "backslashreplace")  # the cut may split a character
    rest = len(short) - most
    return printable(shown or "''") + (f"... ({rest} more bytes)" if rest > 0 else "")


def printable(shown: str) -> str:
    """Text that leaves a terminal alone: control characters are escaped; and content addresses are cut short."""
    shown = _HASH.sub(lambda found: f"{found[0][:HASH_SHOWN]}..", shown)
    # Escape sequences would move the cursor, or worse: traces come from anywhere. [1:-1] strips the quotes of ascii.
    return shown if shown.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)
