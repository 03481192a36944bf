"""The invariants of retention: active data is kept, expired data is reclaimed, uncommitted data is left alone.

Each depends on the rules, so each is made for some. Only objects in a repository's storage namespace count.
Source: committed-object-retention.md, "Definitions"; `lakeproof.model.retention`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, cast

from lakeproof.model import calls, keys
from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.invariants._base import (
    STORES,
    Afterwards,
    Always,
    Eventually,
    Finding,
    Reached,
    Reads,
    Violation,
    always,
)
from lakeproof.model.invariants.data import objects_are_kept
from lakeproof.model.references import RepositoryView, living
from lakeproof.model.retention import Rules, active, dangling
from lakeproof.model.snapshot import Outcome, Snapshot, Status

_Had = tuple[BranchID, CommitID, int]
"""A branch, a head of it, and a time at which it still was."""

EXPIRED_DATA_IS_RECLAIMED: Final = Afterwards(
    "expired-data-is-reclaimed",
    "at quiescence, after one more mark and sweep, the objects that only expired commits refer to are gone",
)


def active_data_is_kept(rules: Rules, *, tags: bool = False, hypothetical: bool = True) -> Always:
    """No object of a commit that is active now is deleted.

    tags: whether a tag keeps its commit; the text knows none. hypothetical: whether commits count that only a dummy
    child keeps: those that are on the line of no branch, among them some that were never on one.
    """
    name = "active-data-is-kept"

    def check(snapshot: Snapshot) -> Iterator[Finding]:
        for view in living(snapshot):
            for commit_id in sorted(_active(view, rules, snapshot.now, tags=tags, hypothetical=hypothetical)):
                commit = f"active commit {commit_id[:8]}"
                yield from objects_are_kept(name, view, view.committed(commit_id), commit)

    return Always(
        id=name,
        meaning="no object of an active commit is deleted",
        check=check,
        reads=frozenset({Reads.STORE, Reads.OBJECTS, Reads.CLOCK}),
    )


def past_head_data_is_kept(rules: Rules, heads: Mapping[BranchID, CommitID], when: int, *, seen_by: str = "") -> Always:
    """No object of a commit is deleted that a branch had as its head within its days, whatever the commit's own date.

    heads: those of branches at a time; ``when``: microseconds since 1970. They are checked until they have been left
    for the shortest time of the rules: for that long after ``when``. seen_by: the name of calls that return a branch, a
    head of it, and a time at which it still was. Source: "We note that 7 days ago, the branch's HEAD pointed to
    commit B".
    """
    name = "past-head-data-is-kept"
    given = tuple((branch_id, commit_id, when) for branch_id, commit_id in sorted(heads.items()))

    def check(snapshot: Snapshot) -> Iterator[Finding]:
        calls_made = snapshot.calls(seen_by) if seen_by else ()
        seen = tuple(cast("_Had", call.value) for call in calls_made if call.status is Status.OK)
        for view in living(snapshot):
            for branch_id, commit_id, since in given + seen:
                if since <= rules.threshold(branch_id, snapshot.now):  # its days are over: no promise any more
                    continue
                head = f"commit {commit_id[:8]}, the head of {branch_id} within its days,"
                found = list(objects_are_kept(name, view, view.committed(commit_id), head))
                lost = next((each for each in found if isinstance(each, Violation)), None)
                if lost is not None:
                    yield lost
                # While the branch is still at the commit, `active-data-is-kept` says the same.
                elif found and (branch_id not in view.branches or view.branches[branch_id].commit_id != commit_id):
                    yield Reached(f"{branch_id} has left commit {commit_id[:8]}, whose objects are there")

    return Always(
        id=name,
        meaning="no object of a commit that a branch had as its head within its days of retention is deleted",
        check=check,
        reads=frozenset(Reads) if seen_by else frozenset({Reads.STORE, Reads.OBJECTS, Reads.CLOCK}),
    )


def _active(view: RepositoryView, rules: Rules, now: int, *, tags: bool, hypothetical: bool) -> frozenset[CommitID]:
    heads = {branch_id: branch.commit_id for branch_id, branch in view.branches.items()}
    tagged = [tag.commit_id for tag in view.tags.values()] if tags else []
    kept = active(view.commits, heads, rules, now, tagged=tagged)
    # The dangling ones are those that only a dummy child can keep: no line of a branch leads to them.
    return kept if hypothetical else kept - (dangling(view.commits, heads) - set(tagged))


def active_is_not_condemned(rules: Rules, condemned: bytes, *, tags: bool = False) -> Eventually:
    """Where all marks have succeeded, no active commit is left condemned: it could not be used any more.

    condemned: how the keys begin, in a repository's partition, that condemn the commit that comes next in them.
    """
    name = "active-is-not-condemned"

    def check(snapshot: Snapshot) -> Iterator[Finding]:
        marks = [call for client in snapshot.clients for call in client if call.kind is calls.MARK]
        if any(call.status is not Status.OK for call in marks):  # only a mark that has succeeded promises this
            return
        for view in living(snapshot):
            kept = _active(view, rules, snapshot.now, tags=tags, hypothetical=True)
            partition = keys.repository_partition(view.repository.repository_id, view.repository.instance_uid)
            found = [key for at, key in snapshot.store if at == partition and key.startswith(condemned)]
            for commit_id in sorted({key.removeprefix(condemned).decode().partition("/")[0] for key in found}):
                if commit_id in kept:
                    yield Violation(name, f"commit {commit_id[:8]} is active, and condemned by a run that has ended")
                else:
                    yield Reached(f"{commit_id[:8]} is condemned, and expired")

    return Eventually(
        id=name,
        meaning="at quiescence, where all marks have succeeded, no active commit is condemned",
        check=check,
        reads=frozenset(Reads),
    )


@always(
    "no object of a staged entry is deleted by retention, be the entry hidden by a newer one or not",
    reads=STORES,
)
def uncommitted_data_is_kept(snapshot: Snapshot) -> Iterator[Finding]:
    for view in living(snapshot):
        for branch_id in sorted(view.branches):
            staged = view.owned_references(branch_id)
            yield from objects_are_kept("uncommitted-data-is-kept", view, staged, f"branch {branch_id}", "has staged")


def expired_data_is_reclaimed(
    rules: Rules, *, tags: bool = False
) -> Callable[[tuple[Outcome, ...], Snapshot], tuple[Finding, ...]]:
    """The check of an `Aftermath` whose calls are a mark and a sweep."""

    def check(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> tuple[Finding, ...]:
        return tuple(_find_leftovers(outcomes, snapshot, rules, tags=tags))

    return check


def _find_leftovers(
    outcomes: tuple[Outcome, ...], snapshot: Snapshot, rules: Rules, *, tags: bool
) -> Iterator[Finding]:
    for outcome in outcomes:
        if outcome.error is not None:
            yield Violation(EXPIRED_DATA_IS_RECLAIMED.id, f"a run failed with {outcome.error!r}")
    for view in living(snapshot):
        left = only_expired(view, rules, snapshot.now, tags=tags) & view.objects.keys()
        if left:
            evidence = f"only expired commits refer to {', '.join(sorted(left))}, and it is still there"
            yield Violation(EXPIRED_DATA_IS_RECLAIMED.id, evidence)
        else:
            yield Reached("no object is left that only expired commits refer to")


def only_expired(view: RepositoryView, rules: Rules, now: int, *, tags: bool = False) -> frozenset[str]:
    """The addresses in the namespace that expired commits refer to, and nothing else does: objects or not."""
    kept = _active(view, rules, now, tags=tags, hypothetical=True)
    # Also hidden entries: a reset of the newer one would show them again.
    spared = {each.address for branch_id in view.branches for each in view.owned_references(branch_id)}
    gone: set[str] = set()
    # Not by `objects_to_delete`, with which the flows do it: a fault of that would be one of the check as well.
    for commit_id in view.commits:
        inside = {each.address for each in view.committed(commit_id) or () if view.inside(each)}
        # Equal content is shared by commits: an address is gone only if no kept commit has it.
        (spared if commit_id in kept else gone).update(inside)
    return frozenset(gone - spared)
