"""The commands of one connection as they arrive in pieces. No socket is touched here.

A command is an array of bulk strings; the lines of words that a Redis reads for people are not known here. Libraries
that read RESP read its answers; a server must say what is malformed in Redis' words.
"""

from collections import deque
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
        self._left = 0
        """Words that the command still needs."""
        self._words: list[bytes] = []
        self._length: int | None = None
        """Of the word that comes; None: its length has not come yet."""
        self._bytes = 0
        """Of the words of the command so far, and of the one that comes."""
        self._broken = False

    @property
    def begun(self) -> bool:
        """Whether a part of a command has arrived, and it is not whole yet."""
        return not self._broken and bool(self._rest or self._left)

    def feed(self, data: bytes) -> None:
        """Take in what has arrived. What follows on something malformed is passed over."""
        if self._broken:
            return
        self._rest += data
        try:
            while self._go_on():
                pass
        except _ProtocolError as error:
            self._broken = True
            self._rest.clear()
            self.whole.append(Malformed(f"ERR Protocol error: {error}", error.unknown))

    def wants_continue(self) -> bool:
        """Never: that is of HTTP."""
        return False

    def _go_on(self) -> bool:
        """Read one line or one word; whether it was there."""
        if self._length is not None:
            return self._word(self._length)
        line = self._line()
        if line is None:
            return False
        if self._left:
            self._head_of_word(line)
        else:
            self._head_of_command(line)
        return True

    def _line(self) -> bytes | None:
        # Also what a page makes a browser send: it begins with no star, so that nothing of it is a command.
        if not self._left and self._rest and self._rest[:1] != b"*":
            raise _ProtocolError("a line of words is not known here; send an array of bulk strings", "a line of words")
        # The bound limits the cost: what has no line end yet is searched again with each piece that arrives.
        end = self._rest.find(_CRLF, 0, LINE_BYTES_MAX + 2)
        if end < 0:
            if len(self._rest) > LINE_BYTES_MAX:
                raise _ProtocolError("too big bulk count string" if self._left else "too big mbulk count string")
            return None
        line = bytes(self._rest[:end])
        del self._rest[: end + 2]
        return line

    def _head_of_command(self, line: bytes) -> None:
        count = _integer(line[1:])
        if count is None or count > WORDS_MAX:
            raise _ProtocolError("invalid multibulk length")
        # `*0` and `*-1` have no words: Redis passes over them without an answer.
        self._left, self._words, self._bytes = max(0, count), [], 0

    def _head_of_word(self, line: bytes) -> None:
        if line[:1] != b"$":
            raise _ProtocolError(f"expected '$', got '{line[:1].decode('latin-1') or ' '}'")
        length = _integer(line[1:])
        if length is None or length < 0:
            raise _ProtocolError("invalid bulk length")
        # Ours limits all words together, and makes the run inconclusive; that of Redis limits one, and is an error.
        if self._bytes + length > BODY_BYTES_MAX:
            ours = f"a command of more than {BODY_BYTES_MAX:,} bytes" if length <= BULK_BYTES_MAX else ""
            raise _ProtocolError("invalid bulk length", ours)
        self._length = length
        self._bytes += length

    def _word(self, length: int) -> bool:
        if len(self._rest) < length + 2:  # and the line end, which Redis does not look at either
            return False
        self._words.append(bytes(self._rest[:length]))
        del self._rest[: length + 2]
        self._length = None
        self._left -= 1
        if not self._left:
            self.whole.append(tuple(self._words))
            self._words = []
        return True


def _integer(text: bytes) -> int | None:
    """A number as the head of an array or of a word has it; None: it is none."""
    digits = text.removeprefix(b"-")
    # Redis takes no zeros in front here.
    if not digits.isdigit() or len(digits) > DIGITS_MAX or (text != b"0" and digits.startswith(b"0")):
        return None
    return int(text)
