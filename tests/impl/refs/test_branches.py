"""Branch records: their tokens, and what becomes of a name that is deleted and created anew, step by step."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.explore.semantics import apply, patch
from lakeproof.impl.graveler import lock_free, writing
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.errors import BranchExists, BranchNotFound, RefChanged, RefNotFound
from lakeproof.model import keys, kv
from lakeproof.model.invariants.refs import birth
from lakeproof.model.records import Branch
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from tests.impl.hand import Hand, Running

MAIN = REPOSITORY.default_branch_id
ADDRESS = (b"r-u", b"branches/b")


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


def reported_as_failed(hand: Hand, running: Running) -> Running:
    """The `SetIf` that a flow is about to do is applied, and the flow told that it was not."""
    assert isinstance(running.op, kv.SetIf)
    reply, writes = apply(hand.cells, running.op)
    assert reply is None
    hand.cells = patch(hand.cells, writes)
    running._run.send(kv.PredicateFailed())
    return running


def stored(hand: Hand) -> Branch:
    found = hand.snapshot().store[ADDRESS]
    assert isinstance(found, Branch)
    return found


class TestTokens:
    def test_a_token_names_repository_branch_and_instance_and_no_two_are_equal(self, hand: Hand) -> None:
        seen = [hand.branch(MAIN).staging_token, hand.branch().staging_token]
        assert [token.rpartition(":")[0] for token in seen] == ["r-main", "r-b"]
        for _ in range(3):
            hand.run(lock_free.commit, BRANCH, "m")
            seen.append(hand.branch().staging_token)
        hand.run(branches.delete_branch, BRANCH)
        seen.append(hand.run(branches.create_branch, BRANCH, MAIN).staging_token)
        assert len(set(seen)) == len(seen) == 6

    def test_the_tokens_of_one_life_of_a_branch_have_its_birth_in_common(self, hand: Hand) -> None:
        first = hand.branch().staging_token
        hand.start(lock_free.commit, BRANCH, "m").step(2)
        found = hand.branch()
        assert {birth(token) for token in (found.staging_token, *found.sealed_tokens)} == {birth(first)}
        hand.run(branches.delete_branch, BRANCH)
        assert birth(hand.run(branches.create_branch, BRANCH, MAIN).staging_token) != birth(first)

    def test_what_was_staged_before_a_delete_is_under_a_token_that_nobody_names(self, hand: Hand) -> None:
        hand.run(writing.set_entry, BRANCH, b"x", b"1")
        token = hand.branch().staging_token
        hand.run(branches.delete_branch, BRANCH)
        hand.run(branches.create_branch, BRANCH, MAIN)
        assert hand.content() == {}
        assert ("kv", keys.staging_partition(token), b"key/x") in hand.cells

    def test_a_token_used_again_brings_back_what_was_staged(self, hand: Hand) -> None:
        # A negative control.
        for _ in range(2):
            hand.run(branches.delete_branch, BRANCH)
            hand.run(branches.create_branch, BRANCH, MAIN, fresh_token=False)
            if not hand.content():
                hand.run(writing.create_entry, BRANCH, b"x", b"1")
        assert hand.content() == {b"x": b"1"}


class TestTombstones:
    def test_a_deleted_branch_leaves_a_record_that_names_no_commit_and_keeps_its_token(self, hand: Hand) -> None:
        before = hand.branch()
        hand.start(lock_free.commit, BRANCH, "m").step(2)
        sealed = hand.branch()
        hand.run(branches.delete_branch_by_tombstone, BRANCH)
        left = stored(hand)
        assert (left.commit_id, left.sealed_tokens, left.staging_token) == ("", (), sealed.staging_token)
        assert left.staging_token != before.staging_token

    def test_its_place_is_taken_only_by_who_knows_of_tombstones(self, hand: Hand) -> None:
        hand.run(branches.delete_branch_by_tombstone, BRANCH)
        with pytest.raises(BranchExists):
            hand.run(branches.create_branch, BRANCH, MAIN)
        hand.run(branches.create_branch, BRANCH, MAIN, tombstones=True)
        assert hand.branch().commit_id == hand.branch(MAIN).commit_id

    def test_of_two_that_take_its_place_one_is_refused(self, hand: Hand) -> None:
        hand.run(branches.delete_branch_by_tombstone, BRANCH)
        slow = hand.start(branches.create_branch, BRANCH, MAIN, tombstones=True).step(3)
        fast = hand.run(branches.create_branch, BRANCH, MAIN, tombstones=True)
        with pytest.raises(BranchExists):
            slow.finish()
        assert hand.branch() == fast

    @pytest.mark.parametrize("delete", [branches.delete_branch, branches.delete_branch_by_tombstone])
    def test_a_slow_delete_spares_a_successor_only_if_it_asks_for_the_record_that_it_read(
        self, hand: Hand, delete: object
    ) -> None:
        slow = hand.start(delete, BRANCH).step(1)
        hand.run(delete, BRANCH)
        successor = hand.run(branches.create_branch, BRANCH, MAIN, tombstones=True)
        if delete is branches.delete_branch:
            slow.finish()
            with pytest.raises(BranchNotFound):
                hand.run(branches.get_branch, BRANCH)
            return
        with pytest.raises(RefChanged):
            slow.finish()
        assert hand.run(branches.get_branch, BRANCH) == successor

    def test_a_delete_that_is_reported_as_failed_is_recognised(self, hand: Hand) -> None:
        slow = hand.start(branches.delete_branch_by_tombstone, BRANCH).until(kv.SetIf)
        reported_as_failed(hand, slow).finish()
        with pytest.raises(BranchNotFound):
            hand.run(branches.get_branch, BRANCH)

    def test_a_record_that_is_gone_altogether_is_not_its_tombstone(self, hand: Hand) -> None:
        slow = hand.start(branches.delete_branch_by_tombstone, BRANCH).until(kv.SetIf)
        hand.run(branches.delete_branch, BRANCH)
        with pytest.raises(RefChanged):
            slow.finish()


class TestNames:
    def test_of_two_that_create_a_branch_at_once_one_is_refused(self, hand: Hand) -> None:
        slow = hand.start(branches.create_branch, "c", MAIN).until(kv.SetIf)
        fast = hand.run(branches.create_branch, "c", BRANCH)
        with pytest.raises(BranchExists):
            slow.finish()
        assert hand.run(branches.get_branch, "c") == fast

    @pytest.mark.parametrize("name", ["", "a/b", "a\0b"])
    def test_what_can_be_no_name_is_refused_and_nothing_written(self, hand: Hand, name: str) -> None:
        before = dict(hand.cells)
        with pytest.raises(Exception, match=r"branch id .*: expected"):
            hand.run(branches.create_branch, name, MAIN)
        assert hand.cells == before

    @settings(max_examples=30, deadline=None)
    @given(st.sets(st.text("ab-_9", min_size=1, max_size=4), max_size=6), st.integers(0, 3))
    def test_branches_are_listed_by_id_and_nothing_else_is(self, names: set[str], batch_size: int) -> None:
        hand = Hand.founded()
        hand.run(tags.create_tag, "a", MAIN)
        for name in names - {BRANCH}:
            hand.run(branches.create_branch, name, MAIN)
        found = [branch.branch_id for branch in hand.run(branches.list_branches, batch_size=batch_size)]
        assert found == sorted(names | {BRANCH, MAIN})


class TestUpdate:
    def test_neither_side_may_be_missing(self, hand: Hand) -> None:
        before = dict(hand.cells)
        with pytest.raises(BranchNotFound):
            hand.run(branches.update_branch, "nothing", MAIN)
        with pytest.raises(RefNotFound):
            hand.run(branches.update_branch, BRANCH, "nothing")
        assert hand.cells == before

    def test_a_branch_that_is_deleted_meanwhile_is_not_brought_back(self, hand: Hand) -> None:
        slow = hand.start(branches.update_branch, BRANCH, MAIN).until(kv.SetIf)
        hand.run(branches.delete_branch, BRANCH)
        with pytest.raises(RefChanged):
            slow.finish()
        with pytest.raises(BranchNotFound):
            hand.run(branches.get_branch, BRANCH)

    def test_what_is_sealed_stays_sealed(self, hand: Hand) -> None:
        hand.run(writing.set_entry, BRANCH, b"x", b"1")
        committer = hand.start(lock_free.commit, BRANCH, "m").step(2)
        hand.run(writing.set_entry, MAIN, b"m", b"1")
        ahead = hand.run(lock_free.commit, MAIN, "ahead")
        hand.run(branches.update_branch, BRANCH, MAIN)
        assert hand.content() == {b"m": b"1", b"x": b"1"}
        assert committer.finish().parents == (ahead.commit_id,)
        assert hand.content() == {b"m": b"1", b"x": b"1"}
