"""What repository operations answer instead of a result. All are definite: the operation did not take place."""

from lakeproof.model.errors import BranchExists as BranchExists
from lakeproof.model.errors import BranchNotFound as BranchNotFound
from lakeproof.model.errors import NotUnique as NotUnique
from lakeproof.model.errors import RepositoryDeleting as RepositoryDeleting
from lakeproof.model.errors import RepositoryError as RepositoryError
from lakeproof.model.errors import RepositoryNotFound as RepositoryNotFound
from lakeproof.model.errors import TagExists as TagExists


class Conflict(RepositoryError):
    """A state could not be written because another client had written it meanwhile."""


class CreationOutrun(RepositoryError):
    """The new repository went away before its creator could confirm it. Indefinite: it may have been active."""

    definite = False


class DefaultBranch(RepositoryError):
    """The default branch cannot be deleted."""
