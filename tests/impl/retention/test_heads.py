"""A log of heads: what a mover writes, when a run adds the time, and what is kept by it."""

import pytest

from lakeproof.designs._retention import FIRST, OTHER, RULES, B, E
from lakeproof.designs.branch_designs import BRANCH
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.errors import BranchNotFound, RefChanged
from lakeproof.impl.retention import heads, runs
from lakeproof.impl.retention.left import left_heads
from lakeproof.model import kv
from lakeproof.model.retention import Left, Rules
from tests.impl.hand import NOW, Hand
from tests.impl.retention.test_retention import IN_E, founded


def records(hand: Hand) -> tuple[Left, ...]:
    found: tuple[Left, ...] = hand.run(left_heads, 0)
    return found


def test_by_dates_what_a_branch_was_moved_away_from_is_marked_at_once() -> None:
    hand = founded("branch")
    hand.run(branches.update_branch, OTHER, FIRST.commit_id)
    assert hand.run(runs.mark, RULES, "1") == (IN_E,)


def test_with_the_log_it_is_kept_and_the_first_run_adds_the_time() -> None:
    hand = founded("branch")
    hand.run(heads.update_branch, OTHER, FIRST.commit_id)
    assert records(hand) == (Left(OTHER, E.commit_id, None),)
    assert hand.run(heads.mark, RULES, "1") == ()
    assert records(hand) == (Left(OTHER, E.commit_id, NOW),)
    assert hand.run(heads.mark, Rules(0), "2") == (IN_E,)


def test_a_deleted_branch_leaves_its_head_and_may_be_created_again() -> None:
    hand = founded("branch")
    hand.run(heads.delete_branch, OTHER)
    with pytest.raises(BranchNotFound):
        hand.run(branches.get_branch, OTHER)
    assert hand.run(heads.mark, RULES, "1") == ()
    assert hand.run(heads.create_branch, OTHER, FIRST.commit_id).commit_id == FIRST.commit_id
    assert hand.run(heads.mark, RULES, "2") == ()


def test_a_mover_that_comes_too_late_is_refused_and_his_record_gets_a_time_once_the_head_is_another() -> None:
    hand = founded("line")
    slow = hand.start(heads.update_branch, BRANCH, FIRST.commit_id).until(kv.SetIf)
    hand.run(heads.update_branch, BRANCH, B.parents[0])
    with pytest.raises(RefChanged):
        slow.finish()
    hand.run(heads.mark, RULES, "1")
    assert {each.time for each in records(hand)} == {NOW}


def test_the_rule_of_the_branch_counts_even_if_it_is_deleted() -> None:
    hand = founded("branch")
    hand.run(heads.delete_branch, OTHER)
    hand.run(heads.mark, RULES, "1")
    assert hand.run(runs.mark, Rules(7, ((OTHER, 0),)), "2", reading=heads.AS_WRITTEN) == (IN_E,)
