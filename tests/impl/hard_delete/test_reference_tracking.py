"""References with a state (proposal 3): what its text says, alone; then its races, step by step."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof import Scenario
from lakeproof.explore.search import search
from lakeproof.impl.catalog.errors import AddressNotAllowed, DataGone, GrantExpired
from lakeproof.impl.catalog.objects import Grant, read_object
from lakeproof.impl.hard_delete import reference_tracking as flows
from lakeproof.impl.hard_delete._reference_states import (
    Reference,
    State,
    decode_reference,
    encode_reference,
    mark,
    reference_key,
)
from lakeproof.impl.hard_delete.reference_tracking import AS_WRITTEN, KEEPS_COMMITTED, Reading
from lakeproof.impl.refs.errors import BranchNotFound, DefaultBranch, PathNotFound
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import kv
from lakeproof.model.identifiers import StagingToken
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.scenarios.hard_delete_reference_tracking import SCENARIOS as CATALOGUED
from tests.impl.graveler.hand import NOW, Hand

DUE: Mapping[str, int] = {"waits": -1}
"""A job for which every reference has been deleted for long enough."""


def states(hand: Hand) -> dict[tuple[str, str], str]:
    """The states of all references, by address and token."""
    prefix = reference_key("", StagingToken(""))[:-1]
    found = {}
    for (partition, key), value in hand.snapshot().store.items():
        if partition == uid_partition(REPOSITORY) and key.startswith(prefix):
            assert isinstance(value, bytes)
            address, _, token = key.removeprefix(prefix).decode().rpartition("/")
            found[address, token] = decode_reference(value).state.value
    return found


def data(hand: Hand) -> set[bytes]:
    """The contents of the objects of users."""
    return {found.content for address, found in hand.snapshot().objects.items() if "/data/" in address}


def upload(hand: Hand, path: bytes = X, content: bytes = b"1", branch: str = BRANCH) -> str:
    """Where the object of an upload lies."""
    return f"mem://r/{hand.run(flows.upload_object, branch, path, content).address}"


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


class TestReferences:
    @given(st.builds(Reference, st.sampled_from(State), st.integers(0, 1 << 60)))
    def test_a_reference_is_read_as_it_was_written(self, reference: Reference) -> None:
        assert decode_reference(encode_reference(reference)) == reference

    def test_what_is_no_reference_is_refused(self) -> None:
        with pytest.raises(ValueError, match="gone"):
            decode_reference(b"gone 1")

    @given(st.lists(st.sampled_from(State), min_size=1, max_size=6))
    def test_committed_is_terminal_and_the_last_of_the_others_wins(self, marks: list[State]) -> None:
        hand, token = Hand.founded(), StagingToken("t")
        for state in marks:
            hand.run(mark, "a", token, state)
        expected = State.COMMITTED if State.COMMITTED in marks else marks[-1]
        assert states(hand) == {("a", "t"): expected.value}

    def test_a_state_that_came_between_is_looked_at_again(self, hand: Hand) -> None:
        token = StagingToken("t")
        slow = hand.start(mark, "a", token, State.DELETED).until(kv.SetIf)
        hand.run(mark, "a", token, State.COMMITTED)
        assert slow.finish() is False
        assert states(hand) == {("a", "t"): "committed"}

    def test_a_reference_that_is_not_there_is_written_only_on_demand(self, hand: Hand) -> None:
        assert hand.run(mark, "a", StagingToken("t"), State.DELETED, creates=False) is False
        assert states(hand) == {}


class TestFlows:
    def test_an_upload_has_a_staged_reference_before_its_entry(self, hand: Hand) -> None:
        uploading = hand.start(flows.upload_object, BRANCH, X, b"1").until(kv.Set)
        assert list(states(hand).values()) == ["staged"]
        assert hand.content() == {}
        uploading.finish()
        assert hand.run(read_object, BRANCH, X) == b"1"

    def test_an_upload_over_another_marks_the_reference_of_that_one(self, hand: Hand) -> None:
        old, new = upload(hand), upload(hand, content=b"2")
        token = hand.branch().staging_token
        assert states(hand) == {(old, token): "deleted", (new, token): "staged"}

    def test_an_upload_over_a_committed_one_marks_nothing(self, hand: Hand) -> None:
        old = upload(hand)
        token = hand.branch().staging_token
        hand.run(flows.commit, BRANCH, "m")
        upload(hand, content=b"2")
        assert states(hand)[old, token] == "committed"

    def test_an_upload_to_no_branch_is_refused(self, hand: Hand) -> None:
        with pytest.raises(BranchNotFound):
            hand.run(flows.upload_object, "none", X, b"1")

    def test_an_object_outside_the_namespace_has_no_reference(self, hand: Hand) -> None:
        hand.run(flows.stage_object, BRANCH, X, "ext://o", b"o")
        hand.run(flows.reset_branch, BRANCH)
        assert states(hand) == {}

    def test_an_issued_address_has_a_deleted_reference_until_it_is_linked(self, hand: Hand) -> None:
        grant = hand.run(flows.get_physical_address, BRANCH, X)
        assert set(states(hand).values()) == {"deleted"}
        hand.run(flows.link_physical_address, BRANCH, X, grant, b"1")
        assert set(states(hand).values()) == {"staged"}

    def test_an_expired_address_is_not_linked(self, hand: Hand) -> None:
        grant = hand.run(flows.get_physical_address, BRANCH, X, validity=-1)
        with pytest.raises(GrantExpired):
            hand.run(flows.link_physical_address, BRANCH, X, grant, b"1")
        assert hand.content() == {}

    def test_an_address_elsewhere_is_not_linked(self, hand: Hand) -> None:
        with pytest.raises(AddressNotAllowed):
            hand.run(flows.link_physical_address, BRANCH, X, Grant("mem://other/data/o", expires=NOW + 1), b"1")

    @pytest.mark.parametrize("reading", [AS_WRITTEN, flows.DELETE_MARKS_FIRST])
    def test_a_delete_marks_the_reference_of_what_was_staged(self, hand: Hand, reading: Reading) -> None:
        upload(hand)
        hand.run(flows.delete_object, BRANCH, X, reading=reading)
        assert set(states(hand).values()) == {"deleted"}
        assert hand.content() == {}

    def test_a_delete_of_what_is_committed_marks_nothing(self, hand: Hand) -> None:
        upload(hand)
        hand.run(flows.commit, BRANCH, "m")
        hand.run(flows.delete_object, BRANCH, X, reading=flows.MARKS_CREATE)
        assert set(states(hand).values()) == {"committed"}

    def test_a_delete_of_nothing_is_refused(self, hand: Hand) -> None:
        with pytest.raises(PathNotFound):
            hand.run(flows.delete_object, BRANCH, X)

    @pytest.mark.parametrize("reading", [AS_WRITTEN, flows.COMMIT_MARKS_SEALED, flows.COMMIT_MARKS_LAST])
    def test_a_commit_marks_what_was_staged(self, hand: Hand, reading: Reading) -> None:
        upload(hand)
        hand.run(flows.commit, BRANCH, "m", reading=reading)
        assert set(states(hand).values()) == {"committed"}

    @pytest.mark.parametrize("flow", [flows.reset_branch, flows.delete_branch])
    def test_a_reset_and_a_deletion_mark_what_they_drop(self, hand: Hand, flow: object) -> None:
        upload(hand)
        hand.run(flow, BRANCH)
        assert set(states(hand).values()) == {"deleted"}

    def test_the_default_branch_is_not_deleted(self, hand: Hand) -> None:
        with pytest.raises(DefaultBranch):
            hand.run(flows.delete_branch, MAIN)

    def test_the_key_of_a_tombstone_is_found_only_by_looking_for_its_token(self, hand: Hand) -> None:
        upload(hand)
        hand.run(flows.delete_object, BRANCH, X)
        hand.run(flows.reset_branch, BRANCH, reading=flows.TOMBSTONES_REMOVE)
        assert states(hand) == {}
        assert hand.run(flows.background_job, **DUE) == 0
        assert data(hand) == {b"1"}


class TestJob:
    def test_it_deletes_what_all_references_have_given_up_and_then_their_keys(self, hand: Hand) -> None:
        upload(hand)
        hand.run(flows.delete_object, BRANCH, X)
        assert hand.run(flows.background_job, **DUE) == 1
        assert (data(hand), states(hand)) == (set(), {})

    def test_it_waits(self, hand: Hand) -> None:
        upload(hand)
        hand.run(flows.delete_object, BRANCH, X)
        assert hand.run(flows.background_job) == 0
        assert data(hand) == {b"1"}

    def test_it_spares_what_one_reference_holds(self, hand: Hand) -> None:
        upload(hand)
        hand.run(flows.copy_object, MAIN, X, BRANCH, X)
        hand.run(flows.reset_branch, BRANCH)
        assert hand.run(flows.background_job, **DUE) == 0
        assert hand.run(read_object, MAIN, X) == b"1"

    @pytest.mark.parametrize("batch_size", [0, 1, 2])
    def test_it_forgets_the_references_of_what_is_committed(self, hand: Hand, batch_size: int) -> None:
        upload(hand)
        hand.run(flows.copy_object, MAIN, X, BRANCH, X)
        hand.run(flows.commit, BRANCH, "m")
        hand.run(flows.reset_branch, MAIN)
        assert hand.run(flows.background_job, batch_size=batch_size, **DUE) == 0
        assert (data(hand), states(hand)) == ({b"1"}, {})

    def test_it_deletes_the_committed_key_last(self, hand: Hand) -> None:
        upload(hand)
        hand.run(flows.copy_object, MAIN, X, BRANCH, X)
        hand.run(flows.commit, BRANCH, "m")
        hand.run(flows.reset_branch, MAIN)
        hand.start(flows.background_job, **DUE).until(kv.Delete).step()
        assert list(states(hand).values()) == ["committed"]


class TestRaces:
    def test_a_move_alone_loses_the_object(self, hand: Hand) -> None:
        upload(hand)
        hand.run(flows.move_object, BRANCH, X, Y)
        assert hand.run(flows.background_job, **DUE) == 1
        with pytest.raises(DataGone):
            hand.run(read_object, BRANCH, Y)

    @pytest.mark.parametrize(("reading", "deleted"), [(AS_WRITTEN, 1), (KEEPS_COMMITTED, 0)])
    def test_a_copy_of_what_is_committed_and_a_reset_lose_it_unless_its_key_is_kept(
        self, hand: Hand, reading: Reading, deleted: int
    ) -> None:
        upload(hand)
        hand.run(flows.commit, BRANCH, "m")
        hand.run(flows.background_job, reading=reading, **DUE)
        hand.run(flows.copy_object, BRANCH, Y, BRANCH, X)
        hand.run(flows.reset_branch, BRANCH)
        assert hand.run(flows.background_job, reading=reading, **DUE) == deleted
        if deleted:
            with pytest.raises(DataGone):
                hand.run(read_object, BRANCH, X)

    def test_an_entry_staged_between_the_marks_and_the_swap_is_committed_unmarked(self, hand: Hand) -> None:
        committing = hand.start(flows.commit, BRANCH, "m").until(kv.SetIf)
        upload(hand)
        committing.finish()
        assert hand.run(read_object, BRANCH, X) == b"1"
        assert list(states(hand).values()) == ["staged"]

    @pytest.mark.parametrize("exchanges", [False, True])
    def test_of_two_uploads_one_is_forgotten_unless_they_exchange(self, hand: Hand, exchanges: bool) -> None:
        reading = flows.EXCHANGES if exchanges else AS_WRITTEN
        first = hand.start(flows.upload_object, BRANCH, X, b"1", reading=reading)
        first.until(kv.SetIf if exchanges else kv.Set, b"key/x")
        hand.run(flows.upload_object, BRANCH, X, b"2", reading=reading)
        first.finish()
        assert sorted(states(hand).values()) == (["deleted", "staged"] if exchanges else ["staged", "staged"])


SMALL = [each for each in CATALOGUED if not each.deep and each.expect and "/after_upload." in each.name]


@pytest.mark.deep  # `lakeproof verify` runs them, with the same expectations
@pytest.mark.parametrize("scenario", SMALL, ids=lambda scenario: scenario.name)
def test_small_races_end_as_they_are_told(scenario: Scenario) -> None:
    findings = search(scenario).findings
    found = {finding.id: finding.verdict for finding in findings if finding.id in scenario.named_ids}
    assert found == {invariant_id: scenario.expected(invariant_id) for invariant_id in scenario.named_ids}
