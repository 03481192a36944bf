"""The commands of one connection as they arrive in pieces. No socket is touched here.

A command is an array of bulk strings, or a line of words as people type it: so checks of health send ``PING``.
Libraries that read RESP read its answers; a server must say what is malformed in Redis' words.
"""

import re
from collections import deque
from collections.abc import Generator, Iterator
from typing import Final

import attrs

from lakeproof.gate.fronts.wire import BODY_BYTES_MAX

WORDS_MAX: Final = 1 << 20
"""Words of a command; one with more is refused."""
LINE_BYTES_MAX: Final = 1 << 16
"""The longest line; a longer one is refused, as by Redis."""
BULK_BYTES_MAX: Final = 1 << 29
"""Of a Redis: it refuses a longer word as well."""
DIGITS_MAX: Final = 20
_CRLF: Final = b"\r\n"
_NOT_TYPED: Final = re.compile(rb"[\"'\0\v\f]")
"""What is of quoted words, and blanks that Redis has at some places of a line."""
_OF_BROWSERS: Final = (b"POST", b"HOST:")

Words = tuple[bytes, ...]


@attrs.frozen
class Malformed:
    """What has arrived is no command, or too large a one: nothing more can be read from this connection."""

    why: str
    unknown: str = ""
    """What a Redis reads, and this does not."""


class _ProtocolError(Exception):
    def __init__(self, why: str, unknown: str = "") -> None:
        super().__init__(why)
        self.unknown = unknown


class Incoming:
    """`feed` it what has arrived; ``whole`` has the commands that are complete, in order, and at its end what is
    malformed, if anything is."""

    def __init__(self) -> None:
        self.whole: deque[Words | Malformed] = deque()
        self._rest = bytearray()
        self._within = False
        """Whether the head of a command was read, and not all of its words."""
        self._parser = self._parse()
        next(self._parser)

    @property
    def begun(self) -> bool:
        """Whether a part of a command has arrived, and it is not whole yet."""
        return self._within or bool(self._rest)

    def feed(self, data: bytes) -> None:
        """Take in what has arrived. What follows on something malformed is passed over."""
        self._rest += data
        next(self._parser)

    def wants_continue(self) -> bool:
        """Never: that is of HTTP."""
        return False

    def _parse(self) -> Iterator[None]:
        """Yields where it needs more."""
        try:
            while True:
                # `*0` and `*-1` have no words: Redis passes over them without an answer.
                if words := (yield from self._command()):
                    self.whole.append(words)
        except _ProtocolError as error:
            self.whole.append(Malformed(f"ERR Protocol error: {error}", error.unknown))
        while True:
            self._within = False
            self._rest.clear()
            yield

    def _command(self) -> Generator[None, None, Words]:
        while not self._rest:
            yield
        if self._rest[:1] != b"*":
            return (yield from self._typed())
        count = _integer((yield from self._line("too big mbulk count string"))[1:])
        if count is None or count > WORDS_MAX:
            raise _ProtocolError("invalid multibulk length")
        words: list[bytes] = []
        left = BODY_BYTES_MAX
        self._within = count > 0
        for _ in range(count):
            words.append((yield from self._word(left)))
            left -= len(words[-1])
        self._within = False
        return tuple(words)

    def _typed(self) -> Generator[None, None, Words]:
        while b"\n" not in self._rest:
            if len(self._rest) > LINE_BYTES_MAX:
                raise _ProtocolError("too big inline request")
            yield
        line, _, self._rest = self._rest.partition(b"\n")
        words = tuple(bytes(line).split())
        # Redis does not answer either what a page makes a browser send.
        if _NOT_TYPED.search(line) or (words and words[0].upper() in _OF_BROWSERS):
            raise _ProtocolError("this line of words is not known here; send an array of bulk strings", "such a line")
        return words

    def _word(self, left: int) -> Generator[None, None, bytes]:
        """left: so many bytes the command may still have."""
        line = yield from self._line("too big bulk count string")
        if line[:1] != b"$":
            raise _ProtocolError(f"expected '$', got '{line[:1].decode('latin-1') or ' '}'")
        length = _integer(line[1:])
        if length is None or length < 0:
            raise _ProtocolError("invalid bulk length")
        # Ours limits all words together, and makes the run inconclusive; that of Redis limits one, and is an error.
        if length > left:
            ours = f"a command of more than {BODY_BYTES_MAX:,} bytes" if length <= BULK_BYTES_MAX else ""
            raise _ProtocolError("invalid bulk length", ours)
        while len(self._rest) < length + 2:  # and the line end, which Redis does not look at either
            yield
        return self._take(length)

    def _line(self, error: str) -> Generator[None, None, bytes]:
        """error: of one that is too long."""
        # The bound limits the cost: what has no line end yet is searched again with each piece that arrives.
        while (end := self._rest.find(_CRLF, 0, LINE_BYTES_MAX + 2)) < 0:
            if len(self._rest) > LINE_BYTES_MAX:
                raise _ProtocolError(error)
            yield
        return self._take(end)

    def _take(self, length: int) -> bytes:
        """What comes next, without the line end behind it."""
        found = bytes(self._rest[:length])
        del self._rest[: length + 2]
        return found


def _integer(text: bytes) -> int | None:
    """A number as the head of an array or of a word has it; None: it is none."""
    digits = text.removeprefix(b"-")
    # Redis takes no zeros in front here.
    if not digits.isdigit() or len(digits) > DIGITS_MAX or (text != b"0" and digits.startswith(b"0")):
        return None
    return int(text)
