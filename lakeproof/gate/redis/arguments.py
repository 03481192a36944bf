"""Arguments of commands: numbers and options, and the errors of those that are none, in Redis' words."""

from typing import Final

from lakeproof.gate.redis.replies import CommandError

Args = tuple[bytes, ...]
"""What follows the name of a command."""
NO_INTEGER: Final = "ERR value is not an integer or out of range"
SYNTAX: Final = "ERR syntax error"
_DIGITS_MAX: Final = 19
_MIN, _MAX = -(1 << 63), (1 << 63) - 1


def integer(text: bytes, error: str = NO_INTEGER) -> int:
    """A number of 64 bits. Raises CommandError: it is none, or has zeros or a sign in front that it does not need."""
    digits = text.removeprefix(b"-")
    plain = digits.isdigit() and len(digits) <= _DIGITS_MAX and (text == b"0" or not digits.startswith(b"0"))
    number = int(text) if plain else _MAX + 1
    if not fits(number):
        raise CommandError(error)
    return number


def fits(number: int) -> bool:
    """Whether it has 64 bits."""
    return _MIN <= number <= _MAX


def no_expiry(word: bytes) -> CommandError:
    """The error of what would make a key expire."""
    told = word.decode("latin-1").upper()
    return CommandError(f"ERR {told}: nothing expires here: the gate has no time", f"{told} (nothing expires)")
