"""The fake's routes: the part of lakeFS' REST API that `lakeproof.live.lakefs.api` uses."""

import email
import json
from collections.abc import Callable, Iterable
from typing import Any, Final, cast

import attrs

from lakeproof.live.lakefs.moves import MARK
from tests.fake_lakefs.lake import Lake
from tests.live.simple import Answered

_NOW: Final = "2026-01-01T00:00:00Z"
Told = dict[str, object]


@attrs.frozen
class Request:
    """A request, taken apart. names: those in its path."""

    names: tuple[str, ...]
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def said(self) -> Any:  # type: ignore[explicit-any]  # as JSON is
        return json.loads(self.body or b"{}")

    @property
    def message(self) -> str:
        return str(self.said["commit_overrides"]["message"])

    def uploaded(self) -> str:
        """The content of a form's only file."""
        kind = self.headers.get("content-type", "")
        message = email.message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + self.body)
        content = next(part for part in message.walk() if not part.is_multipart()).get_payload(decode=True)
        assert isinstance(content, bytes)
        return content.decode()


Route = Callable[[Lake, Request], Answered]
Shown = Callable[[Request, Any], object]  # type: ignore[explicit-any]  # of a value, as the API tells of it
Given = Callable[[Request], Iterable[str]]


def _call(name: str, given: Given = lambda asked: ()) -> Route:
    """A call of this name: its arguments are the names in the path, and what is given besides."""
    return lambda lake, asked: lake.perform(name, (*asked.names, *given(asked)))


def _reset(lake: Lake, asked: Request) -> Answered:
    name = {"reset": "reset_branch", "common_prefix": "reset_prefix", "object": "reset_entry"}[asked.said["type"]]
    return lake.perform(name, (*asked.names, *filter(None, [asked.said.get("path")])))


def _upload(lake: Lake, asked: Request) -> Answered:
    name = "create_entry" if asked.headers.get("if-none-match") == "*" else "set_entry"
    path, content = asked.query["path"], asked.uploaded()
    code, _ = lake.perform(name, (*asked.names, path, content))
    return code, (path, f"mem://data/{content}", "")


def _stat(lake: Lake, asked: Request) -> Answered:
    code, mark = lake.perform("stat_entry", (*asked.names, asked.query["path"]))
    return code, (asked.query["path"], "mem://data/", mark)


def _merge(lake: Lake, asked: Request) -> Answered:
    repository, source, destination = asked.names
    return lake.perform("merge", (repository, destination, source))


def _update_pull(lake: Lake, asked: Request) -> Answered:
    title = asked.said.get("title")
    return lake.perform("edit_pull" if title else "close_pull", (*asked.names, *filter(None, [title])))


def _import(lake: Lake, asked: Request) -> Answered:
    """It has ended when it is answered: `Lake.imports` has what came of it."""
    [where] = asked.said["paths"]
    name = asked.said["commit"]["message"]
    code, _ = lake.perform("import", (*asked.names, where["destination"], where["path"], name))
    return (404, None) if code == 404 else (202, name)


def _log(lake: Lake, asked: Request) -> Answered:
    return lake.log(*asked.names, first_parent=asked.query.get("first_parent", "").lower() == "true")


def _list_repositories(lake: Lake, asked: Request) -> Answered:
    return lake.perform("list_repositories", (asked.query.get("prefix", ""),))


def _repository(asked: Request, namespace: str, name: str = "") -> Told:
    own = name or (asked.names[0] if asked.names else asked.said["name"])
    return {"id": own, "creation_date": 1, "default_branch": "main", "storage_namespace": namespace}


def _commit(asked: Request, commit_id: str, message: str = "") -> Told:
    of_all: Told = {"parents": [], "committer": "fake", "creation_date": 1, "meta_range_id": "m"}
    return {"id": commit_id, "message": message, **of_all}


def _branch(asked: Request, commit_id: str) -> Told:
    return {"id": asked.names[1], "commit_id": commit_id}


def _tag(asked: Request, commit_id: str) -> Told:
    return {"id": asked.names[1] if len(asked.names) > 1 else asked.said["id"], "commit_id": commit_id}


def _object(asked: Request, found: tuple[str, str, str]) -> Told:
    path, address, mark = found
    of_all: Told = {"path_type": "object", "checksum": "c", "size_bytes": 1, "mtime": 1}
    return {"path": path, "physical_address": address, "metadata": {MARK: mark} if mark else {}, **of_all}


def _pull(asked: Request, found: tuple[str, str, str]) -> Told:
    title, status, commit = found
    return {
        "id": asked.names[1],
        "title": title,
        "description": "",
        "status": status,
        "author": "fake",
        "creation_date": _NOW,
        "source_branch": "source",
        "destination_branch": "destination",
        "merged_commit_id": commit or None,
    }


def _import_status(asked: Request, found: Answered) -> Told:
    code, commit_id = found
    if code == 200:
        return {"completed": True, "update_time": _NOW, "commit": _commit(asked, cast("str", commit_id))}
    return {"completed": False, "update_time": _NOW, "error": {"message": "DirtyBranch"}}


def _page(rows: list[Told], asked: Request) -> Told:
    """A page of a listing: what comes after the offset, so much as was asked for."""
    after, amount = asked.query.get("after", ""), int(asked.query.get("amount", "100"))
    names = [str(each["path" if "path" in each else "id"]) for each in rows]
    first = names.index(after) + 1 if after in names else 0
    more = len(rows) > first + amount
    page, offset = rows[first : first + amount], names[first + amount - 1] if more else ""
    pagination = {"has_more": more, "next_offset": offset, "results": len(page), "max_per_page": amount}
    return {"pagination": pagination, "results": page}


def _plain(asked: Request, value: object) -> object:
    return value


def _named(name: str) -> Shown:
    return lambda asked, value: {name: value}


_NAME: Final = "([^/]+)"
_REPOSITORY: Final = f"/repositories/{_NAME}"
_BRANCH: Final = f"{_REPOSITORY}/branches/{_NAME}"
_PULL: Final = f"{_REPOSITORY}/pulls/{_NAME}"
_REF: Final = f"{_REPOSITORY}/refs/{_NAME}"
_TAG: Final = f"{_REPOSITORY}/tags/{_NAME}"
ROUTES: Final[dict[tuple[str, str], tuple[int, Route, Shown]]] = {
    ("GET", "/config"): (200, lambda lake, asked: (200, {"version": "fake"}), _named("version_config")),
    ("GET", "/repositories"): (
        200,
        _list_repositories,
        lambda asked, found: _page([_repository(asked, life, name) for name, life in found], asked),
    ),
    ("POST", "/repositories"): (
        201,
        _call("create_repository", lambda asked: (asked.said["name"], asked.said["storage_namespace"])),
        _repository,
    ),
    ("GET", _REPOSITORY): (200, _call("get_repository"), _repository),
    ("DELETE", _REPOSITORY): (204, _call("delete_repository"), _plain),
    ("GET", f"{_REPOSITORY}/branches"): (
        200,
        lambda lake, asked: lake.listed_branches(*asked.names),
        lambda asked, found: _page([{"id": name, "commit_id": "c"} for name in found], asked),
    ),
    ("POST", f"{_REPOSITORY}/branches"): (
        201,
        _call("create_branch", lambda asked: (asked.said["name"], asked.said["source"])),
        lambda asked, found: "c",
    ),
    ("GET", _BRANCH): (200, _call("get_branch"), _branch),
    ("DELETE", _BRANCH): (204, _call("delete_branch"), _plain),
    ("PUT", _BRANCH): (204, _reset, _plain),
    ("PUT", f"{_BRANCH}/hard_reset"): (204, _call("hard_reset", lambda asked: (asked.query["ref"],)), _plain),
    ("POST", f"{_BRANCH}/revert"): (
        204,
        _call("revert", lambda asked: (asked.said["ref"], asked.message)),
        _plain,
    ),
    ("POST", f"{_BRANCH}/cherry-pick"): (
        201,
        _call("cherry_pick", lambda asked: (asked.said["ref"], asked.message)),
        _commit,
    ),
    ("POST", f"{_REPOSITORY}/tags"): (
        201,
        _call("create_tag", lambda asked: (asked.said["id"], asked.said["ref"])),
        _tag,
    ),
    ("GET", _TAG): (200, _call("get_tag"), _tag),
    ("DELETE", _TAG): (204, _call("delete_tag"), _plain),
    ("POST", f"{_BRANCH}/objects"): (201, _upload, _object),
    ("DELETE", f"{_BRANCH}/objects"): (204, _call("delete_entry", lambda asked: (asked.query["path"],)), _plain),
    ("POST", f"{_BRANCH}/commits"): (201, _call("commit", lambda asked: (asked.said["message"],)), _commit),
    ("GET", f"{_REF}/objects"): (
        200,
        _call("get_entry", lambda asked: (asked.query["path"],)),
        lambda asked, value: value.encode(),
    ),
    ("GET", f"{_REF}/objects/ls"): (
        200,
        lambda lake, asked: lake.listing(*asked.names),
        lambda asked, found: _page([_object(asked, (path, at, "")) for path, at in found.items()], asked),
    ),
    ("GET", f"{_REF}/commits"): (
        200,
        _log,
        lambda asked, found: _page([_commit(asked, *each) for each in found], asked),
    ),
    ("POST", f"{_REF}/merge/{_NAME}"): (200, _merge, _named("reference")),
    ("GET", f"{_REF}/objects/stat"): (200, _stat, _object),
    ("PUT", f"{_BRANCH}/objects/stat/user_metadata"): (
        204,
        _call("update_metadata", lambda asked: (asked.query["path"], asked.said["set"][MARK])),
        _plain,
    ),
    ("POST", f"{_BRANCH}/import"): (202, _import, _named("id")),
    ("GET", f"{_BRANCH}/import"): (200, lambda lake, asked: (200, lake.imports[asked.query["id"]]), _import_status),
    ("POST", f"{_REPOSITORY}/pulls"): (
        201,
        _call(
            "create_pull",
            lambda asked: (asked.said["destination_branch"], asked.said["source_branch"], asked.said["title"]),
        ),
        _named("id"),
    ),
    ("GET", _PULL): (200, _call("get_pull"), _pull),
    ("PATCH", _PULL): (204, _update_pull, _plain),
    ("PUT", f"{_PULL}/merge"): (200, _call("merge_pull"), _named("reference")),
}
"""By method and path: the status of a success, what is done, and how its value is told."""


def replied(lake: Lake, asked: Request, code: int, route: Route, shown: Shown) -> tuple[int, object]:
    """The status and the body of what a route answers."""
    found, value = route(lake, asked)
    return (code, shown(asked, value)) if found < 300 else (found, {"message": f"refused: {found}"})
