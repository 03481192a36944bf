"""Writes that were applied and reported as failed: who looks knows them as its own, or says that nobody knows."""

import pytest

from lakeproof.impl.graveler import founding, lock_free
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.errors import BranchExists, RefChanged, TagExists
from lakeproof.model import kv
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from tests.impl.stepping import Bench, Flow

FALSE = kv.PredicateFailed()


def bench() -> Bench:
    """Main, and a branch."""
    made = Bench()
    made.run(founding.found, REPOSITORY)
    made.run(branches.create_branch, REPOSITORY, BRANCH, MAIN)
    return made


@pytest.mark.parametrize(
    ("flow", "args", "at"),
    [(branches.create_branch, ("new", MAIN), 1), (branches.delete_branch_by_tombstone, (BRANCH,), 1)],
)
def test_a_branch_is_known_by_its_token(flow: Flow[object], args: tuple[str, ...], at: int) -> None:
    bench().run(flow, REPOSITORY, *args, knows_its_own=True, told={at: FALSE})
    with pytest.raises(kv.OutcomeUnknown):
        bench().run(flow, REPOSITORY, *args, knows_its_own=True, told={at: FALSE, at + 1: kv.Refused()})


def test_without_a_look_a_create_is_refused_though_it_is_there() -> None:
    made = bench()
    with pytest.raises(BranchExists):
        made.run(branches.create_branch, REPOSITORY, "new", MAIN, told={1: FALSE})
    assert made.run(branches.get_branch, REPOSITORY, "new").branch_id == "new"


def test_a_branch_that_was_moved_all_the_same_is_moved() -> None:
    made = bench()
    made.run(branches.update_branch, REPOSITORY, BRANCH, MAIN, knows_its_own=True, told={2: FALSE})
    with pytest.raises(RefChanged):
        made.run(branches.update_branch, REPOSITORY, BRANCH, MAIN, told={2: FALSE})


def test_the_tokens_of_a_branch_that_was_removed_all_the_same_are_returned() -> None:
    made = bench()
    token = made.run(branches.get_branch, REPOSITORY, BRANCH).staging_token
    assert made.run(branches.remove_branch, REPOSITORY, BRANCH, tombstone=True, told={1: FALSE}) == (token,)


def test_a_branch_of_another_birth_says_that_the_one_that_was_found_is_gone() -> None:
    made = bench()
    slow = made.begin(branches.delete_branch_by_tombstone, REPOSITORY, BRANCH, knows_its_own=True)
    slow.go(1)
    made.run(branches.delete_branch_by_tombstone, REPOSITORY, BRANCH)
    made.run(branches.create_branch, REPOSITORY, BRANCH, MAIN, tombstones=True)
    slow.finish()
    assert made.run(branches.get_branch, REPOSITORY, BRANCH).branch_id == BRANCH


def test_a_seal_meanwhile_says_that_it_is_there() -> None:
    made = bench()
    slow = made.begin(branches.delete_branch_by_tombstone, REPOSITORY, BRANCH, knows_its_own=True)
    slow.go(1)
    made.crash(2, lock_free.commit, REPOSITORY, BRANCH, "m")
    with pytest.raises(RefChanged):
        slow.finish()


def test_a_tag_says_nothing_of_its_creator() -> None:
    made = bench()
    with pytest.raises(kv.OutcomeUnknown):
        made.run(tags.create_tag, REPOSITORY, "t", MAIN, looks=True, told={2: FALSE})
    with pytest.raises(TagExists):
        made.run(tags.create_tag, REPOSITORY, "t", MAIN, looks=True)
    with pytest.raises(kv.OutcomeUnknown):
        made.run(tags.update_tag, REPOSITORY, "t", MAIN, looks=True, told={2: FALSE})
    with pytest.raises(RefChanged):
        made.run(tags.update_tag, REPOSITORY, "t", MAIN, told={2: FALSE})
