"""What stores and flows answer instead of a result: the base of all such errors, and those that specifications know.

Other errors are defined beside their store or flow, as in `lakeproof.model.kv` and `lakeproof.impl.refs.errors`.
"""

from collections.abc import Hashable
from typing import ClassVar, cast


class NoResult(Exception):
    """What a store or a flow answers instead of a result. ``definite`` means: this operation did not take place. Equal
    if of one type with equal arguments."""

    definite: ClassVar[bool] = True

    def __eq__(self, other: object) -> bool:
        # Exceptions compare by object; outcomes of runs are compared by value, and are keys of sets.
        return type(self) is type(other) and self.args == other.args

    def __hash__(self) -> int:
        return hash((type(self), self.args))


class FlowError(NoResult):
    """Base of the errors of flows."""


class RepositoryError(FlowError):
    """Base of the answers of operations on repositories, and on what is in them."""


class RepositoryNotFound(RepositoryError):
    """``ErrRepositoryNotFound``: there is no such repository."""


class RepositoryDeleting(RepositoryError):
    """``ErrRepositoryDeleting``: there is one, and it is on its way out."""


class NotUnique(RepositoryError):
    """``ErrNotUnique``: the id is taken."""


class GravelerError(FlowError):
    """Base of the answers of operations on branches, tags, commits and entries."""


class BranchNotFound(RepositoryError):
    """There is no such branch."""


class BranchExists(RepositoryError):
    """The branch id is taken."""


class RefChanged(GravelerError):
    """Another call has changed the branch or tag meanwhile; read it again and decide again."""


class BranchBusy(GravelerError):
    """The branch was changed by others as often as this operation was willing to try; try again."""


class TagNotFound(GravelerError):
    """There is no such tag."""


class TagExists(RepositoryError):
    """The tag id is taken."""


class PathNotFound(GravelerError):
    """There is no entry at the path."""


class DataGone(GravelerError):
    """The entry is there, and its object is not: it was hard-deleted."""


class PathExists(GravelerError):
    """There is an entry at the path already."""


class EntryChanged(GravelerError):
    """The entry at the path is not the one that was to be replaced."""


def result_of(error: type[Exception] | type[None]) -> Hashable:
    """The class of an answer, as the result of a call in a specification."""
    return cast("Hashable", error)
