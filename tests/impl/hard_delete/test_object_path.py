"""Staged data on a path of branch and token: what its text says, alone; then its races, step by step."""

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof import Scenario
from lakeproof.explore.search import search
from lakeproof.impl.catalog.errors import AddressNotAllowed, DataGone
from lakeproof.impl.catalog.objects import Linking, upload_and_link
from lakeproof.impl.hard_delete import object_path as flows
from lakeproof.impl.hard_delete._staging_area import DELETED, staged_address, staged_change
from lakeproof.impl.refs.errors import BranchNotFound, GravelerError, PathNotFound
from lakeproof.model import kv, objects
from lakeproof.model.catalog import decode_object_entry
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.invariants import data, violations
from lakeproof.model.references import repositories
from lakeproof.scenarios._branch_data import BRANCH, MAIN, X, Y
from lakeproof.scenarios.hard_delete_object_path import SCENARIOS as CATALOGUED
from lakeproof.scenarios.hard_delete_object_path import as_staged
from tests.impl.graveler.hand import Hand

ASIDE = flows.Reading(issues="aside", overwrites=False)


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


def stored(hand: Hand) -> dict[str, bytes]:
    """The objects of users, by address under ``data/``."""
    found = hand.snapshot().objects
    return {at.removeprefix("mem://r/data/"): each.content for at, each in found.items() if "/data/" in at}


def contents(hand: Hand, branch_id: str = BRANCH) -> dict[bytes, bytes]:
    """What a branch shows, by path."""
    shown = hand.run(flows.list_objects, branch_id)
    return {path: hand.snapshot().objects[f"mem://r/{entry.address}"].content for path, entry in shown}


def broken(hand: Hand) -> set[str]:
    """The invariants of committed data that do not hold."""
    checked = (data.committed_data_is_kept, data.committed_data_is_unchanged)
    return {each.invariant for invariant in checked for each in violations(invariant.check(as_staged(hand.snapshot())))}


class TestPaths:
    def test_an_object_lies_under_its_branch_token_and_path(self, hand: Hand) -> None:
        hand.run(flows.upload_object, BRANCH, b"x/y.z", b"1")
        assert stored(hand) == {f"b/{hand.branch().staging_token}/x/y.z": b"1"}
        assert not [key for _, key in hand.snapshot().store if key.startswith(b"key/")]

    @given(st.binary(min_size=1), st.binary(min_size=1))
    def test_every_path_has_an_address_of_its_own(self, one: bytes, other: bytes) -> None:
        at = [staged_address(BranchID("b"), StagingToken("t"), path) for path in (one, other)]
        assert (at[0] == at[1]) == (one == other)
        assert all(each.startswith(staged_address(BranchID("b"), StagingToken("t"))) for each in at)

    @given(st.binary(min_size=1), st.binary(min_size=1).filter(DELETED.__ne__))
    def test_a_listing_tells_the_path_back(self, path: bytes, content: bytes) -> None:
        hand = Hand.founded()
        hand.run(flows.upload_object, BRANCH, path, content)
        assert contents(hand) == {path: content}

    def test_what_a_listing_tells_is_the_entry(self) -> None:
        head = objects.Head("mem://r/data/b/t/x", 3, "e", 5)
        change = staged_change(BranchID("b"), StagingToken("t"), X, head)
        assert change.data is not None
        entry = decode_object_entry(change.data)
        assert (entry.address, entry.e_tag, entry.size_bytes, entry.last_modified) == ("data/b/t/x", "e", 3, 5)


class TestAlone:
    @pytest.mark.parametrize("overwrites", [True, False])
    @given(
        words=st.lists(st.tuples(st.sampled_from(("put", "delete", "copy", "move", "commit", "reset")), st.booleans()))
    )
    def test_a_branch_shows_what_a_dictionary_would(self, overwrites: bool, words: list[tuple[str, bool]]) -> None:
        hand, shown, committed = Hand.founded(), dict[bytes, bytes](), dict[bytes, bytes]()
        reading = flows.Reading(overwrites=overwrites, tidies=True)
        for number, (word, flip) in enumerate(words):
            path, other = (X, Y) if flip else (Y, X)
            if word == "put":
                shown[path] = str(number).encode()
                hand.run(flows.upload_object, BRANCH, path, shown[path], reading=reading)
            elif word == "commit":
                hand.run(flows.commit, BRANCH, "m", reading=reading)
                committed = dict(shown)
            elif word == "reset":
                hand.run(flows.reset_branch, BRANCH)
                shown = dict(committed)
            elif path not in shown:
                with pytest.raises(PathNotFound):
                    hand.run(flows.delete_object, BRANCH, path, reading=reading)
            elif word == "delete":
                hand.run(flows.delete_object, BRANCH, path, reading=reading)
                del shown[path]
            else:
                flow = flows.copy_object if word == "copy" else flows.move_object
                args = (other, BRANCH, path) if word == "copy" else (path, other)
                hand.run(flow, BRANCH, *args, reading=reading)
                shown[other] = shown[path] if word == "copy" else shown.pop(path)
        assert contents(hand) == shown
        for path in (X, Y):
            if path in shown:
                assert hand.run(flows.read_object, BRANCH, path) == shown[path]
        assert broken(hand) == set()
        hand.run(flows.commit, BRANCH, "m", reading=reading)
        (view,) = repositories(as_staged(hand.snapshot()))
        assert data.garbage(view) == ()

    def test_an_upload_of_what_a_tombstone_holds_is_a_deletion(self, hand: Hand) -> None:
        hand.run(flows.upload_object, BRANCH, X, DELETED)
        assert contents(hand) == {}

    def test_a_committed_object_stays_where_it_was_staged(self, hand: Hand) -> None:
        hand.run(flows.upload_object, BRANCH, X, b"1")
        before = stored(hand)
        hand.run(flows.commit, BRANCH, "m")
        assert stored(hand) == before
        assert contents(hand) == {X: b"1"}

    def test_a_deletion_of_a_committed_path_is_a_tombstone_object(self, hand: Hand) -> None:
        hand.run(flows.upload_object, BRANCH, X, b"1")
        hand.run(flows.commit, BRANCH, "m")
        hand.run(flows.delete_object, BRANCH, X)
        assert sorted(stored(hand).values()) == [DELETED, b"1"]
        assert contents(hand) == {}
        hand.run(flows.commit, BRANCH, "m")
        assert contents(hand) == {}

    def test_without_tombstones_a_committed_path_cannot_be_deleted(self, hand: Hand) -> None:
        hand.run(flows.upload_object, BRANCH, X, b"1")
        hand.run(flows.commit, BRANCH, "m")
        with pytest.raises(PathNotFound):
            hand.run(flows.delete_object, BRANCH, X, reading=flows.DELETES_OBJECT)
        hand.run(flows.upload_object, BRANCH, Y, b"2")
        hand.run(flows.delete_object, BRANCH, Y, reading=flows.DELETES_OBJECT)
        assert contents(hand) == {X: b"1"}

    @pytest.mark.parametrize(("reading", "left"), [(flows.AS_WRITTEN, 1), (flows.ALL_TOKENS, 0)])
    def test_with_a_branch_goes_what_is_under_its_current_token_or_under_all(
        self, hand: Hand, reading: flows.Reading, left: int
    ) -> None:
        hand.run(flows.upload_object, BRANCH, X, b"1")
        hand.start(flows.commit, BRANCH, "m").step(2)  # sealed, and there it stops
        hand.run(flows.upload_object, BRANCH, Y, b"2")
        hand.run(flows.delete_branch, BRANCH, reading=reading, batch_size=1)
        assert len(stored(hand)) == left

    def test_an_object_from_elsewhere_is_copied_or_refused(self, hand: Hand) -> None:
        hand.cells = {**hand.cells, ("object", "ext://o"): objects.StoredObject(b"o")}
        hand.run(flows.stage_object, BRANCH, X, "ext://o", b"o")
        assert contents(hand) == {X: b"o"}
        with pytest.raises(AddressNotAllowed):
            hand.run(flows.stage_object, BRANCH, X, "ext://o", b"o", reading=flows.Reading(ingests="refuse"))
        for address, content in (("ext://o", b"another"), ("ext://none", b"o")):
            with pytest.raises(DataGone):
                hand.run(flows.stage_object, BRANCH, Y, address, content)

    def test_a_grant_is_the_path_itself_and_good_for_no_other(self, hand: Hand) -> None:
        grant = hand.run(flows.get_physical_address, BRANCH, X)
        with pytest.raises(DataGone):
            hand.run(flows.link_physical_address, BRANCH, X, grant, b"1")
        with pytest.raises(AddressNotAllowed):
            hand.run(flows.link_physical_address, BRANCH, Y, grant, b"1")
        hand.run(
            upload_and_link, BRANCH, X, b"1", through=Linking(flows.get_physical_address, flows.link_physical_address)
        )
        assert contents(hand) == {X: b"1"}

    def test_an_object_put_aside_is_moved_by_its_link(self, hand: Hand) -> None:
        aside = Linking(
            partial(flows.get_physical_address, reading=ASIDE), partial(flows.link_physical_address, reading=ASIDE)
        )
        hand.run(upload_and_link, BRANCH, X, b"1", through=aside)
        assert contents(hand) == {X: b"1"}
        assert len(stored(hand)) == 1

    @pytest.mark.parametrize("flow", [flows.upload_object, flows.reset_branch, flows.delete_branch])
    def test_nothing_can_be_done_on_a_branch_that_is_not_there(self, hand: Hand, flow: Any) -> None:  # type: ignore[explicit-any]
        args = (X, b"1") if flow is flows.upload_object else ()
        with pytest.raises(BranchNotFound):
            hand.run(flow, BranchID("none"), *args)


class TestRaces:
    @pytest.mark.parametrize(
        ("reading", "lost"), [(flows.AS_WRITTEN, {"committed-data-is-unchanged"}), (flows.IMMUTABLE, set[str]())]
    )
    def test_the_blocker_a_write_that_comes_after_the_commit_changes_it_unless_paths_are_written_once(
        self, hand: Hand, reading: flows.Reading, lost: set[str]
    ) -> None:
        hand.run(flows.upload_object, BRANCH, X, b"1")
        writing = hand.start(flows.upload_object, BRANCH, X, b"2", reading=reading).until(objects.Put)
        hand.run(flows.commit, BRANCH, "m")
        writing.finish()
        assert broken(hand) == lost
        assert contents(hand) == {X: b"2"}

    @pytest.mark.parametrize(("reading", "shown"), [(flows.AS_WRITTEN, {X: b"1"}), (flows.SINGLE_READ, {})])
    def test_a_write_that_comes_after_the_listing_is_lost_unless_the_branch_is_read_again(
        self, hand: Hand, reading: flows.Reading, shown: dict[bytes, bytes]
    ) -> None:
        writing = hand.start(flows.upload_object, BRANCH, X, b"1", reading=reading).until(objects.Put)
        hand.run(flows.commit, BRANCH, "m")
        writing.finish()
        assert contents(hand) == shown

    @pytest.mark.parametrize(("compares", "lost"), [(False, {"committed-data-is-kept"}), (True, set[str]())])
    def test_what_was_committed_and_branched_meanwhile_is_deleted_with_the_branch_unless_it_is_compared(
        self, hand: Hand, compares: bool, lost: set[str]
    ) -> None:
        hand.run(flows.upload_object, BRANCH, X, b"1")
        deleting = hand.start(flows.delete_branch, BRANCH, reading=flows.Reading(compares=compares)).step()
        hand.run(flows.commit, BRANCH, "m")
        hand.run(flows.create_branch, BranchID("c"), BRANCH)
        if compares:
            with pytest.raises(GravelerError):
                deleting.finish()
        else:
            deleting.finish()
        assert broken(hand) == lost

    def test_who_finds_the_path_taken_seals_the_token_and_so_may_two_of_them(self, hand: Hand) -> None:
        hand.run(flows.upload_object, BRANCH, X, b"1")
        first = hand.start(flows.upload_object, BRANCH, X, b"2", reading=flows.IMMUTABLE).until(kv.SetIf)
        hand.run(flows.upload_object, BRANCH, X, b"3", reading=flows.IMMUTABLE)
        first.finish()
        assert contents(hand) == {X: b"2"}
        assert len(hand.branch().sealed_tokens) == 2
        hand.run(flows.commit, BRANCH, "m", reading=flows.IMMUTABLE)
        assert list(stored(hand).values()) == [b"2"]

    def test_a_link_of_a_path_that_was_committed_meanwhile_is_a_copy(self, hand: Hand) -> None:
        grant = hand.run(flows.get_physical_address, BRANCH, X)
        hand.cells = {**hand.cells, ("object", grant.address): objects.StoredObject(b"1")}
        hand.run(flows.commit, BRANCH, "m")
        entry = hand.run(flows.link_physical_address, BRANCH, X, grant, b"1")
        assert entry.address != grant.address.removeprefix("mem://r/")
        assert contents(hand) == {X: b"1"}


class TestAsStaged:
    def test_it_shows_what_the_flows_list_and_no_tombstones(self, hand: Hand) -> None:
        hand.run(flows.upload_object, BRANCH, X, b"1")
        hand.run(flows.upload_object, BRANCH, Y, b"2")
        hand.run(flows.delete_object, BRANCH, Y)
        (view,) = repositories(as_staged(hand.snapshot()))
        assert {each.path for each in view.staged_references(BRANCH)} == {X}
        assert view.shown(BRANCH)[Y].data is None
        assert data.garbage(view) == ()
        assert not view.staged_references(MAIN)

    def test_without_a_branch_there_is_nothing_staged(self, hand: Hand) -> None:
        hand.run(flows.upload_object, BRANCH, X, b"1")
        hand.start(flows.delete_branch, BRANCH).step(2)
        (view,) = repositories(as_staged(hand.snapshot()))
        assert len(data.garbage(view)) == 1


SMALL = [each for each in CATALOGUED if (not each.deep and "delayed" in each.name) or "write-during" in each.name]


@pytest.mark.deep  # `lakeproof verify` runs them, with the same expectations
@pytest.mark.parametrize("scenario", SMALL, ids=lambda each: each.name)
def test_the_search_says_what_the_catalogue_expects(scenario: Scenario) -> None:
    findings = search(scenario).findings
    found = {finding.id: finding.verdict for finding in findings if finding.id in scenario.named_ids}
    assert found == {invariant_id: scenario.expected(invariant_id) for invariant_id in scenario.named_ids}


def test_no_scenario_asks_whether_staged_data_is_kept() -> None:
    assert all("staged-data-is-kept" not in each.named_ids for each in CATALOGUED)
