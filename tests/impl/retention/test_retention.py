"""Retention alone, step by step against users, and pinned; and what the catalogue expects of it."""

import pytest

from lakeproof.designs._retention import RULES, A, B, D, write_history
from lakeproof.designs.branch_designs import BRANCH, MAIN, REPOSITORY, X
from lakeproof.impl.catalog.errors import DataGone
from lakeproof.impl.refs.errors import BranchExists, NoParent
from lakeproof.impl.retention import pins as retention_pins
from lakeproof.impl.retention import runs as retention
from lakeproof.impl.retention.pins import CommitExpired
from lakeproof.impl.retention.runs import HeadNotFound, MarkNotFound, Reading
from lakeproof.model import keys
from lakeproof.model.committed import object_address
from lakeproof.model.invariants import Violation, violations
from lakeproof.model.invariants.retention import active_data_is_kept, only_expired, uncommitted_data_is_kept
from lakeproof.model.references import RepositoryView, repositories
from lakeproof.model.retention import Rules
from lakeproof.search.semantics import Cell
from tests.impl.hand import NOW, Hand

NAMESPACE = REPOSITORY.storage_namespace
IN_A, IN_D, IN_E = (f"{NAMESPACE}/data/{name}" for name in "ade")
ALL = ("line", "dangling", "branch")


def founded(*parts: str) -> Hand:
    hand = Hand()
    hand.run(write_history, parts)
    return hand


def view(hand: Hand) -> RepositoryView:
    (found,) = repositories(hand.snapshot())
    return found


def found_by(hand: Hand, *, rules: Rules = RULES) -> list[Violation]:
    seen = hand.snapshot()
    kept = [*active_data_is_kept(rules).check(seen), *uncommitted_data_is_kept.check(seen)]
    return list(violations(kept))


def without(hand: Hand, key: str | bytes) -> None:
    """Take a key, or an object, away."""
    hand.cells = {cell: value for cell, value in hand.cells.items() if cell[-1] != key}


class TestAlone:
    def test_a_run_deletes_just_what_only_expired_commits_refer_to(self) -> None:
        hand = founded(*ALL)
        expected = only_expired(view(hand), RULES, NOW)
        before = set(view(hand).data())
        assert hand.run(retention.mark, RULES, "1") == (IN_A, IN_D) == tuple(sorted(expected))
        assert set(view(hand).data()) == before  # a mark deletes nothing
        assert hand.run(retention.sweep, "1") == (IN_A, IN_D)
        assert set(view(hand).data()) == before - expected
        assert found_by(hand) == []

    @pytest.mark.parametrize("batch_size", [1, 2])
    def test_pages_change_nothing(self, batch_size: int) -> None:
        assert founded(*ALL).run(retention.mark, RULES, "1", batch_size=batch_size) == (IN_A, IN_D)

    def test_longer_rules_keep_more_and_those_of_a_branch_are_its_own(self) -> None:
        assert founded(*ALL).run(retention.mark, Rules(31), "1") == ()
        assert founded(*ALL).run(retention.mark, Rules(7, ((MAIN, 21),)), "1") == (IN_D,)

    def test_there_is_no_sweep_without_a_mark(self) -> None:
        hand = founded("line")
        hand.run(retention.mark, RULES, "1")
        with pytest.raises(MarkNotFound):
            hand.run(retention.sweep, "2")

    def test_an_expired_commit_that_cannot_be_read_does_not(self) -> None:
        hand = founded("line", "dangling")
        without(hand, object_address(NAMESPACE, D.meta_range_id))
        assert hand.run(retention.mark, RULES, "1") == (IN_A,)

    def test_a_head_without_a_record_stops_the_run_unless_it_is_lenient(self) -> None:
        hand = founded("line")
        without(hand, keys.commit_key(B.commit_id))
        with pytest.raises(HeadNotFound):
            hand.run(retention.mark, RULES, "1")
        assert hand.run(retention.mark, RULES, "1", reading=Reading(strict=False)) == (IN_A,)

    def test_a_full_copy_of_what_is_gone_is_refused_and_an_entry_is_not(self) -> None:
        hand = founded("line")
        hand.run(retention.mark, RULES, "1")
        hand.run(retention.sweep, "1")
        with pytest.raises(DataGone):
            hand.run(retention.restore_object, BRANCH, X, A.commit_id, reading=Reading(full=True))
        assert found_by(hand) == []
        hand.run(retention.restore_object, BRANCH, X, A.commit_id)
        assert len(found_by(hand)) == 1


class TestPinned:
    @pytest.mark.parametrize(
        "use",
        [
            (retention_pins.create_branch, "c", A.commit_id),
            (retention_pins.update_branch, BRANCH, A.commit_id),
            (retention_pins.create_tag, "t", A.commit_id),
            (retention_pins.revert, BRANCH, BRANCH, "V"),
            (retention_pins.restore_object, BRANCH, X, A.commit_id),
            (retention_pins.merge, BRANCH, D.commit_id, "M"),
        ],
        ids=lambda use: use[0].__name__,
    )
    def test_what_is_condemned_is_refused_and_what_is_used_is_pardoned(self, use: tuple[object, ...]) -> None:
        flow, *args = use
        hand = founded(*ALL)
        before = view(hand)
        hand.run(retention_pins.mark, RULES, "1")
        with pytest.raises(CommitExpired):
            hand.run(flow, *args)
        after = view(hand)
        assert (before.branches, before.tags, before.commits) == (after.branches, after.tags, after.commits)
        assert not pins(hand)  # taken back

        hand = founded(*ALL)
        user = hand.start(flow, *args)
        while not pins(hand):
            user.step()
        user.step()  # it looks for a sentence, and sees none
        marked = hand.run(retention_pins.mark, RULES, "1")
        user.finish()
        hand.run(retention.sweep, "1")
        assert (IN_D if flow is retention_pins.merge else IN_A) not in marked
        assert found_by(hand) == []

    def test_after_a_refusal_of_its_own_a_user_leaves_no_pin(self) -> None:
        hand = founded(*ALL)
        with pytest.raises(BranchExists):
            hand.run(retention_pins.create_branch, BRANCH, A.commit_id)
        with pytest.raises(NoParent):
            hand.run(retention_pins.revert, BRANCH, view(hand).commits[A.commit_id].parents[0], "V")
        assert not pins(hand)

    def test_a_second_run_pardons_only_what_it_has_condemned_itself(self) -> None:
        hand = founded("line")
        hand.run(retention_pins.mark, RULES, "1")
        user = hand.start(retention_pins.create_branch, "c", A.commit_id)
        while not pins(hand):
            user.step()
        hand.run(retention_pins.mark, RULES, "2")  # sees the pin
        with pytest.raises(CommitExpired):
            user.finish()


def pins(hand: Hand) -> list[Cell]:
    return [cell for cell in hand.cells if isinstance(cell[-1], bytes) and cell[-1].startswith(retention_pins.PINS)]
