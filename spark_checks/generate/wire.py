"""Protobuf messages as SQL expressions: the bytes that `lakeproof.impl.codec` and `lakeproof.model.catalog` would
write.

A field of its default value is left out, as proto3 has it; fields go by number. Texts and bytes are null or empty
where they are absent, and shorter than 128 bytes but where it is said. Expressions are texts: a message is parsed as
one, where columns of Python's interface would be sent a thousand times. Bytes are hexadecimal digits until a message is
whole: not every engine can cut bytes.
"""

from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as f

MICROSECONDS: Final = 1_000_000
VARINT, BYTES = 0, 2  # wire types
EMPTY: Final = "''"
ALL_OCTETS: Final = f"'{bytes(range(256)).hex()}'"


def integer(a: Column, b: Column | int) -> Column:
    """One number divided by the other, rounded towards zero."""
    return f.call_function("div", a, f.lit(b) if isinstance(b, int) else b)


def octet(number: str) -> str:
    """The byte of this number, which is in 0..255."""
    return f"substring({ALL_OCTETS}, cast({number} as int) * 2 + 1, 2)"


def varint(number: str, groups: int) -> str:
    """A number that fits into so many groups of seven bits, 1 to 9."""
    assert 1 <= groups <= 9
    if groups == 1:
        return octet(number)
    more = [octet(f"((shiftright({number}, {7 * at}) & 127) | 128)") for at in range(groups - 1)]
    size = " + ".join(f"cast({number} >= {1 << 7 * at} as int)" for at in range(1, groups))
    last = octet(f"shiftright({number}, 7 * ({size}))")
    return f"concat(substring(concat({', '.join(more)}), 1, 2 * ({size})), {last})"


def tag(number: int, wire_type: int) -> bytes:
    """What a field begins with."""
    value = number << 3 | wire_type
    found = []
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def literal(content: bytes) -> str:
    return f"'{content.hex()}'"


def nested(number: int, content: str, groups: int = 1) -> str:
    """A field of bytes or of a message, present even if it is empty; shorter than 128 to the power of ``groups``."""
    return f"concat({literal(tag(number, BYTES))}, {varint(f'(length({content}) div 2)', groups)}, {content})"


def binary(number: int, content: str, groups: int = 1) -> str:
    """A field of bytes or text; none if it is empty or null."""
    return f"if(length({content}) > 0, {nested(number, f'hex({content})', groups)}, {EMPTY})"


text: Final = binary


def count(number: int, value: str, groups: int) -> str:
    """A field of a whole number, not negative; none if it is 0."""
    return f"if({value} > 0, concat({literal(tag(number, VARINT))}, {varint(value, groups)}), {EMPTY})"


def moment(number: int, microseconds: str) -> str:
    """A field that is a ``google.protobuf.Timestamp``, at or after 1970. Present even if it is 1970."""
    seconds, nanos = f"({microseconds} div {MICROSECONDS})", f"({microseconds} % {MICROSECONDS} * 1000)"
    return nested(number, f"concat({count(1, seconds, 6)}, {count(2, nanos, 5)})")


def pair(number: int, key: str, value: str) -> str:
    """A field that is an entry of a map with one key; none if the value is null."""
    field = literal(tag(1, BYTES) + bytes([len(key)]) + key.encode() + tag(2, BYTES))
    content = f"concat({field}, {octet(f'(length(hex({value})) div 2)')}, hex({value}))"
    return f"if({value} is null, {EMPTY}, {nested(number, content)})"


def switch(number: int, value: str) -> str:
    """A field that is a boolean."""
    return f"if({value}, {literal(tag(number, VARINT) + bytes([1]))}, {EMPTY})"


def _message(*fields: str) -> Column:
    return f.unhex(f.expr(f"concat({', '.join(fields)})"))


def repository() -> Column:
    """The value of a repository entry, of the columns of its draft; so below."""
    return _message(
        text(1, "repository_id"),
        text(2, "storage_namespace"),
        text(3, "default_branch_id"),
        moment(4, "creation_date"),
        count(5, "state", 1),
        text(6, "instance_uid"),
        switch(1001, "bare"),
    )


def branch() -> Column:
    return _message(
        text(1, "branch_id"),
        text(2, "commit_id"),
        text(3, "staging_token"),
        text(4, "sealed_1"),
        text(4, "sealed_2"),
    )


def tag_value() -> Column:
    return _message(text(1, "tag_id"), text(2, "commit_id"))


def commit() -> Column:
    """Its version is 1."""
    return _message(
        text(1, "commit_id"),
        text(2, "committer"),
        text(3, "message"),
        moment(4, "creation_date"),
        text(5, "meta_range_id"),
        pair(6, "instance", "instance"),
        text(7, "first_parent"),
        text(7, "second_parent"),
        literal(tag(8, VARINT) + bytes([1])),
        count(9, "generation", 5),
    )


def entry() -> Column:
    """The data of a staged entry: what the catalog says of its object."""
    return _message(
        text(1, "address"),
        moment(2, "last_modified"),
        count(3, "size_bytes", 9),
        text(4, "e_tag"),
        count(6, "address_type", 1),
        text(7, "content_type"),
    )


def staged() -> Column:
    """A tombstone has neither identity nor data."""
    change = f"if(tombstone, {EMPTY}, concat({binary(2, 'identity')}, {nested(3, 'hex(data)', 2)}))"
    return _message(text(1, "path"), change)
