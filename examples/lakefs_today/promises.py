"""The invariants that the flows of today's lakeFS need beside those of the designs.

``refused-commit-is-absent``: what a commit, merge or revert with a definite error promises. Messages tell commits
apart: in a scenario every call has its own. Source: docs/lakefs-today.md.
"""

import json
from collections.abc import Hashable, Iterator
from typing import Final

from lakefs_today.pull import PULLS, Pull
from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.contents import branch_named, branches, commit_named, content_of_branch
from lakeproof.model.invariants import STORE, Finding, Monitor, Reached, Violation, eventually, repositories
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry
from lakeproof.model.snapshot import Event, Invoked, Snapshot, Status

COMMITTING: Final = frozenset({calls.COMMIT, calls.MERGE, calls.REVERT})


def _advance_refused(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    """State: the messages of commits that answered with a definite error."""
    assert isinstance(state, frozenset)
    if isinstance(event, Invoked) or event.call.status is not Status.FAIL or event.call.kind not in COMMITTING:
        return state, ()
    return state | {event.call.arguments[Role.MESSAGE]}, ()


def reachable(snapshot: Snapshot) -> Iterator[Commit]:
    """The commits that branches lead to, over all parents, each once."""
    todo = [branch.commit_id for branch in branches(snapshot).values()]
    seen = set(todo)
    while todo:
        commit = commit_named(snapshot, todo.pop())
        if commit is None:
            continue
        yield commit
        todo += [parent for parent in commit.parents if parent not in seen]
        seen.update(commit.parents)


def _refused_at_end(state: Hashable, snapshot: Snapshot) -> Iterator[Finding]:
    assert isinstance(state, frozenset)
    for message in sorted(state):
        if any(commit.message == message for commit in reachable(snapshot)):
            evidence = f"the commit {message!r} was refused, and a branch leads to it"
            yield Violation("refused-commit-is-absent", evidence)
        else:
            yield Reached(f"the commit {message!r} was refused, and no branch leads to it")


refused_commit_is_absent: Final = Monitor(
    id="refused-commit-is-absent",
    meaning="a commit, merge or revert that was definitely refused is on no branch",
    initial=frozenset(),
    advance=_advance_refused,
    at_end=_refused_at_end,
)

SUBMITS: Final = frozenset({"submit_task", "start_import"})
RUNS: Final = frozenset({"run_task", "run_import"})
STATUSES: Final = frozenset({"task_status", "import_status"})
CANCEL: Final = "cancel_import"
DEAD: Final = "dead"
"""Names of calls, and an answer, of flows that no design but today's has."""


def _last(args: tuple[Hashable, ...]) -> Hashable:
    """The task that a call is about: its last argument."""
    *_, last = args
    return last


def _advance_tasks(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    """State: the tasks that have been submitted and have not ended, and the status calls under way about those.

    A task ends with the first effect of one of `RUNS`, which writes that it has.
    """
    assert isinstance(state, tuple)
    running, asked = state
    if isinstance(event, Invoked):
        if event.name in RUNS:
            ended = _last(event.args)
            return (running - {ended}, frozenset(each for each in asked if each[1] != ended)), ()
        if event.name in STATUSES and _last(event.args) in running:
            asked = asked | {(event.client, _last(event.args))}
        return (running, asked), ()
    view = event.call
    if view.name in SUBMITS and view.status is Status.OK:
        return (running | {_last(view.args)}, asked), ()
    question = (event.client, _last(view.args)) if view.name in STATUSES else None
    if question not in asked:
        return state, ()
    after = (running, asked - {question})
    if view.status is Status.OK and view.value != DEAD:
        return after, (Reached(f"the status of {_last(view.args)}, which runs, is {view.value}"),)
    if view.status is Status.INFO:
        return after, ()
    told = view.value if view.status is Status.OK else repr(view.error)
    return after, (Violation("running-task-is-alive", f"{_last(view.args)} runs, and its status is {told}"),)


running_task_is_alive: Final = Monitor(
    id="running-task-is-alive",
    meaning="a status call that begins and ends while its task runs says neither that it is dead nor that it is "
    "unknown",
    initial=(frozenset(), frozenset()),
    advance=_advance_tasks,
)


def _advance_canceled(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    """State: the imports whose cancelling was acknowledged."""
    assert isinstance(state, frozenset)
    if isinstance(event, Invoked) or event.call.name != CANCEL or event.call.status is not Status.OK:
        return state, ()
    return state | {str(_last(event.call.args))}, ()


def _canceled_at_end(state: Hashable, snapshot: Snapshot) -> Iterator[Finding]:
    assert isinstance(state, frozenset)
    for import_id in sorted(state):
        if any(commit.message == import_id for commit in reachable(snapshot)):
            evidence = f"cancelling {import_id} was acknowledged, and a branch leads to its commit"
            yield Violation("canceled-import-is-absent", evidence)
        else:
            yield Reached(f"{import_id} was canceled, and no branch leads to a commit of it")


canceled_import_is_absent: Final = Monitor(
    id="canceled-import-is-absent",
    meaning="an import whose cancelling was acknowledged is on no branch",
    initial=frozenset(),
    advance=_advance_canceled,
    at_end=_canceled_at_end,
)

HOLD: Final = "hold_branch"
OWNERSHIP: Final = b"mc-ownership"


@eventually("at quiescence, a branch whose owner has released it is not owned by it")
def released_branch_is_free(snapshot: Snapshot) -> Iterator[Finding]:
    owned = {
        value for (partition, _), value in snapshot.store.items() if partition == OWNERSHIP and isinstance(value, bytes)
    }
    for call in snapshot.calls(HOLD):
        if call.status is not Status.OK:
            continue
        owner = _last(call.args)
        if any(json.loads(value)[0] == owner and json.loads(value)[1] for value in owned):
            yield Violation(
                "released-branch-is-free", f"{owner} has released the branch, and its record has not expired"
            )
        else:
            yield Reached(f"{owner} has released the branch, and it is free")


def _advance_living(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    """State: the instances whose deletion was acknowledged, and for each call under way that returns a repository,
    or a branch in one, those of its beginning."""
    assert isinstance(state, tuple)
    gone, asked = state
    kind = event.kind if isinstance(event, Invoked) else event.call.kind
    if isinstance(event, Invoked):
        return (gone, asked | {(event.client, gone)} if kind in ANSWERING else asked), ()
    view = event.call
    if kind is calls.DELETE_REPOSITORY and view.status is Status.OK:
        return (gone | {view.saw(repositories.TARGET.name)}, asked), ()
    if kind not in ANSWERING:
        return state, ()
    known = next(then for client, then in asked if client == event.client)
    after = (gone, frozenset(each for each in asked if each[0] != event.client))
    if not known:
        return after, ()
    found = repositories.owner(view.value) if isinstance(view.value, Branch | Repository) else None
    if found in known:
        evidence = f"{view.name} answered with instance {found}, whose deletion had been acknowledged"
        return after, (Violation(repositories.deleted_is_inaccessible.id, evidence),)
    return after, (Reached(f"{view.name} began after an acknowledged delete"),)


ANSWERING: Final = frozenset({calls.GET_REPOSITORY, calls.CREATE_BRANCH, calls.GET_BRANCH})

answer_is_of_living_repository: Final = Monitor(
    id=repositories.deleted_is_inaccessible.id,
    meaning=repositories.deleted_is_inaccessible.meaning,
    initial=(frozenset(), frozenset()),
    advance=_advance_living,
    observers=(repositories.TARGET,),
)
"""`repositories.deleted_is_inaccessible` by what a call returns, where it does not read the entry itself."""

UPDATE: Final = "update_metadata_by_id"


@eventually("at quiescence, an update of metadata that returned success, beside no other change, has happened")
def update_is_effective(snapshot: Snapshot) -> Iterator[Finding]:
    for view in snapshot.calls(calls.UPDATE_USER_METADATA.name):
        if view.status is Status.OK:
            staged = {each.data for each in snapshot.store.values() if isinstance(each, StagedEntry)}
            if _last(view.args) in staged:
                yield Reached(f"{_last(view.args)!r} was acknowledged, and is staged")
            else:
                yield Violation("update-is-effective", f"{_last(view.args)!r} was acknowledged, and is not staged")
    for view in snapshot.calls(UPDATE):
        if view.status is not Status.OK:
            continue
        _, branch_id, path, identity = view.args
        branch = branch_named(snapshot, str(branch_id))
        content = None if branch is None else content_of_branch(snapshot, branch)
        if content is not None and isinstance(path, bytes) and content.get(path) == identity:
            yield Reached(f"{identity!r} at {path!r} was acknowledged, and is there")
        else:
            yield Violation("update-is-effective", f"{identity!r} at {path!r} was acknowledged, and is not there")


UPDATE_NEEDS_AN_ENTRY: Final = "update-needs-an-entry"
UPDATES: Final = ("update_metadata", UPDATE, "update_metadata_in_two", calls.UPDATE_USER_METADATA.name)


@eventually("where no client writes an entry, an update of its metadata is refused, and makes none")
def update_needs_an_entry(snapshot: Snapshot) -> Iterator[Finding]:
    for view in snapshot.calls(*UPDATES):
        _, branch_id, path, _ = view.args
        branch = branch_named(snapshot, str(branch_id))
        content = None if branch is None else content_of_branch(snapshot, branch)
        if view.status is Status.OK:
            yield Violation(UPDATE_NEEDS_AN_ENTRY, f"{view.name} of {path!r} returned success, and there was no entry")
        elif path in (content or {}):
            yield Violation(UPDATE_NEEDS_AN_ENTRY, f"{view.name} was refused, and there is an entry at {path!r} now")
        elif view.status is Status.FAIL:
            yield Reached(f"{view.name} of {path!r}, at which there is no entry, was refused")


def _commit(pull: Pull | None) -> str:
    return "" if pull is None else pull.commit


@eventually(
    "at quiescence, a pull request names the commit of its merge if that was acknowledged; the commit of a "
    "merge that was refused is on no branch"
)
def pull_tells_of_its_merge(snapshot: Snapshot) -> Iterator[Finding]:
    there = {commit.message for commit in reachable(snapshot)}
    pulls = {
        key.removeprefix(PULLS).decode(): Pull.decode(value)
        for (_, key), value in snapshot.store.items()
        if key.startswith(PULLS) and isinstance(value, bytes)
    }
    for view in snapshot.calls(calls.MERGE_PULL.name):
        pull, message = pulls.get(str(view.arguments[Role.PULL])), view.arguments[Role.MESSAGE]
        if view.status is Status.FAIL and message in there:
            yield Violation(PULL_TELLS, f"the merge {message!r} was refused, and its commit is on the branch")
        elif view.status is Status.OK and isinstance(view.value, Commit) and _commit(pull) != view.value.commit_id:
            named = "there is no record" if pull is None else f"the {pull.status} record names {pull.commit or 'none'}"
            yield Violation(PULL_TELLS, f"the merge {message!r} was acknowledged; {named}")
        elif view.status is not Status.INFO:
            yield Reached(f"the record and the branch agree on the merge {message!r}")


PULL_TELLS: Final = "pull-tells-of-its-merge"


CLEANUP: Final = b"cleanup-tokens"


@eventually(
    "at quiescence, a staged entry is under a token that a branch names, or that is noted for the sweep", reads=STORE
)
def staged_garbage_can_be_found(snapshot: Snapshot) -> Iterator[Finding]:
    named = {token.encode() for branch in branches(snapshot).values() for token in branch.tokens}
    noted = {key for partition, key in snapshot.store if partition == CLEANUP}
    for (partition, _), record in snapshot.store.items():
        if not isinstance(record, StagedEntry) or partition in named:
            continue
        what = f"{record.key!r} is staged under {partition.decode()}, which no branch names"
        if partition in noted:
            yield Reached(f"{what}, and which is noted")
        else:
            yield Violation("staged-garbage-can-be-found", f"{what}, and which is not noted either")


ALL: Final = (
    refused_commit_is_absent,
    running_task_is_alive,
    canceled_import_is_absent,
    released_branch_is_free,
    update_is_effective,
    update_needs_an_entry,
    pull_tells_of_its_merge,
    staged_garbage_can_be_found,
)
"""All invariants of this module."""
