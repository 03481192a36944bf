"""Heads that were left: what a record keeps, and the invariant that sees the loss of what one would have kept."""

import attrs
import pytest

from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.invariants.data import committed_data_is_kept
from lakeproof.model.invariants.retention import past_head_data_is_kept
from lakeproof.model.records import RepositoryState
from lakeproof.model.retention import DAY, Left, Rules, active, remembered_commits
from tests.impl.records import REPOSITORY, held
from tests.model.test_branch_invariants import verdict
from tests.model.test_invariants_retention import snapshot
from tests.model.test_retention import FEATURE, MAIN, NOW, commit, history

LINE = history(commit("A", 30), commit("B", 20, "A"), commit("C", 5, "B"), commit("D", 2, "C"))
WEEK = Rules(7, ((FEATURE, 1),))


def kept(*left: Left) -> str:
    return "".join(sorted(remembered_commits(LINE, left, WEEK, NOW)))


@pytest.mark.parametrize(
    ("days", "expected"),
    [(0, "B"), (6.9, "B"), (7, ""), (8, "")],
    ids=["just now", "within the week", "a week ago", "earlier"],
)
def test_an_old_commit_is_kept_until_it_has_been_left_for_the_days_of_its_branch(days: float, expected: str) -> None:
    assert kept(Left(MAIN, CommitID("B"), NOW - int(days * DAY))) == expected


def test_of_its_line_it_keeps_what_a_head_keeps() -> None:
    # C came five days ago: within the week, B was the head, too.
    assert kept(Left(MAIN, CommitID("D"), NOW - DAY)) == "BCD"
    assert kept(Left(FEATURE, CommitID("D"), NOW)) == "D"  # one day


def test_without_a_time_it_is_kept_in_any_case_and_a_commit_that_is_gone_keeps_nothing() -> None:
    assert kept(Left(FEATURE, CommitID("A"), None)) == "A"
    assert kept(Left(MAIN, CommitID("gone"), NOW)) == ""
    assert kept() == ""


def test_by_dates_alone_a_head_that_was_left_just_now_is_expired() -> None:
    old = history(commit("A", 30), commit("B", 20, "A"))
    assert active(old, {MAIN: CommitID("A")}, WEEK, NOW) == {CommitID("A")}
    assert remembered_commits(old, [Left(MAIN, CommitID("B"), NOW)], WEEK, NOW) == {CommitID("B")}


HEADS = {MAIN: CommitID("B")}
TWO = {"A": (30, "", "a"), "B": (20, "A", "b")}


@pytest.mark.parametrize(
    ("head", "there", "expected"),
    [
        ("A", "ab", "holds"),
        ("A", "a", "violated"),
        ("B", "ab", "untested"),  # main has not left it
        ("B", "a", "violated"),
    ],
)
def test_what_a_branch_had_a_moment_ago_is_there(head: str, there: str, expected: str) -> None:
    invariant = past_head_data_is_kept(WEEK, HEADS, NOW)
    assert verdict(invariant.check(snapshot(TWO, {"main": head}, there))) == expected


def test_a_deleted_branch_has_left_its_head_too() -> None:
    invariant = past_head_data_is_kept(WEEK, {BranchID("gone"): CommitID("B")}, NOW)
    assert verdict(invariant.check(snapshot(TWO, {"main": "A"}, "ab"))) == "holds"
    lost = snapshot(TWO, {"main": "A"}, "a")
    assert verdict(invariant.check(lost)) == "violated"
    deleted = held(attrs.evolve(REPOSITORY, state=RepositoryState.DELETED))
    assert verdict(invariant.check(attrs.evolve(lost, store={**lost.store, **deleted}))) == "untested"


@pytest.mark.parametrize("lost", ["its record", "its metarange"])
def test_a_commit_that_cannot_be_read_has_lost_its_data(lost: str) -> None:
    full = snapshot(TWO, {"main": "A"}, "ab")
    at = {address: each for address, each in full.store.items() if lost != "its record" or address[1] != b"commits/B"}
    objects = {address: each for address, each in full.objects.items() if lost == "its record" or "data" in address}
    assert verdict(past_head_data_is_kept(WEEK, HEADS, NOW).check(attrs.evolve(full, store=at, objects=objects))) == (
        "violated"
    )


@pytest.mark.parametrize("lost", [b"commits/A", b"commits/B"])
def test_data_of_a_reachable_commit_without_a_record_is_not_kept(lost: bytes) -> None:
    full = snapshot(TWO, {"main": "B"}, "ab")
    at = {address: each for address, each in full.store.items() if address[1] != lost}
    assert verdict(committed_data_is_kept.check(full)) == "holds"
    assert verdict(committed_data_is_kept.check(attrs.evolve(full, store=at))) == "violated"


def test_after_its_days_nothing_is_asked() -> None:
    invariant = past_head_data_is_kept(WEEK, HEADS, NOW - 7 * DAY)
    assert verdict(invariant.check(snapshot(TWO, {"main": "A"}, "a"))) == "untested"
