"""Who changed what, and who may have changed it after: the bookkeeping that the monitors of entries share.

A *change* is a call that gives a path of a branch a value. A call is *later* than a change unless it had returned
before the change was invoked: what is concurrent may come after. As soon as a later call has taken place (or nobody
knows whether it has) the change is forgotten, because nothing can be demanded of it any more. Order is that of
invocations and returns, as in M. Herlihy, J. Wing, Linearizability, 1990.
"""

from collections.abc import Iterable
from typing import Final

import attrs

from lakeproof.model.snapshot import CallView, Event, Invoked, Status

CallID = tuple[int, int]
"""Client, and number of the call within it."""

WRITES: Final = ("set_entry", "create_entry", "replace_entry", "upload_object", "upload_and_link")
"""Calls that give the path that they name second a value: their fourth argument, an identity or a content."""
DELETES: Final = ("delete_entry", "delete_object")
COPIES: Final = ("copy_object", "stage_object", "stage_again")
"""Calls that give the path that they name second a value that they do not name."""
MOVES: Final = ("move_object",)
"""Calls that change the two paths that they name."""
BRANCH_WIDE: Final = (
    "reset_branch",
    "delete_branch",
    "delete_branch_by_tombstone",
    "create_branch",
    "update_branch",
    "merge",
    "revert",
)
"""Calls that may change every path of the branch that they name first."""
PREFIX_WIDE: Final = ("reset_entry", "reset_prefix")
"""Calls that may change the paths with the prefix that they name second."""


@attrs.frozen(cache_hash=True)
class Reach:
    """What a call may change: the paths of a branch with a prefix, or exactly one path."""

    branch_id: str
    path: bytes
    exact: bool

    def covers(self, branch_id: str, path: bytes) -> bool:
        return branch_id == self.branch_id and (path == self.path if self.exact else path.startswith(self.path))


def reach(name: str, args: tuple[object, ...]) -> tuple[Reach, ...]:
    """What a call of this name may change. Its arguments: repository, branch, and path where there is one."""
    branch_id = str(args[1]) if len(args) > 1 else ""
    if name in MOVES:
        return tuple(Reach(branch_id, path, exact=True) for path in args[2:4] if isinstance(path, bytes))
    if name in WRITES + DELETES + COPIES:
        return (Reach(branch_id, _path(args), exact=True),)
    if name == "set_entries":
        return tuple(Reach(branch_id, path, exact=True) for path, _ in _entries(args))
    if name in PREFIX_WIDE:
        return (Reach(branch_id, _path(args), exact=name == "reset_entry"),)
    return (Reach(branch_id, b"", exact=False),) if name in BRANCH_WIDE else ()


def values(name: str, args: tuple[object, ...]) -> tuple[tuple[bytes, bytes | None], ...]:
    """The paths that a call gives a value, with that value's identity; None: it deletes the path."""
    if name in WRITES:
        assert isinstance(args[3], bytes)
        return ((_path(args), args[3]),)
    if name in DELETES:
        return ((_path(args), None),)
    return _entries(args) if name == "set_entries" else ()


def _path(args: tuple[object, ...]) -> bytes:
    assert isinstance(args[2], bytes)
    return args[2]


def _entries(args: tuple[object, ...]) -> tuple[tuple[bytes, bytes], ...]:
    assert isinstance(args[2], tuple)
    return args[2]


@attrs.frozen(cache_hash=True)
class Change:
    """A path of a branch was given a value."""

    call: CallID
    branch_id: str
    path: bytes
    identity: bytes | None
    acknowledged: bool = False
    later: frozenset[CallID] = frozenset()
    """Calls that may change the path after it and that are under way, or crashed."""

    @property
    def undisturbed(self) -> bool:
        """Nobody can have changed the path after it."""
        return self.acknowledged and not self.later


@attrs.frozen(cache_hash=True)
class Changes:
    """The changes that something can still be demanded of, and the calls under way that may change anything."""

    open: frozenset[tuple[CallID, Reach]] = frozenset()
    held: frozenset[Change] = frozenset()
    sparing: frozenset[str] = frozenset()
    """Names of calls that are known to leave these paths alone."""

    def after(self, event: Event) -> "Changes":
        """What is known after an invocation or a return."""
        call = (event.client, event.index)
        if isinstance(event, Invoked):
            return self._invoked(call, event)
        return self._returned(call, event.call)

    def _invoked(self, call: CallID, event: Invoked) -> "Changes":
        reaches = reach(event.name, event.args)
        if not reaches or event.name in self.sparing:
            return self
        branch_id = reaches[0].branch_id
        held = {
            attrs.evolve(change, later=change.later | {call})
            if any(each.covers(change.branch_id, change.path) for each in reaches)
            else change
            for change in self.held
        }
        for path, identity in values(event.name, event.args):
            before = frozenset(other for other, each in self.open if each.covers(branch_id, path))
            held.add(Change(call, branch_id, path, identity, later=before))
        return attrs.evolve(self, open=self.open | {(call, each) for each in reaches}, held=frozenset(held))

    def _returned(self, call: CallID, view: CallView) -> "Changes":
        held: Iterable[Change] = self.held
        if view.status is Status.OK:
            held = (
                attrs.evolve(change, acknowledged=True) if change.call == call else change
                for change in self.held
                if call not in change.later
            )
        elif view.status is Status.INFO:
            held = (change for change in self.held if change.call != call and call not in change.later)
        else:
            held = (attrs.evolve(change, later=change.later - {call}) for change in self.held if change.call != call)
        still_open = frozenset(each for each in self.open if each[0] != call)
        return attrs.evolve(self, open=still_open, held=frozenset(held))
