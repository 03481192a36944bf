"""Calls of the API of lakeFS that move branches and tags, each as a function of the client.

The last argument of a commit, merge, revert or cherry-pick names it, so that no two have the same id.
"""

from collections.abc import Callable, Hashable
from types import ModuleType
from typing import Any, Final

from lakeproof.services.calls import CHERRY_PICK, ERASE, HARD_RESET

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
}
"""By the name of the call."""
