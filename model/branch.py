"""The sequential specification of a branch: committed entries, and the changes staged over them; or no branch at all.

Calls are those of `lakeproof.impl.graveler` and `lakeproof.impl.refs.branches`, with repository and branch first.
Entries are told apart by their identity, which stands for their data. Source: graveler-on-kv.md, "Branch" and "Staged
Object"; the operations of lakeFS' ``pkg/graveler``.
"""

from collections.abc import Hashable, Mapping
from typing import Final, cast

import attrs

from lakeproof.model.contents import Contents
from lakeproof.model.linearizable import Specification
from lakeproof.model.snapshot import CallView, Status

DONE: Final = "done"
ANSWERS: Final = ("PathNotFound", "PathExists", "EntryChanged", "BranchNotFound", "BranchExists")
"""Errors that are answers, by class name. All others say that the call did not take place."""

_EMPTY: Final[Mapping[str, Contents]] = {}

Args = tuple[Hashable, ...]


@attrs.frozen(cache_hash=True)
class BranchState:
    """A branch that is there."""

    committed: frozenset[tuple[bytes, bytes]] = frozenset()
    """(path, identity)"""
    staged: frozenset[tuple[bytes, bytes | None]] = frozenset()
    """(path, identity), one of a path; None: a tombstone."""

    @property
    def contents(self) -> dict[bytes, bytes]:
        """What readers find: path to identity, by path."""
        found: dict[bytes, bytes | None] = {**dict(self.committed), **dict(self.staged)}
        return {path: identity for path, identity in sorted(found.items()) if identity is not None}

    def with_changes(self, *changes: tuple[bytes, bytes | None]) -> "BranchState":
        """The branch with these changes staged, one after the other."""
        return attrs.evolve(self, staged=frozenset({**dict(self.staged), **dict(changes)}.items()))

    def without_changes(self, prefix: bytes, *, exact: bool = False) -> "BranchState":
        """The branch whose paths with a prefix, or exactly one path, have no changes."""
        kept = {
            (path, identity)
            for path, identity in self.staged
            if not (path == prefix if exact else path.startswith(prefix))
        }
        return attrs.evolve(self, staged=frozenset(kept))

    def after_commit(self) -> "BranchState":
        """The branch whose changes are all committed."""
        return BranchState(committed=frozenset(self.contents.items()))


ABSENT: Final = None
"""The state of a branch that is not there."""


def branch(initial: BranchState | None = BranchState(), sources: Mapping[str, Contents] = _EMPTY) -> Specification:
    """The specification of one branch.

    sources: the contents of the refs that the branch may be created from; a ref that is not named is empty.
    """

    def apply(state: Hashable, name: str, args: Args) -> tuple[Hashable, Hashable]:
        assert state is ABSENT or isinstance(state, BranchState)
        if name == "create_branch":
            if state is not ABSENT:
                return state, "BranchExists"
            return BranchState(committed=frozenset(sources.get(str(args[2]), {}).items())), DONE
        return (ABSENT, "BranchNotFound") if state is ABSENT else _apply(state, name, args)

    return Specification(
        name="a branch",
        initial=initial,
        apply=apply,
        result=_result,
        is_answer=lambda error: type(error).__name__ in ANSWERS,
    )


def _apply(state: BranchState, name: str, args: Args) -> tuple[BranchState | None, Hashable]:
    match name:
        case "set_entry":
            return state.with_changes((_bytes(args[2]), _bytes(args[3]))), DONE
        case "set_entries":
            return state.with_changes(*cast("tuple[tuple[bytes, bytes], ...]", args[2])), DONE
        case "delete_entry":
            return state.with_changes((_bytes(args[2]), None)), DONE
        case "create_entry" | "replace_entry":
            return _exchange(state, name, args)
        case "get_entry":
            return state, state.contents.get(_bytes(args[2]), "PathNotFound")
        case "list_entries":
            prefix = _bytes(args[2]) if len(args) > 2 else b""
            return state, tuple(entry for entry in state.contents.items() if entry[0].startswith(prefix))
        case "commit":
            return state.after_commit(), DONE
        case "reset_branch":
            return state.without_changes(b""), DONE
        case "reset_prefix" | "reset_entry":
            return state.without_changes(_bytes(args[2]), exact=name == "reset_entry"), DONE
        case "delete_branch" | "delete_branch_by_tombstone":
            return ABSENT, DONE
        case _:
            raise ValueError(f"{name}: expected a call that reads or changes the entries of one branch; leave it out")


def _exchange(state: BranchState, name: str, args: Args) -> tuple[BranchState, Hashable]:
    path, identity = _bytes(args[2]), _bytes(args[3])
    expected = None if name == "create_entry" else _bytes(args[4])
    if state.contents.get(path) != expected:
        return state, "PathExists" if name == "create_entry" else "EntryChanged"
    return state.with_changes((path, identity)), DONE


def _bytes(arg: Hashable) -> bytes:
    assert isinstance(arg, bytes), f"{arg!r}: expected a path, a prefix or an identity"
    return arg


def _result(call: CallView) -> Hashable:
    if call.status is not Status.OK:
        return type(call.error).__name__
    if call.name == "get_entry":
        return getattr(call.value, "identity", None)
    if call.name == "list_entries":
        assert isinstance(call.value, tuple)
        return tuple((entry.path, entry.identity) for entry in call.value)
    return DONE


BRANCH: Final = branch()
"""Of a branch that begins empty, as do all that are created in its place."""
