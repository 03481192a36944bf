"""HTTP connections on which an answer ends: in time, and before it fills the memory.

The timeouts of sockets are those of single reads. A server that sends a byte now and then, or never stops to send,
keeps a client for ever, in the header (which HTTP lets begin anew with each ``100 Continue``) as well as in the body.
Here a request has one deadline for all of it, and its answer may have so many bytes, as they come from the socket.

An answer that is cut off by a lost connection is not taken for a shorter one: an empty body for the content of a path
would be evidence against a service that is right.
"""

import http.client
import io
import time
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.poolmanager import PoolManager

from lakeproof.live.lakefs.calls import LAST

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from urllib3.response import HTTPResponse

HEADER_MAX: Final = 1 << 18
BODY_MAX: Final = 1 << 24
"""Bytes. A page of a listing, the largest answer, has a thousand entries and some hundred kilobytes."""
_MOMENT: Final = 0.001
"""In seconds: a socket takes 0 for "do not wait", which is another kind of error."""


class Unbounded(http.client.HTTPException):
    """An answer that is too long, is longer than it looks, or may be shorter than it was."""


class _Socket(Protocol):
    def settimeout(self, seconds: float, /) -> None: ...
    def makefile(self, mode: str, /) -> io.BufferedReader: ...


class _Bytes(io.RawIOBase):
    """What comes from a socket, until a deadline. Raises TimeoutError, or Unbounded after so many bytes."""

    def __init__(self, raw: io.RawIOBase, sock: _Socket, until: float) -> None:
        super().__init__()
        self._raw, self._sock, self._until = raw, sock, until
        self.left, self.part, self.most = HEADER_MAX, "header", HEADER_MAX

    def body(self) -> None:
        self.left, self.part, self.most = BODY_MAX, "body", BODY_MAX

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int | None:
        # Before each read from the socket: its timeout alone would begin anew with every byte that arrives.
        seconds = self._until - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        if self.left <= 0:
            raise Unbounded(f"a {self.part} of more than {self.most:,} bytes")
        self._sock.settimeout(max(seconds, _MOMENT))
        count = self._raw.readinto(buffer)
        if count == 0 and self.part == "header":  # http.client would take what there is for the whole of it
            raise Unbounded("a header that was cut off")
        # None stands for a read that would block, 0 for the end.
        self.left -= count or 0
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Buffered(io.BufferedReader):
    """Allocates nothing for an announced length."""

    def read(self, size: int | None = -1, /) -> bytes:
        # A chunk is read by its announced length, for which BufferedReader would allocate a buffer first.
        if size is not None and size > BODY_MAX:
            raise Unbounded(f"a body of more than {BODY_MAX:,} bytes")
        return super().read(size)


class _Response(http.client.HTTPResponse):
    """A response that reads through `_Bytes`."""

    def __init__(self, sock: _Socket, *args: object, until: float, **kwargs: object) -> None:
        super().__init__(sock, *args, **kwargs)  # type: ignore[arg-type]
        # HTTPResponse has made its own buffered file of the socket. Nothing was read into that buffer yet, so it may be
        # replaced.
        self._bytes = _Bytes(self.fp.detach(), sock, until)
        self.fp = _Buffered(self._bytes)

    def begin(self) -> None:
        super().begin()
        LAST.code = self.status
        encoding = self.headers.get("content-encoding", "identity")
        if encoding.strip().lower() != "identity":  # a kilobyte may be a gigabyte then
            raise Unbounded(f"a body encoded as {encoding!r}, which was not requested")
        # Such a body ends where the connection does (RFC 9112, 6.3), which also looks so if the server died. Of an
        # error the status is enough.
        if self.length is None and not self.chunked and self.status < http.client.MULTIPLE_CHOICES:
            raise Unbounded("a body whose end is not marked: it may have been cut off")
        if self.length is not None and self.length > BODY_MAX:
            raise Unbounded(f"a body of more than {BODY_MAX:,} bytes")
        self._bytes.body()


class _Connection(HTTPConnection):
    """A connection whose timeout is that of a request and its whole answer."""

    _until: float | None = None
    """The deadline of the request that is under way."""

    def connect(self) -> None:
        # The deadline covers the lookup of the name, the handshake of TLS and the request.
        self._begin()
        super().connect()
        self._hurry()  # the socket still has the timeout of the connect

    def putrequest(self, method: str, url: str, skip_host: bool = False, skip_accept_encoding: bool = False) -> None:
        self._begin()
        super().putrequest(method, url, skip_host, skip_accept_encoding)

    def send(self, data: object) -> None:
        self._hurry()
        super().send(data)  # type: ignore[arg-type]

    def getresponse(self) -> "HTTPResponse":  # type: ignore[override]  # as urllib3 does
        until = self._begin()
        # The library sets this as the timeout of the socket before it reads the status line.
        self.timeout = self._left(until)
        self.response_class = partial(_Response, until=until)  # type: ignore[assignment]  # it is only called
        try:
            return super().getresponse()
        finally:
            self._until = None  # the body goes on with the deadline that the response has

    def close(self) -> None:
        self._until = None
        super().close()

    def _begin(self) -> float:
        if self._until is None:
            seconds = self.timeout
            assert isinstance(seconds, int | float), "every call has a timeout"
            self._until = time.monotonic() + seconds
        return self._until

    def _hurry(self) -> None:
        sock = self.sock
        if sock is not None and self._until is not None:
            sock.settimeout(self._left(self._until))

    @staticmethod
    def _left(until: float) -> float:
        return max(until - time.monotonic(), _MOMENT)


class _TLSConnection(_Connection, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


def bound(pools: PoolManager) -> None:
    """Let all connections of these pools have bounds."""
    pools.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}


def nonsense(error: BaseException) -> str:
    """What is wrong with an answer that is no HTTP, or has no bounds, wherever in an error that is; empty: nothing."""
    todo: list[object] = [error]
    seen: set[int] = set()
    while todo:
        each = todo.pop()
        # RemoteDisconnected is both: a connection that ended before any answer, and so no nonsense.
        if isinstance(each, http.client.HTTPException) and not isinstance(each, ConnectionError):
            return str(each) or type(each).__name__
        if isinstance(each, BaseException) and id(each) not in seen:
            seen.add(id(each))
            # The library puts the original error among the arguments of its own, or chains it. `seen` breaks cycles of
            # contexts.
            todo += [*each.args, each.__cause__, each.__context__]
    return ""
