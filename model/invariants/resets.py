"""The invariant of resets: what an acknowledged reset has forgotten does not come back.

Of a value that was acknowledged before a reset was invoked, the promise is one of two:

- No commit can have taken it, because none was under way between the invocation of its write and the return of the
  reset. Then the value is gone from the return of the reset on.
- A commit may have taken it. Then the reset comes before that commit, and the value is gone; or after it, and the value
  is committed: in the end the branch has it only if its head has it. The first read that is invoked after the return of
  the reset decides: if it does not find the value, the reset came first, and the value is gone from the return of that
  read on.

What is gone is not found by any read that is invoked later, and is not in the branch in the end, unless it is written
again. Which order it was is not decided by a read on a path that another write or delete changes meanwhile: that may
hide a committed value for a while. Source: docs/designs/branches.md, "Reset, merge, revert".

Example: x = 1 is acknowledged. Then a commit and a reset of x are under way at once::

    event                      x = 1
    commit invoked             stands, and is exposed: the commit may take it
    reset of x invoked
    both return                undecided: which came first?
    a read finds nothing       gone: the reset came first
    a read finds x = 1         violation

If the first read finds x = 1, it stays undecided: in the end the branch may have it only if its head has it. Without
the commit it is gone as soon as the reset returns.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from enum import Enum
from typing import Final

import attrs

from lakeproof.model import calls
from lakeproof.model.contents import Contents, branch_named, content_of_branch, content_of_commit
from lakeproof.model.invariants._base import Finding, Monitor, Reached, Violation
from lakeproof.model.invariants.changes import RESETS, CallID, Reach, reach, values
from lakeproof.model.invariants.entries import READS, looked_at, returned_values
from lakeproof.model.records import Branch
from lakeproof.model.snapshot import CallView, Event, Invoked, Snapshot, Status

ID: Final = "acknowledged-reset-is-kept"
MEANING: Final = "what was written before a reset, and not committed before its end, does not come back"

Key = tuple[str, bytes, bytes]
"""Branch, path, identity."""

_NO_CALLS: Final[frozenset[CallID]] = frozenset()


class _Fate(Enum):
    STANDS = "stands"
    UNDECIDED = "undecided"
    """A reset was acknowledged, and a commit may have come before it."""
    GONE = "gone"
    EXCUSED = "excused"
    """A merge, a copy, a branch created anew or the like may bring it: it is not judged any more."""


@attrs.frozen(cache_hash=True)
class _Value:
    """A value of a path, and what may have become of it."""

    writers: frozenset[CallID] = _NO_CALLS
    """Writes of it that are under way, crashed, or ended in doubt: as long as there is one, no reset forgets it."""
    resets: frozenset[CallID] = _NO_CALLS
    """Resets under way that were invoked when it had no writers."""
    exposed: bool = False
    """A commit may have taken it, this time or an earlier time that it was written."""
    alone: bool = True
    """No other call was under way since that changes the path."""
    fate: _Fate = _Fate.STANDS


_EXCUSED: Final = _Value(fate=_Fate.EXCUSED)


@attrs.frozen(cache_hash=True)
class _Looking:
    """A read under way, and what was gone or undecided when it was invoked."""

    call: CallID
    gone: frozenset[Key]
    undecided: frozenset[Key]


@attrs.frozen(cache_hash=True)
class _Resets:
    known: frozenset[tuple[Key, _Value]] = frozenset()
    changing: frozenset[tuple[CallID, Reach]] = frozenset()
    """Calls that change paths, other than resets and commits, and have not been acknowledged."""
    committing: frozenset[tuple[CallID, str]] = frozenset()
    """Commits under way, crashed, or ended in doubt, with their branches."""
    looking: frozenset[_Looking] = frozenset()

    def with_values(self, change: Callable[[Key, _Value], _Value]) -> "_Resets":
        """Each value changed."""
        return attrs.evolve(self, known=frozenset((key, change(key, value)) for key, value in self.known))


def _advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    assert isinstance(state, _Resets)
    call = (event.client, event.index)
    if isinstance(event, Invoked):
        return _on_invoke(state, call, event), ()
    view = event.call
    if view.kind in READS:
        return _read_returned(state, call, view)
    return _on_return(state, call, view), ()


def _on_invoke(state: _Resets, call: CallID, event: Invoked) -> _Resets:
    branch_id = event.arguments.branch_id
    if event.kind in READS:
        return _read_invoked(state, call, event, branch_id)
    if event.kind is calls.COMMIT:
        # Of what is undecided or gone it says nothing new.
        after = state.with_values(lambda key, value: attrs.evolve(value, exposed=value.exposed or key[0] == branch_id))
        return attrs.evolve(after, committing=after.committing | {(call, branch_id)})
    reaches = reach(event.name, event.args)
    if event.kind in RESETS:
        return state.with_values(
            lambda key, value: (
                attrs.evolve(value, resets=value.resets | {call})
                # A writer under way may come after it.
                if value.fate is _Fate.STANDS and not value.writers and _covers(reaches, key)
                else value
            )
        )
    return _on_write(state, call, reaches, {(branch_id, *each): each[1] for each in values(event.name, event.args)})


def _on_write(
    state: _Resets, call: CallID, reaches: tuple[Reach, ...], given: Mapping[tuple[str, bytes, bytes | None], object]
) -> _Resets:
    """A call that changes paths. One that does not say to what may give a path any value that there was."""
    named = {(branch_id, path) for branch_id, path, _ in given}

    def beside(key: Key, value: _Value) -> _Value:
        if not _covers(reaches, key):
            return value
        # A write of another value hides this one for a while; a merge or a copy may bring this one back.
        return attrs.evolve(value, alone=False) if key[:2] in named else _EXCUSED

    before = dict(state.known)
    known = dict(state.with_values(beside).known)
    # The same value written again: an earlier reset says nothing of it any more.
    rewritten = {(branch_id, path, identity) for branch_id, path, identity in given if identity is not None}
    for key in rewritten:
        old = before.get(key, _Value())
        if old.fate is _Fate.EXCUSED:  # for good: some call may still bring it
            continue
        known[key] = _Value(
            writers=old.writers | {call},
            # An earlier commit may have taken it.
            exposed=(old.exposed and old.fate is not _Fate.GONE) or any(of == key[0] for _, of in state.committing),
            alone=not any(each.covers(key[0], key[1]) for _, each in state.changing),
        )
    return attrs.evolve(
        state,
        known=frozenset(known.items()),
        changing=state.changing | {(call, each) for each in reaches},
        # A read under way may find the new one: it does not count against the reset.
        looking=frozenset(
            attrs.evolve(each, gone=each.gone - rewritten, undecided=each.undecided - rewritten)
            for each in state.looking
        ),
    )


def _covers(reaches: tuple[Reach, ...], key: Key) -> bool:
    return any(each.covers(key[0], key[1]) for each in reaches)


def _read_invoked(state: _Resets, call: CallID, event: Invoked, branch_id: str) -> _Resets:
    shown = Reach(branch_id, looked_at(event), exact=event.kind is calls.GET_ENTRY)
    seen = {key: value.fate for key, value in state.known if shown.covers(key[0], key[1])}
    gone = frozenset(key for key, fate in seen.items() if fate is _Fate.GONE)
    undecided = frozenset(key for key, fate in seen.items() if fate is _Fate.UNDECIDED)
    if not gone and not undecided:  # fewer states: most reads decide nothing
        return state
    return attrs.evolve(state, looking=state.looking | {_Looking(call, gone, undecided)})


def _read_returned(state: _Resets, call: CallID, view: CallView) -> tuple[_Resets, tuple[Finding, ...]]:
    looking = next((each for each in state.looking if each.call == call), None)
    if looking is None:  # it looked at nothing that was in question
        return state, ()
    after = attrs.evolve(state, looking=state.looking - {looking})
    found = returned_values(view)
    if found is None:
        return after, ()
    for key in sorted(looking.gone):
        if found.get(key[1]) == key[2]:
            return after, (
                Violation(ID, f"{_describe_key(key)} was forgotten by an acknowledged reset, and {view.name} finds it"),
            )

    def decided(key: Key, value: _Value) -> _Value:
        # Still undecided now: a merge or a copy may have excused it while the read was under way.
        decides = key in looking.undecided and value.fate is _Fate.UNDECIDED and value.alone
        return attrs.evolve(value, fate=_Fate.GONE) if decides and found.get(key[1]) != key[2] else value

    return after.with_values(decided), ()


def _on_return(state: _Resets, call: CallID, view: CallView) -> _Resets:
    others = frozenset(each for each in state.committing if each[0] != call)
    if view.status is not Status.OK:
        # What it has done so far stays done: a definite error of one effect says nothing of those before it.
        state = state.with_values(lambda _, value: attrs.evolve(value, resets=value.resets - {call}))
        return attrs.evolve(state, committing=others) if view.status is Status.FAIL else state

    def after(_: Key, value: _Value) -> _Value:
        value = attrs.evolve(value, writers=value.writers - {call})
        if call not in value.resets:
            return value
        # The two promises of the module's text. Another reset adds nothing, and must not undo what a read decides.
        return attrs.evolve(value, resets=_NO_CALLS, fate=_Fate.UNDECIDED if value.exposed else _Fate.GONE)

    state = state.with_values(after)
    return attrs.evolve(
        state, changing=frozenset(each for each in state.changing if each[0] != call), committing=others
    )


def _at_end(state: Hashable, snapshot: Snapshot) -> Iterator[Finding]:
    assert isinstance(state, _Resets)
    for key, value in sorted(state.known, key=lambda each: each[0]):
        branch = branch_named(snapshot, key[0])
        content = None if branch is None else content_of_branch(snapshot, branch)
        if value.writers or branch is None or content is None:  # a write under way or crashed may have brought it back
            continue
        if value.fate is _Fate.UNDECIDED and content.get(key[1]) == key[2]:
            yield from _find_uncommitted(key, snapshot, branch)
        if value.fate is not _Fate.GONE:
            continue
        if content.get(key[1]) == key[2]:
            yield Violation(
                ID, f"{_describe_key(key)} was forgotten by an acknowledged reset, and the branch has it in the end"
            )
        else:
            yield Reached(f"{_describe_key(key)} was forgotten, and has not come back")


def _find_uncommitted(key: Key, snapshot: Snapshot, branch: Branch) -> Iterator[Finding]:
    """What may be there in the end only because a commit took it is in the head."""
    head = content_of_commit(snapshot, branch.commit_id) or {}
    if head.get(key[1]) != key[2]:
        yield Violation(ID, f"{_describe_key(key)} was reset, no commit has taken it, and the branch has it in the end")


def _describe_key(key: Key) -> str:
    branch_id, path, identity = key
    return f"{identity!r} at {path!r} of {branch_id}"


def reset_is_kept(staged: Contents | None = None, branch_id: str = "main") -> Monitor:
    """The monitor of resets.

    staged: the uncommitted entries of the branch (path to identity) before anybody began.
    """
    known = frozenset(((branch_id, path, identity), _Value()) for path, identity in (staged or {}).items())
    return Monitor(id=ID, meaning=MEANING, initial=_Resets(known), advance=_advance, at_end=_at_end)
