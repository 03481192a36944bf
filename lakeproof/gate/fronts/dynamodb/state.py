"""What the DynamoDB front holds: tables, their items, and the tokens of transactions. A value: nothing is changed in
place."""

import hashlib
from collections.abc import Mapping
from typing import Final

import attrs

from lakeproof.gate.fronts.dynamodb.errors import invalid, raise_error
from lakeproof.gate.fronts.dynamodb.values import Item, Scalar, Value, escape_value, order, render_value

PARTITION_BYTES_MAX: Final = 2048
SORT_BYTES_MAX: Final = 1024


@attrs.frozen(cache_hash=True)
class Key:
    """The primary key of an item."""

    partition: Scalar
    sort: Scalar | None = None

    @property
    def label(self) -> str:
        """For labels and footprints: ``partition/sort``, escaped."""
        return f"{escape_value(self.partition)}/{'' if self.sort is None else escape_value(self.sort)}"


@attrs.frozen
class KeyAttribute:
    """An attribute of the primary key. kind: ``S``, ``N`` or ``B``."""

    name: str
    kind: str


@attrs.frozen(kw_only=True)
class DynamoTable:
    """A table."""

    name: str
    partition: KeyAttribute
    sort: KeyAttribute | None = None
    items: Mapping[Key, Item] = attrs.field(factory=dict)
    created: int = 0
    """When, in microseconds since 1970."""
    capacity: tuple[int, int] | None = None
    """Units of reading and writing that were requested; None: on demand. Nothing is limited."""

    @property
    def key_attributes(self) -> tuple[KeyAttribute, ...]:
        """The partition key, and the sort key if there is one."""
        return (self.partition,) if self.sort is None else (self.partition, self.sort)

    @property
    def key_names(self) -> tuple[str, ...]:
        """Of the attributes."""
        return tuple(each.name for each in self.key_attributes)

    def key(self, fields: Item) -> Key:
        """A key that stands alone. Raises DynamoDBError: its attributes are not those of the table's keys."""
        if len(fields) != len(self.key_attributes):  # no further attribute either
            invalid("The provided key element does not match the schema")
        for each in self.key_attributes:
            if each.name not in fields or fields[each.name].kind != each.kind:
                invalid("The provided key element does not match the schema")
        return self._key(fields)

    def key_of(self, item: Item) -> Key:
        """The key of an item. Raises DynamoDBError: it has none."""
        for each in self.key_attributes:
            if each.name not in item:
                invalid(f"One or more parameter values were invalid: Missing the key {each.name} in the item")
            if item[each.name].kind != each.kind:
                invalid(f"One or more parameter values were invalid: Type mismatch for key {each.name} "
                        f"expected: {each.kind} actual: {item[each.name].kind}")  # fmt: skip
        return self._key(item)

    def _key(self, fields: Item) -> Key:
        sort = None if self.sort is None else key_value(self.sort, fields[self.sort.name], SORT_BYTES_MAX)
        return Key(key_value(self.partition, fields[self.partition.name], PARTITION_BYTES_MAX), sort)

    def key_fields(self, key: Key) -> dict[str, Value]:
        """The attributes of a key."""
        made: dict[str, Value] = {self.partition.name: key.partition}
        if self.sort is not None and key.sort is not None:
            made[self.sort.name] = key.sort
        return made


def key_value(attribute: KeyAttribute, value: Value, bytes_max: int) -> Scalar:
    """A value as a part of a key. Raises DynamoDBError: it is empty, or too long."""
    assert isinstance(value, Scalar)
    if value.kind != "N":  # a number has no such limits
        length = len(order(value)[1])
        if not length:
            kind = "string" if value.kind == "S" else "binary"
            invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain "
                    f"an empty {kind} value. Key: {attribute.name}")  # fmt: skip
        if length > bytes_max:
            # The two limits differ, so they tell the parts apart.
            part = "hashkey" if bytes_max == PARTITION_BYTES_MAX else "rangekey"
            invalid(f"One or more parameter values were invalid: Size of {part} has exceeded the maximum size limit of "
                    f"{bytes_max} bytes")  # fmt: skip
    return value


def scan_order(key: Key) -> tuple[bytes, tuple[object, ...]]:
    """Scans go by a digest of the partition key, as DynamoDB's do, and in a partition by the sort key."""
    return digest(key.partition), () if key.sort is None else order(key.sort)


def digest(partition: Scalar) -> bytes:
    """Where a partition key is among all others."""
    text = f"{partition.kind} {escape_value(partition)}".encode()
    return hashlib.md5(text, usedforsecurity=False).digest()  # spreads the keys; secures nothing


@attrs.frozen
class Done:
    """A transaction that has been done, by its token."""

    request: str
    """A digest of its content."""
    at: int
    """When, in microseconds since 1970."""


@attrs.frozen
class DynamoState:
    """All that the front knows."""

    tables: Mapping[str, DynamoTable] = attrs.field(factory=dict)
    tokens: Mapping[str, Done] = attrs.field(factory=dict)

    def table(self, name: str) -> DynamoTable:
        """A table. Raises DynamoDBError: there is none."""
        if name not in self.tables:
            raise_error("ResourceNotFoundException", "Requested resource not found")
        return self.tables[name]

    def listed(self, name: str) -> list[dict[str, dict[str, object]]]:
        """The items of a table as boto3 has them, such as ``{"id": {"S": "a"}}``; bytes in base 64. In the order of a
        scan. No such table: none."""
        if name not in self.tables:
            return []
        items = self.tables[name].items
        return [
            {attribute: render_value(value) for attribute, value in items[key].items()}
            for key in sorted(items, key=scan_order)
        ]

    def with_table(self, table: DynamoTable) -> "DynamoState":
        """With this table, new or instead of the one of its name."""
        return attrs.evolve(self, tables={**self.tables, table.name: table})

    def with_item(self, name: str, key: Key, item: Item | None) -> "DynamoState":
        """With an item, or with none, at a key. Cost: the number of items in the table."""
        table = self.tables[name]
        if item is None:
            # Always a new mapping: the states before belong to other schedules.
            items = {each: value for each, value in table.items.items() if each != key}
        else:
            items = {**table.items, key: item}
        return self.with_table(attrs.evolve(table, items=items))


Answered = tuple[DynamoState, Mapping[str, object]]
"""The state after a request, and the fields of its answer."""
