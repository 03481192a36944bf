"""The sequential specification of a repository id, alone and as a monitor."""

import pytest

from lakeproof.model import kv
from lakeproof.model.errors import BranchExists, NotUnique, RepositoryDeleting, RepositoryNotFound, TagExists
from lakeproof.model.invariants import Finding
from lakeproof.model.linearizable import linearizable
from lakeproof.model.repository import ABSENT, CREATED, DELETED, THERE, repository
from lakeproof.model.snapshot import CallView, Invoked, Returned, Status
from tests.model.test_branch_invariants import verdict
from tests.model.test_invariants_repositories import repository as record

GET = ("get_repository", "r")
CREATE = ("create_repository", "r")
DELETE = ("delete_repository", "r")


class History:
    def __init__(self, *, exists: bool) -> None:
        self.monitor = linearizable(repository(exists=exists))
        self.state = self.monitor.initial
        self.found: list[Finding] = []

    def hear(self, event: Invoked | Returned) -> "History":
        self.state, findings = self.monitor.advance(self.state, event)
        self.found += findings
        return self

    def begins(self, client: int, name: str, *args: str) -> "History":
        return self.hear(Invoked(client, 0, name, args))

    def ends(
        self, client: int, name: str, *args: str, status: Status = Status.OK, error: Exception | None = None
    ) -> "History":
        value = (record("u"),) if name == "list_repositories" and not error else None
        return self.hear(Returned(client, 0, CallView(name, args, status, value, error)))

    def does(self, client: int, *call: str, error: Exception | None = None) -> "History":
        status = Status.OK if error is None else Status.FAIL
        return self.begins(client, *call).ends(client, *call, status=status, error=error)

    @property
    def broken(self) -> bool:
        return verdict(self.found) == "violated"


NOT_FOUND = RepositoryNotFound("r")


def test_alone() -> None:
    apply = repository(exists=False).apply
    assert apply(False, *(CREATE[0], CREATE[1:])) == (True, CREATED)
    assert apply(True, "create_bare_repository", ("r",)) == (True, ABSENT)  # what no create answers
    assert apply(True, "delete_repository", ("r",)) == apply(False, "delete_repository", ("r",)) == (False, DELETED)
    assert apply(True, "get_branch", ("r", "main")) == (True, THERE)
    assert apply(False, "list_repositories", ()) == (False, ABSENT)
    assert apply(False, "get_repository", ("other",)) == (False, None)
    assert apply(True, "clean", ()) == (True, None)


@pytest.mark.parametrize("error", [NOT_FOUND, RepositoryDeleting("r")])
def test_what_was_created_is_there_and_what_was_deleted_is_not(error: Exception) -> None:
    assert not History(exists=False).does(0, *CREATE).does(1, *GET).broken
    assert History(exists=False).does(0, *CREATE).does(1, *GET, error=error).broken
    assert not History(exists=True).does(0, *DELETE).does(1, *GET, error=error).broken
    assert History(exists=True).does(0, *DELETE).does(1, *GET).broken
    assert History(exists=True).does(1, *GET, error=error).broken


def test_a_list_shows_what_is_there() -> None:
    assert not History(exists=True).does(0, "list_repositories").broken
    assert History(exists=False).does(0, "list_repositories").broken


def test_two_creates_do_not_both_succeed() -> None:
    assert History(exists=False).does(0, *CREATE).does(1, *CREATE).broken
    assert not History(exists=False).does(0, *CREATE).does(1, *CREATE, error=NotUnique("r")).broken


def test_two_deletes_may_both_succeed() -> None:
    assert not History(exists=True).does(0, *DELETE).does(1, *DELETE).broken


@pytest.mark.parametrize("ends", [True, False])
def test_a_create_in_doubt_may_have_happened_or_may_happen_later(ends: bool) -> None:
    for answer in (None, NOT_FOUND):
        history = History(exists=False).begins(0, *CREATE)
        if ends:
            history.ends(0, *CREATE, status=Status.INFO, error=kv.OutcomeUnknown())
        assert not history.does(1, *GET, error=answer).broken
    later = History(exists=False).begins(0, *CREATE).does(1, *GET, error=NOT_FOUND)
    assert not later.does(2, *GET).broken


def test_a_create_that_was_refused_has_not_happened() -> None:
    refused = History(exists=False).does(0, *CREATE, error=NotUnique("r"))
    assert refused.does(1, *GET).broken


def test_a_tag_is_created_once_in_each_life_of_its_repository() -> None:
    apply = repository(exists=True).apply
    tagged, answer = apply(True, "create_tag", ("r", "t"))
    assert answer == THERE
    assert apply(tagged, "create_tag", ("r", "t")) == (tagged, TagExists)
    assert apply(tagged, "get_tag", ("r", "t")) == apply(tagged, "update_tag", ("r", "t", "main")) == (tagged, THERE)
    assert apply(tagged, "get_tag", ("r", "other")) == (tagged, ABSENT)
    assert apply(tagged, "delete_tag", ("r", "t")) == (True, THERE)
    assert apply(tagged, "get_repository", ("r",)) == (tagged, THERE)
    assert apply(tagged, CREATE[0], CREATE[1:]) == (tagged, ABSENT)
    assert apply(tagged, "delete_repository", ("r",)) == (False, DELETED)
    assert apply(False, "create_tag", ("r", "t")) == apply(False, "get_tag", ("r", "t")) == (False, ABSENT)


def test_a_branch_is_created_once_until_it_or_its_repository_is_deleted() -> None:
    branch, deletes, name = ("create_branch", "r", "b"), ("delete_branch", "r", "b"), BranchExists("b")
    assert not History(exists=True).does(0, *branch).does(1, "create_branch", "r", "c").broken
    assert not History(exists=True).does(0, *branch).does(1, *branch, error=name).broken
    assert not History(exists=True).does(1, *branch, error=name).broken, "an error is no answer here"
    assert History(exists=True).does(0, *branch).does(1, *branch).broken
    assert not History(exists=True).does(0, *branch).does(0, *deletes).does(1, *branch).broken
    assert not History(exists=True).does(0, *branch).does(0, *DELETE).does(0, *CREATE).does(1, *branch).broken
    assert History(exists=True).begins(1, *branch).does(0, *branch).does(0, *DELETE).ends(1, *branch).broken


def test_a_tag_that_exists_without_another_create_is_found() -> None:
    tag = ("create_tag", "r", "t")
    assert History(exists=True).does(0, *tag, error=TagExists("t")).broken
    assert not History(exists=True).does(0, *tag).does(1, *tag, error=TagExists("t")).broken
    assert not History(exists=True).begins(0, *tag).does(1, *tag, error=TagExists("t")).broken
