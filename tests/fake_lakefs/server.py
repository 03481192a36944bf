"""The fake's HTTP server, with basic auth; its routes are in `tests.fake_lakefs.routes`.

Threads of `http.server` take requests; one trio run, in a thread of its own, runs all flows.
"""

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

import trio

from tests.fake_lakefs.bugs import DOUBTFUL, planted
from tests.fake_lakefs.lake import Lake
from tests.fake_lakefs.routes import ROUTES, Reply, Request, replied

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
    token: trio.lowlevel.TrioToken
    rng: Random

    def handle_any(self) -> None:
        parts = urlsplit(self.path)
        query = {name: given[-1] for name, given in parse_qs(parts.query, keep_blank_values=True).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        if not self._authorized(headers.get("authorization", "")):
            self._send(Reply(401, {"message": "error authenticating request"}))
            return
        doubtful, when = DOUBTFUL in self.lake.bugs and parts.path != f"{BASE}/config", self.rng.random()
        if doubtful and when < LOST / 2:
            self.close_connection = True
            return
        reply = self._reply(parts.path, Request(query, headers, body))
        if reply is None or (doubtful and when < LOST):
            self.close_connection = True
            return
        self._send(reply)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815  # so `http.server` calls them

    def _authorized(self, given: str) -> bool:
        try:
            return base64.b64decode(given.removeprefix("Basic ")) == f"{KEY}:{SECRET}".encode()
        except binascii.Error:
            return False

    def _reply(self, path: str, asked: Request) -> Reply | None:
        """None: there is no answer."""
        for (method, pattern), (code, route) in ROUTES.items():
            found = re.fullmatch(re.escape(BASE) + pattern, path) if method == self.command else None
            if found is not None:
                at = [unquote(part) for part in found.groups()]
                try:
                    return trio.from_thread.run(replied, self.lake, asked, at, code, route, trio_token=self.token)
                except (trio.Cancelled, trio.RunFinishedError):  # the server is on its way out
                    return None
        return Reply(404, {"message": "no such route"})

    def _send(self, reply: Reply) -> None:
        raw = isinstance(reply.value, bytes)
        body = reply.value if isinstance(reply.value, bytes) else json.dumps(reply.value).encode()
        body = b"" if reply.code == HTTPStatus.NO_CONTENT else body
        self.send_response(reply.code)
        self.send_header("Content-Type", "application/octet-stream" if raw else "application/json")
        if reply.code != HTTPStatus.NO_CONTENT:
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
    """The DSN of a lake, for as long as the context lasts. bugs: ``NAME+NAME``, of `BUGS` and `DOUBTFUL`. servers: each
    has a port of its own and, if there is one, a cache of its own."""
    names = planted(bugs)
    assert names is not None, "the command has refused it"
    ready: list[trio.lowlevel.TrioToken] = []
    started, done = threading.Event(), trio.Event()

    async def flows() -> None:
        ready.append(trio.lowlevel.current_trio_token())
        started.set()
        await done.wait()

    loop = threading.Thread(target=trio.run, args=(flows,), name="fake", daemon=True)
    loop.start()
    started.wait()
    [token] = ready
    lake, rng = Lake(names, Random(f"{seed} lake")), Random(f"{seed} network")
    with ExitStack() as stack:
        stack.callback(loop.join)
        stack.callback(token.run_sync_soon, done.set)
        hosts = []
        for each in (lake, *(lake.twin() for _ in range(servers - 1))):
            handler = type("Handler", (_Handler,), {"lake": each, "token": token, "rng": rng})
            server = stack.enter_context(_Server(("127.0.0.1", 0), handler))
            threading.Thread(target=server.serve_forever, args=(0.02,), name="fake-http", daemon=True).start()
            stack.callback(server.shutdown)
            hosts.append(f"127.0.0.1:{server.server_port}")
        yield f"lakefs+http://{KEY}:{SECRET}@{','.join(hosts)}"
