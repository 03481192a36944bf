"""What a store of the gate holds, in words: a line for each object, upload in parts, table, item, and key of Redis."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from lakeproof.explore.describe_objects import metadata_of
from lakeproof.gate.aws import Store
from lakeproof.gate.dynamodb.state import Table
from lakeproof.gate.dynamodb.values import Item, Scalar, Value, written
from lakeproof.gate.footprints import Access
from lakeproof.gate.names import Names
from lakeproof.gate.redis.state import Hash, Held
from lakeproof.gate.redis.work import KEY, shown
from lakeproof.impl.printable import printable
from lakeproof.report.style import plural

SHOWN_MAX: Final = 160
"""Characters of a content that are shown."""
KEPT_MAX: Final = 1_000
"""Characters of a content that are looked at for names."""
DIFFERENCES_MAX: Final = 2
DIFFERENCE_MAX: Final = 80
"""Characters of a content that are shown of a difference."""
STORE: Final = "store"
"""Whose names those are that no request has shown, but the store."""
_ITEMS: Final = "?items/"
_TABLE: Final = "?table/"


@attrs.frozen
class Row:
    """Something that a store holds. key and told: in words, with names for what is minted. held: to compare, and
    without times."""

    key: str
    told: str
    held: object
    more: int = 0
    """Characters that ``told`` leaves out at its end."""

    def cut(self, length: int = SHOWN_MAX) -> str:
        """The words on one line, and not too long; their end says how much is missing."""
        return cut(self.told, length, self.more)


def rows(store: Store, names: Names) -> dict[str, Row]:
    """What a store holds, by key. What has no name yet is given one. Cost: linear in what it holds."""
    found: dict[str, Row] = {}
    for key, told, held in _told(store):
        shown = printable(names.renamed(key, STORE))
        while shown in found:  # a bucket and a table of one name
            shown += " (item)"
        found[shown] = Row(shown, names.renamed(told[:KEPT_MAX], STORE), held, max(0, len(told) - KEPT_MAX))
    return found


def in_words(found: Mapping[str, Row]) -> dict[str, str]:
    """The words of rows, by key."""
    return {key: row.cut() for key, row in sorted(found.items())}


def changed(before: Mapping[str, Row], after: Mapping[str, Row]) -> list[str]:
    """The keys at which two stores differ."""
    return [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]


def differences(before: Mapping[str, Row], after: Mapping[str, Row]) -> str:
    """How two stores differ, as the end of a sentence; empty: they do not."""
    keys = changed(before, after)
    told = [f"; {key}: {_short(before.get(key))} → {_short(after.get(key))}" for key in keys[:DIFFERENCES_MAX]]
    rest = len(keys) - len(told)
    return "".join(told) + (f"; {plural(rest, 'key')} more" if rest else "")


def _short(row: Row | None) -> str:
    return "nothing" if row is None else row.cut(DIFFERENCE_MAX)


def cut(told: str, length: int = SHOWN_MAX, more: int = 0) -> str:
    """A text on one line, and not too long; its end says how much is missing. more: what is missing already."""
    rest = max(0, len(told) - length) + more
    return printable(told[:length]) + (f"... ({rest:,} more characters)" if rest > 0 else "")


def key_of(access: Access) -> str:
    """The key of what was touched, as it is shown; empty: it is none that is."""
    if access.prefix:
        return ""
    return access.key.removeprefix(_ITEMS).removeprefix(_TABLE).removeprefix(KEY)


def _told(store: Store) -> Iterator[tuple[str, str, object]]:
    for address, found in store.s3.objects.items():
        told = _content(found.content) + metadata_of(found.metadata)
        yield address, told, (found.content, found.metadata, found.metageneration)
    for name, upload in store.s3.uploads.items():
        parts = ", ".join(map(str, sorted(upload.parts))) or "none yet"
        yield f"{upload.address} (upload {name})", f"parts: {parts}", upload
    for table in store.dynamodb.tables.values():
        yield table.name, "table", attrs.evolve(table, items={}, created=0)
        for key, item in table.items.items():
            yield f"{table.name}/{key.told}", _item(table, item), item
    for at, held in store.redis.keys.items():
        yield shown(at), _held(held), held


def _content(content: bytes) -> str:
    """Text as it is; of anything else, how much it is."""
    try:
        told = content.decode()
    except UnicodeDecodeError:
        return f"{len(content):,} bytes"
    return told or "empty"


def _held(held: Held) -> str:
    if isinstance(held, bytes):
        return _content(held)
    if isinstance(held, Hash):
        return ", ".join(f"{shown(field)} = {_content(value)}" for field, value in held.fields.items())
    return ", ".join(f"{shown(member)}: {held.scores[member]:g}" for member in held.members)


def _item(table: Table, item: Item) -> str:
    """Its attributes, without those that its key tells."""
    rest = {name: value for name, value in item.items() if name not in table.key_names}
    return ", ".join(f"{name} = {_value(value)}" for name, value in sorted(rest.items())) or "item"


def _value(value: Value) -> str:
    """A string, a number or a truth value as it is; anything else as the protocol has it."""
    if isinstance(value, Scalar) and value.kind in ("S", "N", "BOOL"):
        return str(value.content)
    return json.dumps(written(value), sort_keys=True)
