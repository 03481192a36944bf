"""HTTP/1.1 as a program's store speaks it: requests in, answers out, and connections that are cut on purpose.

h11 reads and writes the protocol; trio carries it. Requests of one connection are handled one after the other, as
HTTP/1.1 has it; each connection has a task of its own.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from urllib.parse import parse_qsl, unquote

import attrs
import h11
import trio

BODY_BYTES_MAX: Final = 1 << 28
"""The largest body that is read; a larger one is refused with 413, and the connection closed."""
READ_BYTES: Final = 1 << 16
CLOSING_SECONDS: Final = 1.0


@attrs.frozen
class Request:
    """A whole request."""

    method: str
    path: str
    """Decoded, with its slashes; begins with one."""
    query: tuple[tuple[str, str], ...]
    """Decoded, in order; a parameter without a value has an empty one."""
    headers: Mapping[str, str]
    """Names in lower case. A name that comes twice has its values joined by a comma."""
    body: bytes

    def parameter(self, name: str) -> str | None:
        """The first parameter of a name."""
        return next((value for each, value in self.query if each == name), None)


@attrs.frozen
class Response:
    """A whole answer. Its length is added."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


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
        wire = h11.Connection(h11.SERVER, max_incomplete_event_size=READ_BYTES)
        try:
            while await self._one(stream, wire):
                wire.start_next_cycle()
        except (trio.BrokenResourceError, trio.ClosedResourceError, Cut):
            pass
        except h11.RemoteProtocolError as error:
            await self._refuse(stream, wire, error.error_status_hint, str(error))
        finally:
            await trio.aclose_forcefully(stream)

    async def _one(self, stream: trio.SocketStream, wire: h11.Connection) -> bool:
        """Serve one request; whether the connection stays open."""
        head = await self._event(stream, wire)
        if not isinstance(head, h11.Request):
            return False  # the client has closed it
        self.busy += 1
        try:
            body = await self._body(stream, wire, head)
            self.seen += 1
        finally:
            self.busy -= 1
        if body is None:
            await self._refuse(stream, wire, 413, f"the body is larger than {BODY_BYTES_MAX:,} bytes")
            return False
        response = await self.handler(_request(head, body))
        self.busy += 1
        try:
            await stream.send_all(_sent(wire, head, response))
        finally:
            self.busy -= 1
        return wire.our_state is h11.DONE and wire.their_state is h11.DONE

    async def _body(self, stream: trio.SocketStream, wire: h11.Connection, head: h11.Request) -> bytes | None:
        found = bytearray()
        while True:
            if wire.they_are_waiting_for_100_continue:
                await stream.send_all(wire.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
            event = await self._event(stream, wire)
            if isinstance(event, h11.Data):
                found += event.data
                if len(found) > BODY_BYTES_MAX:
                    return None
            elif isinstance(event, h11.EndOfMessage):
                return bytes(found)
            else:
                raise Cut

    async def _event(self, stream: trio.SocketStream, wire: h11.Connection) -> h11.Event | type[h11.PAUSED]:
        while True:
            event = wire.next_event()
            if not isinstance(event, type) or event is h11.PAUSED:
                return event
            wire.receive_data(await stream.receive_some(READ_BYTES))

    async def _refuse(self, stream: trio.SocketStream, wire: h11.Connection, status: int, why: str) -> None:
        """Tell a client that speaks no HTTP so, as far as it listens."""
        if wire.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        text = why.encode()
        headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(text))), ("Connection", "close")]
        parts = (h11.Response(status_code=status, headers=headers), h11.Data(data=text), h11.EndOfMessage())
        with trio.move_on_after(CLOSING_SECONDS):
            try:
                await stream.send_all(b"".join(wire.send(part) or b"" for part in parts))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return


def _request(head: h11.Request, body: bytes) -> Request:
    headers: dict[str, str] = {}
    for name, value in head.headers:
        key, text = name.decode("ascii").lower(), value.decode("latin-1")
        headers[key] = f"{headers[key]},{text}" if key in headers else text
    path, _, query = head.target.decode("ascii").partition("?")
    return Request(
        method=head.method.decode("ascii"),
        path=unquote(path),
        query=tuple(parse_qsl(query, keep_blank_values=True)),
        headers=headers,
        body=body,
    )


def _sent(wire: h11.Connection, head: h11.Request, response: Response) -> bytes:
    headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in response.headers]
    if response.status not in (204, 304):
        headers.append((b"Content-Length", str(len(response.body)).encode()))
    out = wire.send(h11.Response(status_code=response.status, headers=headers)) or b""
    if response.body and head.method != b"HEAD":
        out += wire.send(h11.Data(data=response.body)) or b""
    return out + (wire.send(h11.EndOfMessage()) or b"")
