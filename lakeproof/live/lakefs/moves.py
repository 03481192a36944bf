"""Calls of the API of lakeFS, by their names, through the client of its makers.

The last argument of a commit, merge, revert or cherry-pick names it, so that no two have the same id.
"""

import time
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from types import ModuleType
from typing import Any, Final

MARK: Final = "mark"
"""The key of an object's metadata that updates set."""
ASK_SECONDS: Final = 0.05
"""Between two questions whether an import has ended."""
Client = Any  # type: ignore[explicit-any]  # lakefs-sdk is an extra, and has no types
Calls = Mapping[str, Callable[..., Hashable]]  # type: ignore[explicit-any]  # by name, each with arguments of its own


class Timed:
    """A client, or a part of it, whose calls have so many seconds for an answer, each."""

    def __init__(self, inner: Client, seconds: float) -> None:
        self._inner, self._seconds = inner, seconds

    def __getattr__(self, name: str) -> Client:
        # The client gives its requests no timeout by default. All its methods take `_request_timeout`.
        found = getattr(self._inner, name)
        return partial(found, _request_timeout=self._seconds) if callable(found) else Timed(found, self._seconds)


def text(value: object) -> str:
    """Text that can be encoded again."""
    return str(value).encode("utf-8", "backslashreplace").decode()


def _no_value(answer: object) -> None:
    """The answer says no more."""


def calls(sdk: ModuleType, api: Client, seconds: float) -> Calls:
    """Each call. api: a `Timed` client. seconds: for an import, from its beginning to its end."""

    def upload(repository: str, branch: str, path: str, content: str, unless: str | None = None) -> str:
        # The physical address is the value: it tells where the content lies, so that it need not be read again in the
        # end.
        made = api.objects_api.upload_object(repository, branch, path, if_none_match=unless, content=content.encode())
        return text(made.physical_address)

    def reset(repository: str, branch: str, how: str, path: str | None = None) -> None:
        api.branches_api.reset_branch(repository, branch, sdk.ResetCreation(type=how, path=path))

    def merge(repository: str, destination: str, source: str) -> str:
        wanted = sdk.Merge(message=f"{source} into {destination}")
        return text(api.refs_api.merge_into_branch(repository, source, destination, merge=wanted).reference)

    def revert(repository: str, branch: str, ref: str, name: str) -> None:
        """The answer does not name the new commit. Its message does, in the log."""
        overrides = sdk.CommitOverrides(message=name)
        api.branches_api.revert_branch(
            repository, branch, sdk.RevertCreation(ref=ref, parent_number=0, commit_overrides=overrides)
        )

    def cherry_pick(repository: str, branch: str, ref: str, name: str) -> str:
        wanted = sdk.CherryPickCreation(ref=ref, commit_overrides=sdk.CommitOverrides(message=name))
        return text(api.branches_api.cherry_pick(repository, branch, wanted).id)

    def update_metadata(repository: str, branch: str, path: str, mark: str) -> None:
        wanted = sdk.UpdateObjectUserMetadata(set={MARK: mark})
        api.experimental_api.update_object_user_metadata(repository, branch, path, wanted)

    def stat(repository: str, ref: str, path: str) -> str:
        """The mark of an object; empty: it has none."""
        found = api.objects_api.stat_object(repository, ref, path, user_metadata=True)
        return text((found.metadata or {}).get(MARK, ""))

    def create_pull(repository: str, destination: str, source: str, title: str) -> str:
        wanted = sdk.PullRequestCreation(title=title, source_branch=source, destination_branch=destination)
        return text(api.pulls_api.create_pull_request(repository, wanted).id)

    def get_pull(repository: str, destination: str, source: str, pull: str) -> tuple[str, str, str]:
        """Its title, status and merge commit (empty: none)."""
        found = api.pulls_api.get_pull_request(repository, pull)
        return text(found.title), text(found.status).lower(), text(found.merged_commit_id or "")

    def change_pull(repository: str, destination: str, source: str, pull: str, **what: str) -> None:
        api.pulls_api.update_pull_request(repository, pull, sdk.PullRequestBasic(**what))

    return {
        # The storage namespace is fresh for each create, and so names the life of the repository.
        "create_repository": lambda repository, namespace: text(
            api.repositories_api.create_repository(
                sdk.RepositoryCreation(name=repository, storage_namespace=namespace, default_branch="main")
            ).storage_namespace
        ),
        "delete_repository": lambda name: _no_value(api.repositories_api.delete_repository(name, force=True)),
        "get_repository": lambda name: text(api.repositories_api.get_repository(name).storage_namespace),
        "create_branch": lambda repository, branch, source: _no_value(
            api.branches_api.create_branch(repository, sdk.BranchCreation(name=branch, source=source))
        ),
        "delete_branch": lambda *which: _no_value(api.branches_api.delete_branch(*which)),
        "get_branch": lambda *which: text(api.branches_api.get_branch(*which).commit_id),
        "set_entry": upload,
        "create_entry": partial(upload, unless="*"),
        "delete_entry": lambda *which: _no_value(api.objects_api.delete_object(*which)),
        "erase_entry": lambda *which: _no_value(api.objects_api.delete_object(*which, no_tombstone=True)),
        # Any bytes become text: a service that mixes up contents must be reported, not end the command.
        "get_entry": lambda *which: bytes(api.objects_api.get_object(*which)).decode("utf-8", "backslashreplace"),
        "commit": lambda repository, branch, message: text(
            api.commits_api.commit(repository, branch, sdk.CommitCreation(message=message)).id
        ),
        "merge": merge,
        "reset_branch": partial(reset, how="reset"),
        "reset_prefix": lambda repository, branch, prefix: reset(repository, branch, "common_prefix", prefix),
        "reset_entry": lambda repository, branch, path: reset(repository, branch, "object", path),
        "revert": revert,
        "cherry_pick": cherry_pick,
        "hard_reset": lambda *how: _no_value(api.experimental_api.hard_reset_branch(*how)),
        "create_tag": lambda repository, tag, ref: text(
            api.tags_api.create_tag(repository, sdk.TagCreation(id=tag, ref=ref)).commit_id
        ),
        "get_tag": lambda *which: text(api.tags_api.get_tag(*which).commit_id),
        "delete_tag": lambda *which: _no_value(api.tags_api.delete_tag(*which)),
        "update_metadata": update_metadata,
        "stat_entry": stat,
        "import": partial(_import, sdk, api, seconds),
        "create_pull": create_pull,
        "get_pull": get_pull,
        "edit_pull": lambda *which: change_pull(*which[:-1], title=which[-1]),
        "close_pull": partial(change_pull, status="closed"),
        "merge_pull": lambda repository, destination, source, pull: text(
            api.pulls_api.merge_pull_request(repository, pull).reference
        ),
    }


def _import(sdk: ModuleType, api: Client, seconds: float, repository: str, *how: str) -> str:
    """The commit that it made. An import runs after the answer: its end is waited for. how: branch, prefix, source and
    message.

    Raises LookupError if it failed, or a question whether it has ended: what it had done by then, or will do, is not
    known. Raises TimeoutError.
    """
    branch, prefix, source, name = how
    where = sdk.ImportLocation(type="common_prefix", path=source, destination=prefix)
    wanted = sdk.ImportCreation(paths=[where], commit=sdk.CommitCreation(message=name))
    # Evaluated from left to right: the time counts from the answer to the start, which has a timeout of its own.
    begun, until = api.import_api.import_start(repository, branch, wanted), time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            found = api.import_api.import_status(repository, branch, begun.id)
        # A status of 404 here must not reach `answer_of`, which would take it for a refusal of the import. LookupError
        # has no status, so the outcome is unknown.
        except Exception as error:  # a refusal of the question is none of the import
            raise LookupError(f"an import has begun, and its status is not known: {text(error)}") from error
        if found.error is not None:
            raise LookupError(f"the import failed: {text(found.error.message)}")
        if found.completed:
            return text(found.commit.id)
        time.sleep(ASK_SECONDS)
    raise TimeoutError("the import did not end in time")
