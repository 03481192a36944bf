"""Values of attributes: from JSON and back, their sizes, and the order of keys.

Example: numbers come as texts, and are kept by their value. So two texts are one number, and one member of a set.

>>> parse_value({"N": "1.50"})
Scalar(kind='N', content=Decimal('1.5'))
>>> parse_value({"N": "1E+1"}) == parse_value({"N": "10"})
True
>>> render_value(parse_value({"NS": ["10", "9"]}))
{'NS': ['9', '10']}
>>> concert = item({"name": {"S": "é"}, "left": {"N": "120"}})  # 4 + 2 bytes of UTF-8; 4 + 1 for two digits + 1
>>> item_size(concert), escape_value(concert["name"])
(12, '%C3%A9')

Source: Amazon DynamoDB Developer Guide, *Supported data types and naming rules* and *Item sizes and formats*.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation
from typing import Final
from urllib.parse import quote

import attrs

from lakeproof.gate.fronts.dynamodb.errors import invalid, raise_malformed

# The exponents are those of the first digit, as `Decimal.adjusted` counts them.
DIGITS_MAX: Final = 38
EXPONENT_MAX: Final = 125
EXPONENT_MIN: Final = -130
DEPTH_MAX: Final = 32
ITEM_BYTES_MAX: Final = 400 * 1024
# A sum has at most 293 digits: from 1E+125 down to the 38th digit of 1E-130.
_EXACT: Final = Context(prec=400, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""More digits than the sum of two numbers of DynamoDB can have."""
# `Decimal` also takes NaN, Infinity, blanks, underscores and digits of other alphabets.
_NUMBER_CHARACTERS: Final = frozenset("0123456789+-.eE")


@attrs.frozen(cache_hash=True)
class Scalar:
    """A value without parts. kind: ``S``, ``N``, ``B``, ``BOOL`` or ``NULL``."""

    kind: str
    content: str | Decimal | bytes | bool


@attrs.frozen
class Members:
    """A set. kind: ``SS``, ``NS`` or ``BS``. Never empty."""

    kind: str
    members: frozenset[Scalar]


@attrs.frozen
class ListValue:
    """A list."""

    items: tuple["Value", ...]
    kind: str = "L"


@attrs.frozen
class Mapped:
    """A map. Its entries are never changed in place."""

    entries: Mapping[str, "Value"]
    kind: str = "M"


Value = Scalar | Members | ListValue | Mapped
Item = Mapping[str, Value]
"""The attributes of an item. Never changed in place."""

KINDS: Final = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M")
ORDERED: Final = ("S", "N", "B")
"""The kinds that keys can have, and that ``<`` compares."""


def number(text: str) -> Scalar:
    """A number. At most 38 significant digits, between 1E-130 and 9.99...E+125, or 0.

    Raises:
        DynamoDBError: it is none, or out of range.
    """
    if not text or not _NUMBER_CHARACTERS.issuperset(text):
        invalid(f"The parameter cannot be converted to a numeric value: {text}")
    try:
        found = Decimal(text)
    except InvalidOperation:
        invalid(f"The parameter cannot be converted to a numeric value: {text}")
    return Scalar("N", in_range(found))


def in_range(found: Decimal) -> Decimal:
    """A number as DynamoDB keeps it: without zeros at its end.

    Raises:
        DynamoDBError: it has too many digits, or is too large or too small.
    """
    if not found:  # -0 and 0E+999, too
        return Decimal(0)
    found, whole = found.normalize(_EXACT), found
    if found.adjusted() > EXPONENT_MAX:
        invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
    if found.adjusted() < EXPONENT_MIN:
        invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
    # `normalize` rounds what has more than 400 digits: the value is then another one, perhaps with few digits.
    if len(found.as_tuple().digits) > DIGITS_MAX or found != whole:
        invalid("Attempting to store more than 38 significant digits in a Number")
    return found


def plus(one: Scalar, other: Scalar, sign: int) -> Scalar:
    """The sum of two numbers, or their difference with the sign -1, exactly.

    Raises:
        DynamoDBError: the result is out of range.
    """
    assert isinstance(one.content, Decimal)
    assert isinstance(other.content, Decimal)
    return Scalar("N", in_range(_EXACT.add(one.content, other.content if sign > 0 else -other.content)))


def binary(text: str) -> Scalar:
    """Bytes, from base 64. Raises DynamoDBError: it is none."""
    try:
        return Scalar("B", base64.b64decode(text, validate=True))  # else letters that are no base 64 are skipped
    except (binascii.Error, ValueError):
        raise_malformed("Base64 encoded data is expected here")


def fields(found: object, where: str) -> Mapping[str, object]:
    """An object of JSON. Raises DynamoDBError: it is none."""
    if not isinstance(found, dict):
        raise_malformed(f"{where}: expected an object")
    return found


def strings(found: object, where: str) -> tuple[str, ...]:
    """A list of strings. Raises DynamoDBError: it is none."""
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise_malformed(f"{where}: expected a list of strings")
    return tuple(found)


def parse_value(found: object, depth: int = 0) -> Value:
    """A value, such as ``{"S": "text"}``.

    Raises:
        DynamoDBError: it is none, or nested deeper than 32.
    """
    pairs = fields(found, "a value")
    if len(pairs) != 1:
        invalid(
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported "
            "datatypes"
            if pairs
            else "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
        )
    if depth > DEPTH_MAX:
        invalid("Nesting Levels have exceeded supported limits")
    ((kind, content),) = pairs.items()
    if kind in _SCALARS:
        if not isinstance(content, str):
            raise_malformed(f"{kind}: expected a string")
        return _SCALARS[kind](content)
    if kind == "BOOL":
        if not isinstance(content, bool):
            raise_malformed("BOOL: expected true or false")
        return Scalar("BOOL", content)
    if kind == "NULL":
        if content is not True:
            invalid("One or more parameter values were invalid: Null attribute value types must have the value of true")
        return Scalar("NULL", True)
    if kind in ("SS", "NS", "BS"):
        return _set(kind, content)
    if kind == "L":
        if not isinstance(content, list):
            raise_malformed("L: expected a list")
        return ListValue(tuple([parse_value(each, depth + 1) for each in content]))
    if kind == "M":
        return Mapped(item(content, depth + 1))
    return invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")


_SCALARS: Final[Mapping[str, Callable[[str], Scalar]]] = {
    "S": lambda text: Scalar("S", text),
    "N": number,
    "B": binary,
}


def _set(kind: str, content: object) -> Members:
    members = [_SCALARS[kind[0]](each) for each in strings(content, kind)]  # SS: S; NS: N; BS: B
    if not members:
        invalid("One or more parameter values were invalid: An string set  may not be empty")
    if len(frozenset(members)) < len(members):  # by value: 1 and 1.0 are one number
        invalid("One or more parameter values were invalid: Input collection contains duplicates.")
    return Members(kind, frozenset(members))


def item(found: object, depth: int = 0) -> dict[str, Value]:
    """Attributes by name. Raises DynamoDBError, as `parse_value`; or a name is empty."""
    pairs = fields(found, "attributes")
    if "" in pairs:
        invalid("One or more parameter values were invalid: an attribute name is empty")
    return {name: parse_value(each, depth) for name, each in pairs.items()}


def text_of(value: Scalar) -> str:
    """The content of a string, number or bytes as JSON has it."""
    content = value.content
    if isinstance(content, bytes):
        return base64.b64encode(content).decode()
    # Without an exponent, 1E+1 and 10 have one text.
    return format(content, "f") if isinstance(content, Decimal) else str(content)


def render_value(value: Value) -> dict[str, object]:
    """A value as JSON. Sets are in order, so that one state has one answer."""
    match value:
        # Before other scalars: JSON's true, not the text `True`.
        case Scalar("BOOL" | "NULL"):
            return {value.kind: value.content}
        case Scalar():
            return {value.kind: text_of(value)}
        case Members():
            return {value.kind: [text_of(each) for each in sorted(value.members, key=order)]}
        case ListValue():
            return {"L": [render_value(each) for each in value.items]}
        case Mapped():
            return {"M": written_item(value.entries)}


def written_item(found: Item) -> dict[str, object]:
    """Attributes as JSON."""
    return {name: render_value(each) for name, each in found.items()}


def order(value: Scalar) -> tuple[Decimal, bytes]:
    """What values of one kind are ordered by: numbers by their value, strings by their UTF-8, bytes as unsigned."""
    content = value.content
    if isinstance(content, Decimal):
        return content, b""
    return Decimal(0), content if isinstance(content, bytes) else str(content).encode()


def escape_value(value: Scalar) -> str:
    """A key in a footprint or a label: printable, without ``/``. What begins a string or bytes begins its escape."""
    content = value.content
    return format(content, "f") if isinstance(content, Decimal) else quote(order(value)[1], safe=":@,;=+$!*()' ")


def size(value: Value) -> int:
    """The bytes that a value counts for."""
    match value:
        case Scalar("BOOL" | "NULL"):
            return 1
        case Scalar(_, Decimal() as content):
            return (len(content.as_tuple().digits) + 1) // 2 + 1  # two digits a byte, one for the exponent
        case Scalar():
            return len(order(value)[1])
        case Members():
            return sum(size(each) for each in value.members)
        case ListValue():
            return 3 + sum(1 + size(each) for each in value.items)  # 3 for the list, 1 for each element
        case Mapped():
            return 3 + sum(1 + len(name.encode()) + size(each) for name, each in value.entries.items())


def item_size(found: Item) -> int:
    """The bytes that an item counts for: names and values."""
    return sum(len(name.encode()) + size(each) for name, each in found.items())
