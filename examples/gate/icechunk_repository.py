"""Icechunk repositories on S3: two writers of arrays of their own, and a garbage collection.

lakeproof gate run examples/gate/icechunk_repository.py commit-commit
"""

import os
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from lakeproof import Faults
from lakeproof.gate import GateScenario, Outcome, call


def repository(*, create: bool = False) -> Any:
    import icechunk

    icechunk.set_logs_filter("error")
    storage = icechunk.s3_storage(
        bucket="bucket",
        prefix="repository",
        endpoint_url=os.environ["AWS_ENDPOINT_URL"],
        access_key_id=os.environ["AWS_ACCESS_KEY_ID"],
        secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"],
        region=os.environ["AWS_REGION"],
        allow_http=True,
        force_path_style=True,
    )
    # Retries at once: with a random wait, the order of two requests would be a matter of time.
    retries = icechunk.StorageRetriesSettings(max_tries=3, initial_backoff_ms=0, max_backoff_ms=0)
    config = icechunk.RepositoryConfig(storage=icechunk.StorageSettings(retries=retries))
    open_ = icechunk.Repository.create if create else icechunk.Repository.open
    return open_(storage, config=config)


def create() -> None:
    """A repository with an empty root group."""
    import zarr

    session = repository(create=True).writable_session("main")
    zarr.create_group(session.store)
    session.commit("root")


def commit(name: str) -> None:
    """Commit a group of this name. A commit of another client that changed other groups is no conflict."""
    import icechunk
    import zarr

    session = repository().writable_session("main")
    zarr.create_group(session.store, path=name, attributes={"writer": name})
    session.commit(name, rebase_with=icechunk.ConflictDetector())


def collect() -> None:
    """Delete what no branch names, however young it is."""
    repository().garbage_collect(datetime.now(UTC) + timedelta(days=1))


def history() -> dict[str, list[str]]:
    """The messages of all commits, from the first; and the groups that can be read."""
    import zarr

    found = repository()
    messages = [each.message for each in found.ancestry(branch="main")][::-1]
    root = zarr.open_group(found.readonly_session("main").store, mode="r")
    return {"commits": messages[2:], "groups": [str(root[name].attrs["writer"]) for name in sorted(root.group_keys())]}


def acknowledged_is_there_once(outcome: Outcome) -> str | None:
    """A commit that was acknowledged is in the history once, and its group can be read."""
    read = outcome.after[0]
    if not read.ok:
        return f"the branch cannot be read: {' '.join(read.message.split())[:160]}"
    assert isinstance(read.value, dict)
    for calls in outcome.results.values():
        for each, returned in calls:
            if each.name == "commit" and returned.ok:
                count, there = read.value["commits"].count(each.args[0]), each.args[0] in read.value["groups"]
                if count != 1 or not there:
                    return f"{each} was acknowledged; it is in the history {count} times, and its group is {there=}"
    return None


def refused_is_not_there(outcome: Outcome) -> str | None:
    """A commit that ended in a conflict has not taken place."""
    read = outcome.after[0].value
    for calls in outcome.results.values():
        for each, returned in calls:
            refused = returned.error in ("ConflictError", "RebaseFailedError")
            if refused and isinstance(read, dict) and each.args[0] in read["commits"]:
                return f"{each} ended in {returned.error}, and it is in the history"
    return None


scenario = partial(
    GateScenario,
    setup=[call(create)],
    after=[call(history)],
    invariants=[acknowledged_is_there_once, refused_is_not_there],
    parallel="threads",
)
ONE, TWO, GC = [call(commit, "one")], [call(commit, "two")], [call(collect)]

lost_answer = partial(
    scenario,
    faults=Faults(lost_answers=1),
    invariants=[refused_is_not_there],
    expect={"refused_is_not_there": "violated"},
)

SCENARIOS = [
    lost_answer(name="icechunk/one-commit/lost-answer", clients=[ONE]),
    lost_answer(name="icechunk/lost-answer/commit-commit", clients=[ONE, TWO]),
    scenario(name="icechunk/one-commit/refusal", clients=[ONE], faults=Faults(refusals=1)),
    scenario(name="icechunk/commit-commit", clients=[ONE, TWO]),
    scenario(name="icechunk/commit-collect", clients=[ONE, GC], expect={"acknowledged_is_there_once": "violated"}),
]
