"""The explorer's page, served on loopback: who may ask, and what is answered.

Every answer needs the token in the address, which no other page and no other user knows; it is compared in constant
time. The Host header must be ours: a foreign name that resolves to loopback (DNS rebinding) is refused.
"""

import hmac
import json
import secrets
import signal
from collections.abc import Callable
from typing import Final

import trio

from lakeproof.gate.fronts.http import Request, Response, Server, listening
from lakeproof.search.fence import Undecided
from lakeproof.search.replay import NotReproduced
from lakeproof.show.pages.explorer import Explorer
from lakeproof.show.pages.explorer_page import explorer_page
from lakeproof.show.pages.walk import NoSuchMove
from lakeproof.words import Unusable

HOST: Final = "127.0.0.1"
TOKEN_BYTES: Final = 24
REFUSED: Final = (NoSuchMove, Unusable, Undecided, NotReproduced)
"""What the page says in place of a state."""
_NAMES: Final = (HOST, "localhost")
_JSON: Final = "application/json; charset=utf-8"
_ALWAYS: Final = (
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"),
)


class Front:
    """Answers requests. One at a time: flows run in this process."""

    def __init__(self, explorer: Explorer, port: int, token: str) -> None:
        self.explorer = explorer
        # Browsers leave the default port out of the Host header.
        self.hosts = {f"{name}:{port}" for name in _NAMES} | ({*_NAMES} if port == 80 else set())
        self.token = token
        self.lock = trio.Lock()
        self.searched: dict[str, object] | None = None

    async def __call__(self, request: Request) -> Response:
        """The answer to a request, whatever it is."""
        # Before the token is looked at: a page of another name on loopback must not even learn whether it has guessed
        # right.
        if request.headers.get("host", "").lower() not in self.hosts:
            return _refusal_response(
                403, "this address is not served here: use the one that `lakeproof explore` has printed"
            )
        # The slashes that are appended make sure that there is a token and a name, perhaps empty ones.
        _, given, *rest = f"{request.path}//".split("/")
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode()):
            return _refusal_response(
                403, "the token is missing or wrong: use the address that `lakeproof explore` has printed"
            )
        wanted = (request.method, rest[0])
        if rest[1:] not in ([""], ["", ""]):
            return _refusal_response(404, "there is no such page")
        match wanted:
            case ("GET", ""):
                page = explorer_page(self.explorer.scenario, self.explorer.broken)
                return Response(200, (("Content-Type", "text/html; charset=utf-8"), *_ALWAYS), page.encode())
            # GET has no effect here. A search takes time, and a browser may prefetch links, but sends no POST by
            # itself.
            case ("GET", "state" | "trace") | ("POST", "search"):
                async with self.lock:
                    return await self._answer(rest[0], request)
            case _:
                return _refusal_response(404, "there is no such page")

    async def _answer(self, what: str, request: Request) -> Response:
        path = request.parameter("path") or ""
        try:
            if what == "search":
                if self.searched is None:
                    # In a thread, so that Ctrl-C is answered; kept, since the scenario does not change while it is
                    # served.
                    self.searched = await trio.to_thread.run_sync(self.explorer.search, abandon_on_cancel=True)
                return _json_response(self.searched)
            if what == "trace":
                found = self.explorer.trace(path, request.parameter("invariant") or "")
                saved = ("Content-Disposition", 'attachment; filename="trace.json"')
                return Response(200, (("Content-Type", _JSON), saved, *_ALWAYS), found.encode())
            # In the main thread: flows run under a fence that needs its signals.
            return _json_response(self.explorer.state(path))
        except REFUSED as error:
            return _json_response({"problem": str(error)}, 422)


async def serve(explorer: Explorer, port: int, tell: Callable[[str], object]) -> None:
    """Serve on loopback until SIGINT, SIGTERM or SIGHUP, which a terminal sends when it is closed. ``tell``: receives
    the address, with its token. 0: any free port.

    Raises:
        Unusable: the port is taken.
    """
    listener = listening(port)
    port = listener.getsockname()[1]  # 0 has become a real one
    token = secrets.token_urlsafe(TOKEN_BYTES)
    server = Server(Front(explorer, port, token))
    # Before the address is printed: a signal that comes right after it ends the server in order.
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.serve, (listener, server.talk))
            tell(f"http://{HOST}:{port}/{token}/")
            async for _ in signals:
                nursery.cancel_scope.cancel()
                return


def _json_response(data: object, status: int = 200) -> Response:
    return Response(status, (("Content-Type", _JSON), *_ALWAYS), json.dumps(data).encode())


def _refusal_response(status: int, why: str) -> Response:
    return Response(status, (("Content-Type", "text/plain; charset=utf-8"), *_ALWAYS), f"{why}\n".encode())
