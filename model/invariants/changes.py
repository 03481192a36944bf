"""Who changed what, and who may have changed it after: the bookkeeping that the monitors of entries share.

A *change* is a call that gives a path of a branch a value. A call is *later* than a change unless it had returned
before the change was invoked: what is concurrent may come after. When a later call may have taken place, the change is
forgotten: it may have been overwritten. If it is known with which value, it is not: the path has that value, or that of
the change. Example: two writes overlap, and both are acknowledged; a path that has neither value has lost a write. So
has a path without a value, if a write and a copy overlap: a copy may have brought any value, but not none.
Order is that of invocations and returns, as in M. Herlihy, J. Wing, Linearizability, 1990.
"""

from collections.abc import Callable, Collection, Hashable, Iterator
from types import EllipsisType
from typing import Final, cast

import attrs

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.invariants._base import Finding
from lakeproof.model.snapshot import CallView, Event, Invoked, Status

CallID = tuple[int, int]
"""Client, and number of the call within it."""
Value = bytes | EllipsisType | None
"""What a path has: an identity, None for no entry, ``...`` for an entry that no call names."""

WRITES: Final = frozenset(
    {
        calls.SET_ENTRY,
        calls.CREATE_ENTRY,
        calls.REPLACE_ENTRY,
        calls.UPLOAD_OBJECT,
        calls.UPLOAD_AND_LINK,
        calls.LINK_PHYSICAL_ADDRESS,
    }
)
"""Calls that give a path a value."""
DELETES: Final = frozenset({calls.DELETE_ENTRY, calls.DELETE_OBJECT})
COPIES: Final = frozenset({calls.COPY_OBJECT, calls.STAGE_OBJECT, calls.STAGE_AGAIN, calls.RESTORE_OBJECT})
"""Calls that give a path a value that they do not name."""
BRANCH_DELETES: Final = frozenset({calls.DELETE_BRANCH, calls.DELETE_BRANCH_BY_TOMBSTONE})
BRANCH_WIDE: Final = BRANCH_DELETES | {
    calls.RESET_BRANCH,
    calls.CREATE_BRANCH,
    calls.UPDATE_BRANCH,
    calls.MERGE,
    calls.REVERT,
}
"""Calls that may change every path of the branch that they name first."""
PREFIX_WIDE: Final = frozenset({calls.RESET_ENTRY, calls.RESET_PREFIX})
"""Calls that may change one path, or those with a prefix."""
RESETS: Final = PREFIX_WIDE | {calls.RESET_BRANCH}
ONE_PATH: Final = WRITES | DELETES | COPIES | {calls.RESET_ENTRY}
"""Calls that may change the path that they name."""


@attrs.frozen(cache_hash=True)
class Reach:
    """What a call may change: the paths of a branch with a prefix, or exactly one path."""

    branch_id: str
    path: bytes
    exact: bool

    def covers(self, branch_id: str, path: bytes) -> bool:
        return branch_id == self.branch_id and (path == self.path if self.exact else path.startswith(self.path))


def reach(name: str, args: calls.Args) -> tuple[Reach, ...]:
    """What a call of this name may change."""
    arguments = calls.arguments_by_role(name, args)
    kind, branch_id = arguments.kind, arguments.branch_id
    if kind is calls.MOVE_OBJECT:
        # Both of a move: it takes from one what it gives to the other.
        paths = (arguments[Role.SOURCE_PATH], arguments[Role.PATH])
        return tuple(Reach(branch_id, path, exact=True) for path in paths if isinstance(path, bytes))
    if kind is calls.SET_ENTRIES:
        return tuple(Reach(branch_id, path, exact=True) for path, _ in _entries(arguments))
    if kind is calls.RESET_PREFIX:
        return (Reach(branch_id, arguments.data(Role.PREFIX), exact=False),)
    if kind in ONE_PATH:  # kinds of several paths are dealt with above
        return (Reach(branch_id, arguments.data(Role.PATH), exact=True),)
    return (Reach(branch_id, b"", exact=False),) if kind in BRANCH_WIDE else ()


def values(name: str, args: calls.Args) -> tuple[tuple[bytes, bytes | None], ...]:
    """The paths that a call gives a value, with that value's identity; None: it deletes the path."""
    arguments = calls.arguments_by_role(name, args)
    if arguments.kind in WRITES:
        return ((arguments.data(Role.PATH), arguments.data(Role.VALUE)),)
    if arguments.kind in DELETES:
        return ((arguments.data(Role.PATH), None),)
    return _entries(arguments) if arguments.kind is calls.SET_ENTRIES else ()


def outcomes(name: str, args: calls.Args) -> tuple[tuple[bytes, Value], ...]:
    """`values`, and those that the call does not name: of copies, and of moves."""
    arguments = calls.arguments_by_role(name, args)
    if arguments.kind in COPIES:
        return ((arguments.data(Role.PATH), ...),)
    if arguments.kind is calls.MOVE_OBJECT:
        # A move onto its own path ends with the object: the second of two outcomes of a path counts.
        return ((arguments.data(Role.SOURCE_PATH), None), (arguments.data(Role.PATH), ...))
    return values(name, args)


def leaves(view: CallView) -> dict[bytes, set[Value]]:
    """What a call that took effect, or may have, may leave each path with; no key: anything."""
    left = dict[bytes, set[Value]]()
    for path, value in outcomes(view.name, view.args):  # in this order: a call in doubt may have stopped after any
        left[path] = {value} | (left.get(path, set()) if view.status is Status.INFO else set())
    return left


def _entries(arguments: calls.CallArguments) -> tuple[tuple[bytes, bytes], ...]:
    return cast("tuple[tuple[bytes, bytes], ...]", arguments[Role.ENTRIES])


@attrs.frozen(cache_hash=True)
class PathChange:
    """A path of a branch was given a value."""

    call: CallID
    branch_id: str
    path: bytes
    identity: Value
    acknowledged: bool = False
    later: frozenset[CallID] = frozenset()
    """Calls that may change the path after it: under way, or crashed, or in doubt where writes come late."""
    rivals: frozenset[tuple[CallID, Value]] = frozenset()
    """Calls that have ended, and overlapped it or may have come after it, each with a value that it may leave."""

    def __str__(self) -> str:
        what = "the delete" if self.identity is None else "a copy" if self.identity is ... else f"{self.identity!r}"
        return f"{what} at {self.path!r} of {self.branch_id}"

    @property
    def undisturbed(self) -> bool:
        """No later call can have changed the path, but its rivals."""
        return self.acknowledged and not self.later

    def explains(self, found: bytes | str | None, shown: Callable[[bytes], bytes | str] = bytes) -> bool:
        """Whether the path may have this, if the change is undisturbed. shown: what it shows of an identity."""
        possible = {self.identity, *(value for _, value in self.rivals)}
        # ``...`` is some object, but not none.
        return any(found == (shown(value) if isinstance(value, bytes) else value) for value in possible) or (
            found is not None and ... in possible
        )

    def beside(self, call: CallID, left: Collection[Value]) -> "PathChange":
        """The same, when a later call has ended that may leave the path with one of these."""
        rivals = self.rivals | {(call, value) for value in left}
        return attrs.evolve(self, later=self.later - {call}, rivals=rivals)

    def disturbed_by(self, call: CallID, reaches: tuple[Reach, ...]) -> "PathChange":
        """The same, when a call has begun that may come after it, if that reaches the path."""
        reached = any(each.covers(self.branch_id, self.path) for each in reaches)
        return attrs.evolve(self, later=self.later | {call}) if reached else self

    def settled(self, call: CallID, view: CallView) -> "PathChange | None":
        """The same, when another call has ended; None: that may have left anything there."""
        if call not in self.later:
            return self
        if view.status is Status.FAIL:  # it did not happen
            return attrs.evolve(self, later=self.later - {call})
        left = leaves(view)
        return self.beside(call, left[self.path]) if self.path in left else None

    def overlaps(self, other: CallID) -> bool:
        """Whether another call was under way together with this one. Known where that one had not ended in doubt."""
        return other in self.later or any(rival == other for rival, _ in self.rivals)


@attrs.frozen(cache_hash=True)
class Changes:
    """The changes that something can still be demanded of, and the calls under way that may change anything."""

    open: frozenset[tuple[CallID, Reach]] = frozenset()
    standing: frozenset[PathChange] = frozenset()
    sparing: frozenset[str] = frozenset()
    """Names of calls that are known to leave these paths alone."""
    late: bool = False
    """Whether a call that has ended in doubt may take effect at any later time: it is later than all changes of other
    clients. What a client writes after its own write in doubt is to stand."""
    doubtful: frozenset[tuple[CallID, Reach, frozenset[Value]]] = frozenset()
    """Calls that have ended in doubt, and may take effect later, with what each may leave; empty: anything."""

    def after(self, event: Event) -> "Changes":
        """What is known after an invocation or a return."""
        call = (event.client, event.index)
        if isinstance(event, Invoked):
            return self._invoked(call, event)
        return self._returned(call, event.call)

    def _invoked(self, call: CallID, event: Invoked) -> "Changes":
        reaches = reach(event.name, event.args)
        # Reads and commits reach nothing: no change is later or earlier for them.
        if not reaches or event.name in self.sparing:
            return self
        branch_id = reaches[0].branch_id
        standing = {change.disturbed_by(call, reaches) for change in self.standing}
        for path, identity in dict(outcomes(event.name, event.args)).items():  # of a path named twice, the last
            # What is under way at the invocation may come after it, though it began before.
            later = {other for other, each in self.open if each.covers(branch_id, path)}
            rivals = set[tuple[CallID, Value]]()
            for other, each, left in self.doubtful:
                # Other clients' calls in doubt alone: what a client writes after its own is to stand.
                if other[0] != event.client and each.covers(branch_id, path):
                    rivals |= {(other, value) for value in left}
                    later |= set() if left else {other}
            standing.add(PathChange(call, branch_id, path, identity, later=frozenset(later), rivals=frozenset(rivals)))
        return attrs.evolve(self, open=self.open | {(call, each) for each in reaches}, standing=frozenset(standing))

    def _returned(self, call: CallID, view: CallView) -> "Changes":
        ended = frozenset(each for each in self.open if each[0] == call)  # one call may reach several paths
        doubtful = self.doubtful
        # Without late writes a call that has ended in doubt has taken effect by now, or never will.
        if self.late and view.status is Status.INFO:
            left = leaves(view)
            doubtful |= {(call, each, frozenset(left.get(each.path, ()))) for _, each in ended}
        return attrs.evolve(
            self, open=self.open - ended, standing=frozenset(self._stand(call, view)), doubtful=doubtful
        )

    def _stand(self, call: CallID, view: CallView) -> Iterator[PathChange]:
        """The changes that something is demanded of after a call has ended."""
        own = {change.path: change for change in self.standing if change.call == call}
        for change in self.standing:
            mine = own.get(change.path)
            if change.call == call:
                # Of a call that failed or is in doubt nothing is demanded: its own changes are dropped.
                if view.status is Status.OK:
                    yield attrs.evolve(change, acknowledged=True)
            # What an acknowledged call gives a path overwrites a change that it does not overlap.
            elif view.status is not Status.OK or mine is None or call not in change.later or mine.overlaps(change.call):
                settled = change.settled(call, view)
                if settled is not None:
                    yield settled


def advance_changes(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    """What a monitor does that keeps the changes alone, and judges them in the end."""
    assert isinstance(state, Changes)
    return state.after(event), ()
