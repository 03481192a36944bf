"""States of staging tokens (proposal 4): what its text says, alone; then its races, step by step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof import Scenario
from lakeproof.explore.search import search
from lakeproof.impl.catalog.errors import AddressDeleted, AddressNotAllowed, DataGone, GrantInvalid
from lakeproof.impl.catalog.objects import Grant, delete_object, read_object
from lakeproof.impl.graveler.committing import seal
from lakeproof.impl.hard_delete import token_states as flows
from lakeproof.impl.hard_delete._token_lists import (
    add_reference,
    decode_tokens,
    encode_tokens,
    remove_reference,
)
from lakeproof.impl.hard_delete.token_states import AS_WRITTEN, BY_ADDRESS, BY_COMMIT, ENTRIES, ENTRIES_SPARED, Reading
from lakeproof.impl.refs.errors import DefaultBranch, PathNotFound, RefChanged
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import kv, objects
from lakeproof.model.identifiers import StagingToken
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.scenarios.hard_delete_token_states import SCENARIOS as CATALOGUED
from tests.impl.graveler.hand import Hand

TOKENS = st.lists(st.text("abc-:.", min_size=1).map(StagingToken), unique=True, max_size=4).map(tuple)


def under(hand: Hand, prefix: str) -> dict[str, tuple[str, ...]]:
    """The keys of the repository that begin with a prefix, each as the list of tokens that it holds."""
    return {
        key.decode().removeprefix(prefix): decode_tokens(value)
        for (partition, key), value in hand.snapshot().store.items()
        if partition == uid_partition(REPOSITORY) and key.startswith(prefix.encode()) and isinstance(value, bytes)
    }


def lists(hand: Hand) -> dict[str, tuple[str, ...]]:
    return under(hand, "references/")


def data(hand: Hand) -> set[bytes]:
    """The contents of the objects of users."""
    return {found.content for address, found in hand.snapshot().objects.items() if "/data/" in address}


def upload(hand: Hand, path: bytes = X, content: bytes = b"1", branch: str = BRANCH) -> str:
    """Where the object of an upload lies."""
    return f"mem://r/{hand.run(flows.upload_object, branch, path, content).address}"


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


class TestLists:
    @given(TOKENS)
    def test_a_list_is_read_as_it_was_written(self, tokens: tuple[StagingToken, ...]) -> None:
        assert decode_tokens(encode_tokens(tokens)) == tokens

    @given(st.lists(st.tuples(st.booleans(), st.sampled_from("abc")), max_size=8))
    def test_adding_and_removing_is_that_of_a_set(self, changes: list[tuple[bool, str]]) -> None:
        hand, expected = Hand.founded(), set[str]()
        for adds, name in changes:
            token = StagingToken(name)
            if adds:
                hand.run(add_reference, "a", token, issued=True, checked=False, tries=1)
                expected.add(name)
            else:
                known = "a" in lists(hand)
                expected.discard(name)
                assert hand.run(remove_reference, "a", token, tries=1) == (known and not expected)
        assert set(lists(hand).get("a", ())) == expected

    def test_an_empty_list_is_refused_where_it_means_deleted(self, hand: Hand) -> None:
        hand.run(add_reference, "a", StagingToken("t"), issued=True, checked=True, tries=1)
        hand.run(remove_reference, "a", StagingToken("t"), tries=1)
        with pytest.raises(AddressDeleted):
            hand.run(add_reference, "a", StagingToken("u"), issued=False, checked=True, tries=1)

    def test_somebody_elses_token_is_not_lost(self, hand: Hand) -> None:
        slow = hand.start(add_reference, "a", StagingToken("t"), issued=True, checked=False, tries=2).until(kv.SetIf)
        hand.run(add_reference, "a", StagingToken("u"), issued=True, checked=False, tries=1)
        assert slow.finish() is True
        assert lists(hand) == {"a": ("u", "t")}


class TestFlows:
    def test_an_upload_has_its_token_in_the_list_before_its_entry(self, hand: Hand) -> None:
        uploading = hand.start(flows.upload_object, BRANCH, X, b"1").until(kv.Set)
        assert list(lists(hand).values()) == [(hand.branch().staging_token,)]
        assert hand.content() == {}
        uploading.finish()

    def test_only_objects_outside_the_namespace_are_staged(self, hand: Hand) -> None:
        hand.run(flows.stage_object, BRANCH, X, "ext://o", b"o")
        with pytest.raises(AddressNotAllowed):
            hand.run(flows.stage_object, BRANCH, Y, "mem://r/data/o", b"o")
        assert lists(hand) == {}

    @pytest.mark.parametrize("once", [False, True])
    def test_an_issued_address_is_linked_once(self, hand: Hand, once: bool) -> None:
        grant = hand.run(flows.get_physical_address, BRANCH, X)
        hand.run(flows.link_physical_address, BRANCH, X, grant, b"1", reading=Reading(once=once))
        with pytest.raises(GrantInvalid):
            hand.run(flows.link_physical_address, BRANCH, Y, grant, b"1", reading=Reading(once=once))
        assert lists(hand) == {grant.address: (hand.branch().staging_token,)}

    def test_a_token_is_good_for_its_own_address_only(self, hand: Hand) -> None:
        one, other = (hand.run(flows.get_physical_address, BRANCH, X) for _ in range(2))
        with pytest.raises(GrantInvalid):
            hand.run(flows.link_physical_address, BRANCH, X, Grant(one.address, other.token), b"1")
        with pytest.raises(AddressNotAllowed):
            hand.run(flows.link_physical_address, BRANCH, X, Grant("mem://other/data/o", one.token), b"1")

    def test_a_copy_adds_its_token(self, hand: Hand) -> None:
        address = upload(hand)
        hand.run(flows.copy_object, MAIN, X, BRANCH, X)
        assert lists(hand) == {address: (hand.branch().staging_token, hand.branch(MAIN).staging_token)}

    def test_a_copy_of_what_has_no_list_adds_none(self, hand: Hand) -> None:
        upload(hand)
        hand.run(flows.commit, BRANCH, "m")
        hand.run(flows.background_job)
        hand.run(flows.copy_object, MAIN, X, BRANCH, X)
        assert lists(hand) == {}
        assert hand.run(read_object, MAIN, X) == b"1"

    def test_a_delete_leaves_the_list_alone(self, hand: Hand) -> None:
        address = upload(hand)
        hand.run(delete_object, BRANCH, X)
        assert lists(hand) == {address: (hand.branch().staging_token,)}
        with pytest.raises(PathNotFound):
            hand.run(delete_object, BRANCH, X)

    def test_a_commit_notes_its_tokens_and_drops_nothing(self, hand: Hand) -> None:
        upload(hand)
        hand.run(seal, BRANCH)
        upload(hand, Y)
        second, first = hand.branch().staging_token, *hand.branch().sealed_tokens
        made = hand.run(flows.commit, BRANCH, "m")
        assert under(hand, "staging/committed/") == {made.commit_id: (second, first)}
        assert len(lists(hand)) == 2

    def test_by_address_it_notes_them_for_each_object_that_it_took(self, hand: Hand) -> None:
        old, new = upload(hand), upload(hand, content=b"2")
        token = hand.branch().staging_token
        hand.run(flows.commit, BRANCH, "m", reading=BY_ADDRESS)
        assert under(hand, "staging/committed/") == {new: (token,)}
        assert old in lists(hand)

    def test_a_reset_notes_its_tokens(self, hand: Hand) -> None:
        token = hand.branch().staging_token
        hand.run(flows.reset_branch, BRANCH)
        assert under(hand, "staging/deleted/") == {token: ()}

    @pytest.mark.parametrize("by_tombstone", [False, True])
    def test_a_deletion_notes_its_tokens(self, hand: Hand, by_tombstone: bool) -> None:
        token, reading = hand.branch().staging_token, Reading(by_tombstone=by_tombstone)
        hand.run(flows.delete_branch, BRANCH, reading=reading)
        assert under(hand, "staging/deleted/") == {token: ()}
        with pytest.raises(DefaultBranch):
            hand.run(flows.delete_branch, MAIN, reading=reading)


class TestJob:
    @pytest.mark.parametrize("reading", [AS_WRITTEN, BY_COMMIT])
    @pytest.mark.parametrize("batch_size", [0, 1])
    def test_it_forgets_the_lists_of_what_is_committed(self, hand: Hand, reading: Reading, batch_size: int) -> None:
        upload(hand)
        upload(hand, Y, b"2")
        hand.run(flows.commit, BRANCH, "m")
        assert hand.run(flows.background_job, reading=reading, batch_size=batch_size) == 0
        assert (data(hand), lists(hand), under(hand, "staging/committed/")) == ({b"1", b"2"}, {}, {})

    def test_it_deletes_what_was_reset(self, hand: Hand) -> None:
        upload(hand)
        hand.run(flows.reset_branch, BRANCH)
        assert hand.run(flows.background_job) == 1
        assert (data(hand), lists(hand)) == (set(), {})

    def test_it_may_keep_the_empty_list_and_forget_the_token(self, hand: Hand) -> None:
        address = upload(hand)
        hand.run(flows.reset_branch, BRANCH)
        assert hand.run(flows.background_job, reading=Reading(keeps_empty=True, forgets_deleted=True)) == 1
        assert (lists(hand), under(hand, "staging/deleted/")) == ({address: ()}, {})

    def test_it_spares_what_another_token_refers_to(self, hand: Hand) -> None:
        address = upload(hand)
        hand.run(flows.copy_object, MAIN, X, BRANCH, X)
        hand.run(flows.reset_branch, BRANCH)
        assert hand.run(flows.background_job) == 0
        assert lists(hand) == {address: (hand.branch(MAIN).staging_token,)}

    @pytest.mark.parametrize(
        ("reading", "left"),
        [(AS_WRITTEN, {b"2"}), (ENTRIES_SPARED, {b"2"}), (ENTRIES, {b"1", b"2"})],
        ids=["inline", "spared", "entry"],
    )
    def test_what_a_commit_did_not_take_is_deleted_unless_the_area_goes_first(
        self, hand: Hand, reading: Reading, left: set[bytes]
    ) -> None:
        upload(hand)
        hand.run(seal, BRANCH)
        upload(hand, content=b"2")
        hand.run(flows.commit, BRANCH, "m")
        hand.run(flows.background_job, reading=reading)
        assert data(hand) == left

    def test_by_address_it_deletes_the_second_object_of_a_commit(self, hand: Hand) -> None:
        upload(hand)
        upload(hand, Y, b"2")
        hand.run(flows.commit, BRANCH, "m", reading=BY_ADDRESS)
        assert hand.run(flows.background_job, reading=BY_ADDRESS) == 1
        with pytest.raises(DataGone):
            hand.run(read_object, BRANCH, Y)


class TestRaces:
    @pytest.mark.parametrize("keeps_empty", [False, True])
    def test_a_copy_of_what_was_hard_deleted_is_refused_only_if_the_empty_list_is_kept(
        self, hand: Hand, keeps_empty: bool
    ) -> None:
        upload(hand)
        copying = hand.start(flows.copy_object, MAIN, X, BRANCH, X).step(3)
        hand.run(flows.reset_branch, BRANCH)
        hand.run(flows.background_job, reading=Reading(keeps_empty=keeps_empty))
        if keeps_empty:
            with pytest.raises(AddressDeleted):
                copying.finish()
        else:
            copying.finish()
            with pytest.raises(DataGone):
                hand.run(read_object, MAIN, X)

    def test_a_copy_while_the_object_is_being_deleted_is_refused(self, hand: Hand) -> None:
        upload(hand)
        copying = hand.start(flows.copy_object, MAIN, X, BRANCH, X).step(3)
        hand.run(flows.reset_branch, BRANCH)
        hand.start(flows.background_job).until(objects.DeleteObject)
        with pytest.raises(AddressDeleted):
            copying.finish()

    @pytest.mark.parametrize("careful", [False, True])
    def test_an_upload_that_was_reset_on_its_way_is_acknowledged_without_its_object_unless_careful(
        self, hand: Hand, careful: bool
    ) -> None:
        reading = Reading(careful=careful, keeps_empty=careful)
        uploading = hand.start(flows.upload_object, BRANCH, X, b"1", reading=reading).until(kv.Set).step()
        hand.run(flows.reset_branch, BRANCH)
        hand.run(flows.background_job, reading=reading)
        if careful:
            with pytest.raises(AddressDeleted):
                uploading.finish()
        else:
            uploading.finish()
            with pytest.raises(DataGone):
                hand.run(read_object, BRANCH, X)

    @pytest.mark.parametrize("careful", [False, True])
    def test_an_upload_that_was_committed_on_its_way_is_lost_to_the_next_reset_unless_careful(
        self, hand: Hand, careful: bool
    ) -> None:
        reading = Reading(careful=careful, keeps_empty=careful)
        uploading = hand.start(flows.upload_object, BRANCH, X, b"1", reading=reading).until(kv.Set).step()
        hand.run(flows.commit, BRANCH, "m")
        hand.run(flows.background_job)
        uploading.finish()
        hand.run(flows.reset_branch, BRANCH)
        assert hand.run(flows.background_job) == (0 if careful else 1)
        assert data(hand) == ({b"1"} if careful else set())

    @pytest.mark.parametrize("once", [False, True])
    def test_two_links_of_one_address_both_pass_unless_one_of_them_marks_the_token(
        self, hand: Hand, once: bool
    ) -> None:
        grant = hand.run(flows.get_physical_address, BRANCH, X)
        slow = hand.start(flows.link_physical_address, BRANCH, Y, grant, b"1", reading=Reading(once=once)).step()
        hand.run(flows.link_physical_address, BRANCH, X, grant, b"1", reading=Reading(once=once))
        if once:
            with pytest.raises(GrantInvalid):
                slow.finish()
        else:
            slow.finish()
            assert hand.content().keys() == {X, Y}

    def test_a_branch_that_changed_is_not_replaced_by_a_tombstone(self, hand: Hand) -> None:
        deleting = hand.start(flows.delete_branch, BRANCH, reading=Reading(by_tombstone=True)).until(kv.SetIf)
        hand.run(flows.commit, BRANCH, "m")
        with pytest.raises(RefChanged):
            deleting.finish()
        assert under(hand, "staging/deleted/") == {}


SMALL = [
    each
    for each in CATALOGUED
    if not each.deep and ("/twice/" in each.name or (each.expect and "/after_upload" in each.name))
]


@pytest.mark.deep  # `lakeproof verify` runs them, with the same expectations
@pytest.mark.parametrize("scenario", SMALL, ids=lambda scenario: scenario.name)
def test_small_races_end_as_they_are_told(scenario: Scenario) -> None:
    findings = search(scenario).findings
    found = {finding.id: finding.verdict for finding in findings if finding.id in scenario.named_ids}
    assert found == {invariant_id: scenario.expected(invariant_id) for invariant_id in scenario.named_ids}
