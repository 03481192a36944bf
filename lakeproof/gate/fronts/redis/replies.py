"""What Redis answers, as values, as bytes of RESP2 and RESP3, and in a word for traces.

Source: https://redis.io/docs/latest/develop/reference/protocol-spec/.
"""

from typing import Final, TypeAlias

import attrs

WAITS: Final = "waits"
"""In place of an answer: a command waits, and no time ends that."""
NIL: Final = "nil"
WORDS_MAX: Final = 4
"""Parts of an array that are encoded one by one."""


@attrs.frozen
class Simple:
    """A simple string, such as ``OK``."""

    text: str


@attrs.frozen
class Failure:
    """An error: its first word is its kind, such as ``ERR`` or ``WRONGTYPE``."""

    text: str


@attrs.frozen
class NilArray:
    """An array that is none: of a transaction that was not done. RESP3 has one nil for all."""


@attrs.frozen
class Pairs:
    """A map, which is a flat array in RESP2. nested: no map, but an array of pairs."""

    pairs: "tuple[tuple[Value, Value], ...]"
    nested: bool = False


@attrs.frozen
class Members:
    """A set, in the order of the bytes of its members. RESP2 has an array for it."""

    members: frozenset[bytes]


Value: TypeAlias = "Simple | Failure | NilArray | Pairs | Members | int | float | bytes | tuple[Value, ...] | None"
OK: Final = Simple("OK")


class CommandError(Exception):
    """A command that is answered by an error, in Redis' words. unknown: what the front does not have, and a Redis
    does."""

    def __init__(self, text: str, unknown: str = "") -> None:
        super().__init__(text)
        self.unknown = unknown


@attrs.frozen
class Reply:
    """The answer to a command. watched: by key, the versions that WATCH has seen. unknown: what was requested that
    the front does not have: then this is no answer of a Redis. waits: it gives none before an element comes; the value
    is for whom nothing can come."""

    value: Value
    watched: tuple[tuple[bytes, int], ...] = ()
    unknown: str = ""
    waits: bool = False

    @property
    def status(self) -> str:
        """In a word, without contents that a program may have minted."""
        return WAITS if self.waits else in_a_word(self.value)


def in_a_word(value: Value) -> str:
    """``OK``, ``nil``, ``value``, a number, ``error WRONGTYPE``, or such words in brackets."""
    match value:
        case Simple(text):
            return text
        case Failure(text):
            return f"error {text.partition(' ')[0]}"
        case None | NilArray():
            return NIL
        case int() | float():
            return str(value)
        case bytes():  # it may be minted, and differ in the next run
            return "value"
        case Pairs(pairs):
            return f"{len(pairs)} pairs"
        case Members(members):
            return f"{len(members)} members"
        case _:
            if len(value) > WORDS_MAX:
                return f"[{len(value)} values]"
            return f"[{', '.join(map(in_a_word, value))}]"


def encode_reply(value: Value, protocol: int) -> bytes:
    """Its bytes. protocol: 2 or 3."""
    match value:
        case Simple(text):
            return b"+%b\r\n" % _line(text)
        case Failure(text):
            return b"-%b\r\n" % _line(text)
        case None:
            return b"_\r\n" if protocol == 3 else b"$-1\r\n"
        case NilArray():
            return b"_\r\n" if protocol == 3 else b"*-1\r\n"
        case int():
            return b":%d\r\n" % value
        case float():
            # RESP2 has no doubles.
            return b",%b\r\n" % number(value) if protocol == 3 else encode_reply(number(value), protocol)
        case bytes():
            return b"$%d\r\n%b\r\n" % (len(value), value)
        case Pairs(pairs, True) if protocol == 3:
            return encode_reply(pairs, protocol)
        case Pairs(pairs):
            inner = b"".join(encode_reply(each, protocol) for pair in pairs for each in pair)
            # `%` begins a map of RESP3.
            return (b"%%%d\r\n" % len(pairs) if protocol == 3 else b"*%d\r\n" % (2 * len(pairs))) + inner
        case Members(members):
            array = encode_reply(tuple(sorted(members)), protocol)
            return array.replace(b"*", b"~", 1) if protocol == 3 else array  # `~` begins a set of RESP3
        case _:
            return b"*%d\r\n" % len(value) + b"".join(encode_reply(each, protocol) for each in value)


def number(value: float) -> bytes:
    """A score as Redis writes it."""
    return f"{value:.17g}".encode()  # 17 digits give every double back


def _line(text: str) -> bytes:
    """Errors quote the request byte by byte, but a line is a line."""
    return text.encode("latin-1").replace(b"\r", b" ").replace(b"\n", b" ")
