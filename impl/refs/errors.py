"""What operations on branches, tags, commits and entries answer instead of a result.

All but `WriteNotSettled` are definite: the operation did not take place.
"""

from typing import ClassVar

from lakeproof.impl.repositories.errors import BranchExists as BranchExists
from lakeproof.impl.repositories.errors import BranchNotFound as BranchNotFound
from lakeproof.impl.repositories.errors import DefaultBranch as DefaultBranch
from lakeproof.impl.repositories.errors import TagExists as TagExists


class GravelerError(Exception):
    """Base of the answers below."""

    definite: ClassVar[bool] = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GravelerError) and type(self) is type(other) and self.args == other.args

    def __hash__(self) -> int:
        return hash((type(self), self.args))


class RefNotFound(GravelerError):
    """No branch, tag or commit has this name."""


class TagNotFound(GravelerError):
    """There is no such tag."""


class CommitNotFound(GravelerError):
    """There is no such commit."""


class RefChanged(GravelerError):
    """Somebody else has changed the branch or tag meanwhile; read it again and decide again."""


class DirtyBranch(GravelerError):
    """The branch has uncommitted changes; commit or reset them first."""


class NoParent(GravelerError):
    """The commit is the first one: there is nothing to revert it to."""


class NoCommonAncestor(GravelerError):
    """The two commits have no history in common: there is nothing to merge them over."""


class PathNotFound(GravelerError):
    """There is no entry at the path."""


class PathExists(GravelerError):
    """There is an entry at the path already."""


class EntryChanged(GravelerError):
    """The entry at the path is not the one that was to be replaced."""


class BranchLocked(GravelerError):
    """Somebody else holds the branch's lock, or left it behind; try again later."""


class BranchBusy(GravelerError):
    """The branch was changed by others as often as this operation was willing to try; try again."""


class WriteNotSettled(GravelerError):
    """The branch's staging token changed as often as the writer was willing to try. Indefinite: what was written
    under an earlier token may have been committed."""

    definite = False
