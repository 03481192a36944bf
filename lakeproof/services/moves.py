"""Calls of the API of lakeFS that move branches and tags, and those of imports, pull requests and metadata of objects,
each as a function of the client.

The last argument of a commit, merge, revert or cherry-pick names it, so that no two have the same id.
"""

import time
from collections.abc import Callable, Hashable
from types import ModuleType
from typing import Any, Final

from lakeproof.services.calls import (
    CHERRY_PICK,
    CLOSE_PULL,
    CREATE_PULL,
    EDIT_PULL,
    ERASE,
    GET_PULL,
    HARD_RESET,
    IMPORT,
    MERGE_PULL,
    STAT,
    UPDATE_METADATA,
)

MARK: Final = "mark"
"""The key of an object's metadata that updates set."""
ASK_SECONDS: Final = 0.05
"""Between two questions whether an import has ended."""
Client = Any  # type: ignore[explicit-any]  # lakefs-sdk is an extra, and has no types
Move = Callable[..., Hashable]  # type: ignore[explicit-any]  # the package, a client, seconds, and the call's arguments


def text(told: object) -> str:
    """Text that can be encoded again."""
    return str(told).encode("utf-8", "backslashreplace").decode()


def _merge(sdk: ModuleType, api: Client, seconds: float, repository: str, destination: str, source: str) -> str:
    wanted = sdk.Merge(message=f"{source} into {destination}")
    made = api.refs_api.merge_into_branch(repository, source, destination, merge=wanted, _request_timeout=seconds)
    return text(made.reference)


def _reset(sdk: ModuleType, api: Client, seconds: float, repository: str, branch: str) -> None:
    wanted = sdk.ResetCreation(type="reset")
    api.branches_api.reset_branch(repository, branch, wanted, _request_timeout=seconds)


def _reset_prefix(sdk: ModuleType, api: Client, seconds: float, repository: str, branch: str, prefix: str) -> None:
    wanted = sdk.ResetCreation(type="common_prefix", path=prefix)
    api.branches_api.reset_branch(repository, branch, wanted, _request_timeout=seconds)


def _reset_entry(sdk: ModuleType, api: Client, seconds: float, repository: str, branch: str, path: str) -> None:
    wanted = sdk.ResetCreation(type="object", path=path)
    api.branches_api.reset_branch(repository, branch, wanted, _request_timeout=seconds)


def _erase(sdk: ModuleType, api: Client, seconds: float, repository: str, branch: str, path: str) -> None:
    api.objects_api.delete_object(repository, branch, path, no_tombstone=True, _request_timeout=seconds)


def _revert(sdk: ModuleType, api: Client, seconds: float, repository: str, branch: str, ref: str, name: str) -> None:
    """The answer does not name the new commit. Its message does, in the log."""
    said = sdk.CommitOverrides(message=name)
    wanted = sdk.RevertCreation(ref=ref, parent_number=0, commit_overrides=said)
    api.branches_api.revert_branch(repository, branch, wanted, _request_timeout=seconds)


def _cherry_pick(
    sdk: ModuleType, api: Client, seconds: float, repository: str, branch: str, ref: str, name: str
) -> str:
    wanted = sdk.CherryPickCreation(ref=ref, commit_overrides=sdk.CommitOverrides(message=name))
    return text(api.branches_api.cherry_pick(repository, branch, wanted, _request_timeout=seconds).id)


def _hard_reset(sdk: ModuleType, api: Client, seconds: float, repository: str, branch: str, ref: str) -> None:
    api.experimental_api.hard_reset_branch(repository, branch, ref, _request_timeout=seconds)


def _create_tag(sdk: ModuleType, api: Client, seconds: float, repository: str, tag: str, ref: str) -> str:
    wanted = sdk.TagCreation(id=tag, ref=ref)
    return text(api.tags_api.create_tag(repository, wanted, _request_timeout=seconds).commit_id)


def _get_tag(sdk: ModuleType, api: Client, seconds: float, repository: str, tag: str) -> str:
    return text(api.tags_api.get_tag(repository, tag, _request_timeout=seconds).commit_id)


def _delete_tag(sdk: ModuleType, api: Client, seconds: float, repository: str, tag: str) -> None:
    api.tags_api.delete_tag(repository, tag, _request_timeout=seconds)


def _update_metadata(
    sdk: ModuleType, api: Client, seconds: float, repository: str, branch: str, path: str, mark: str
) -> None:
    wanted = sdk.UpdateObjectUserMetadata(set={MARK: mark})
    api.experimental_api.update_object_user_metadata(repository, branch, path, wanted, _request_timeout=seconds)


def _stat(sdk: ModuleType, api: Client, seconds: float, repository: str, ref: str, path: str) -> str:
    """The mark of an object; empty: it has none."""
    found = api.objects_api.stat_object(repository, ref, path, user_metadata=True, _request_timeout=seconds)
    return text((found.metadata or {}).get(MARK, ""))


def _import(sdk: ModuleType, api: Client, seconds: float, repository: str, *how: str) -> str:
    """The commit that it made. An import runs after the answer: its end is waited for. how: branch, prefix, source and
    message.

    Raises LookupError if it failed: what it had done by then is not known. Raises TimeoutError.
    """
    branch, prefix, source, name = how
    where = sdk.ImportLocation(type="common_prefix", path=source, destination=prefix)
    wanted = sdk.ImportCreation(paths=[where], commit=sdk.CommitCreation(message=name))
    begun, until = api.import_api.import_start(repository, branch, wanted, _request_timeout=seconds), time.monotonic()
    until += seconds
    while time.monotonic() < until:
        found = api.import_api.import_status(repository, branch, begun.id, _request_timeout=seconds)
        if found.error is not None:
            raise LookupError(f"the import failed: {text(found.error.message)}")
        if found.completed:
            return text(found.commit.id)
        time.sleep(ASK_SECONDS)
    raise TimeoutError("the import did not end in time")


def _create_pull(
    sdk: ModuleType, api: Client, seconds: float, repository: str, destination: str, source: str, title: str
) -> str:
    wanted = sdk.PullRequestCreation(title=title, source_branch=source, destination_branch=destination)
    return text(api.pulls_api.create_pull_request(repository, wanted, _request_timeout=seconds).id)


def _get_pull(
    sdk: ModuleType, api: Client, seconds: float, repository: str, destination: str, source: str, pull: str
) -> tuple[str, str, str]:
    """Its title, status and merge commit (empty: none)."""
    found = api.pulls_api.get_pull_request(repository, pull, _request_timeout=seconds)
    return text(found.title), text(found.status).lower(), text(found.merged_commit_id or "")


def _edit_pull(sdk: ModuleType, api: Client, seconds: float, repository: str, *how: str) -> None:
    """how: destination, source, pull request and title."""
    _, _, pull, title = how
    api.pulls_api.update_pull_request(repository, pull, sdk.PullRequestBasic(title=title), _request_timeout=seconds)


def _close_pull(
    sdk: ModuleType, api: Client, seconds: float, repository: str, destination: str, source: str, pull: str
) -> None:
    api.pulls_api.update_pull_request(repository, pull, sdk.PullRequestBasic(status="closed"), _request_timeout=seconds)


def _merge_pull(
    sdk: ModuleType, api: Client, seconds: float, repository: str, destination: str, source: str, pull: str
) -> str:
    return text(api.pulls_api.merge_pull_request(repository, pull, _request_timeout=seconds).reference)


MOVES: Final[dict[str, Move]] = {
    "merge": _merge,
    "reset_branch": _reset,
    "reset_prefix": _reset_prefix,
    "reset_entry": _reset_entry,
    ERASE: _erase,
    "revert": _revert,
    CHERRY_PICK: _cherry_pick,
    HARD_RESET: _hard_reset,
    "create_tag": _create_tag,
    "get_tag": _get_tag,
    "delete_tag": _delete_tag,
    UPDATE_METADATA: _update_metadata,
    STAT: _stat,
    IMPORT: _import,
    CREATE_PULL: _create_pull,
    GET_PULL: _get_pull,
    EDIT_PULL: _edit_pull,
    CLOSE_PULL: _close_pull,
    MERGE_PULL: _merge_pull,
}
"""By the name of the call."""
