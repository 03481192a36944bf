"""What readers of objects are promised: who finds an entry finds its object, too.

A reader reads the entry and then the object. Between the two its object may be deleted, although the path has had an
object at every moment: another one after it. Source: hard-delete-uncommitted-data.md, "Goals"; the "data" rows in
docs/reference/invariants.md.
"""

from collections.abc import Hashable, Iterable
from typing import Final

import attrs

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.errors import DataGone, PathNotFound
from lakeproof.model.invariants._base import Finding, Monitor, Reached, Violation
from lakeproof.model.invariants.changes import (
    BRANCH_WIDE,
    COPIES,
    DELETES,
    PREFIX_WIDE,
    RESETS,
    WRITES,
    CallID,
    Reach,
    reach,
)
from lakeproof.model.snapshot import CallView, Event, Invoked, Status

Path = tuple[str, bytes]
"""A branch and a path of it."""

REMOVING: Final = DELETES | PREFIX_WIDE | BRANCH_WIDE | {calls.MOVE_OBJECT}
"""Calls after which a path may have nothing."""
GIVING: Final = WRITES | COPIES | {calls.MOVE_OBJECT}
"""Calls that give the path that they name an object when they succeed."""


@attrs.frozen(cache_hash=True)
class _Readers:
    """What is known of paths, and of the reads under way."""

    committed: frozenset[Path]
    """Paths that a reset leaves with an object."""
    present: frozenset[Path]
    """Paths that have an object."""
    removing: frozenset[tuple[CallID, Reach, bool]] = frozenset()
    """What may yet take objects from paths: calls under way, and those of which nothing is known; and whether the call
    is a reset."""
    giving: frozenset[tuple[CallID, Path]] = frozenset()
    """Calls under way that give a path an object, where nothing that may take it was under way since they began."""
    reading: frozenset[tuple[CallID, Path]] = frozenset()
    """Reads under way whose path has had an object at every moment since they began."""

    def may_lose(self, path: Path, taken: Iterable[tuple[Reach, bool]]) -> bool:
        """Whether one of these removals, each with whether it is a reset, may take the object of a path."""
        # A reset uncovers the committed entry.
        return any(each.covers(*path) and not (resets and path in self.committed) for each, resets in taken)


def _removes(name: str, args: calls.Args) -> tuple[Reach, ...]:
    arguments = calls.arguments_by_role(name, args)
    if arguments.kind is calls.MOVE_OBJECT:
        # Only the source: `reach` has both paths of a move, but the destination gets an object.
        return (Reach(arguments.branch_id, arguments.data(Role.SOURCE_PATH), exact=True),)
    return reach(name, args) if arguments.kind in REMOVING else ()


def _advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    assert isinstance(state, _Readers)
    call = (event.client, event.index)
    return (_on_invoke(state, call, event), ()) if isinstance(event, Invoked) else _on_return(state, call, event.call)


def _on_invoke(state: _Readers, call: CallID, event: Invoked) -> _Readers:
    if event.kind is calls.READ_OBJECT:
        path = (event.arguments.branch_id, event.arguments.data(Role.PATH))
        return attrs.evolve(state, reading=state.reading | {(call, path)}) if path in state.present else state
    taken = {(each, event.kind in RESETS) for each in _removes(event.name, event.args)}
    gone = {path for path in state.present if state.may_lose(path, taken)}
    # A removal under way may come after this write: its success would not mean that the path has an object.
    given = {(call, path) for path in _gives(event) if not state.may_lose(path, (each[1:] for each in state.removing))}
    return attrs.evolve(
        state,
        committed=state.committed - gone,
        present=state.present - gone,
        removing=state.removing | {(call, *each) for each in taken},
        giving=frozenset(each for each in state.giving if not state.may_lose(each[1], taken)) | given,
        reading=frozenset(each for each in state.reading if each[1] not in gone),
    )


def _gives(event: Invoked) -> tuple[Path, ...]:
    """The path that a call names, if it gives it an object."""
    path = event.arguments[Role.PATH]
    return ((event.arguments.branch_id, path),) if event.kind in GIVING and isinstance(path, bytes) else ()


def _on_return(state: _Readers, call: CallID, view: CallView) -> tuple[_Readers, tuple[Finding, ...]]:
    if view.kind is calls.READ_OBJECT:
        sound = any(each == call for each, _ in state.reading)  # nothing may have taken the object since it began
        after = attrs.evolve(state, reading=frozenset(each for each in state.reading if each[0] != call))
        return after, _judge_view(view) if sound else ()
    removing, present = state.removing, state.present
    # A removal in doubt may yet take effect: it stays.
    if view.status in (Status.OK, Status.FAIL):
        removing = frozenset(each for each in removing if each[0] != call)
    if view.status is Status.OK:
        present |= {path for given, path in state.giving if given == call}
    giving = frozenset(each for each in state.giving if each[0] != call)
    return attrs.evolve(state, removing=removing, present=present, giving=giving), ()


def _judge_view(view: CallView) -> tuple[Finding, ...]:
    shown = f"{view.name} of {view.arguments[Role.PATH]!r}"
    if view.status is Status.OK:
        return (Reached(f"{shown} found its object"),)
    if isinstance(view.error, DataGone | PathNotFound):
        evidence = f"{shown} answered {view.error!r}, and the path has had an object at every moment since it began"
        return (Violation("path-stays-readable", evidence),)
    return ()


def path_stays_readable(present: Iterable[Path] = (), committed: Iterable[Path] = ()) -> Monitor:
    """The monitor of readers.

    present: paths that have an object before anybody begins. committed: those of them whose entry is committed, so that
    a reset leaves them with an object. A delete, a move away, or anything else that may leave the path without an entry
    excuses the readers that are under way, and later ones until a write has succeeded with none of that beside it.
    """
    kept = frozenset(committed)
    return Monitor(
        id="path-stays-readable",
        meaning="a reader of a path that has an object at every moment finds one",
        initial=_Readers(kept, frozenset(present) | kept),
        advance=_advance,
    )
