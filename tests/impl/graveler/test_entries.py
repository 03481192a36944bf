"""Entries of a branch: writing, reading, conditional writes, resets."""

import pytest

from lakeproof.impl.graveler import lock_free, locked, optimistic, reading, resetting, writing
from lakeproof.impl.refs.errors import (
    BranchBusy,
    BranchLocked,
    BranchNotFound,
    EntryChanged,
    PathExists,
    PathNotFound,
    WriteNotSettled,
)
from lakeproof.model import keys, kv
from lakeproof.model.contents import content_of_commit
from lakeproof.scenario import Flow
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from tests.impl.hand import Hand


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


def identity(hand: Hand, path: bytes) -> bytes:
    found: bytes = hand.run(reading.get_entry, BRANCH, path).identity
    return found


def test_a_staged_change_hides_a_sealed_one_and_that_a_committed_one(hand: Hand) -> None:
    hand.run(writing.set_entry, BRANCH, b"x", b"committed")
    hand.run(lock_free.commit, BRANCH, "m")
    hand.run(writing.set_entry, BRANCH, b"x", b"sealed")
    hand.start(lock_free.commit, BRANCH, "m").step(2)
    assert identity(hand, b"x") == b"sealed"
    hand.run(writing.set_entry, BRANCH, b"x", b"sealed later")
    hand.start(lock_free.commit, BRANCH, "m").step(2)
    assert identity(hand, b"x") == b"sealed later"
    hand.run(writing.set_entry, BRANCH, b"x", b"staged")
    assert identity(hand, b"x") == b"staged"


@pytest.mark.parametrize("commits", [0, 1])
def test_a_tombstone_hides_what_is_below_it(hand: Hand, commits: int) -> None:
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    for _ in range(commits):
        hand.run(lock_free.commit, BRANCH, "m")
    hand.run(writing.delete_entry, BRANCH, b"x")
    with pytest.raises(PathNotFound):
        hand.run(reading.get_entry, BRANCH, b"x")
    assert hand.run(reading.list_entries, BRANCH) == ()
    hand.run(lock_free.commit, BRANCH, "m")
    assert hand.content() == {}


@pytest.mark.parametrize("batch_size", [0, 1, 2])
def test_a_listing_is_by_path_and_within_its_prefix(hand: Hand, batch_size: int) -> None:
    for path in (b"b/2", b"a", b"b/1", b"c"):
        hand.run(writing.set_entry, BRANCH, path, b"i")
        if path == b"a":
            hand.run(lock_free.commit, BRANCH, "m")
    listed = hand.run(reading.list_entries, BRANCH, batch_size=batch_size)
    assert [entry.path for entry in listed] == [b"a", b"b/1", b"b/2", b"c"]
    within = hand.run(reading.list_entries, BRANCH, b"b/", batch_size=batch_size)
    assert [entry.path for entry in within] == [b"b/1", b"b/2"]


def test_a_writer_whose_token_was_sealed_writes_once_more(hand: Hand) -> None:
    writer = hand.start(writing.set_entry, BRANCH, b"x", b"1").step(1)
    hand.run(lock_free.commit, BRANCH, "m")
    writer.finish()
    assert hand.content() == {b"x": b"1"}


def test_a_writer_that_does_not_look_again_loses_its_entry(hand: Hand) -> None:
    writer = hand.start(writing.set_entry, BRANCH, b"x", b"1", reading=writing.SINGLE_READ).step(1)
    hand.run(lock_free.commit, BRANCH, "m")
    writer.finish()
    assert hand.content() == {}


def test_a_writer_gives_up_in_doubt(hand: Hand) -> None:
    writer = hand.start(writing.set_entry, BRANCH, b"x", b"1", reading=writing.Reading(tries=1)).step(1)
    hand.run(lock_free.commit, BRANCH, "m")
    with pytest.raises(WriteNotSettled):
        writer.finish()
    assert not WriteNotSettled.definite


def test_a_cached_token_is_looked_at_after_each_write(hand: Hand) -> None:
    writer = hand.start(writing.set_entries, BRANCH, ((b"x", b"1"), (b"y", b"2"))).step(3)
    hand.run(lock_free.commit, BRANCH, "m")
    writer.finish()
    assert hand.content() == {b"x": b"1", b"y": b"2"}


def test_nothing_is_written_to_a_branch_that_is_not_there(hand: Hand) -> None:
    for flow, args in ((writing.set_entry, (b"x", b"1")), (reading.get_entry, (b"x",)), (lock_free.commit, ("m",))):
        with pytest.raises(BranchNotFound):
            hand.run(flow, "nowhere", *args)


@pytest.mark.parametrize("commits", [0, 1])
def test_create_only_if_absent(hand: Hand, commits: int) -> None:
    hand.run(writing.create_entry, BRANCH, b"x", b"1")
    for _ in range(commits):
        hand.run(lock_free.commit, BRANCH, "m")
    with pytest.raises(PathExists):
        hand.run(writing.create_entry, BRANCH, b"x", b"2")
    hand.run(writing.delete_entry, BRANCH, b"x")
    hand.run(writing.create_entry, BRANCH, b"x", b"3")
    assert hand.content() == {b"x": b"3"}


@pytest.mark.parametrize("commits", [0, 1])
def test_replace_only_if_unchanged(hand: Hand, commits: int) -> None:
    with pytest.raises(EntryChanged):
        hand.run(writing.replace_entry, BRANCH, b"x", b"2", b"1")
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    for _ in range(commits):
        hand.run(lock_free.commit, BRANCH, "m")
    hand.run(writing.replace_entry, BRANCH, b"x", b"2", b"1")
    with pytest.raises(EntryChanged):
        hand.run(writing.replace_entry, BRANCH, b"x", b"3", b"1")
    assert hand.content() == {b"x": b"2"}


def test_of_two_creators_under_one_token_one_is_refused(hand: Hand) -> None:
    one = hand.start(writing.create_entry, BRANCH, b"x", b"1").until(kv.SetIf)
    hand.run(writing.create_entry, BRANCH, b"x", b"2")
    with pytest.raises(PathExists):
        one.finish()
    assert hand.content() == {b"x": b"2"}


@pytest.mark.parametrize("fresh_token", [True, False])
def test_a_reset_forgets_what_is_staged_and_what_is_sealed(hand: Hand, fresh_token: bool) -> None:
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    hand.run(lock_free.commit, BRANCH, "m")
    hand.run(writing.set_entry, BRANCH, b"x", b"2")
    hand.start(lock_free.commit, BRANCH, "m").step(2)
    hand.run(writing.set_entry, BRANCH, b"y", b"3")
    hand.run(resetting.reset_branch, BRANCH, fresh_token=fresh_token)
    assert hand.content() == {b"x": b"1"}
    assert hand.branch().sealed_tokens == ()


def test_a_reset_of_a_path_leaves_the_others(hand: Hand) -> None:
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    hand.run(lock_free.commit, BRANCH, "m")
    for path in (b"x", b"y"):
        hand.run(writing.set_entry, BRANCH, path, b"2")
    hand.run(resetting.reset_entry, BRANCH, b"x")
    assert hand.content() == {b"x": b"1", b"y": b"2"}


@pytest.mark.parametrize("forgets", resetting.WAYS)
def test_a_path_in_a_sealed_token_is_staged_anew_as_it_was(hand: Hand, forgets: str) -> None:
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    committer = hand.start(lock_free.commit, BRANCH, "m").step(2)
    hand.run(resetting.reset_entry, BRANCH, b"x", forgets=forgets)
    committer.finish()
    assert hand.content() == ({b"x": b"1"} if forgets == resetting.OPEN_ONLY else {})


def test_a_commit_on_its_way_leaves_out_what_was_reset_and_holds_the_rest(hand: Hand) -> None:
    for path in (b"x", b"y"):
        hand.run(writing.set_entry, BRANCH, path, b"1")
    committer = hand.start(lock_free.commit, BRANCH, "m").until(kv.SetIf).step().until(kv.SetIf)
    hand.run(resetting.reset_entry, BRANCH, b"x")
    made = committer.finish()
    assert content_of_commit(hand.snapshot(), made.commit_id) == {b"y": b"1"}
    hand.run(resetting.reset_branch, BRANCH)
    assert hand.content() == {b"y": b"1"}


def test_a_reset_of_what_was_not_changed_does_nothing(hand: Hand) -> None:
    hand.run(writing.set_entry, BRANCH, b"y", b"1")
    before = hand.cells
    hand.run(resetting.reset_entry, BRANCH, b"x")
    hand.run(resetting.reset_prefix, BRANCH, b"x")
    assert hand.cells == before


def test_a_reset_that_came_too_late_leaves_nothing_behind(hand: Hand) -> None:
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    reset = hand.start(resetting.reset_entry, BRANCH, b"x").until(kv.SetIf)
    hand.start(lock_free.commit, BRANCH, "m").step(2)
    reset.finish()
    named = {keys.staging_partition(token) for token in hand.branch().tokens}
    staged = {partition for partition, key in hand.snapshot().store if key.startswith(keys.STAGED_PREFIX)}
    assert staged <= named
    assert hand.content() == {}


def test_a_reset_gives_up_when_the_branch_changes_each_time(hand: Hand) -> None:
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    reset = hand.start(resetting.reset_entry, BRANCH, b"x", tries=2).until(kv.SetIf)
    hand.start(lock_free.commit, BRANCH, "one").step(2)
    reset.step().until(kv.SetIf)
    hand.start(lock_free.commit, BRANCH, "other").step(2)
    with pytest.raises(BranchBusy):
        reset.finish()
    assert hand.content() == {b"x": b"1"}


@pytest.mark.parametrize("flow", [resetting.reset_entry, resetting.reset_prefix])
def test_an_unknown_way_to_reset_is_refused(flow: Flow) -> None:
    with pytest.raises(ValueError, match="forgets='sealed': expected one of"):
        flow(None, REPOSITORY, BRANCH, b"x", forgets="sealed").send(None)


def test_a_reset_of_a_prefix_leaves_what_is_beside_it(hand: Hand) -> None:
    for path in (b"a/1", b"a/2", b"b"):
        hand.run(writing.set_entry, BRANCH, path, b"1")
    hand.run(resetting.reset_prefix, BRANCH, b"a/", batch_size=1)
    assert hand.content() == {b"b": b"1"}


def test_while_somebody_holds_the_lock_nobody_writes_or_commits(hand: Hand) -> None:
    holder = hand.start(locked.commit, BRANCH, "m").step(1)
    with pytest.raises(BranchLocked):
        hand.run(locked.set_entry, BRANCH, b"x", b"1")
    with pytest.raises(BranchLocked):
        hand.run(locked.commit, BRANCH, "other")
    holder.finish()
    hand.run(locked.set_entry, BRANCH, b"x", b"1")
    hand.run(locked.delete_entry, BRANCH, b"y")
    assert hand.run(locked.commit, BRANCH, "m").parents != ()
    assert hand.content() == {b"x": b"1"}


def test_a_holder_that_fails_gives_the_lock_back(hand: Hand) -> None:
    with pytest.raises(BranchNotFound):
        hand.run(locked.set_entry, "nowhere", b"x", b"1")
    assert not [cell for cell in hand.cells if b"locks/" in str(cell).encode()]


def test_an_optimistic_commit_that_is_beaten_starts_over_on_the_new_head(hand: Hand) -> None:
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    slow = hand.start(optimistic.commit, BRANCH, "slow").step(4)
    fast = hand.run(optimistic.commit, BRANCH, "fast")
    made = slow.finish()
    assert made.parents == (fast.commit_id,)
    assert hand.content() == {b"x": b"1"}
