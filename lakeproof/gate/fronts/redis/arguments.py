"""Arguments of commands: numbers and options, and the errors of those that are none, in Redis' words."""

from typing import Final

from lakeproof.gate.fronts.redis.replies import CommandError

Args = tuple[bytes, ...]
"""What follows the name of a command."""
NO_INTEGER: Final = "ERR value is not an integer or out of range"
SYNTAX: Final = "ERR syntax error"
_DIGITS_MAX: Final = 19  # of 2**63 - 1; more may exceed what int() reads
_MIN, _MAX = -(1 << 63), (1 << 63) - 1


def integer(text: bytes, error: str = NO_INTEGER) -> int:
    """A number of 64 bits. Raises CommandError: it is none, or has zeros or a sign in front that it does not need."""
    digits = text.removeprefix(b"-")
    plain = digits.isdigit() and len(digits) <= _DIGITS_MAX and (text == b"0" or not digits.startswith(b"0"))
    number = int(text) if plain else _MAX + 1  # for no number, one that does not fit
    if not fits(number):
        raise CommandError(error)
    return number


def cursor(text: bytes) -> int:
    """The place in a scan. Raises CommandError: it is no number of 64 bits without a sign."""
    digits = text.lstrip(b"0") or b"0"
    # int() refuses thousands of digits; 2**64 has twenty.
    if not text.isdigit() or len(digits) > 20 or int(digits) >= 1 << 64:
        # strtoul of 7.0 takes a sign, an empty text, and what is before a zero byte; later releases refuse them.
        loose = text[:1] in (b"", b"-", b"+") or b"\0" in text
        raise CommandError("ERR invalid cursor", f"the cursor {text.decode('latin-1')!r}" if loose else "")
    return int(digits)


def fits(number: int) -> bool:
    """Whether it has 64 bits."""
    return _MIN <= number <= _MAX


TIMES: Final = (b"EX", b"PX", b"EXAT", b"PXAT")
"""Options of SET."""
_SINCE_1970: Final = 1 << 41
"""Milliseconds, about: a time that Redis keeps is one since then, and has 64 bits."""
_IN_SECONDS: Final = frozenset({b"EX", b"EXPIRE", b"SETEX"})


def lifetime(word: bytes, text: bytes, known: bool, *, positive: bool = True) -> int:
    """In milliseconds. word: the option or the command that has it. known: whether keys may have one here."""
    found = integer(text) * (1000 if word in _IN_SECONDS else 1)
    # Redis adds a relative time to its clock, and the sum must fit, too.
    latest = _MAX if word in TIMES[2:] else _MAX - _SINCE_1970
    name = (b"SET" if word in TIMES else word).decode()
    if not (1 if positive else _MIN) <= found <= latest:
        raise CommandError(f"ERR invalid expire time in '{name.lower()}' command")
    # A wrong time is refused as by a Redis before it matters that the front does not have the option.
    if word in TIMES[2:]:
        raise not_known(f"{name} {word.decode()}")
    if not known:
        raise not_known(f"{word.decode()} without GateScenario(expiries=...)")
    return found


def not_known(what: str) -> CommandError:
    """The error of an option that a Redis has, and the front has not."""
    return CommandError(f"ERR {what} is not known here", what)


def wrong_number(name: str) -> CommandError:
    """The error of a command with too few words, or too many."""
    return CommandError(f"ERR wrong number of arguments for '{name}' command")


def pairs(args: Args, name: str) -> list[tuple[bytes, bytes]]:
    """Keys or fields, each with its value. Raises CommandError: a value is missing."""
    if len(args) % 2:
        raise wrong_number(name)
    return list(zip(args[::2], args[1::2], strict=True))


def sum_of(one: int, other: int) -> int:
    """Raises CommandError: it has more than 64 bits."""
    if not fits(one + other):
        raise CommandError("ERR increment or decrement would overflow")
    return one + other


def scan_options(args: Args, *others: bytes) -> dict[bytes, bytes]:
    """The options of a scan, by name: COUNT, MATCH and others. Raises CommandError: it has another one, one without a
    value, or a COUNT below 1."""
    found = {}
    for at in range(0, len(args), 2):
        word, value = args[at].upper(), args[at + 1 : at + 2]
        if not value or word not in (b"COUNT", b"MATCH", *others) or (word == b"COUNT" and integer(value[0]) < 1):
            raise CommandError(SYNTAX)
        found[word] = value[0]
    return found


def check_flush(args: Args, error: str) -> None:
    """Raises CommandError: what follows is not how to flush."""
    if len(args) > 1 or (args and args[0].upper() not in (b"ASYNC", b"SYNC")):
        raise CommandError(error)
