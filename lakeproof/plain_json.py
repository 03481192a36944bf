"""JSON that is read as it was written, or not at all."""

import json
from typing import Final, NoReturn

from lakeproof.model.linearizability.values import shorten_value

# 17 significant digits tell all doubles apart (IEEE 754 binary64).
_DIGITS_MAX: Final = 17


def double(text: str) -> float:
    """A decimal number.

    Raises ValueError for one that a double, written with as many digits, is not; and for more digits than a double has.
    """
    number = float(text)
    digits = _digits(text)
    # Written again with as many digits: 0.1 comes back as it was, and 9007199254740993.0 does not. Or as short as can
    # be, which at a tie is rounded the other way: 5.960464477539063e-08.
    again = (f"{number:.{max(len(digits), 1) - 1}e}", repr(number))
    if len(digits) > _DIGITS_MAX or digits not in map(_digits, again):
        raise ValueError(f"{shorten_value(text)} does not fit into a double; write it as text")
    return number


def _digits(number: str) -> str:
    # The significant digits alone: without exponent, point, sign, and zeros at both ends.
    return number.lower().partition("e")[0].replace(".", "").strip("+-0")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # The standard reader keeps the last of two equal names without a word.
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name occurs twice in an object")
    return made


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


# parse_constant is called for NaN and Infinity, which are no JSON and which Python would read.
decode: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number, parse_float=double).decode
"""Raises ValueError, or RecursionError for what is nested too deeply."""
