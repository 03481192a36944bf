"""What operations on branches, tags, commits and entries answer instead of a result.

All but `WriteNotSettled` are definite: the operation did not take place.
"""

from lakeproof.impl.repositories.errors import DefaultBranch as DefaultBranch
from lakeproof.model.errors import BranchBusy as BranchBusy
from lakeproof.model.errors import BranchExists as BranchExists
from lakeproof.model.errors import BranchNotFound as BranchNotFound
from lakeproof.model.errors import EntryChanged as EntryChanged
from lakeproof.model.errors import GravelerError as GravelerError
from lakeproof.model.errors import PathExists as PathExists
from lakeproof.model.errors import PathNotFound as PathNotFound
from lakeproof.model.errors import RefChanged as RefChanged
from lakeproof.model.errors import TagExists as TagExists
from lakeproof.model.errors import TagNotFound as TagNotFound


class RefNotFound(GravelerError):
    """No branch, tag or commit has this name."""


class CommitNotFound(GravelerError):
    """There is no such commit."""


class DirtyBranch(GravelerError):
    """The branch has uncommitted changes; commit or reset them first."""


class NoParent(GravelerError):
    """The commit is the first one: there is nothing to revert it to."""


class NoCommonAncestor(GravelerError):
    """The two commits have no history in common: there is nothing to merge them over."""


class BranchLocked(GravelerError):
    """Another client holds the branch's lock, or left it behind; try again later."""


class WriteNotSettled(GravelerError):
    """The branch's staging token changed as often as the writer was willing to try. Indefinite: what was written
    under an earlier token may have been committed."""

    definite = False
