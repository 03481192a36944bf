"""The fake's routes: the part of lakeFS' REST API that `lakeproof.live.lakefs.api` uses."""

import email
import hashlib
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import attrs

from lakeproof.impl.committed import Conflicts
from lakeproof.impl.refs import errors as refs
from lakeproof.impl.repositories import errors as repositories
from lakeproof.live.lakefs.moves import MARK
from lakeproof.model.records import Branch, Commit, Repository, Tag
from tests.fake_lakefs import moves
from tests.fake_lakefs.lake import Lake
from tests.fake_lakefs.records import Found, Pull

_STATUSES: Final[dict[int, tuple[type[Exception], ...]]] = {
    400: (moves.NotOpen, refs.DirtyBranch, refs.NoParent, repositories.DefaultBranch),
    404: (
        *(repositories.RepositoryNotFound, repositories.BranchNotFound, refs.RefNotFound, refs.CommitNotFound),
        *(refs.PathNotFound, refs.TagNotFound, moves.PullNotFound),
    ),
    409: (repositories.NotUnique, repositories.BranchExists, refs.TagExists, Conflicts, refs.RefChanged),
    412: (refs.PathExists,),
    429: (refs.BranchBusy, refs.WriteNotSettled),
}
_NOW: Final = "2026-01-01T00:00:00Z"
Told = dict[str, object]


@attrs.frozen
class Request:
    """A request, taken apart."""

    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def said(self) -> Any:  # type: ignore[explicit-any]  # as JSON is
        return json.loads(self.body or b"{}")

    @property
    def message(self) -> str:
        return str(self.said["commit_overrides"]["message"])

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


Route = Callable[..., Awaitable[object]]  # type: ignore[explicit-any]  # lake, request, and the names in the path
"""What it returns is rendered by its type: `_json_of`."""


async def _config(lake: Lake, asked: Request) -> Told:
    return {"version_config": {"version": "fake"}}


async def _create_branch(lake: Lake, asked: Request, name: str) -> str:
    return (await lake.create_branch(name, asked.said["name"], asked.said["source"])).commit_id


async def _reset(lake: Lake, asked: Request, name: str, branch: str) -> None:
    kind = asked.said["type"]
    if kind == "reset":
        await lake.reset(name, branch)
    else:
        await moves.reset_paths(lake, name, branch, asked.said["path"], exact=kind == "object")


def _upload(lake: Lake, asked: Request, name: str, branch: str) -> Awaitable[Found]:
    only = asked.headers.get("if-none-match") == "*"
    return lake.upload(name, branch, asked.query["path"], asked.uploaded(), only_if_absent=only)


async def _get_object(lake: Lake, asked: Request, name: str, ref: str) -> bytes:
    return (await lake.get(name, ref, asked.query["path"])).content


async def _merge(lake: Lake, asked: Request, name: str, source: str, destination: str) -> Told:
    made = await lake.merge(name, destination, source, asked.said.get("message", ""))
    return {"reference": made.commit_id}


async def _update_pull(lake: Lake, asked: Request, name: str, pull: str) -> None:
    await moves.update_pull(lake, name, pull, title=asked.said.get("title", ""), status=asked.said.get("status", ""))


async def _import(lake: Lake, asked: Request, name: str, branch: str) -> Told:
    [where] = asked.said["paths"]
    paths, message = (where["path"], where["destination"]), asked.said["commit"]["message"]
    return {"id": await moves.import_objects(lake, name, branch, paths, message)}


async def _import_status(lake: Lake, asked: Request, name: str, branch: str) -> Told:
    await lake.branch(name, branch)
    found = lake.imports[asked.query["id"]]
    if isinstance(found, Commit):
        return {"completed": True, "update_time": _NOW, "commit": _json_of(lake, found, asked)}
    return {"completed": False, "update_time": _NOW, "error": {"message": f"{type(found).__name__}: {found}"}}


async def _create_pull(lake: Lake, asked: Request, name: str) -> Told:
    pull = Pull(asked.said["title"], asked.said["destination_branch"], asked.said["source_branch"])
    return {"id": await moves.create_pull(lake, name, pull)}


async def _merge_pull(lake: Lake, asked: Request, name: str, pull: str) -> Told:
    return {"reference": (await moves.merge_pull(lake, name, pull)).commit_id}


_NAME: Final = "([^/]+)"
_REPOSITORY: Final = f"/repositories/{_NAME}"
_BRANCH: Final = f"{_REPOSITORY}/branches/{_NAME}"
_PULL: Final = f"{_REPOSITORY}/pulls/{_NAME}"
_REF: Final = f"{_REPOSITORY}/refs/{_NAME}"
_TAG: Final = f"{_REPOSITORY}/tags/{_NAME}"
ROUTES: Final[dict[tuple[str, str], tuple[int, Route]]] = {
    ("GET", "/config"): (200, _config),
    ("GET", "/repositories"): (200, lambda lake, asked: lake.repositories(asked.query.get("prefix", ""))),
    ("POST", "/repositories"): (
        201,
        lambda lake, asked: lake.create_repository(asked.said["name"], asked.said["storage_namespace"]),
    ),
    ("GET", _REPOSITORY): (200, lambda lake, asked, *at: lake.repository(*at)),
    ("DELETE", _REPOSITORY): (204, lambda lake, asked, *at: lake.delete_repository(*at)),
    ("GET", f"{_REPOSITORY}/branches"): (200, lambda lake, asked, *at: lake.branches(*at)),
    ("POST", f"{_REPOSITORY}/branches"): (201, _create_branch),
    ("GET", _BRANCH): (200, lambda lake, asked, *at: lake.branch(*at)),
    ("DELETE", _BRANCH): (204, lambda lake, asked, *at: lake.delete_branch(*at)),
    ("PUT", _BRANCH): (204, _reset),
    ("PUT", f"{_BRANCH}/hard_reset"): (
        204,
        lambda lake, asked, name, branch: moves.hard_reset(lake, name, branch, asked.query["ref"]),
    ),
    ("POST", f"{_BRANCH}/revert"): (
        204,
        lambda lake, asked, name, branch: moves.revert(lake, name, branch, asked.said["ref"], asked.message),
    ),
    ("POST", f"{_BRANCH}/cherry-pick"): (
        201,
        lambda lake, asked, name, branch: moves.cherry_pick(lake, name, branch, asked.said["ref"], asked.message),
    ),
    ("POST", f"{_REPOSITORY}/tags"): (
        201,
        lambda lake, asked, name: moves.create_tag(lake, name, asked.said["id"], asked.said["ref"]),
    ),
    ("GET", _TAG): (200, lambda lake, asked, *at: moves.get_tag(lake, *at)),
    ("DELETE", _TAG): (204, lambda lake, asked, *at: moves.delete_tag(lake, *at)),
    ("POST", f"{_BRANCH}/objects"): (201, _upload),
    ("DELETE", f"{_BRANCH}/objects"): (204, lambda lake, asked, *at: lake.delete_entry(*at, asked.query["path"])),
    ("POST", f"{_BRANCH}/commits"): (201, lambda lake, asked, *at: lake.commit(*at, asked.said["message"])),
    ("GET", f"{_REF}/objects"): (200, _get_object),
    ("GET", f"{_REF}/objects/ls"): (200, lambda lake, asked, *at: lake.listing(*at)),
    ("GET", f"{_REF}/commits"): (
        200,
        lambda lake, asked, *at: lake.log(*at, first_parent=asked.query.get("first_parent", "").lower() == "true"),
    ),
    ("POST", f"{_REF}/merge/{_NAME}"): (200, _merge),
    ("GET", f"{_REF}/objects/stat"): (200, lambda lake, asked, *at: lake.get(*at, asked.query["path"])),
    ("PUT", f"{_BRANCH}/objects/stat/user_metadata"): (
        204,
        lambda lake, asked, name, branch: moves.update_metadata(
            lake, name, branch, asked.query["path"], asked.said["set"][MARK]
        ),
    ),
    ("POST", f"{_BRANCH}/import"): (202, _import),
    ("GET", f"{_BRANCH}/import"): (200, _import_status),
    ("POST", f"{_REPOSITORY}/pulls"): (201, _create_pull),
    ("GET", _PULL): (200, lambda lake, asked, *at: moves.get_pull(lake, *at)),
    ("PATCH", _PULL): (204, _update_pull),
    ("PUT", f"{_PULL}/merge"): (200, _merge_pull),
}
"""By method and path: the status of a success, and what is done."""


async def replied(lake: Lake, asked: Request, names: list[str], code: int, route: Route) -> Reply:
    """What a route answers, or what it raised, if that is an error."""
    try:
        # Nothing awaits between the end of the call and its answer: a pull request may change.
        return Reply(code, _json_of(lake, await route(lake, asked, *names), asked))
    except Exception as error:  # noqa: BLE001  # whatever it is, the client has an answer
        status = next((status for status, kinds in _STATUSES.items() if isinstance(error, kinds)), 500)
        return Reply(status, {"message": f"{type(error).__name__}: {error}"})


def _json_of(lake: Lake, found: object, asked: Request) -> object:
    """A value as the API tells of it."""
    match found:
        case list():
            return _page([_json_of(lake, each, asked) for each in found], asked)
        case Repository():
            return {
                "id": found.repository_id,
                "creation_date": found.creation_date // 1_000_000,
                "default_branch": found.default_branch_id,
                "storage_namespace": lake.namespace(found),
            }
        case Branch():
            return {"id": found.branch_id, "commit_id": found.commit_id}
        case Tag():
            return {"id": found.tag_id, "commit_id": found.commit_id}
        case Pull():
            return {
                "id": found.number,
                "title": found.title,
                "description": "",
                "status": found.status,
                "author": "fake",
                "creation_date": _NOW,
                "source_branch": found.source,
                "destination_branch": found.destination,
                "merged_commit_id": found.commit or None,
            }
        case Found():
            return {
                "path": found.path,
                "path_type": "object",
                "physical_address": found.address,
                "checksum": hashlib.md5(found.content, usedforsecurity=False).hexdigest(),
                "size_bytes": len(found.content),
                "mtime": int(time.time()),
                "metadata": {MARK: found.metadata} if found.metadata else {},
            }
        case Commit():
            return {
                "id": found.commit_id,
                "parents": list(found.parents),
                "committer": found.committer,
                "message": found.message,
                "creation_date": found.creation_date // 1_000_000,
                "meta_range_id": found.meta_range_id,
            }
    return found


def _page(found: list[Any], asked: Request) -> Told:  # type: ignore[explicit-any]  # as JSON is
    """A page of a listing: what comes after the offset, so much as was asked for."""
    after, amount = asked.query.get("after", ""), int(asked.query.get("amount", "100"))
    names = [each["path" if "path" in each else "id"] for each in found]
    first = names.index(after) + 1 if after in names else 0
    more = len(found) > first + amount
    page, offset = found[first : first + amount], names[first + amount - 1] if more else ""
    pagination = {"has_more": more, "next_offset": offset, "results": len(page), "max_per_page": amount}
    return {"pagination": pagination, "results": page}
