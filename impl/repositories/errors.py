"""What repository operations answer instead of a result. All are definite: the operation did not take place."""

from typing import ClassVar


class RepositoryError(Exception):
    """Base of the answers below."""

    definite: ClassVar[bool] = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RepositoryError) and type(self) is type(other) and self.args == other.args

    def __hash__(self) -> int:
        return hash((type(self), self.args))


class RepositoryNotFound(RepositoryError):
    """``ErrRepositoryNotFound``: there is no such repository."""


class RepositoryDeleting(RepositoryError):
    """``ErrRepositoryDeleting``: there is one, and it is on its way out."""


class NotUnique(RepositoryError):
    """``ErrNotUnique``: the id is taken."""


class Conflict(RepositoryError):
    """A state could not be written because somebody else had written it meanwhile."""


class CreationOutrun(RepositoryError):
    """The new repository went away before its creator could confirm it. Indefinite: it may have been active."""

    definite = False


class BranchNotFound(RepositoryError):
    """There is no such branch."""


class BranchExists(RepositoryError):
    """The branch id is taken."""


class TagExists(RepositoryError):
    """The tag id is taken."""


class DefaultBranch(RepositoryError):
    """The default branch cannot be deleted."""
