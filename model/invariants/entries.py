"""The invariants of entries: what writers, deleters, readers and committers of a branch were promised.

All are monitors over invocations and returns; at the end they compare their state with the final store. An
identity stands for a value: in a scenario every write has its own. Source: the "refs, commits" rows in
docs/reference/invariants.md; graveler-on-kv.md, "Update Commits, staging and lock-free".

Example: the write x=1 of one client returns, then the write x=2 of another. In the end x must be 2. If the second
client crashed, x may be 1 or 2, and neither write is judged.

What a read of x that begins after each event may return, where x was absent::

    write 1 invoked     nothing or 1
    write 1 returns     1                 nothing was beaten by 1
    write 2 invoked     1 or 2
    write 3 invoked     1, 2 or 3
    write 2 returns     2 or 3            1 was there before write 2 began; a read that is under way may still find it
"""

from collections.abc import Hashable, Iterator
from typing import Final

import attrs

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.contents import Contents, branch_named, branches, content_of_branch, content_of_commit
from lakeproof.model.errors import PathNotFound
from lakeproof.model.identifiers import CommitID
from lakeproof.model.invariants._base import Finding, Monitor, Reached, Violation
from lakeproof.model.invariants.changes import CallID, Changes, PathChange, advance_changes, reach, values
from lakeproof.model.records import Commit
from lakeproof.model.snapshot import CallView, Event, Invoked, Snapshot, Status


def _judge_kept(invariant_id: str, state: Hashable, snapshot: Snapshot, *, deletes: bool) -> Iterator[Finding]:
    assert isinstance(state, Changes)
    for change in sorted(state.standing, key=lambda each: (each.call, each.path)):
        # Both monitors keep all changes, since a delete disturbs a write and vice versa; each judges its own kind.
        if not change.undisturbed or (change.identity is None) is not deletes:
            continue
        branch = branch_named(snapshot, change.branch_id)
        # A delete of the branch would have made the change disturbed.
        if branch is None:
            yield Violation(invariant_id, f"{change} was acknowledged, and the branch is gone undeleted")
            continue
        content = content_of_branch(snapshot, branch)
        if content is None:
            yield Violation(invariant_id, f"{change} was acknowledged, and the branch's head cannot be read")
            continue
        found = content.get(change.path)
        if change.explains(found):
            beside = " beside others" if change.rivals else ""
            yield Reached(f"{change} is kept{beside}")
        else:
            now = "the path has nothing" if found is None else f"the path has {found!r}"
            yield Violation(invariant_id, f"{change} was acknowledged and not undone, and {now}")


def write_is_kept_beside(*names: str) -> Monitor:
    """`acknowledged_write_is_kept` in a scenario where calls of these names are known to leave the paths of all writes
    alone: a merge that brings other paths excuses no lost write. Raises UnknownCall for a name that no flow has."""
    spared = frozenset(calls.kind_named(name).name for name in names)
    return Monitor(
        id="acknowledged-write-is-kept",
        meaning="an acknowledged write is staged or committed, unless overwritten, deleted or reset later",
        initial=Changes(sparing=spared),
        late=Changes(sparing=spared, late=True),
        advance=advance_changes,
        at_end=lambda state, snapshot: _judge_kept("acknowledged-write-is-kept", state, snapshot, deletes=False),
    )


acknowledged_write_is_kept = write_is_kept_beside()

acknowledged_delete_is_kept = Monitor(
    id="acknowledged-delete-is-kept",
    meaning="an acknowledged delete of an entry does not come back",
    initial=Changes(),
    late=Changes(late=True),
    advance=advance_changes,
    at_end=lambda state, snapshot: _judge_kept("acknowledged-delete-is-kept", state, snapshot, deletes=True),
)


@attrs.frozen(cache_hash=True)
class _Promise:
    """A commit must hold this change: it was acknowledged before the commit began."""

    commit: CallID
    change: PathChange  # ``later``: who may have undone it before the commit returned
    commit_id: str = ""  # empty while the commit is under way


@attrs.frozen(cache_hash=True)
class _Causality:
    changes: Changes = attrs.field(factory=Changes)
    promises: frozenset[_Promise] = frozenset()


def _advance_causal(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    assert isinstance(state, _Causality)
    changes = state.changes.after(event)
    call = (event.client, event.index)
    if isinstance(event, Invoked):
        reaches = reach(event.name, event.args)
        promises = frozenset(
            # A call that may undo a change while the commit is under way excuses it; what has returned is final.
            each if each.commit_id else attrs.evolve(each, change=each.change.disturbed_by(call, reaches))
            for each in state.promises
        )
        if event.kind is calls.COMMIT:
            promises |= {
                _Promise(call, change)
                for change in changes.standing
                # `changes` has taken the invocation in already, but a commit reaches no path and so disturbs no change.
                if change.acknowledged and change.branch_id == event.arguments.branch_id
            }
        return _Causality(changes, promises), ()
    return _Causality(changes, _settle_promises(state.promises, call, event.call)), ()


def _settle_promises(promises: frozenset[_Promise], call: CallID, view: CallView) -> frozenset[_Promise]:
    kept = set()
    for each in promises:
        if each.commit == call:
            # A commit that failed, or whose outcome is unknown, owes nothing: its promises are dropped.
            if view.status is Status.OK and isinstance(view.value, Commit):
                kept.add(attrs.evolve(each, commit_id=view.value.commit_id))
        elif (change := each.change.settled(call, view)) is not None:
            kept.add(attrs.evolve(each, change=change))
    return frozenset(kept)


def _causal_at_end(state: Hashable, snapshot: Snapshot) -> Iterator[Finding]:
    assert isinstance(state, _Causality)
    for each in sorted(state.promises, key=lambda each: (each.commit, each.change.call, each.change.path)):
        if not each.commit_id or each.change.later:  # under way or crashed; or what came between may have undone it
            continue
        content = content_of_commit(snapshot, CommitID(each.commit_id))
        found = None if content is None else content.get(each.change.path)
        if content is not None and each.change.explains(found):
            yield Reached(f"a commit holds {each.change}, which was acknowledged before it began")
        else:
            has = "cannot be read" if content is None else f"has {found!r} there"
            evidence = f"{each.change} was acknowledged before commit {each.commit_id[:8]} began, which {has}"
            yield Violation("commit-is-causal", evidence)


commit_is_causal = Monitor(
    id="commit-is-causal",
    meaning="a commit holds every change acknowledged before it began",
    initial=_Causality(),
    late=_Causality(Changes(late=True)),
    advance=_advance_causal,
    at_end=_causal_at_end,
)


@attrs.frozen(cache_hash=True)
class _PossibleValue:
    """A value that a read may return."""

    call: CallID  # (-1, 0): it was there before anybody began
    branch_id: str
    path: bytes
    identity: bytes | None
    returned: bool
    beaten_by: frozenset[CallID] = frozenset()
    """Calls under way that were invoked after it had returned: when one of them returns, the value is overwritten."""


@attrs.frozen(cache_hash=True)
class _PendingRead:
    """A read under way, and what it may still return."""

    call: CallID
    branch_id: str
    prefix: bytes
    legal: frozenset[tuple[CallID, bytes, bytes | None]]
    """Each value of a path, with the call that brings it; (-1, 0): it was there before anybody began."""


@attrs.frozen(cache_hash=True)
class _Legal:
    seen: frozenset[_PossibleValue] = frozenset()
    reading: frozenset[_PendingRead] = frozenset()
    disturbed: frozenset[str] = frozenset()
    """Branches to which something was done that gives paths values that no call wrote: reset, merge and the like.
    Nothing is demanded of reads there."""


READS: Final = frozenset({calls.GET_ENTRY, calls.LIST_ENTRIES})


def read_is_legal(initial: Contents | None = None, branch_id: str = "main") -> Monitor:
    """The monitor of reads.

    initial: the entries of the branch (path to identity) before anybody began; paths it does not name are absent.
    """
    seen = frozenset(
        _PossibleValue((-1, 0), branch_id, path, value, returned=True) for path, value in (initial or {}).items()
    )
    return Monitor(
        id="read-is-legal",
        meaning="a read returns some write that did not happen after it, and not one that was overwritten before it "
        "began",
        initial=_Legal(seen),
        advance=_advance_legal,
    )


def _advance_legal(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    assert isinstance(state, _Legal)
    call = (event.client, event.index)
    if isinstance(event, Invoked):
        return _invoked_legal(state, call, event), ()
    if event.call.kind in READS:
        return _read_returned(state, call, event.call)
    return _write_returned(state, call, event.call), ()


def _invoked_legal(state: _Legal, call: CallID, event: Invoked) -> _Legal:
    branch_id = event.arguments.branch_id
    if event.kind in READS:
        prefix = looked_at(event)
        legal = frozenset((each.call, each.path, each.identity) for each in state.seen if each.branch_id == branch_id)
        return attrs.evolve(state, reading=state.reading | {_PendingRead(call, branch_id, prefix, legal)})
    # Calls without values of their own, such as merges, are not written down: they make the whole branch unjudged.
    written = values(event.name, event.args)
    if not written:
        disturbed = {each.branch_id for each in reach(event.name, event.args)}
        return attrs.evolve(state, disturbed=state.disturbed | disturbed) if disturbed else state
    paths = {path for path, _ in written}
    known = {(each.path) for each in state.seen if each.branch_id == branch_id}
    # The first write of a path makes its absence a value like others: it can be beaten, and then may not be found.
    absent = {_PossibleValue((-1, 0), branch_id, path, None, returned=True) for path in paths - known}
    brought = {_PossibleValue(call, branch_id, path, identity, returned=False) for path, identity in written}
    seen = {
        attrs.evolve(each, beaten_by=each.beaten_by | {call})
        # A value whose write is under way overlaps this one: either may come last.
        if each.returned and each.branch_id == branch_id and each.path in paths
        else each
        for each in state.seen | absent
    }
    gained = {(each.call, each.path, each.identity) for each in brought | absent}
    reading = frozenset(
        # Reads under way gain what may be written beside them; they lose it only if that is refused.
        attrs.evolve(each, legal=each.legal | gained) if each.branch_id == branch_id else each
        for each in state.reading
    )
    return attrs.evolve(state, seen=frozenset(seen | brought), reading=reading)


def _write_returned(state: _Legal, call: CallID, view: CallView) -> _Legal:
    if not values(view.name, view.args):
        return state
    seen = set()
    for each in state.seen:
        if view.status is Status.OK and call in each.beaten_by:  # overwritten by a call that began after it
            continue
        if view.status is Status.FAIL:
            if each.call == call:  # it did not happen: no later read may find its value
                continue
            each = attrs.evolve(each, beaten_by=each.beaten_by - {call})
        elif each.call == call and view.status is Status.OK:
            each = attrs.evolve(each, returned=True)
        seen.add(each)
    reading = state.reading
    if view.status is Status.FAIL:
        reading = frozenset(
            attrs.evolve(each, legal=frozenset(value for value in each.legal if value[0] != call)) for each in reading
        )
    return attrs.evolve(state, seen=frozenset(seen), reading=reading)


def _read_returned(state: _Legal, call: CallID, view: CallView) -> tuple[_Legal, tuple[Finding, ...]]:
    reading = next(each for each in state.reading if each.call == call)
    after = attrs.evolve(state, reading=state.reading - {reading})
    found = returned_values(view)
    if found is None or reading.branch_id in state.disturbed:
        return after, ()
    legal = {(path, identity) for _, path, identity in reading.legal}
    known = {path for path, _ in legal}
    for path in sorted(known | found.keys()):
        # A get looks at exactly one path; a list at all with its prefix, and so also says which are absent.
        if not path.startswith(reading.prefix) or (view.kind is calls.GET_ENTRY and path != reading.prefix):
            continue
        value = found.get(path)
        # A path that no call has written is absent, and nothing else.
        if (path, value) not in legal and (path in known or value is not None):
            may = sorted(repr(identity) for each, identity in legal if each == path)
            evidence = f"{view.name} found {value!r} at {path!r}; it may find {' or '.join(may) or 'nothing'}"
            return after, (Violation("read-is-legal", evidence),)
    return after, (Reached(f"{view.name} returned"),) if known else ()


def returned_values(view: CallView) -> dict[bytes, bytes] | None:
    """What a read says of the paths that it looked at; None if it says nothing."""
    if view.status is Status.OK:
        entries = view.value if isinstance(view.value, tuple) else (view.value,)  # a list, or a get
        return {entry.path: entry.identity for entry in entries}
    return {} if isinstance(view.error, PathNotFound) else None


def looked_at(event: Invoked) -> bytes:
    """The path, or the prefix, that a read is about."""
    return event.arguments.data(Role.PATH) if event.kind is calls.GET_ENTRY else event.arguments.data(Role.PREFIX, b"")


@attrs.frozen(cache_hash=True)
class _Births:
    """What was written to a branch before a new one of its name was begun."""

    returned: frozenset[tuple[str, bytes, bytes]] = frozenset()
    under_way: frozenset[tuple[CallID, frozenset[tuple[str, bytes, bytes]]]] = frozenset()
    """Creations, each with the writes that had returned when it was invoked."""
    old: frozenset[tuple[str, bytes, bytes]] = frozenset()
    """The same of creations that succeeded."""


def _advance_births(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    assert isinstance(state, _Births)
    call = (event.client, event.index)
    if isinstance(event, Invoked):
        if event.kind is not calls.CREATE_BRANCH:
            return state, ()
        # Only what had returned: a write that overlaps the creation may belong to the new branch.
        before = frozenset(each for each in state.returned if each[0] == event.arguments.branch_id)
        return attrs.evolve(state, under_way=state.under_way | {(call, before)}), ()
    view = event.call
    if view.kind is calls.CREATE_BRANCH:
        began = dict(state.under_way)[call]
        after = attrs.evolve(state, under_way=state.under_way - {(call, began)})
        # A creation that was refused has made no branch: the old one, and what it shows, are still there.
        return (attrs.evolve(after, old=after.old | began) if view.status is Status.OK else after), ()
    branch_id = view.arguments.branch_id
    written = {(branch_id, path, value) for path, value in values(view.name, view.args) if value is not None}
    return attrs.evolve(state, returned=state.returned | written), ()


def _clean_at_end(state: Hashable, snapshot: Snapshot) -> Iterator[Finding]:
    assert isinstance(state, _Births)
    for branch_id, path, identity in sorted(state.old):
        what = f"{identity!r} at {path!r}, written before {branch_id} was created anew"
        if _shows(snapshot, branch_id, path, identity):
            yield Violation("branch-starts-clean", f"{what}, is in the new branch")
        else:
            yield Reached(f"{what}, is not in the new branch")


def _shows(snapshot: Snapshot, branch_id: str, path: bytes, identity: bytes) -> bool:
    branch = branch_named(snapshot, branch_id)
    content = None if branch is None else content_of_branch(snapshot, branch)
    return content is not None and content.get(path) == identity


branch_starts_clean = Monitor(
    id="branch-starts-clean",
    meaning="nothing that was written to a branch before it was deleted and created anew is in the new one",
    initial=_Births(),
    advance=_advance_births,
    at_end=_clean_at_end,
)


def _advance_refused(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    """State: the (path, identity) of writes that answered with a definite error."""
    assert isinstance(state, frozenset)
    if isinstance(event, Invoked) or event.call.status is not Status.FAIL:
        return state, ()
    view = event.call
    return state | {(path, value) for path, value in values(view.name, view.args) if value}, ()


def _refused_at_end(state: Hashable, snapshot: Snapshot) -> Iterator[Finding]:
    assert isinstance(state, frozenset)
    # In any branch: others may have taken it over from its own, which may be deleted.
    names = sorted({name for _, name in branches(snapshot)}) if state else []
    for path, identity in sorted(state):
        what = f"{identity!r} at {path!r} was refused"
        found = [name for name in names if _shows(snapshot, name, path, identity)]
        if found:
            yield Violation("refused-write-is-absent", f"{what}, and it is in {' and '.join(found)}")
        else:
            yield Reached(f"{what}, and it is in no branch")


refused_write_is_absent = Monitor(
    id="refused-write-is-absent",
    meaning="a write that was definitely refused did not happen",
    initial=frozenset(),
    advance=_advance_refused,
    at_end=_refused_at_end,
)
