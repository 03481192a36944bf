"""The sequential specification of a repository id, alone and as a monitor."""

import pytest

from lakeproof.model.errors import TagExists
from lakeproof.model.linearizable import linearizable
from lakeproof.model.repository import ABSENT, CREATED, DELETED, THERE, repository
from tests.model.test_branch_invariants import History, played, verdict
from tests.model.test_invariants_repositories import repository as record

GET, CREATE, DELETE = "get_repository", "create_repository", "delete_repository"


def test_alone() -> None:
    apply = repository(exists=False).apply
    assert apply(False, CREATE, ("r",)) == (True, CREATED)
    assert apply(True, "create_bare_repository", ("r",)) == (True, ABSENT)  # what no create answers
    assert apply(True, "delete_repository", ("r",)) == apply(False, "delete_repository", ("r",)) == (False, DELETED)
    assert apply(True, "get_branch", ("r", "main")) == (True, THERE)
    assert apply(False, "list_repositories", ()) == (False, ABSENT)
    assert apply(False, "get_repository", ("other",)) == (False, None)
    assert apply(True, "clean", ()) == (True, None)


def test_a_tag_is_created_once_in_each_life_of_its_repository() -> None:
    apply = repository(exists=True).apply
    tagged, answer = apply(True, "create_tag", ("r", "t"))
    assert answer == THERE
    assert apply(tagged, "create_tag", ("r", "t")) == (tagged, TagExists)
    assert apply(tagged, "get_tag", ("r", "t")) == apply(tagged, "update_tag", ("r", "t", "main")) == (tagged, THERE)
    assert apply(tagged, "get_tag", ("r", "other")) == (tagged, ABSENT)
    assert apply(tagged, "delete_tag", ("r", "t")) == (True, THERE)
    assert apply(tagged, "get_repository", ("r",)) == (tagged, THERE)
    assert apply(tagged, CREATE, ("r",)) == (tagged, ABSENT)
    assert apply(tagged, "delete_repository", ("r",)) == (False, DELETED)
    assert apply(False, "create_tag", ("r", "t")) == apply(False, "get_tag", ("r", "t")) == (False, ABSENT)


BRANCH, TAG = "create_branch b", "create_tag t"


@pytest.mark.parametrize(
    ("exists", "script", "expected"),
    [
        # What was created is there, and what was deleted is not.
        (False, f"0 {CREATE}; 1 {GET}", "holds"),
        (True, f"0 {DELETE}; 1 {GET}", "violated"),
        *((False, f"0 {CREATE}; 1 {GET} ={gone}", "violated") for gone in ("no-repository", "deleting")),
        *((True, f"0 {DELETE}; 1 {GET} ={gone}", "holds") for gone in ("no-repository", "deleting")),
        *((True, f"1 {GET} ={gone}", "violated") for gone in ("no-repository", "deleting")),
        # Of two creates one succeeds; two deletes may both.
        (False, f"0 {CREATE}; 1 {CREATE}", "violated"),
        (False, f"0 {CREATE}; 1 {CREATE} =taken", "holds"),
        (True, f"0 {DELETE}; 1 {DELETE}", "holds"),
        # A create in doubt may have happened, or may happen later, and one that was refused has not happened.
        *(
            (False, f"0+ {CREATE}{ends}; 1 {GET}{answer}", "holds")
            for ends in ("", "; 0- =unknown")
            for answer in ("", " =no-repository", " =no-repository; 2 get_repository")
        ),
        (False, f"0 {CREATE} =taken; 1 {GET}", "violated"),
        # A branch is created once, until it or its repository is deleted.
        (True, f"0 {BRANCH}; 1 create_branch c", "holds"),
        (True, f"0 {BRANCH}; 1 {BRANCH} =branch-exists", "holds"),
        (True, f"1 {BRANCH} =branch-exists", "holds"),  # an error is no answer here
        (True, f"0 {BRANCH}; 1 {BRANCH}", "violated"),
        (True, f"0 {BRANCH}; 0 delete_branch b; 1 {BRANCH}", "holds"),
        (True, f"0 {BRANCH}; 0 {DELETE}; 0 {CREATE}; 1 {BRANCH}", "holds"),
        (True, f"1+ {BRANCH}; 0 {BRANCH}; 0 {DELETE}; 1-", "violated"),
        # A tag that exists without another create is found.
        (True, f"0 {TAG} =tag-exists", "violated"),
        (True, f"0 {TAG}; 1 {TAG} =tag-exists", "holds"),
        (True, f"0+ {TAG}; 1 {TAG} =tag-exists", "holds"),
    ],
)
def test_some_order_of_the_calls_explains_all_answers(exists: bool, script: str, expected: str) -> None:
    history = played(linearizable(repository(exists=exists)), script, ("r",))
    assert (verdict(history.found) == "violated") is (expected == "violated")


@pytest.mark.parametrize("exists", [True, False])
def test_a_list_shows_what_is_there(exists: bool) -> None:
    history = History(linearizable(repository(exists=exists)), ()).does(0, "list_repositories", value=(record("u"),))
    assert (verdict(history.found) == "violated") is not exists
