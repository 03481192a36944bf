"""HTTP/1.1 as a program's store speaks it: requests in, answers out, and connections that are cut on purpose.

`lakeproof.gate.wire` reads and writes the protocol; trio carries it. Requests of one connection are handled one after
the other, as HTTP/1.1 has it; each connection has a task of its own.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import trio

from lakeproof.gate.wire import CONTINUE, Arrived, Incoming, Malformed, Request, Response, sent

__all__ = ["Cut", "Handler", "Request", "Response", "Server"]
READ_BYTES: Final = 1 << 16
CLOSING_SECONDS: Final = 1.0


class Cut(Exception):
    """Raised by a handler: close the connection now, without an answer."""


Handler = Callable[[Request], Awaitable[Response]]


class Server:
    """Serves a handler on listeners until it is cancelled.

    ``busy`` counts the connections on which a request has begun and is not whole yet, or an answer is under way: while
    it is above 0, the program is not quiet. ``seen`` counts the whole requests.
    """

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.busy = 0
        self.seen = 0

    async def serve(self, listeners: list[trio.SocketListener]) -> None:
        """Until it is cancelled. An error of the handler is an error here."""
        await trio.serve_listeners(self._talk, listeners)

    async def _talk(self, stream: trio.SocketStream) -> None:
        stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
        incoming = Incoming()
        try:
            while await self._one(stream, incoming):
                pass
        except (trio.BrokenResourceError, trio.ClosedResourceError, Cut):
            pass
        except Malformed as error:
            await self._refuse(stream, error)
        finally:
            await trio.aclose_forcefully(stream)

    async def _one(self, stream: trio.SocketStream, incoming: Incoming) -> bool:
        """Serve one request; whether the connection stays open."""
        arrived = await self._arrived(stream, incoming)
        if arrived is None:
            return False  # the client has closed it
        self.seen += 1
        response = await self.handler(arrived.request)
        self.busy += 1
        try:
            await stream.send_all(sent(arrived.request.method, response, arrived.stays))
        finally:
            self.busy -= 1
        return arrived.stays

    async def _arrived(self, stream: trio.SocketStream, incoming: Incoming) -> Arrived | None:
        """The next request; None: there is none any more."""
        counted = False
        try:
            while not incoming.whole:
                if incoming.begun and not counted:
                    self.busy += 1
                    counted = True
                if incoming.wants_continue():
                    await stream.send_all(CONTINUE)
                data = await stream.receive_some(READ_BYTES)
                if not data:
                    return None
                incoming.feed(data)
            return incoming.whole.popleft()
        finally:
            self.busy -= counted

    async def _refuse(self, stream: trio.SocketStream, error: Malformed) -> None:
        """Tell a client that speaks no HTTP so, as far as it listens."""
        response = Response(error.status, (("Content-Type", "text/plain"),), str(error).encode())
        with trio.move_on_after(CLOSING_SECONDS):
            try:
                await stream.send_all(sent("", response, stays=False))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return
