"""What was sent and not read yet: bytes in sockets and pipes, and connections that wait for us.

On loopback, bytes are there for the reader when the writer's call returns. So once a program sleeps, one look here
tells whether all that it has sent was read. The reader must act on it in the same step of its task, without a
checkpoint in between: what was read and not yet acted on is not seen.
"""

import os
import selectors
import socket
from typing import Final

import trio

READ_BYTES: Final = 1 << 16
"""How much is read at once."""


class Arrivals:
    """Watches the files from which something is expected, for as long as it is."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def expect(self, file: socket.socket | int) -> None:
        """From now on, what arrives there is to be read."""
        self._selector.register(file, selectors.EVENT_READ)

    def ignore(self, file: socket.socket | int) -> None:
        """What arrives there is for later: HTTP/1.1 has one request after the other."""
        if self._selector.get_map() is not None:  # it is closed: an error ends all who expect something, one by one
            self._selector.unregister(file)

    def unread(self) -> bool:
        """Whether something has arrived and was not read. One system call."""
        # Readiness is reported again and again until all was read, so that a look takes nothing away.
        return bool(self._selector.select(0))

    def close(self) -> None:
        """Nothing is expected any more, nor can be."""
        self._selector.close()


async def write_all(file: int, data: bytes) -> None:
    """Write all of it to a socket or a pipe that does not block. Without a checkpoint, as long as it is read.

    Raises:
        OSError: the reader is gone.
    """
    left = memoryview(data)
    while left:
        try:
            # Written before it is waited for: at a checkpoint others would run between a request and its answer, and
            # neither of the two would be seen as under way.
            left = left[os.write(file, left) :]
        except BlockingIOError:
            await trio.lowlevel.wait_writable(file)
