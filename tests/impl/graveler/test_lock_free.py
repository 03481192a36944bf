"""The committer flow, case by case, as graveler-on-kv.md and the proposal it refers to describe it."""

from typing import Literal

import pytest

from lakeproof.impl.graveler import lock_free, writing
from lakeproof.impl.graveler.lock_free import still_sealed, without
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.commits import get_commit, log
from lakeproof.impl.refs.errors import BranchBusy, BranchNotFound
from lakeproof.model import keys, kv
from lakeproof.model.contents import content_of_commit
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken
from lakeproof.model.records import Branch
from lakeproof.scenarios._branch_data import BRANCH
from tests.impl.hand import Hand

KEY = keys.branch_key(BRANCH)


def branch_with(*sealed: str) -> Branch:
    return Branch(
        branch_id=BranchID("b"),
        commit_id=CommitID("c"),
        staging_token=StagingToken("open"),
        sealed_tokens=tuple(map(StagingToken, sealed)),
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "left"),
    [
        (("t1",), ("t1",), ("t1",)),  # nobody won
        (("t2", "t1"), ("t3", "t2", "t1"), ("t2", "t1")),  # nobody won, and somebody has sealed since
        (("t2", "t1"), ("t3", "t2"), ("t2",)),  # an earlier one took t1
        (("t2", "t1"), ("t2",), ("t2",)),
        (("t2", "t1"), ("t3",), ()),  # a later one took all
        (("t2", "t1"), (), ()),
    ],
)
def test_what_is_still_sealed_of_ours(ours: tuple[str, ...], theirs: tuple[str, ...], left: tuple[str, ...]) -> None:
    branch = branch_with(*theirs)
    found = still_sealed(tuple(map(StagingToken, ours)), branch)
    assert found == left
    assert (*without(branch, found), *found) == branch.sealed_tokens


def test_first_the_staging_token_is_pushed_to_the_front_of_the_sealed_ones_and_a_new_one_opened() -> None:
    hand = Hand.founded()
    before = hand.branch()
    hand.start(lock_free.commit, BRANCH, "m").step(2)
    after = hand.branch()
    assert after.sealed_tokens == (before.staging_token, *before.sealed_tokens)
    assert after.staging_token not in (before.staging_token, *before.sealed_tokens)
    assert after.commit_id == before.commit_id


def test_on_the_fast_path_the_branch_has_the_new_commit_and_no_sealed_tokens() -> None:
    hand = Hand.founded()
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    head = hand.branch().commit_id
    made = hand.run(lock_free.commit, BRANCH, "m")
    assert hand.branch().commit_id == made.commit_id
    assert hand.branch().sealed_tokens == ()
    assert made.parents == (head,)
    assert made.generation == 2
    assert content_of_commit(hand.snapshot(), made.commit_id) == {b"x": b"1"}


def test_the_commit_record_is_written_before_the_branch_names_it() -> None:
    hand = Hand.founded()
    committer = hand.start(lock_free.commit, BRANCH, "m").step(2).until(kv.SetIf, KEY)
    assert isinstance(committer.op, kv.SetIf)
    committer.step()
    assert hand.run(get_commit, hand.branch().commit_id).message == "m"


def test_what_was_committed_is_no_longer_staged_unless_it_is_to_be_kept() -> None:
    for drops in (True, False):
        hand = Hand.founded()
        hand.run(writing.set_entry, BRANCH, b"x", b"1")
        token = hand.branch().staging_token
        hand.run(lock_free.commit, BRANCH, "m", reading=lock_free.Reading(drops=drops))
        staged = [cell for cell in hand.cells if cell[1] == token.encode()]
        assert bool(staged) is not drops


def test_identical_sealed_tokens_mean_that_nobody_won_and_the_same_commit_is_tried_again() -> None:
    hand = Hand.founded()
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    one = hand.start(lock_free.commit, BRANCH, "one").step(2).until(kv.SetIf, KEY)
    hand.start(lock_free.commit, BRANCH, "other").step(2)  # seals, and goes no further
    one.step()  # beaten
    one.step()  # reads again
    assert isinstance(one.op, kv.SetIf), "it combines nothing anew"
    made = one.finish()
    assert hand.branch().commit_id == made.commit_id
    assert len(hand.branch().sealed_tokens) == 1, "the other's token stays sealed"


def test_when_an_earlier_commit_took_some_the_rest_is_committed_on_top_of_it() -> None:
    hand = Hand.founded()
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    early = hand.start(lock_free.commit, BRANCH, "early").step(2)
    hand.run(writing.set_entry, BRANCH, b"y", b"2")
    late = hand.start(lock_free.commit, BRANCH, "late").step(2).until(kv.SetIf, KEY)
    first = early.finish()
    second = late.finish()
    assert second.parents == (first.commit_id,)
    assert content_of_commit(hand.snapshot(), first.commit_id) == {b"x": b"1"}
    assert content_of_commit(hand.snapshot(), second.commit_id) == {b"x": b"1", b"y": b"2"}


@pytest.mark.parametrize("taken", ["empty", "head"])
def test_when_a_later_commit_took_all_there_is_nothing_left_to_commit(taken: Literal["empty", "head"]) -> None:
    hand = Hand.founded()
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    early = (
        hand.start(lock_free.commit, BRANCH, "early", reading=lock_free.Reading(taken=taken))
        .step(2)
        .until(kv.SetIf, KEY)
    )
    late = hand.run(lock_free.commit, BRANCH, "late")
    assert content_of_commit(hand.snapshot(), late.commit_id) == {b"x": b"1"}
    made = early.finish()
    if taken == "head":
        assert made == late
    else:
        assert made.parents == (late.commit_id,)
        assert made.meta_range_id == late.meta_range_id


def test_an_old_value_is_not_put_back_over_a_newer_commit() -> None:
    hand = Hand.founded()
    hand.run(writing.set_entry, BRANCH, b"x", b"old")
    slow = hand.start(lock_free.commit, BRANCH, "slow").step(2).until(kv.SetIf, KEY)
    hand.run(writing.set_entry, BRANCH, b"x", b"new")
    hand.run(lock_free.commit, BRANCH, "fast")
    slow.finish()
    assert hand.content() == {b"x": b"new"}


def test_rewriting_the_same_identity_is_no_change() -> None:
    hand = Hand.founded()
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    first = hand.run(lock_free.commit, BRANCH, "m")
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    second = hand.run(lock_free.commit, BRANCH, "m")
    assert second.meta_range_id == first.meta_range_id
    assert [commit.commit_id for commit in hand.run(log, BRANCH)[:2]] == [second.commit_id, first.commit_id]


def test_who_is_beaten_as_often_as_it_is_willing_to_try_gives_up_and_its_tokens_stay_sealed() -> None:
    hand = Hand.founded()
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    loser = (
        hand.start(lock_free.commit, BRANCH, "loser", reading=lock_free.Reading(tries=1)).step(2).until(kv.SetIf, KEY)
    )
    hand.start(lock_free.commit, BRANCH, "other").step(2)
    with pytest.raises(BranchBusy):
        loser.finish()
    assert len(hand.branch().sealed_tokens) == 2
    assert hand.content() == {b"x": b"1"}


def test_a_branch_that_is_deleted_meanwhile_stays_deleted() -> None:
    hand = Hand.founded()
    committer = hand.start(lock_free.commit, BRANCH, "m").step(2).until(kv.SetIf, KEY)
    hand.run(branches.delete_branch, BRANCH)
    with pytest.raises(BranchNotFound):
        committer.finish()
    with pytest.raises(BranchNotFound):
        hand.run(branches.get_branch, BRANCH)
