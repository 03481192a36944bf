"""The stand-in's HTTP server: the part of lakeFS' REST API that `lakeproof.services.api` uses, with basic auth.

Threads of `http.server` take requests; one trio run, in a thread of its own, runs all flows.
"""

import base64
import binascii
import email
import hashlib
import json
import re
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

import attrs
import trio

from lakeproof.impl.committed import Conflicts
from lakeproof.impl.refs import errors as refs
from lakeproof.impl.repositories import errors as repositories
from lakeproof.model.records import Branch, Commit, Repository
from lakeproof.services.stand_in import DOUBTFUL, Found, Lake

BASE: Final = "/api/v1"
KEY: Final = "stand-in"
SECRET: Final = "not/a+secret"  # noqa: S105
LOST: Final = 0.08
"""How often a doubtful server loses a connection."""
_STATUSES: Final[tuple[tuple[tuple[type[Exception], ...], int], ...]] = (
    (
        (
            repositories.RepositoryNotFound,
            repositories.BranchNotFound,
            refs.RefNotFound,
            refs.CommitNotFound,
            refs.PathNotFound,
        ),
        404,
    ),
    ((repositories.NotUnique, repositories.BranchExists, Conflicts, refs.RefChanged), 409),
    ((refs.PathExists,), 412),
    ((refs.DirtyBranch, repositories.DefaultBranch), 400),
    ((refs.BranchBusy, refs.WriteNotSettled), 429),
)


@attrs.frozen
class Request:
    """A request, taken apart."""

    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict[str, str]:
        found: dict[str, str] = json.loads(self.body or b"{}")
        return found

    def uploaded(self) -> bytes:
        """The content of a form's only file."""
        kind = self.headers.get("content-type", "")
        message = email.message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + self.body)
        content = next(part for part in message.walk() if not part.is_multipart()).get_payload(decode=True)
        assert isinstance(content, bytes)
        return content


@attrs.frozen
class Reply:
    code: int
    value: object = None


Route = Callable[[Lake, Request, list[str]], Awaitable[Reply]]


async def _config(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(200, {"version_config": {"version": "stand-in"}})


async def _list_repositories(lake: Lake, request: Request, at: list[str]) -> Reply:
    found = await lake.repositories(request.query.get("prefix", ""))
    return Reply(200, _page([_repository(lake, each) for each in found], request))


async def _create_repository(lake: Lake, request: Request, at: list[str]) -> Reply:
    wanted = request.json()
    return Reply(201, _repository(lake, await lake.create_repository(wanted["name"], wanted["storage_namespace"])))


async def _get_repository(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(200, _repository(lake, await lake.repository(at[0])))


async def _delete_repository(lake: Lake, request: Request, at: list[str]) -> Reply:
    await lake.delete_repository(at[0])
    return Reply(204)


async def _list_branches(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(200, _page([_branch(each) for each in await lake.branches(at[0])], request))


async def _create_branch(lake: Lake, request: Request, at: list[str]) -> Reply:
    wanted = request.json()
    return Reply(201, (await lake.create_branch(at[0], wanted["name"], wanted["source"])).commit_id)


async def _get_branch(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(200, _branch(await lake.branch(at[0], at[1])))


async def _delete_branch(lake: Lake, request: Request, at: list[str]) -> Reply:
    await lake.delete_branch(at[0], at[1])
    return Reply(204)


async def _reset(lake: Lake, request: Request, at: list[str]) -> Reply:
    await lake.reset(at[0], at[1])
    return Reply(204)


async def _upload(lake: Lake, request: Request, at: list[str]) -> Reply:
    only = request.headers.get("if-none-match") == "*"
    found = await lake.upload(at[0], at[1], request.query["path"], request.uploaded(), only_if_absent=only)
    return Reply(201, _object(found))


async def _delete_object(lake: Lake, request: Request, at: list[str]) -> Reply:
    await lake.delete_entry(at[0], at[1], request.query["path"])
    return Reply(204)


async def _get_object(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(200, (await lake.get(at[0], at[1], request.query["path"])).content)


async def _list_objects(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(200, _page([_object(each) for each in await lake.listing(at[0], at[1])], request, "path"))


async def _commit(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(201, _commit_of(await lake.commit(at[0], at[1], request.json()["message"])))


async def _log(lake: Lake, request: Request, at: list[str]) -> Reply:
    first = request.query.get("first_parent") == "true"
    found = await lake.log(at[0], at[1], first_parent=first)
    return Reply(200, _page([_commit_of(each) for each in found], request))


async def _merge(lake: Lake, request: Request, at: list[str]) -> Reply:
    made = await lake.merge(at[0], at[2], at[1], request.json().get("message", ""))
    return Reply(200, {"reference": made.commit_id})


_NAME: Final = "([^/]+)"
_REPOSITORY: Final = f"/repositories/{_NAME}"
_BRANCH: Final = f"{_REPOSITORY}/branches/{_NAME}"
_REF: Final = f"{_REPOSITORY}/refs/{_NAME}"
ROUTES: Final[dict[tuple[str, str], Route]] = {
    ("GET", "/config"): _config,
    ("GET", "/repositories"): _list_repositories,
    ("POST", "/repositories"): _create_repository,
    ("GET", _REPOSITORY): _get_repository,
    ("DELETE", _REPOSITORY): _delete_repository,
    ("GET", f"{_REPOSITORY}/branches"): _list_branches,
    ("POST", f"{_REPOSITORY}/branches"): _create_branch,
    ("GET", _BRANCH): _get_branch,
    ("DELETE", _BRANCH): _delete_branch,
    ("PUT", _BRANCH): _reset,
    ("POST", f"{_BRANCH}/objects"): _upload,
    ("DELETE", f"{_BRANCH}/objects"): _delete_object,
    ("POST", f"{_BRANCH}/commits"): _commit,
    ("GET", f"{_REF}/objects"): _get_object,
    ("GET", f"{_REF}/objects/ls"): _list_objects,
    ("GET", f"{_REF}/commits"): _log,
    ("POST", f"{_REF}/merge/{_NAME}"): _merge,
}


def _repository(lake: Lake, found: Repository) -> dict[str, object]:
    return {
        "id": found.repository_id,
        "creation_date": found.creation_date // 1_000_000,
        "default_branch": found.default_branch_id,
        "storage_namespace": lake.namespace(found),
    }


def _branch(found: Branch) -> dict[str, object]:
    return {"id": found.branch_id, "commit_id": found.commit_id}


def _object(found: Found) -> dict[str, object]:
    return {
        "path": found.path,
        "path_type": "object",
        "physical_address": found.address,
        "checksum": hashlib.md5(found.content, usedforsecurity=False).hexdigest(),
        "size_bytes": len(found.content),
        "mtime": int(time.time()),
    }


def _commit_of(found: Commit) -> dict[str, object]:
    return {
        "id": found.commit_id,
        "parents": list(found.parents),
        "committer": found.committer,
        "message": found.message,
        "creation_date": found.creation_date // 1_000_000,
        "meta_range_id": found.meta_range_id,
    }


def _page(found: list[dict[str, object]], request: Request, key: str = "id") -> dict[str, object]:
    """A page of a listing: what comes after the offset, so much as was asked for."""
    after, amount = request.query.get("after", ""), int(request.query.get("amount", "100"))
    names = [each[key] for each in found]
    rest = found[names.index(after) + 1 :] if after in names else found
    page, more = rest[:amount], len(rest) > amount
    offset = page[-1][key] if more else ""
    pagination = {"has_more": more, "next_offset": offset, "results": len(page), "max_per_page": amount}
    return {"pagination": pagination, "results": page}


def _failed(error: Exception) -> Reply:
    code = next((code for kinds, code in _STATUSES if isinstance(error, kinds)), 500)
    return Reply(code, {"message": f"{type(error).__name__}: {error}"})


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
        doubtful, when = self.lake.bug == DOUBTFUL and parts.path != f"{BASE}/config", self.rng.random()
        if doubtful and when < LOST / 2:
            self.close_connection = True
            return
        reply = self._reply(parts.path, Request(query, headers, body))
        if reply is None or (doubtful and when < LOST):
            self.close_connection = True
            return
        self._send(reply)

    do_GET = do_POST = do_PUT = do_DELETE = handle_any  # noqa: N815  # so `http.server` calls them

    def _authorized(self, given: str) -> bool:
        try:
            return base64.b64decode(given.removeprefix("Basic ")) == f"{KEY}:{SECRET}".encode()
        except binascii.Error:
            return False

    def _reply(self, path: str, request: Request) -> Reply | None:
        """None: there is no answer."""
        for (method, pattern), route in ROUTES.items():
            found = re.fullmatch(re.escape(BASE) + pattern, path) if method == self.command else None
            if found is not None:
                at = [unquote(part) for part in found.groups()]
                try:
                    return trio.from_thread.run(route, self.lake, request, at, trio_token=self.token)
                except (trio.Cancelled, trio.RunFinishedError):  # the server is on its way out
                    return None
                except Exception as error:  # noqa: BLE001  # whatever it is, the client is told
                    return _failed(error)
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

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # so `http.server` calls it
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


@contextmanager
def stand_in(bug: str = "", seed: int = 0) -> Iterator[str]:
    """A server on a port of its own, for as long as the context lasts; gives its DSN. bug: of `BUGS`, or `DOUBTFUL`."""
    ready: list[trio.lowlevel.TrioToken] = []
    started, done = threading.Event(), trio.Event()

    async def flows() -> None:
        ready.append(trio.lowlevel.current_trio_token())
        started.set()
        await done.wait()

    loop = threading.Thread(target=trio.run, args=(flows,), name="stand-in", daemon=True)
    loop.start()
    started.wait()
    members = {"lake": Lake(bug, Random(f"{seed} lake")), "token": ready[0], "rng": Random(f"{seed} network")}
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), members))
    serving = threading.Thread(target=server.serve_forever, args=(0.02,), name="stand-in-http", daemon=True)
    serving.start()
    try:
        yield f"lakefs+http://{KEY}:{SECRET}@127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        ready[0].run_sync_soon(done.set)
        loop.join()
