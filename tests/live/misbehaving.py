"""Servers that misbehave: a gate before the fake, which answers what a test says in place of what came."""

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Final

import attrs

from lakeproof.live.lakefs.api import address
from tests.fake_lakefs.server import BASE, fake_lakefs

Pieces = Iterator[bytes]
"""What is sent, one piece after the other, as long as there is somebody who takes it. The connection is closed then."""


@attrs.frozen
class Asked:
    """A request, and what the fake would answer. number: from 0, without those of the version."""

    number: int
    path: str
    raw: bytes


@contextmanager
def gate(answering: Callable[[int, str], Callable[[Asked], Pieces] | None], seed: int = 0) -> Iterator[str]:
    """A DSN. answering: for the number of a request and its path, what is made of its answer; None: the request is not
    done, and the connection closed. The version is asked for with the number -1."""
    with fake_lakefs(seed=seed) as dsn:
        host, _, port = address(dsn).host.removeprefix("http://").partition("/")[0].partition(":")
        behind = (host, int(port))
        lock, count = threading.Lock(), [0]

        class Handler(socketserver.BaseRequestHandler):
            request: socket.socket

            def handle(self) -> None:
                try:
                    self.answer()
                except OSError:
                    """The client has gone."""

            def answer(self) -> None:
                asked = _request(self.request)
                if not asked:
                    return
                path = asked.split(b" ", 2)[1].decode("latin-1").partition("?")[0]
                number = -1
                if path != f"{BASE}/config":
                    with lock:
                        number = count[0]
                        count[0] += 1
                how = answering(number, path)
                if how is None:
                    return
                for piece in how(Asked(number, path, _forwarded(behind, asked))):
                    self.request.sendall(piece)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 128
            block_on_close = False

        server = Server(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield dsn.replace(f":{port}", f":{server.server_address[1]}")
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def _request(sock: socket.socket) -> bytes:
    """One request, whole; empty: there was none."""
    found = b""
    while b"\r\n\r\n" not in found:
        piece = sock.recv(1 << 16)
        if not piece:
            return b""
        found += piece
    head, _, body = found.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    left = int(lengths[0]) - len(body) if lengths else 0
    while left > 0:
        piece = sock.recv(1 << 16)
        if not piece:
            return b""
        body, left = body + piece, left - len(piece)
    return head + b"\r\nConnection: close\r\n\r\n" + body


def _forwarded(behind: tuple[str, int], asked: bytes) -> bytes:
    """The whole answer of the fake, which says that the connection is closed."""
    with socket.create_connection(behind) as sock:
        sock.sendall(asked)
        found = b"".join(iter(lambda: sock.recv(1 << 16), b""))
    head, _, body = found.partition(b"\r\n\r\n")
    return head + b"\r\nConnection: close\r\n\r\n" + body


def honest(asked: Asked) -> Pieces:
    yield asked.raw


def _status(asked: Asked, code: int) -> bytes:
    return b"HTTP/1.1 %d Odd\r\n" % code + asked.raw.partition(b"\r\n")[2]


def _with_body(body: bytes, *headers: str, code: int = 200) -> bytes:
    lines = [f"HTTP/1.1 {code} OK", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


def _forever(piece: bytes, *, first: bytes = b"", pause: float = 0.0) -> Pieces:
    slowly = threading.Event()
    yield first
    while True:
        yield piece
        slowly.wait(pause)


HEAD: Final = b"HTTP/1.1 200 OK\r\n"
CHUNKED: Final = HEAD + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
TOLD: Final = HEAD + b"Content-Length: 9999999999999999999\r\n\r\n"
ENDLESS: Final[dict[str, Callable[[], Pieces]]] = {
    "header lines": lambda: _forever(b"X-Odd: 1\r\n" * 50, first=HEAD),
    "a header line": lambda: _forever(b"a" * 4096, first=HEAD),
    "a status line": lambda: _forever(b"a" * 4096, first=b"HTTP/1.1 200 "),
    "100 Continue": lambda: _forever(b"HTTP/1.1 100 Continue\r\n\r\n" * 50),
    "a body": lambda: _forever(b" " * (1 << 16), first=HEAD + b"\r\n"),
    "a body that says how long it is": lambda: _forever(b" " * (1 << 16), first=TOLD),
    "chunks": lambda: _forever(b"4000\r\n" + b" " * 0x4000 + b"\r\n", first=CHUNKED),
    "one chunk": lambda: _forever(b" " * (1 << 16), first=CHUNKED + b"7fffffffffff\r\n"),
    "trailers": lambda: _forever(b"X-Odd: 1\r\n" * 50, first=CHUNKED + b"0\r\n"),
}  # fmt: skip
"""Answers without an end, as fast as they are taken."""
SLOW: Final[dict[str, Callable[[], Pieces]]] = {
    "nothing": lambda: _forever(b"", pause=0.05),
    "header lines, slowly": lambda: _forever(b"X: 1\r\n", first=HEAD, pause=0.02),
    "100 Continue, slowly": lambda: _forever(b"HTTP/1.1 100 Continue\r\n\r\n", pause=0.02),
    "a body, slowly": lambda: _forever(b" ", first=HEAD + b"Content-Length: 10000\r\n\r\n", pause=0.02),
    "chunks, slowly": lambda: _forever(b"1\r\n \r\n", first=CHUNKED, pause=0.02),
}
"""Each of their pieces comes long before any timeout."""


def cut(rng: Random) -> Callable[[Asked], Pieces]:
    """A network that loses connections, anywhere in an answer, and does not lie."""

    def answer(asked: Asked) -> Pieces:
        raw, head = asked.raw, asked.raw.index(b"\r\n\r\n")
        lines = [at for at in range(head + 3) if raw[at : at + 2] == b"\r\n"]
        yield raw[: rng.choice((0, rng.randrange(len(raw)), rng.randrange(head + 4), rng.choice(lines) + 2, head + 4))]

    return answer


def mangled(rng: Random) -> Callable[[Asked], Pieces]:
    """Some misbehaviour."""

    def answer(asked: Asked) -> Pieces:
        raw, kind = asked.raw, rng.randrange(14)
        head, _, body = raw.partition(b"\r\n\r\n")
        match kind:
            case 0:
                yield raw[: rng.randrange(len(raw))]
            case 1:
                at = rng.randrange(len(raw))
                yield raw[:at] + rng.randbytes(rng.randrange(4)) + raw[at + rng.randrange(4) :]
            case 2:
                yield rng.randbytes(rng.randrange(400))
            case 3:
                yield _status(asked, rng.choice([*range(100, 600), 0, 999, 10**6]))
            case 4 | 5:
                yield _with_body(odd_json(rng).encode("utf-8", "surrogatepass"), code=rng.choice((200, 201, 400, 404)))
            case 6 | 7:
                yield _with_body(_changed(body, rng).encode("utf-8", "surrogatepass"), code=int(raw.split(b" ", 2)[1]))
            case 8:
                length = rng.choice(("-1", "0", "1", "9" * 20, "9" * 5000, "1, 2", "x", ""))
                yield (
                    head.replace(b"Content-Length: ", f"Content-Length: {length}\r\nX-Odd: ".encode())
                    + b"\r\n\r\n"
                    + body
                )
            case 9:
                coding = rng.choice(("gzip", "br", "deflate", "zstd", "odd", "identity", ""))
                yield head + f"\r\nContent-Encoding: {coding}\r\n\r\n".encode() + body
            case 10:
                yield _with_body(
                    b"", f"Location: {rng.choice(('/', asked.path, 'http://[', 'ftp://x/', ''))}", code=302
                )
            case 11:
                size = rng.choice(("x", "-1", "1" * 30, "2\r\n", "", "0"))
                yield CHUNKED + f"{size}\r\n".encode() + body + b"\r\n0\r\n\r\n"
            case 12:
                yield from rng.choice(sorted(SLOW.items()))[1]()
            case _:
                yield from rng.choice(sorted(ENDLESS.items()))[1]()

    return answer


_ODD: Final = ("", "\x00", "\x1b[2J", "a\nb", "é", "/", "main", "\u202e", "..", "a" * 3000)


def odd_value(rng: Random, depth: int = 0) -> object:
    kinds: list[Callable[[], object]] = [
        lambda: rng.choice((None, True, False)), lambda: rng.randrange(-(10**20), 10**20), lambda: rng.choice(_ODD),
        lambda: rng.choice((0.5, -0.0, 1e308)),
    ]  # fmt: skip
    if depth < 3:
        kinds += [
            lambda: [odd_value(rng, depth + 1) for _ in range(rng.randrange(4))],
            lambda: {
                rng.choice(("results", "id", "path", "pagination", "x")): odd_value(rng, depth + 1)
                for _ in range(rng.randrange(4))
            },
        ]
    return rng.choice(kinds)()


def odd_json(rng: Random) -> str:
    return rng.choice((
        lambda: json.dumps(odd_value(rng)), lambda: "9" * 5000, lambda: "[" * 50_000, lambda: '"\\ud800"',
        lambda: '{"id": "\\ud800", "commit_id": "\\udfff"}', lambda: "{", lambda: "NaN", lambda: "\ufeff{}",
        lambda: "\ud800",
    ))()  # fmt: skip


def _changed(body: bytes, rng: Random) -> str:
    """A JSON value of which one part is another one."""
    try:
        value: object = json.loads(body)
    except ValueError:
        return odd_json(rng)
    return json.dumps(_replaced(value, rng))


def _replaced(value: object, rng: Random) -> object:
    if isinstance(value, dict) and value and rng.random() < 0.8:
        name = rng.choice(sorted(value))
        if rng.random() < 0.2:
            return {key: final for key, final in value.items() if key != name}
        return {**value, name: _replaced(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], _replaced(value[at], rng), *value[at + rng.randrange(2) :]]
    return odd_value(rng)
