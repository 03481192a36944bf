"""What a ref leads to: a branch's head, else a tag's commit, else the commit itself."""

import pytest

from lakeproof.impl.graveler import lock_free, writing
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.errors import RefNotFound
from lakeproof.impl.refs.resolving import resolve
from lakeproof.model.identifiers import CommitID
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from tests.impl.hand import Hand

MAIN = REPOSITORY.default_branch_id


@pytest.fixture
def hand() -> Hand:
    """Main, and a branch that is one commit ahead."""
    made = Hand.founded()
    made.run(writing.set_entry, BRANCH, b"x", b"1")
    made.run(lock_free.commit, BRANCH, "ahead")
    return made


def effects(hand: Hand, ref: str) -> int:
    running, count = hand.start(resolve, ref), 0
    while running.op is not None:
        running.step()
        count += 1
    return count


def test_a_branch_comes_before_a_tag_of_its_name(hand: Hand) -> None:
    hand.run(tags.create_tag, BRANCH, MAIN)
    assert hand.run(resolve, BRANCH) == hand.branch().commit_id != hand.branch(MAIN).commit_id
    hand.run(branches.delete_branch, BRANCH)
    assert hand.run(resolve, BRANCH) == hand.branch(MAIN).commit_id


def test_a_tag_comes_before_a_commit_of_its_name(hand: Hand) -> None:
    head = hand.branch().commit_id
    assert hand.run(resolve, head) == head
    hand.run(tags.create_tag, head, MAIN)
    assert hand.run(resolve, head) == hand.branch(MAIN).commit_id


def test_the_tombstone_of_a_branch_is_no_branch(hand: Hand) -> None:
    hand.run(branches.delete_branch_by_tombstone, BRANCH)
    with pytest.raises(RefNotFound):
        hand.run(resolve, BRANCH)
    hand.run(tags.create_tag, BRANCH, MAIN)
    assert hand.run(resolve, BRANCH) == hand.branch(MAIN).commit_id


def test_a_branch_costs_one_effect_a_tag_two_and_a_commit_three(hand: Hand) -> None:
    hand.run(tags.create_tag, "v1", BRANCH)
    assert [effects(hand, ref) for ref in (BRANCH, "v1", hand.branch().commit_id)] == [1, 2, 3]


def test_a_tag_with_a_slash_in_its_name_is_a_ref_to_all_who_take_refs(hand: Hand) -> None:
    hand.run(tags.create_tag, "release/1", BRANCH)
    head = hand.branch().commit_id
    assert hand.run(resolve, "release/1") == head
    assert hand.run(branches.create_branch, "c", "release/1").commit_id == head
    assert hand.run(tags.create_tag, "release/2", "release/1").commit_id == head


@pytest.mark.parametrize("ref", ["nothing", "no/thing", "", "no\0thing"])
def test_what_nobody_has_for_a_name_is_not_found(hand: Hand, ref: str) -> None:
    with pytest.raises(RefNotFound):
        hand.run(resolve, ref)


def test_a_prefix_of_a_commit_id_is_no_ref(hand: Hand) -> None:
    with pytest.raises(RefNotFound):
        hand.run(resolve, CommitID(hand.branch().commit_id[:12]))
