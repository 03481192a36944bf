"""The fake's HTTP server, with basic auth: a thread a connection. Its routes are in `tests.fake_lakefs.routes`."""

import base64
import binascii
import json
import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from tests.fake_lakefs.lake import CAUSES, DOUBTFUL, MISDEEDS, Lake
from tests.fake_lakefs.routes import ROUTES, Request, replied

BASE: Final = "/api/v1"
KEY: Final = "fake"
SECRET: Final = "s3cr/3t+hush"  # noqa: S105
LOST: Final = 0.08
"""How often a doubtful server loses a connection."""


class _Handler(BaseHTTPRequestHandler):
    """One connection. The class is made anew for each server, with its lake."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    """One packet for an answer: two would wait for each other."""
    disable_nagle_algorithm = True
    lake: Lake
    rng: Random

    def handle_any(self) -> None:
        parts = urlsplit(self.path)
        query = {name: given[-1] for name, given in parse_qs(parts.query, keep_blank_values=True).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        if not self._authorized(headers.get("authorization", "")):
            self._send(401, {"message": "error authenticating request"})
            return
        doubtful, when = DOUBTFUL in self.lake.bugs and parts.path != f"{BASE}/config", self.rng.random()
        if doubtful and when < LOST / 2:
            self.close_connection = True
            return
        code, value = self._answer(parts.path, query, headers, body)
        if doubtful and when < LOST:
            self.close_connection = True
            return
        self._send(code, value)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815  # so `http.server` calls them

    def _authorized(self, given: str) -> bool:
        try:
            return base64.b64decode(given.removeprefix("Basic ")) == f"{KEY}:{SECRET}".encode()
        except binascii.Error:
            return False

    def _answer(self, path: str, query: dict[str, str], headers: dict[str, str], body: bytes) -> tuple[int, object]:
        for (method, pattern), route in ROUTES.items():
            found = re.fullmatch(re.escape(BASE) + pattern, path) if method == self.command else None
            if found is not None:
                names = tuple(unquote(part) for part in found.groups())
                return replied(self.lake, Request(names, query, headers, body), *route)
        return 404, {"message": "no such route"}

    def _send(self, code: int, value: object) -> None:
        raw = isinstance(value, bytes)
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        body = b"" if code == HTTPStatus.NO_CONTENT else body
        self.send_response(code)
        self.send_header("Content-Type", "application/octet-stream" if raw else "application/json")
        if code != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def finish(self) -> None:
        """End the connection, also one that was lost while an answer waited in the buffer."""
        with suppress(OSError):
            super().finish()
        self.rfile.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # so `http.server` calls it
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


@contextmanager
def fake_lakefs(bugs: str = "", seed: int = 0, servers: int = 1) -> Iterator[str]:
    """The DSN of a lake, for as long as the context lasts. bugs: ``NAME+NAME``, of `MISDEEDS`, `CAUSES` and `DOUBTFUL`.
    servers: each has a port of its own."""
    names = frozenset(filter(None, bugs.split("+")))
    assert names <= {*MISDEEDS, *CAUSES, DOUBTFUL}, names
    told = {"lake": Lake(names, Random(f"{seed} lake")), "rng": Random(f"{seed} network")}
    handler = type("Handler", (_Handler,), told)
    with ExitStack() as stack:
        hosts = []
        for _ in range(servers):
            server = stack.enter_context(_Server(("127.0.0.1", 0), handler))
            threading.Thread(target=server.serve_forever, args=(0.02,), name="fake-http", daemon=True).start()
            stack.callback(server.shutdown)
            hosts.append(f"127.0.0.1:{server.server_port}")
        yield f"lakefs+http://{KEY}:{SECRET}@{','.join(hosts)}"
