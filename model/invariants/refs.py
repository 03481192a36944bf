"""The invariants of branches, tags and commits as records: heads, tokens, the line of commits, progress.

Source: the "refs, commits" rows in docs/reference/invariants.md; graveler-on-kv.md, "Update Commits, staging and
lock-free".
"""

from collections.abc import Hashable, Iterator
from typing import Final

import attrs

from lakeproof.model import calls, keys, kv
from lakeproof.model.contents import branches, commit_named
from lakeproof.model.errors import BranchBusy
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.invariants._base import Afterwards, Finding, Monitor, Observer, Reached, Violation, always, on_step
from lakeproof.model.invariants._marks import birth
from lakeproof.model.invariants.changes import BRANCH_DELETES, BRANCH_WIDE, PREFIX_WIDE, CallID
from lakeproof.model.records import Branch, Commit, Tag
from lakeproof.model.snapshot import Event, Invoked, Observed, Outcome, Snapshot, Status, Transition

COMMITTING: Final = frozenset({calls.COMMIT, calls.MERGE, calls.REVERT})
"""Calls that put a commit of their own on a branch."""
CHANGING: Final = frozenset({calls.COMMIT}) | BRANCH_WIDE | PREFIX_WIDE
"""Calls that may change a branch record."""


@always("a branch or tag names a commit that exists")
def head_exists(snapshot: Snapshot) -> Iterator[Finding]:
    for (partition, key), record in snapshot.store.items():
        if not isinstance(record, Branch | Tag) or not record.commit_id:  # a tombstone names no commit
            continue
        if isinstance(snapshot.store.get((partition, keys.commit_key(record.commit_id))), Commit):
            yield Reached(f"{key.decode()} names a commit that is there")
        else:
            yield Violation("head-exists", f"{key.decode()} names {record.commit_id[:8]}, which is not there")


@always("a staging token, open or sealed, has one branch")
def token_has_one_owner(snapshot: Snapshot) -> Iterator[Finding]:
    owners: dict[StagingToken, str] = {}
    for (_, branch_id), branch in branches(snapshot).items():
        for token in branch.tokens:
            other = owners.get(token)
            if other is not None:
                yield Violation("token-has-one-owner", f"{token} belongs to {other} and to {branch_id}")
            else:
                yield Reached(f"{token} belongs to {branch_id}")
            owners[token] = branch_id


def _branches_written(op: object) -> list[kv.Address]:
    """Where an effect writes or removes records of branches, if it is done."""
    return [(part, key) for part, key, _ in kv.writes_of(op) if key.startswith(keys.BRANCHES_PREFIX)]


def _puts_commit(name: str, op: object) -> bool:
    return calls.kind_of(name) in COMMITTING and bool(_branches_written(op))


@on_step(
    "no commit on a branch overrides another: each one's first parent is the head it replaced", watches=_puts_commit
)
def commits_form_one_line(transition: Transition) -> Iterator[Finding]:
    for at in _branches_written(transition.op):
        before, after, name = transition.before.store.get(at), transition.after.store.get(at), at[1].decode()
        # The predicate failed, or what is there now is no branch: no commit was put.
        if before == after or not isinstance(after, Branch):
            continue
        if not isinstance(before, Branch):
            yield Violation("commits-form-one-line", f"{name} was gone, and its commit brought it back")
            continue
        if after.commit_id == before.commit_id:  # a seal moves tokens, and no head
            continue
        made = commit_named(transition.after, after.commit_id)
        first = made.parents[0] if made is not None and made.parents else "none"
        if first == before.commit_id:
            yield Reached(f"{name} moved from a head to a commit on it")
        else:
            evidence = f"{name} moved from {before.commit_id[:8]} to a commit whose first parent is {first[:8]}"
            yield Violation("commits-form-one-line", evidence)


def _found_birth(seen: tuple[Observed, ...]) -> Hashable:
    # The first read: it is what the call has decided to delete.
    return next((birth(each.read.staging_token) for each in seen if isinstance(each.read, Branch)), None)


def _deletes_branch(name: str, op: object) -> bool:
    return calls.kind_of(name) in BRANCH_DELETES and bool(_branches_written(op))


@on_step(
    "a delete of a branch never removes one created after the one that it found",
    watches=_deletes_branch,
    observers=(Observer("birth", _found_birth),),
)
def branch_delete_spares_successor(transition: Transition) -> Iterator[Finding]:
    found = transition.call.saw("birth")
    for at in _branches_written(transition.op) if found is not None else ():
        before = transition.before.store.get(at)
        # Nothing was there to be spared: no branch, or a tombstone.
        if not isinstance(before, Branch) or not before.commit_id or birth(before.staging_token) == found:
            continue
        if transition.after.store.get(at) == before:
            yield Reached(f"a delete of {found} left {before.staging_token} alone")
        else:
            evidence = f"a delete that had found {found} took away {birth(before.staging_token)}"
            yield Violation("branch-delete-spares-successor", evidence)


def _count_recombinations(seen: tuple[Observed, ...]) -> Hashable:
    """How often a call combined anew, and how often it was beaten: commit records beyond the first, failed set_ifs."""
    written = sum(isinstance(each.written, Commit) for each in seen)
    beaten = sum(isinstance(each.written, Branch) and isinstance(each.reply, kv.PredicateFailed) for each in seen)
    return max(written - 1, 0), beaten  # the first commit record is no repetition


EFFORT: Final = Observer("effort", _count_recombinations)


@attrs.frozen(cache_hash=True)
class _Progress:
    """For each call under way that may change a branch record, how many such calls overlap with it."""

    open: frozenset[tuple[CallID, int]] = frozenset()
    finished: bool = False
    gave_up: bool = False
    """Some commit has returned; some commit was beaten more often than it was willing to try."""


def _advance_progress(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    assert isinstance(state, _Progress)
    kind = event.kind if isinstance(event, Invoked) else event.call.kind
    if kind not in CHANGING:
        return state, ()
    call = (event.client, event.index)
    if isinstance(event, Invoked):
        others = frozenset((other, overlapped + 1) for other, overlapped in state.open)
        # Overlaps count from both sides: one more for each call under way, and all of these for the new one.
        return attrs.evolve(state, open=others | {(call, len(state.open))}), ()
    overlapped = dict(state.open)[call]
    after = attrs.evolve(state, open=state.open - {(call, overlapped)})
    if kind is not calls.COMMIT:
        return after, ()
    if event.call.status is not Status.OK:
        # Other errors are answers, and no lack of progress.
        beaten_off = isinstance(event.call.error, BranchBusy)
        return attrs.evolve(after, gave_up=after.gave_up or beaten_off), ()
    after = attrs.evolve(after, finished=True)
    effort = event.call.saw("effort")
    assert isinstance(effort, tuple)
    recombined, beaten = effort
    if recombined > overlapped:  # each operation that overlaps can beat it once
        evidence = f"a commit combined {recombined} times anew and was beaten {beaten} times by {overlapped} others"
        return after, (Violation("commit-makes-progress", evidence),)
    return after, (Reached(f"a commit was beaten {beaten} times by {overlapped} others"),) if beaten else ()


def _one_finishes(state: Hashable, _: Snapshot) -> Iterator[Finding]:
    assert isinstance(state, _Progress)
    if state.gave_up and not state.finished:
        yield Violation("commit-makes-progress", "every commit was beaten until it gave up, and none has finished")


commit_makes_progress = Monitor(
    id="commit-makes-progress",
    meaning="a committer combines anew at most once for each concurrent operation that changes the branch; at "
    "least one finishes",
    initial=_Progress(),
    advance=_advance_progress,
    at_end=_one_finishes,
    observers=(EFFORT,),
)

BRANCH_STAYS_COMMITTABLE: Final = Afterwards(
    "branch-stays-committable", "whatever crashed or was lost before, a commit can be made afterwards"
)


def branch_stays_committable(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
    """Aftermath of one commit: it must succeed."""
    last = outcomes[-1]
    if last.status is Status.OK:
        return [Reached("a commit succeeded afterwards")]
    return [Violation(BRANCH_STAYS_COMMITTABLE.id, f"a commit afterwards fails with {last.error!r}")]
