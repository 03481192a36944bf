"""What EDN does not allow, and the library lets pass: it would make one value of two that were written apart.

The library takes the last of equal names in a map, leaves escapes that it does not know as they are, rounds numbers
and times, and does not ask for a space between ``12`` and ``abc``.
"""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final

from lakeproof.histories.errors import shorten_value
from lakeproof.plain_json import double

# One match for each thing: texts and characters whole, brackets with their #, comments, and words up to the next mark.
_PIECE: Final = re.compile(
    r'"(?:[^"\\]|\\[\s\S])*"|\\(?:[A-Za-z0-9]+|[\s\S])|#?[\[({]|[\])}]|;[^\n]*|[^\s,\[\](){}";\\]+'
)
_TEXT: Final = re.compile(r'"(?:[^"\\]|\\(?:[tnrbf"\\]|u[0-9A-Fa-f]{4}|[0-3]?[0-7]{1,2}))*"')
_DECIMAL: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?M?")
_EXACT: Final = 28
"""Digits of a decimal number that the library keeps."""
_HEXADECIMAL: Final = re.compile(r"[+-]?0x[0-9A-Fa-f]+")
_HEXADECIMAL_MAX: Final = 3_000
"""The library reads any; Python shows no more than 4,300 decimal digits of a number."""
_TAG: Final = re.compile(r"#[A-Za-z:]")
_NANOSECONDS: Final = re.compile(r"\.\d{6}\d*[1-9]")


def objection(text: str, value: object) -> str:
    """Why the text of a form does not say what the library has made of it; empty: it does. Cost: linear."""
    things = 0  # those that are written; the value must have as many
    for before, piece in pairwise(("", *_PIECE.findall(text))):
        if piece[0] == '"':
            if not _TEXT.fullmatch(piece):
                return f"the text {shorten_value(piece)} has an escape that EDN does not know"
            if before == "#inst" and _NANOSECONDS.search(piece):
                return f"the time {shorten_value(piece)} is finer than microseconds: write it as text"
        elif piece == "#_" or piece[0] == "^":  # #_ drops the next form, ^ adds data about it
            return f"{shorten_value(piece)} is not for data"
        # No things of their own: a closing bracket, a comment, and a tag, which is one with the value behind it.
        elif piece[0] in "])};" or _TAG.match(piece):
            continue
        elif _HEXADECIMAL.fullmatch(piece) and len(piece) > _HEXADECIMAL_MAX:
            return f"{shorten_value(piece)}: a number of more than {_HEXADECIMAL_MAX:,} digits"
        elif _DECIMAL.fullmatch(piece):
            try:
                _number(piece)
            except ValueError as error:
                return str(error)
        things += 1
    # Equal names of a map, or equal members of a set, have become one; `12abc` has become two.
    if things != _things(value):
        return "something is in a map or set twice, or two things are not kept apart"
    return ""


def _number(piece: str) -> None:
    """Raises ValueError for one that the library rounds."""
    if piece.endswith("M"):
        if len(re.sub(r"[eE].*|\D", "", piece).strip("0")) > _EXACT:  # zeros at either end cost no digit
            raise ValueError(f"{shorten_value(piece)}: a decimal number of more than {_EXACT} digits")
    elif not piece.lstrip("+-").isdigit():  # whole numbers are exact
        double(piece)


def _things(value: object) -> int:
    """Values in a value: itself, and all names and values that it holds."""
    if isinstance(value, Mapping):
        return 1 + sum(_things(name) + _things(part) for name, part in value.items())
    if isinstance(value, AbstractSet | Sequence) and not isinstance(value, str | bytes):
        return 1 + sum(map(_things, value))
    return 1
