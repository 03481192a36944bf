"""HTTP/1.1 as a program's store speaks it: requests in, answers out, and connections that are cut on purpose. Other
protocols have listeners of their own here.

`lakeproof.gate.fronts.wire` reads and writes the protocol; trio says when a socket can be read or written. Requests of
one connection are handled one after the other, as HTTP/1.1 has it; each connection has a task of its own. Between what
is read from a socket and the handler there is no checkpoint: see `lakeproof.gate.arrivals`.
"""

import errno
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol, TypeVar

import trio

from lakeproof.gate.arrivals import READ_BYTES, Arrivals, write_all
from lakeproof.gate.fronts.wire import CONTINUE, TOO_LARGE, Incoming, Malformed, Request, Response, encode_response
from lakeproof.words import Unusable

__all__ = ["Cut", "Gone", "Handler", "Request", "Response", "Server", "listening", "refuse"]
CLOSING_SECONDS: Final = 1.0
WAITING_MAX: Final = 1024
"""How many connections may wait to be accepted."""
FULL: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
FULL_SECONDS: Final = 0.1
"""How long to wait for room when the machine has none for another connection."""


class Cut(Exception):
    """Raised by a handler: close the connection now, without an answer."""


class Gone(Exception):
    """The client has closed the connection."""


Handler = Callable[[Request], Awaitable[Response]]
Talk = Callable[[socket.socket], Awaitable[None]]
"""Serves a connection until it is over, and closes it."""
Whole = TypeVar("Whole")


class RequestParser(Protocol[Whole]):
    """Makes requests of the bytes of a connection. `lakeproof.gate.fronts.wire.Incoming` says what its parts mean."""

    whole: deque[Whole]

    @property
    def begun(self) -> bool: ...

    def feed(self, data: bytes, /) -> None: ...

    def wants_continue(self) -> bool: ...


def listening(port: int) -> socket.socket:
    """A socket that listens on loopback. 0: any free port.

    Raises:
        Unusable: the port is taken.
    """
    try:
        listener = socket.create_server(("127.0.0.1", port), backlog=WAITING_MAX)
    except OSError as error:
        raise Unusable(f"--port {port}: {error.strerror or error}; choose another port") from error
    listener.setblocking(False)
    return listener


class Server:
    """Serves a handler until it is cancelled.

    ``busy`` counts the connections on which a request has begun and is not whole yet, or an answer is under way, and
    those that are not read from yet: while it is above 0, or ``arrivals`` has something unread, the program is not
    quiet. ``seen`` counts the whole requests.
    """

    def __init__(self, handler: Handler, note: Callable[[str, str], object] = lambda *_: None) -> None:
        """note: receives what arrived and what of it no store here can take, as `lakeproof.gate.server.Gate.note`."""
        self.handler = handler
        self.note = note
        self.arrivals = Arrivals()
        self.busy = 0
        self.seen = 0

    async def serve(self, *listeners: tuple[socket.socket, Talk]) -> None:
        """Until it is cancelled; the listeners are closed then. An error of the handler is an error here. listeners:
        each with what serves its connections."""
        for listener, _ in listeners:
            self.arrivals.expect(listener)
        try:
            async with trio.open_nursery() as nursery:
                for listener, talk in listeners:
                    nursery.start_soon(self._accept, nursery, listener, talk)
        finally:
            self.arrivals.close()
            for listener, _ in listeners:
                listener.close()

    async def _accept(self, nursery: trio.Nursery, listener: socket.socket, talk: Talk) -> None:
        while True:
            await trio.lowlevel.wait_readable(listener)
            if (connection := await _accept_connection(listener)) is not None:
                # Until its task runs, the connection has left the backlog, and nothing watches it yet.
                self.busy += 1
                nursery.start_soon(self._begin, talk, connection)

    async def _begin(self, talk: Talk, connection: socket.socket) -> None:
        self.busy -= 1  # before its first checkpoint, `talk` expects what arrives
        await talk(connection)

    async def talk(self, connection: socket.socket) -> None:
        """Serve a connection of HTTP until it is closed, and close it."""
        incoming = Incoming()
        try:
            while await self._one(connection, incoming):
                pass
        except (Gone, Cut):
            pass
        except Malformed as error:
            # The service might have taken it: what follows from the refusal is not judged.
            if error.status == TOO_LARGE:
                self.note("a request of HTTP", str(error))
            response = Response(error.status, (("Content-Type", "text/plain"),), str(error).encode())
            await refuse(connection, encode_response("", response, stays=False))
        finally:
            connection.close()

    async def send(self, connection: socket.socket, data: bytes) -> None:
        """Write an answer. Raises Gone: the reader is gone."""
        # While it is not all written, the client has something to read, and so is not quiet.
        self.busy += 1
        try:
            await send(connection, data)
        finally:
            self.busy -= 1

    async def _one(self, connection: socket.socket, incoming: Incoming) -> bool:
        """Serve one request; whether the connection stays open."""
        arrived = await self.arrived(connection, incoming)
        self.seen += 1
        response = await self.handler(arrived.request)
        await self.send(connection, encode_response(arrived.request.method, response, arrived.stays))
        return arrived.stays

    async def arrived(self, connection: socket.socket, incoming: RequestParser[Whole]) -> Whole:
        """The next request of a connection.

        Raises:
            Gone: the client has closed it.
        """
        counted = False
        self.arrivals.expect(connection)
        try:
            while not incoming.whole:
                # What was read of a request is no longer unread, though its rest is still to come.
                if incoming.begun and not counted:
                    self.busy += 1
                    counted = True
                # The client sends no body before it has this, or some time has passed (RFC 9110, section 10.1.1).
                if incoming.wants_continue():
                    await send(connection, CONTINUE)
                await trio.lowlevel.wait_readable(connection)
                # The parser is fed in the same step: what was read is at once in ``begun`` or in ``whole``.
                if data := _receive_bytes(connection):
                    incoming.feed(data)
            return incoming.whole.popleft()
        finally:
            # Until the answer is sent the next request, which may be here already, is not to be waited for.
            self.arrivals.ignore(connection)
            self.busy -= counted

    async def closed(self, connection: socket.socket) -> None:
        """Until the client has closed a connection from which nothing is read. If it sends more, that is not seen."""
        self.arrivals.expect(connection)
        try:
            await trio.lowlevel.wait_readable(connection)
            sends = bool(connection.recv(1, socket.MSG_PEEK))
        except ConnectionError:
            sends = False
        finally:
            self.arrivals.ignore(connection)
        if sends:
            await trio.sleep_forever()


async def _accept_connection(listener: socket.socket) -> socket.socket | None:
    """The next connection that waits; None: there is none any more, or no room for it."""
    try:
        connection, _ = listener.accept()
    # The client may be gone between readiness and accept.
    except (BlockingIOError, ConnectionError):
        return None
    except OSError as error:
        if error.errno not in FULL:
            raise
        await trio.sleep(FULL_SECONDS)
        return None  # the connection stays in the backlog, and the listener readable
    connection.setblocking(False)
    with suppress(OSError):  # some systems refuse it on a connection that is closed already
        # Nagle's algorithm would keep a small answer back until the one before is acknowledged.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _receive_bytes(connection: socket.socket) -> bytes:
    """What has arrived; empty: nothing has, after all."""
    try:
        data = connection.recv(READ_BYTES)
    except BlockingIOError:
        return b""
    except OSError:
        raise Gone from None
    if not data:
        raise Gone
    return data


async def send(connection: socket.socket, data: bytes) -> None:
    """Write all of it. Raises Gone: the reader is gone."""
    try:
        await write_all(connection.fileno(), data)
    except OSError:
        raise Gone from None


async def refuse(connection: socket.socket, data: bytes) -> None:
    """Tell a client that does not speak the protocol so, as far as it listens."""
    with trio.move_on_after(CLOSING_SECONDS), suppress(Gone):
        await send(connection, data)
