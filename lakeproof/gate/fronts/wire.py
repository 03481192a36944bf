"""The bytes of HTTP/1.1: requests as they arrive in pieces, and answers. No socket is touched here.

httptools reads them, with the parser of Node.js (llhttp). What a header says about connections and lengths is its
business; what is too long is ours.
"""

import re
from collections import deque
from collections.abc import Mapping
from http.client import responses
from typing import Final
from urllib.parse import parse_qsl, unquote

import attrs
import httptools

BODY_BYTES_MAX: Final = 1 << 28
TOO_LARGE: Final = 413
"""The largest body that is read; a larger one is refused with 413, and the connection closed."""
HEAD_BYTES_MAX: Final = 1 << 16
"""The longest beginning of a request, up to its body; a longer one is refused with 431."""
CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
WITHOUT_BODY: Final = frozenset({204, 304})
# `Credential=ACCESS_KEY/DATE/REGION/SERVICE/aws4_request`, within the header Authorization.
_CREDENTIAL: Final = re.compile(r"Credential=([^/,\s]+)/")


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

    @property
    def signer(self) -> str:
        """The access key of a signature of Amazon's, version 4, in a header or in the address; empty: there is none."""
        found = _CREDENTIAL.search(self.headers.get("authorization", ""))
        return found[1] if found else (self.parameter("X-Amz-Credential") or "").partition("/")[0]


@attrs.frozen
class Response:
    """A whole answer. Its length is added."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    unknown: str = ""
    """What was requested that the front does not have: then this is no answer of the store's."""


class Malformed(Exception):
    """What has arrived is no request, or too large a one. status: to refuse it with."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@attrs.frozen
class Arrived:
    """A whole request, and whether another one may follow on its connection."""

    request: Request
    stays: bool


class Incoming:
    """The requests of one connection. `feed` it what has arrived; ``whole`` has those that are complete, in order."""

    def __init__(self) -> None:
        self.whole: deque[Arrived] = deque()
        self.begun = False
        """Whether a part of a request has arrived, and it is not whole yet."""
        self._parser = httptools.HttpRequestParser(self)
        self._head_bytes = 0
        self._expects = False
        self._reset()

    def feed(self, data: bytes) -> None:
        """Raises Malformed: nothing more can be read from this connection."""
        left: bytes | None = data
        while left is not None:
            left = self._read(left)
        # After each piece, as the parser keeps no count: a head is longer at most by what is read at once.
        if self.begun and not self._headed and self._head_bytes > HEAD_BYTES_MAX:
            raise Malformed(431, f"the headers are longer than {HEAD_BYTES_MAX:,} bytes")

    def _read(self, data: bytes) -> bytes | None:
        """Returns what is left to read, if the parser has stopped on its way."""
        self._head_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            return self._without_offer(data[upgrade.args[0] :])
        except httptools.HttpParserCallbackError as error:  # what a callback has raised is in its context
            if isinstance(error.__context__, Malformed):
                raise error.__context__ from None
            raise
        except httptools.HttpParserError as error:
            raise Malformed(400, str(error)) from None
        return None

    def _without_offer(self, rest: bytes) -> bytes:
        """A request that offers another protocol as if it did not (RFC 9110, section 7.8), for a new parser: the one
        before has stopped behind its headers. Java's client offers h2c with each first request."""
        request = self.whole.pop().request
        if request.method == "CONNECT":
            raise Malformed(405, "CONNECT: this is a store, and no proxy")
        # Without this header the parser stops no more: what is left in ``Connection`` offers nothing by itself.
        headers = [f"{name}: {value}".encode("latin-1") for name, value in request.headers.items() if name != "upgrade"]
        first = request.method.encode("ascii") + b" " + self._target + b" HTTP/1.1"
        self._parser = httptools.HttpRequestParser(self)
        return b"\r\n".join((first, *headers, b"", rest))

    def wants_continue(self) -> bool:
        """Whether the client waits for leave to send a body; true once."""
        # A client that has begun its body needs no leave.
        found, self._expects = self._expects and self.begun and not self._body, False
        return found

    def _reset(self) -> None:
        self._target = b""
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._headed = self._expects = False

    def on_message_begin(self) -> None:
        self._reset()
        self.begun = True

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._headed:
            return  # a trailer
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        self._headers[key] = f"{self._headers[key]},{text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        self._headed = True
        if not self._target.isascii():
            raise Malformed(400, f"{self._target!r}: a target is ASCII; write other characters as %XX")
        self._expects = self._headers.get("expect", "").lower() == "100-continue"
        # Before the body arrives, where its length is announced. A chunked one is measured as it comes.
        if int(self._headers.get("content-length", "0")) > BODY_BYTES_MAX:
            raise _too_large()

    def on_body(self, body: bytes) -> None:
        self._body += body
        if len(self._body) > BODY_BYTES_MAX:
            raise _too_large()

    def on_message_complete(self) -> None:
        path, _, query = self._target.decode("ascii").partition("?")
        request = Request(
            method=self._parser.get_method().decode("ascii"),
            path=unquote(path),  # a plus stays: it is a space in queries only
            query=tuple(parse_qsl(query, keep_blank_values=True)) if query else (),
            headers=self._headers,
            body=bytes(self._body),
        )
        self.whole.append(Arrived(request, self._parser.should_keep_alive()))
        self.begun = False
        self._head_bytes = 0


def _too_large() -> Malformed:
    return Malformed(TOO_LARGE, f"a body of more than {BODY_BYTES_MAX:,} bytes")


def encode_response(method: str, response: Response, stays: bool) -> bytes:
    """The bytes of the answer to a request of that method. stays: another request may follow on the connection.

    Raises:
        ValueError: a header has a line break, and what is behind it would be another one.
    """
    lines = [f"HTTP/1.1 {response.status} {responses.get(response.status, 'Unknown')}"]  # boto3 wants a phrase
    lines += [f"{name}: {value}" for name, value in response.headers]
    # RFC 9110, section 8.6: a 204 has no such header, and of a 304 it would be the length of another answer.
    if response.status not in WITHOUT_BODY:
        lines.append(f"Content-Length: {len(response.body)}")
    if not stays:
        lines.append("Connection: close")
    if any("\n" in line or "\r" in line or "\0" in line for line in lines):
        raise ValueError(f"{lines!r}: a header of an answer has a line break")
    # The answer to a HEAD has the length of the body that a GET would have, and not the body.
    head = "\r\n".join((*lines, "\r\n")).encode("latin-1")
    return head if method == "HEAD" or response.status in WITHOUT_BODY else head + response.body
