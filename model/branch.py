"""The sequential specification of a branch: committed entries, and the changes staged over them; or no branch at all.

Calls are those of `lakeproof.impl.graveler` and `lakeproof.impl.refs.branches`, with repository and branch first.
An entry's identity stands for its data. Source: graveler-on-kv.md, "Branch" and "Staged Object"; the operations of
lakeFS' ``pkg/graveler``.
"""

from collections.abc import Hashable, Mapping
from typing import Final, Generic, TypeVar, cast

import attrs

from lakeproof.model import calls
from lakeproof.model.calls import CallArguments, Role
from lakeproof.model.contents import Contents
from lakeproof.model.errors import BranchExists, BranchNotFound, EntryChanged, PathExists, PathNotFound, result_of
from lakeproof.model.linearizable import Specification
from lakeproof.model.snapshot import CallView, Status

DONE: Final = "done"
ANSWERS: Final = (PathNotFound, PathExists, EntryChanged, BranchNotFound, BranchExists)
"""Errors that are answers; then the result is their class. All others say that the call did not take place."""

_EMPTY: Final[Mapping[str, Contents]] = {}


V = TypeVar("V", bound=Hashable)


@attrs.frozen(cache_hash=True)
class BranchState(Generic[V]):
    """A branch that is there. ``V``: what stands for the data of an entry, such as its identity."""

    committed: frozenset[tuple[bytes, V]] = frozenset()
    """By path."""
    staged: frozenset[tuple[bytes, V | None]] = frozenset()
    """By path, one of a path; None: a tombstone."""

    @property
    def contents(self) -> dict[bytes, V]:
        """What readers find, by path, in the order of paths."""
        found: dict[bytes, V | None] = {**dict(self.committed), **dict(self.staged)}
        return {path: value for path, value in sorted(found.items(), key=lambda each: each[0]) if value is not None}

    def with_changes(self, *changes: tuple[bytes, V | None]) -> "BranchState[V]":
        """The branch with these changes staged, one after the other."""
        return attrs.evolve(self, staged=frozenset({**dict(self.staged), **dict(changes)}.items()))

    def without_changes(self, prefix: bytes, *, exact: bool = False) -> "BranchState[V]":
        """The branch whose paths with a prefix, or exactly one path, have no changes."""
        kept = {
            (path, value) for path, value in self.staged if not (path == prefix if exact else path.startswith(prefix))
        }
        return attrs.evolve(self, staged=frozenset(kept))

    def after_commit(self) -> "BranchState[V]":
        """The branch whose changes are all committed."""
        return BranchState(committed=frozenset(self.contents.items()))


Identified = BranchState[bytes]
"""An entry's identity stands for its data."""

EMPTY: Final[Identified] = BranchState()
"""A branch without entries."""

ABSENT: Final = None
"""The state of a branch that is not there."""


def branch(initial: Identified | None = EMPTY, sources: Mapping[str, Contents] = _EMPTY) -> Specification:
    """The specification of one branch.

    sources: the contents of the refs that the branch may be created from; a ref that is not named is empty.
    """

    def apply(state: Hashable, name: str, args: calls.Args) -> tuple[Hashable, Hashable]:
        assert state is ABSENT or isinstance(state, BranchState)
        arguments = calls.arguments_by_role(name, args)
        if arguments.kind is calls.CREATE_BRANCH:
            if state is not ABSENT:
                return state, BranchExists
            return BranchState(committed=frozenset(sources.get(str(arguments[Role.TARGET]), {}).items())), DONE
        if state is ABSENT:
            return ABSENT, BranchNotFound
        if arguments.kind in (calls.DELETE_BRANCH, calls.DELETE_BRANCH_BY_TOMBSTONE):
            return ABSENT, DONE
        return apply_call(state, name, arguments)

    return Specification(
        name="a branch",
        initial=initial,
        apply=apply,
        result=_result,
        # "Busy" or "changed meanwhile" is not among them: such a call may simply not have happened.
        is_answer=lambda error: isinstance(error, ANSWERS),
    )


def apply_call(state: Identified, name: str, arguments: CallArguments) -> tuple[Identified, Hashable]:
    """What a call on the entries of a branch makes of it, and its result: `DONE`, an identity, (path, identity) pairs,
    or the class of an error. Raises ValueError for any other call."""
    match arguments.kind:
        case calls.SET_ENTRY:
            return state.with_changes((arguments.data(Role.PATH), arguments.data(Role.VALUE))), DONE
        case calls.SET_ENTRIES:
            return state.with_changes(*cast("tuple[tuple[bytes, bytes], ...]", arguments[Role.ENTRIES])), DONE
        case calls.DELETE_ENTRY:
            return state.with_changes((arguments.data(Role.PATH), None)), DONE
        case calls.CREATE_ENTRY:
            return _exchange(state, arguments, None, PathExists)
        case calls.REPLACE_ENTRY:
            return _exchange(state, arguments, arguments.data(Role.EXPECTED), EntryChanged)
        case calls.GET_ENTRY:
            return state, state.contents.get(arguments.data(Role.PATH), PathNotFound)
        case calls.LIST_ENTRIES:
            prefix = arguments.data(Role.PREFIX, b"")
            return state, tuple(entry for entry in state.contents.items() if entry[0].startswith(prefix))
        # The result is "done", and not the commit: its id and date are the flow's to choose.
        case calls.COMMIT:
            return state.after_commit(), DONE
        case calls.RESET_BRANCH:
            # The empty prefix is that of all paths.
            return state.without_changes(b""), DONE
        case calls.RESET_PREFIX:
            return state.without_changes(arguments.data(Role.PREFIX)), DONE
        case calls.RESET_ENTRY:
            return state.without_changes(arguments.data(Role.PATH), exact=True), DONE
        case _:
            raise ValueError(f"{name}: expected a call that reads or changes the entries of one branch; leave it out")


def _exchange(
    state: Identified, arguments: CallArguments, expected: bytes | None, refusal: type[Exception]
) -> tuple[Identified, Hashable]:
    path = arguments.data(Role.PATH)
    if state.contents.get(path) != expected:
        # A refusal is an answer: it has looked at the path at some moment of the call.
        return state, result_of(refusal)
    return state.with_changes((path, arguments.data(Role.VALUE))), DONE


def _result(call: CallView) -> Hashable:
    if call.status is not Status.OK:
        return result_of(type(call.error))  # only for errors in `ANSWERS`: all others never come here
    if call.kind is calls.GET_ENTRY:
        return getattr(call.value, "identity", None)  # the identity stands for the data
    if call.kind is calls.LIST_ENTRIES:
        assert isinstance(call.value, tuple)
        return tuple((entry.path, entry.identity) for entry in call.value)
    return DONE
