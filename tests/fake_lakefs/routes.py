"""The fake's routes: the part of lakeFS' REST API that `lakeproof.live.lakefs.api` uses."""

import email
import hashlib
import json
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypedDict

import attrs

from lakeproof.impl.committed import Conflicts
from lakeproof.impl.refs import errors as refs
from lakeproof.impl.repositories import errors as repositories
from lakeproof.live.lakefs.moves import MARK
from lakeproof.model.records import Branch, Commit, Repository, Tag
from tests.fake_lakefs import moves, pulls
from tests.fake_lakefs.lake import Lake
from tests.fake_lakefs.records import Found, Pull

_STATUSES: Final[tuple[tuple[tuple[type[Exception], ...], int], ...]] = (
    (
        (
            repositories.RepositoryNotFound,
            repositories.BranchNotFound,
            refs.RefNotFound,
            refs.CommitNotFound,
            refs.PathNotFound,
            refs.TagNotFound,
            pulls.PullNotFound,
        ),
        404,
    ),
    ((repositories.NotUnique, repositories.BranchExists, refs.TagExists, Conflicts, refs.RefChanged), 409),
    ((refs.PathExists,), 412),
    ((pulls.NotOpen, refs.DirtyBranch, refs.NoParent, repositories.DefaultBranch), 400),
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


class _Import(TypedDict):
    """The body of an import."""

    paths: list[dict[str, str]]
    commit: dict[str, str]


Route = Callable[[Lake, Request, list[str]], Awaitable[Reply]]


async def _config(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(200, {"version_config": {"version": "fake"}})


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
    wanted = request.json()
    if wanted["type"] == "reset":
        await lake.reset(at[0], at[1])
    else:
        await moves.reset_paths(lake, at[0], at[1], wanted["path"], exact=wanted["type"] == "object")
    return Reply(204)


async def _hard_reset(lake: Lake, request: Request, at: list[str]) -> Reply:
    await moves.hard_reset(lake, at[0], at[1], request.query["ref"])
    return Reply(204)


async def _revert(lake: Lake, request: Request, at: list[str]) -> Reply:
    await moves.revert(lake, at[0], at[1], request.json()["ref"], _message(request))
    return Reply(204)


async def _cherry_pick(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(201, _commit_of(await moves.cherry_pick(lake, at[0], at[1], request.json()["ref"], _message(request))))


def _message(request: Request) -> str:
    said: dict[str, dict[str, str]] = json.loads(request.body)
    return said["commit_overrides"]["message"]


async def _create_tag(lake: Lake, request: Request, at: list[str]) -> Reply:
    wanted = request.json()
    return Reply(201, _tag(await moves.create_tag(lake, at[0], wanted["id"], wanted["ref"])))


async def _get_tag(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(200, _tag(await moves.get_tag(lake, at[0], at[1])))


async def _delete_tag(lake: Lake, request: Request, at: list[str]) -> Reply:
    await moves.delete_tag(lake, at[0], at[1])
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


async def _stat_object(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(200, _object(await lake.get(at[0], at[1], request.query["path"])))


async def _update_metadata(lake: Lake, request: Request, at: list[str]) -> Reply:
    said: dict[str, dict[str, str]] = json.loads(request.body)
    await pulls.update_metadata(lake, at[0], at[1], request.query["path"], said["set"][MARK])
    return Reply(204)


async def _import(lake: Lake, request: Request, at: list[str]) -> Reply:
    said: _Import = json.loads(request.body)
    [where] = said["paths"]
    paths = where["path"], where["destination"]
    return Reply(202, {"id": await pulls.import_objects(lake, at[0], at[1], paths, said["commit"]["message"])})


async def _import_status(lake: Lake, request: Request, at: list[str]) -> Reply:
    await lake.branch(at[0], at[1])
    found, now = lake.imports[request.query["id"]], "2026-01-01T00:00:00Z"
    if isinstance(found, Commit):
        return Reply(200, {"completed": True, "update_time": now, "commit": _commit_of(found)})
    return Reply(
        200, {"completed": False, "update_time": now, "error": {"message": f"{type(found).__name__}: {found}"}}
    )


async def _create_pull(lake: Lake, request: Request, at: list[str]) -> Reply:
    said = request.json()
    pull = Pull(said["title"], said["destination_branch"], said["source_branch"])
    return Reply(201, {"id": await pulls.create_pull(lake, at[0], pull)})


async def _get_pull(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(200, _pull(await pulls.get_pull(lake, at[0], at[1]), at[1]))


async def _update_pull(lake: Lake, request: Request, at: list[str]) -> Reply:
    said = request.json()
    await pulls.update_pull(lake, at[0], at[1], title=said.get("title", ""), status=said.get("status", ""))
    return Reply(204)


async def _merge_pull(lake: Lake, request: Request, at: list[str]) -> Reply:
    return Reply(200, {"reference": (await pulls.merge_pull(lake, at[0], at[1])).commit_id})


_NAME: Final = "([^/]+)"
_REPOSITORY: Final = f"/repositories/{_NAME}"
_BRANCH: Final = f"{_REPOSITORY}/branches/{_NAME}"
_PULL: Final = f"{_REPOSITORY}/pulls/{_NAME}"
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
    ("PUT", f"{_BRANCH}/hard_reset"): _hard_reset,
    ("POST", f"{_BRANCH}/revert"): _revert,
    ("POST", f"{_BRANCH}/cherry-pick"): _cherry_pick,
    ("POST", f"{_REPOSITORY}/tags"): _create_tag,
    ("GET", f"{_REPOSITORY}/tags/{_NAME}"): _get_tag,
    ("DELETE", f"{_REPOSITORY}/tags/{_NAME}"): _delete_tag,
    ("POST", f"{_BRANCH}/objects"): _upload,
    ("DELETE", f"{_BRANCH}/objects"): _delete_object,
    ("POST", f"{_BRANCH}/commits"): _commit,
    ("GET", f"{_REF}/objects"): _get_object,
    ("GET", f"{_REF}/objects/ls"): _list_objects,
    ("GET", f"{_REF}/commits"): _log,
    ("POST", f"{_REF}/merge/{_NAME}"): _merge,
    ("GET", f"{_REF}/objects/stat"): _stat_object,
    ("PUT", f"{_BRANCH}/objects/stat/user_metadata"): _update_metadata,
    ("POST", f"{_BRANCH}/import"): _import,
    ("GET", f"{_BRANCH}/import"): _import_status,
    ("POST", f"{_REPOSITORY}/pulls"): _create_pull,
    ("GET", _PULL): _get_pull,
    ("PATCH", _PULL): _update_pull,
    ("PUT", f"{_PULL}/merge"): _merge_pull,
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


def _tag(found: Tag) -> dict[str, object]:
    return {"id": found.tag_id, "commit_id": found.commit_id}


def _pull(found: Pull, number: str) -> dict[str, object]:
    return {
        "id": number,
        "title": found.title,
        "description": "",
        "status": found.status,
        "author": "fake",
        "creation_date": "2026-01-01T00:00:00Z",
        "source_branch": found.source,
        "destination_branch": found.destination,
        "merged_commit_id": found.commit or None,
    }


def _object(found: Found) -> dict[str, object]:
    return {
        "path": found.path,
        "path_type": "object",
        "physical_address": found.address,
        "checksum": hashlib.md5(found.content, usedforsecurity=False).hexdigest(),
        "size_bytes": len(found.content),
        "mtime": int(time.time()),
        "metadata": {MARK: found.metadata} if found.metadata else {},
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


def failed(error: Exception) -> Reply:
    """What a route that raised answers."""
    code = next((code for kinds, code in _STATUSES if isinstance(error, kinds)), 500)
    return Reply(code, {"message": f"{type(error).__name__}: {error}"})
