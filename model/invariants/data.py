"""The invariants of data: no object that an entry refers to is deleted, and none that nothing refers to is kept.

Only objects in a repository's storage namespace count: what lies elsewhere is not lakeFS' to keep or to delete.
Source: hard-delete-uncommitted-data.md; the "data" rows in docs/reference/invariants.md.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import Final

from lakeproof.model.identifiers import BranchID
from lakeproof.model.invariants._base import STORES, Afterwards, Finding, Monitor, Reached, Violation, always
from lakeproof.model.invariants.changes import Changes, advance_changes
from lakeproof.model.objects import etag
from lakeproof.model.references import Reference, RepositoryView, living
from lakeproof.model.snapshot import Outcome, Snapshot


def objects_are_kept(
    name: str, view: RepositoryView, references: Iterable[Reference] | None, holder: str, verb: str = "has"
) -> Iterator[Finding]:
    """Whether the object of each of these references exists, where it is the repository's to keep.

    references: None: the holder is a commit that cannot be read, which violates the invariant of this name as well.
    """
    if references is None:
        yield Violation(name, f"{holder} cannot be read: it, its metarange or a range of it is gone")
    for each in references or ():
        if not view.inside(each):  # what lies outside the namespace is not lakeFS' to keep
            continue
        if each.address in view.objects:
            yield Reached(f"{each.address} is referred to and there")
        else:
            yield Violation(name, f"{holder} {verb} {each.path!r} at {each.address}, which is not there")


@always("no object of a reachable commit is deleted", reads=STORES)
def committed_data_is_kept(snapshot: Snapshot) -> Iterator[Finding]:
    for view in living(snapshot):
        for commit_id in sorted(view.reachable()):
            commit = f"commit {commit_id[:8]}"
            yield from objects_are_kept("committed-data-is-kept", view, view.committed(commit_id), commit)


@always("the content of a committed object is what was committed", reads=STORES)
def committed_data_is_unchanged(snapshot: Snapshot) -> Iterator[Finding]:
    for view in living(snapshot):
        for commit_id in sorted(view.reachable()):
            for each in view.committed(commit_id) or ():
                found = view.objects.get(each.address)
                # A missing object is for `committed_data_is_kept` to report.
                if found is None or not view.inside(each):
                    continue
                if found.etag == each.entry.e_tag:
                    yield Reached(f"{each.address} is as it was committed")
                else:
                    yield Violation(
                        "committed-data-is-unchanged",
                        f"commit {commit_id[:8]} has {each.path!r} at {each.address} with ETag {each.entry.e_tag[:8]}, "
                        f"and now it holds {found.content[:20]!r}",
                    )


@always("the object of a staged entry, as its branch shows it, exists", reads=STORES)
def staged_data_is_kept(snapshot: Snapshot) -> Iterator[Finding]:
    for view in living(snapshot):
        for branch_id in sorted(view.branches):
            staged = view.staged_references(branch_id)
            yield from objects_are_kept("staged-data-is-kept", view, staged, f"branch {branch_id}", "shows")


@always("no two live entries share an address", reads=STORES)
def address_has_one_entry(snapshot: Snapshot) -> Iterator[Finding]:
    name = "address-has-one-entry"
    for view in living(snapshot):
        committed: dict[str, bytes] = {}
        for commit_id in sorted(view.reachable()):
            for each in view.committed(commit_id) or ():
                # One path in several commits is one entry with a history; two paths are two entries.
                path = committed.setdefault(each.address, each.path)
                if path != each.path:
                    yield Violation(name, f"{each.address} is committed at {path!r} and at {each.path!r}")
        staged: dict[str, str] = {}
        for branch_id in sorted(view.branches):
            for each in view.staged_references(branch_id):
                where = f"{each.path!r} of {branch_id}"
                if each.address in committed:
                    at = committed[each.address]
                    yield Violation(name, f"{each.address} is staged at {where} and committed at {at!r}")
                elif each.address in staged:
                    yield Violation(name, f"{each.address} is staged at {staged[each.address]} and at {where}")
                else:
                    yield Reached(f"{each.address} has one entry")
                staged[each.address] = where


GARBAGE_IS_RECLAIMED: Final = Afterwards(
    "garbage-is-reclaimed",
    "at quiescence, plus one run of the background job after its grace time, unreferenced objects are gone",
)


def garbage(view: RepositoryView) -> tuple[str, ...]:
    """The objects of users in the namespace that nothing refers to: no staged entry under a token of a branch, and no
    commit, reachable or not (what only an unreachable commit holds is for the retention of committed data)."""
    referred = {each.address for branch_id in view.branches for each in view.owned_references(branch_id)}
    # What an unreadable commit refers to cannot be known: see `unreadable_stops_the_job`.
    for commit_id in view.commits:
        referred.update(each.address for each in view.committed(commit_id) or ())
    return tuple(sorted(view.data() - referred))


def garbage_is_reclaimed(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> Iterator[Finding]:
    """The check of an `Aftermath`: its calls, if any, are runs of the background job."""
    for outcome in outcomes:
        if outcome.error is not None:
            yield Violation(GARBAGE_IS_RECLAIMED.id, f"the background job failed with {outcome.error!r}")
    for view in living(snapshot):
        left = garbage(view)
        if left:
            yield Violation(GARBAGE_IS_RECLAIMED.id, f"nothing refers to {', '.join(left)}, and it is still there")
        else:
            yield Reached(f"all of {len(view.data())} objects are referred to")


def _upload_is_kept(state: Hashable, snapshot: Snapshot) -> Iterator[Finding]:
    assert isinstance(state, Changes)
    for change in sorted(state.standing, key=lambda each: (each.call, each.path)):
        if not change.undisturbed:
            continue
        for view in living(snapshot):
            found = _content_at(view, BranchID(change.branch_id), change.path)
            if change.explains(found, etag):  # entries show the hash of a content
                yield Reached(f"{change} is kept")
            else:
                what = f"{change} was acknowledged and not undone, and is not there"
                yield Violation("acknowledged-write-is-kept", what)


def _content_at(view: RepositoryView, branch_id: BranchID, path: bytes) -> str | None:
    """The ETag that the entry of a branch at a path tells; None where there is none."""
    found = view.visible(branch_id).get(path) if branch_id in view.branches else None
    return None if found is None else found.entry.e_tag


acknowledged_upload_is_kept = Monitor(
    id="acknowledged-write-is-kept",
    meaning="an acknowledged upload or delete is staged or committed, unless overwritten, deleted or reset later",
    initial=Changes(),
    late=Changes(late=True),
    advance=advance_changes,
    at_end=_upload_is_kept,
)
