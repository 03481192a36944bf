"""What the flows of today answer besides the errors that all designs share. All are definite but `EntryInDoubt`."""

from lakeproof.impl.refs.errors import GravelerError


class NoChanges(GravelerError):
    """``ErrNoChanges``: nothing is staged that differs from the head; there is nothing to commit."""


class CommitInProgress(GravelerError):
    """Ours, of a repair: changes of the branch are sealed, and a commit may be reading them. Try again later."""


class EntryInDoubt(GravelerError):
    """Ours, of a repair: an earlier try has staged the entry, and may be committed yet. Indefinite."""

    definite = False


class TaskNotFound(GravelerError):
    """There is no task of this id, or no import."""


class ImportEnded(GravelerError):
    """``ErrConflictFound``: the import has completed; there is nothing to cancel."""


class CommitMissing(GravelerError):
    """A commit that a branch or another commit names is not there: the run of the collector ends."""


class PullNotFound(GravelerError):
    """``ErrPullRequestNotFound``: there is no pull request of this id."""


class PullExists(GravelerError):
    """``ErrPullRequestExists``: there is a pull request of this id."""


class PullNotOpen(GravelerError):
    """``bad pull request status``: it is closed or merged, or, of a repair, being merged."""


class PullChanged(GravelerError):
    """``ErrPredicateFailed``: another change of the pull request came between. This one has not happened to it."""
