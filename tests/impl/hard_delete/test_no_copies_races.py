"""Proposal 5: the races that the text names, and those that it does not, step by step."""

from functools import partial
from typing import Any, Final

import pytest

from lakeproof.explore.search import search
from lakeproof.impl.catalog.errors import EntryLocked
from lakeproof.impl.catalog.objects import stage_again
from lakeproof.impl.hard_delete import no_copies as flows
from lakeproof.impl.refs.errors import WriteNotSettled
from lakeproof.impl.staging import get_staged
from lakeproof.model import kv
from lakeproof.scenarios._branch_data import BRANCH, X, Y, Z
from lakeproof.scenarios.hard_delete_no_copies import SCENARIOS as CATALOGUED
from tests.impl.graveler.hand import Hand
from tests.impl.hard_delete.one_entry import broken, mark, read, upload

KEY: Final = b"key/x"


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


again = partial(stage_again, stage=flows.stage_object)


def test_commit_move_race_leaves_an_uncommitted_entry_that_points_to_a_committed_address(hand: Hand) -> None:
    upload(hand)
    move = hand.start(flows.move_object, BRANCH, X, Y).until(kv.SetIf).step()
    hand.run(flows.commit, BRANCH, "m")
    move.finish()
    assert broken(hand) == {"address-has-one-entry"}
    hand.run(flows.reset_branch, BRANCH)
    assert broken(hand) == {"committed-data-is-kept"}


def test_a_move_under_the_token_of_the_lock_notices_the_commit(hand: Hand) -> None:
    upload(hand)
    move = hand.start(flows.move_object, BRANCH, X, Y, reading=flows.MOVE_SAME_TOKEN).until(kv.SetIf).step()
    hand.run(flows.commit, BRANCH, "m")
    with pytest.raises(WriteNotSettled):
        move.finish()
    hand.run(flows.reset_branch, BRANCH)
    assert not broken(hand)
    assert read(hand) == b"1"


@pytest.mark.parametrize("locks", [False, True])
def test_delete_move_race_is_resolved_by_locking_in_the_delete(hand: Hand, locks: bool) -> None:
    upload(hand)
    reading = flows.Reading(delete_locks=locks)
    delete = hand.start(flows.delete_object, BRANCH, X, reading=reading)
    delete = delete.until(kv.Get, KEY).step().until(kv.Get, KEY).step()
    move = hand.start(flows.move_object, BRANCH, X, Y).until(kv.SetIf).step().until(kv.Set).step()
    if locks:
        with pytest.raises(EntryLocked):
            delete.finish()
    else:
        delete.finish()
    move.finish()
    assert broken(hand) == (set() if locks else {"staged-data-is-kept"})


@pytest.mark.parametrize("locks", [False, True])
def test_concurrent_moves_make_two_entries_unless_they_lock(hand: Hand, locks: bool) -> None:
    upload(hand)
    reading = flows.Reading(move_locks=locks)
    first = hand.start(flows.move_object, BRANCH, X, Y, reading=reading)
    first = first.until(kv.SetIf).step() if locks else first.until(kv.Set)
    if locks:
        with pytest.raises(EntryLocked):
            hand.run(flows.move_object, BRANCH, X, Z, reading=reading)
    else:
        hand.run(flows.move_object, BRANCH, X, Z, reading=reading)
    first.finish()
    assert broken(hand) == (set() if locks else {"address-has-one-entry"})


def test_stale_lock_refuses_for_ever_and_one_with_a_time_does_not(hand: Hand) -> None:
    for lease, mine in ((0, "true"), (-1, None)):
        reading = flows.Reading(lease=lease)
        upload(hand, reading=reading)
        hand.start(flows.move_object, BRANCH, X, Y, reading=reading).until(kv.SetIf).step()
        if mine:
            assert mark(hand) == mine
            with pytest.raises(EntryLocked):
                hand.run(flows.delete_object, BRANCH, X)
        else:
            hand.run(flows.delete_object, BRANCH, X, reading=reading)
            assert hand.content() == {}
        hand.run(flows.reset_branch, BRANCH, reading=reading)


@pytest.mark.parametrize(("checks_token", "lost"), [(False, True), (True, False)])
def test_a_delete_of_what_is_being_committed_loses_it_unless_the_token_is_checked(
    hand: Hand, checks_token: bool, lost: bool
) -> None:
    upload(hand)
    reading = flows.Reading(delete_checks_token=checks_token)
    delete = hand.start(flows.delete_object, BRANCH, X, reading=reading).until(kv.SetIf).step()
    hand.run(flows.commit, BRANCH, "m")
    delete.finish()
    assert broken(hand) == ({"committed-data-is-kept"} if lost else set())


@pytest.mark.parametrize(("fresh", "lost"), [(False, True), (True, False)])
def test_a_reset_deletes_the_object_of_an_upload_that_has_not_looked_again(hand: Hand, fresh: bool, lost: bool) -> None:
    reading = flows.Reading(fresh=fresh)
    uploading = hand.start(flows.upload_object, BRANCH, X, b"1", reading=reading).until(kv.Set).step()
    hand.run(flows.reset_branch, BRANCH)
    uploading.finish()
    assert broken(hand) == ({"staged-data-is-kept"} if lost else set())


@pytest.mark.parametrize(("claims", "lost"), [(False, True), (True, False)])
def test_a_drop_that_has_looked_for_a_lock_deletes_what_is_moved_since(hand: Hand, claims: bool, lost: bool) -> None:
    upload(hand)
    move = hand.start(flows.move_object, BRANCH, X, Y).until(kv.SetIf)
    reset = hand.start(flows.reset_branch, BRANCH, reading=flows.Reading(claims=claims)).until(kv.ScanBatch).step()
    move.step()
    reset.finish()
    move.finish()
    assert broken(hand) == ({"staged-data-is-kept"} if lost else set())


def test_a_signature_does_not_say_that_an_address_was_used_already(hand: Hand) -> None:
    upload(hand)
    hand.run(flows.commit, BRANCH, "m")
    hand.run(again, BRANCH, X, X)
    hand.run(flows.delete_object, BRANCH, X, reading=flows.Reading(delete_checks_token=True))
    assert "committed-data-is-kept" in broken(hand)


async def _peek(env: Any, repository: Any, token: Any) -> Any:  # type: ignore[explicit-any]
    return await get_staged(env, token, X)


def test_a_locked_entry_is_committed_with_its_mark_and_is_not_locked_by_it(hand: Hand) -> None:
    upload(hand)
    hand.start(flows.delete_object, BRANCH, X).until(kv.SetIf).step()
    hand.run(flows.commit, BRANCH, "m")
    assert hand.run(_peek, hand.branch().staging_token) is None
    hand.run(flows.move_object, BRANCH, X, Y)
    assert mark(hand, Y) is None
    assert not broken(hand)


def test_names_of_scenarios_are_unique_and_every_refutation_has_its_reason() -> None:
    names = [scenario.name for scenario in CATALOGUED]
    assert len(set(names)) == len(names)
    assert all(scenario.reason for scenario in CATALOGUED if scenario.expect)


SAMPLE: Final = ("delete-move", "concurrent-move", "stale-lock/move/crash", "staged/reset-move", "upload-reset")


@pytest.mark.deep  # `lakeproof verify` runs them, with the same expectations
@pytest.mark.parametrize(
    "scenario",
    [each for each in CATALOGUED if not each.deep and each.name.split("/", 2)[2] in SAMPLE],
    ids=lambda scenario: scenario.name,
)
def test_the_search_finds_what_is_expected(scenario: Any) -> None:  # type: ignore[explicit-any]
    for finding in search(scenario).findings:
        assert finding.verdict == scenario.expected(finding.id), finding.id
