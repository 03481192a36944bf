"""Online hard delete, by hand: what each flow costs and leaves behind, and the steps that the proof rests on."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.catalog import objects as today
from lakeproof.impl.catalog.errors import AddressDeleted, AddressNotAllowed, DataGone, GrantInvalid
from lakeproof.impl.graveler.committing import seal
from lakeproof.impl.hard_delete import _journal as journal
from lakeproof.impl.hard_delete import online
from lakeproof.impl.hard_delete._journal import Issued
from lakeproof.impl.hard_delete._reaping import fate_of
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.errors import BranchNotFound, PathNotFound
from lakeproof.model import kv, objects
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken
from lakeproof.model.records import Branch
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.scenarios._hard_delete import OUTSIDE
from tests.impl.hand import NOW, Hand

ONLINE = online.FLOWS
UNTIMED = {"reading": online.UNTIMED}


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


def data(hand: Hand) -> set[bytes]:
    """The contents of the objects of users."""
    return {found.content for address, found in hand.snapshot().objects.items() if "/data/" in address}


def kept(hand: Hand, part: str) -> int:
    """How many keys a partition of the journal holds."""
    return sum(partition == b"r-u/" + part.encode() for partition, _ in hand.snapshot().store)


def cost(hand: Hand, flow: Any, *args: Any, **options: Any) -> tuple[int, int]:  # type: ignore[explicit-any]
    """KV operations and requests to the object store of a flow, alone."""
    running, seen = hand.start(flow, *args, **options), Counter[bool]()
    while running.op is not None:
        seen[isinstance(running.op, kv.Op)] += 1
        running.step()
    running.finish()
    return seen[True], seen[False]


def read(hand: Hand, path: bytes = X, branch: BranchID = BRANCH) -> bytes:
    found: bytes = hand.run(ONLINE.read_object, branch, path)
    return found


class TestCosts:
    """The table of docs/designs/online.md."""

    def test_an_upload_is_five_operations_and_a_put_and_one_more_over_a_staged_entry(self, hand: Hand) -> None:
        assert cost(hand, today.upload_object, MAIN, X, b"1") == (3, 1)
        assert cost(hand, ONLINE.upload_object, BRANCH, X, b"1") == (5, 1)
        assert cost(hand, ONLINE.upload_object, BRANCH, X, b"2") == (6, 1)

    def test_a_delete_is_one_or_two_operations_more_than_today(self, hand: Hand) -> None:
        for at, flows in ((MAIN, today), (BRANCH, ONLINE)):
            hand.run(flows.upload_object, at, X, b"1")
        assert cost(hand, today.delete_object, MAIN, X) == (6, 0)
        assert cost(hand, ONLINE.delete_object, BRANCH, X) == (8, 0)
        for at, flows in ((MAIN, today), (BRANCH, ONLINE)):
            hand.run(flows.upload_object, at, Y, b"1")
            hand.run(flows.commit, at, "m")
        of_today, _ = cost(hand, today.delete_object, MAIN, Y)
        assert cost(hand, ONLINE.delete_object, BRANCH, Y)[0] == of_today + 1

    def test_a_copy_of_a_staged_object_is_two_operations_and_a_copy_more_and_of_a_committed_one_one(
        self, hand: Hand
    ) -> None:
        for at, flows in ((MAIN, today), (BRANCH, ONLINE)):
            hand.run(flows.upload_object, at, X, b"1")
        assert cost(hand, today.copy_object, MAIN, Y, MAIN, X) == (6, 0)
        assert cost(hand, ONLINE.copy_object, BRANCH, Y, BRANCH, X) == (8, 1)
        for at, flows in ((MAIN, today), (BRANCH, ONLINE)):
            hand.run(flows.commit, at, "m")
        of_today, requests = cost(hand, today.copy_object, MAIN, b"z", MAIN, X)
        assert cost(hand, ONLINE.copy_object, BRANCH, b"z", BRANCH, X) == (of_today + 1, requests)

    def test_issue_and_link_are_eight_operations(self, hand: Hand) -> None:
        assert cost(hand, ONLINE.get_physical_address, BRANCH, X) == (2, 0)
        grant = hand.run(ONLINE.get_physical_address, BRANCH, X)
        hand.run(put, grant.address, b"1")
        assert cost(hand, ONLINE.link_physical_address, BRANCH, X, grant, b"1") == (6, 1)

    def test_a_commit_is_one_operation_more_for_each_token_and_one_for_the_head(self, hand: Hand) -> None:
        for at, flows in ((MAIN, today), (BRANCH, ONLINE)):
            hand.run(flows.upload_object, at, X, b"1")
        of_today, requests = cost(hand, today.commit, MAIN, "m")
        assert cost(hand, ONLINE.commit, BRANCH, "m") == (of_today + 2, requests)
        for at in (MAIN, BRANCH):
            hand.run(seal, at)
        of_today, requests = cost(hand, today.commit, MAIN, "n")
        assert cost(hand, ONLINE.commit, BRANCH, "n") == (of_today + 3, requests)


async def put(env: Any, repository: object, address: str, content: bytes) -> None:  # type: ignore[explicit-any]
    await env.objects.put(address, content)


class TestWhatBecomesOfAnAddress:
    def test_committed_it_stays_and_the_journal_forgets_it(self, hand: Hand) -> None:
        hand.run(ONLINE.upload_object, BRANCH, X, b"1")
        hand.run(ONLINE.commit, BRANCH, "m")
        assert (kept(hand, "addresses"), kept(hand, "fates")) == (1, 1)
        assert hand.run(ONLINE.background_job) == ()
        assert (kept(hand, "addresses"), kept(hand, "fates")) == (0, 0)
        assert read(hand) == b"1"

    def test_replaced_and_committed_the_first_goes_before_or_after_the_commit(self, hand: Hand) -> None:
        first = hand.run(ONLINE.upload_object, BRANCH, X, b"1")
        second = hand.run(ONLINE.upload_object, BRANCH, X, b"2")
        assert hand.run(ONLINE.background_job) == (first.address,)
        hand.run(ONLINE.upload_object, BRANCH, X, b"3")
        hand.run(ONLINE.commit, BRANCH, "m")
        assert hand.run(ONLINE.background_job) == (second.address,)
        assert data(hand) == {b"3"}

    @pytest.mark.parametrize("drop", [ONLINE.reset_branch, ONLINE.delete_branch])
    def test_dropped_it_goes_when_no_put_can_come_any_more(self, hand: Hand, drop: Any) -> None:  # type: ignore[explicit-any]
        hand.run(ONLINE.upload_object, BRANCH, X, b"1")
        hand.run(drop, BRANCH)
        assert hand.run(ONLINE.background_job) == ()
        assert data(hand) == {b"1"}

    @pytest.mark.parametrize("drop", [ONLINE.reset_branch, ONLINE.delete_branch])
    def test_dropped_it_goes_at_once_where_nobody_waits(self, hand: Hand, drop: Any) -> None:  # type: ignore[explicit-any]
        hand.run(ONLINE.upload_object, BRANCH, X, b"1", **UNTIMED)
        hand.run(drop, BRANCH)
        assert len(hand.run(ONLINE.background_job)) == 1
        assert data(hand) == set()
        assert kept(hand, "addresses") == 0

    def test_under_a_sealed_token_it_stays_whatever_happens_to_its_entry(self, hand: Hand) -> None:
        hand.run(ONLINE.upload_object, BRANCH, X, b"1", **UNTIMED)
        late = hand.start(ONLINE.upload_object, BRANCH, X, b"2", **UNTIMED).until(kv.SetIf)
        hand.run(seal, BRANCH)
        late.finish()
        assert hand.run(ONLINE.background_job) == ()
        assert data(hand) == {b"1", b"2"}  # the same content twice: the late writer started over

    def test_a_branch_that_was_made_from_a_deleted_one_keeps_what_was_committed(self, hand: Hand) -> None:
        hand.run(ONLINE.upload_object, BRANCH, X, b"1", **UNTIMED)
        hand.run(ONLINE.commit, BRANCH, "m")
        hand.run(branches.create_branch, BranchID("c"), BRANCH)
        hand.run(ONLINE.delete_branch, BRANCH)
        assert hand.run(ONLINE.background_job) == ()
        assert read(hand, branch=BranchID("c")) == b"1"

    def test_a_copy_of_a_staged_object_outlives_its_source(self, hand: Hand) -> None:
        hand.run(ONLINE.upload_object, BRANCH, X, b"1", **UNTIMED)
        hand.run(ONLINE.copy_object, MAIN, Y, BRANCH, X, **UNTIMED)
        hand.run(ONLINE.reset_branch, BRANCH)
        hand.run(ONLINE.background_job)
        assert read(hand, Y, MAIN) == b"1"

    def test_a_copy_of_a_committed_object_is_a_second_entry(self, hand: Hand) -> None:
        hand.run(ONLINE.upload_object, BRANCH, X, b"1")
        hand.run(ONLINE.commit, BRANCH, "m")
        hand.run(ONLINE.copy_object, MAIN, Y, BRANCH, X)
        assert len(data(hand)) == 1
        hand.run(ONLINE.reset_branch, MAIN)
        hand.run(ONLINE.background_job)
        assert read(hand) == b"1"

    def test_a_move_leaves_one_object(self, hand: Hand) -> None:
        hand.run(ONLINE.upload_object, BRANCH, X, b"1")
        hand.run(ONLINE.move_object, BRANCH, X, Y)
        with pytest.raises(PathNotFound):
            read(hand)
        assert read(hand, Y) == b"1"
        assert len(hand.run(ONLINE.background_job)) == 1
        assert read(hand, Y) == b"1"

    def test_the_job_finds_nothing_to_do_twice(self, hand: Hand) -> None:
        hand.run(ONLINE.upload_object, BRANCH, X, b"1", **UNTIMED)
        hand.run(ONLINE.reset_branch, BRANCH)
        assert hand.run(ONLINE.background_job)
        assert hand.run(ONLINE.background_job) == ()


class TestIssuedAddresses:
    def linked(self, hand: Hand) -> today.Grant:
        grant: today.Grant = hand.run(ONLINE.get_physical_address, BRANCH, X)
        hand.run(put, grant.address, b"1")
        return grant

    def test_a_linked_object_is_read(self, hand: Hand) -> None:
        hand.run(ONLINE.link_physical_address, BRANCH, X, self.linked(hand), b"1")
        assert read(hand) == b"1"

    def test_an_address_is_linked_once(self, hand: Hand) -> None:
        grant = self.linked(hand)
        hand.run(ONLINE.link_physical_address, BRANCH, X, grant, b"1")
        with pytest.raises(GrantInvalid):
            hand.run(ONLINE.link_physical_address, BRANCH, X, grant, b"1")

    def test_not_at_another_path(self, hand: Hand) -> None:
        with pytest.raises(GrantInvalid):
            hand.run(ONLINE.link_physical_address, BRANCH, Y, self.linked(hand), b"1")

    def test_not_on_another_branch(self, hand: Hand) -> None:
        with pytest.raises(AddressNotAllowed):
            hand.run(ONLINE.link_physical_address, MAIN, X, self.linked(hand), b"1")

    def test_not_without_an_object(self, hand: Hand) -> None:
        grant = hand.run(ONLINE.get_physical_address, BRANCH, X)
        with pytest.raises(AddressDeleted):
            hand.run(ONLINE.link_physical_address, BRANCH, X, grant, b"1")

    def test_after_a_commit_it_is_copied_to_a_new_home(self, hand: Hand) -> None:
        grant = self.linked(hand)
        hand.run(ONLINE.upload_object, BRANCH, Y, b"2")
        hand.run(ONLINE.commit, BRANCH, "m")
        entry = hand.run(ONLINE.link_physical_address, BRANCH, X, grant, b"1")
        assert f"{REPOSITORY.storage_namespace}/{entry.address}" != grant.address
        assert read(hand) == b"1"

    def test_of_two_links_at_once_one_is_refused(self, hand: Hand) -> None:
        grant = self.linked(hand)
        slow = hand.start(ONLINE.link_physical_address, BRANCH, X, grant, b"1").until(kv.SetIf)
        hand.run(ONLINE.link_physical_address, BRANCH, X, grant, b"1")
        with pytest.raises(GrantInvalid):
            slow.finish()

    def test_an_address_of_the_namespace_is_not_staged_by_hand_and_one_outside_is(self, hand: Hand) -> None:
        with pytest.raises(AddressNotAllowed):
            hand.run(ONLINE.stage_object, BRANCH, X, "mem://r/data/a", b"1")
        hand.run(ONLINE.stage_object, BRANCH, X, OUTSIDE, b"1")
        hand.run(ONLINE.reset_branch, BRANCH)
        assert hand.run(ONLINE.background_job) == ()


class TestRefusals:
    def test_an_upload_to_no_branch_puts_nothing(self, hand: Hand) -> None:
        with pytest.raises(BranchNotFound):
            hand.run(ONLINE.upload_object, BranchID("none"), X, b"1")
        assert data(hand) == set()

    @pytest.mark.parametrize("flow", [ONLINE.delete_object, ONLINE.read_object])
    def test_what_is_not_there_is_not_found(self, hand: Hand, flow: Any) -> None:  # type: ignore[explicit-any]
        with pytest.raises(PathNotFound):
            hand.run(flow, BRANCH, X)

    def test_a_copy_whose_source_was_hard_deleted_meanwhile_is_refused(self, hand: Hand) -> None:
        hand.run(ONLINE.upload_object, BRANCH, X, b"1", **UNTIMED)
        copying = hand.start(ONLINE.copy_object, MAIN, X, BRANCH, X).until(objects.Copy)
        hand.run(ONLINE.reset_branch, BRANCH)
        hand.run(ONLINE.background_job)
        with pytest.raises(DataGone):
            copying.finish()

    def test_a_put_that_comes_too_late_is_refused_and_nothing_is_staged(self, hand: Hand) -> None:
        late = objects.Put("a", b"", not_after=NOW)
        assert objects.step({}, late, NOW) != ({}, objects.Expired())
        assert objects.step({}, late, NOW + 1) == ({}, objects.Expired())


class TestJournal:
    @given(
        st.builds(
            Issued, st.binary(), st.none() | st.integers(0, 1 << 60), st.sampled_from(["open", "used", "settled"])
        )
    )
    def test_what_is_written_is_read(self, issued: Issued) -> None:
        assert journal.decode_issued(journal.encode_issued(issued)) == issued

    @given(st.text("ab-:.", min_size=1), st.text("ab1_", min_size=1))
    def test_an_address_tells_its_home(self, token: str, name: str) -> None:
        assert journal.home(journal.address_under(StagingToken(token), name)) == (token, name)

    @pytest.mark.parametrize("address", ["data/a1", "other/t/a1", ""])
    def test_other_addresses_have_none(self, address: str) -> None:
        assert journal.home(address) is None

    def test_a_token_tells_its_branch(self, hand: Hand) -> None:
        for branch_id in (BRANCH, MAIN):
            assert journal.branch_of(REPOSITORY, hand.run(branches.get_branch, branch_id).staging_token) == branch_id

    def test_a_token_is_open_then_sealed_then_closed(self) -> None:
        t, u = StagingToken("t"), StagingToken("u")
        at = {"branch_id": BRANCH, "commit_id": CommitID("c")}
        assert fate_of(t, Branch(**at, staging_token=t)) == "open"  # type: ignore[arg-type]
        assert fate_of(t, Branch(**at, staging_token=u, sealed_tokens=(t,))) == "sealed"  # type: ignore[arg-type]
        assert fate_of(t, Branch(**at, staging_token=u)) == "closed"  # type: ignore[arg-type]
        assert fate_of(t, None) == "closed"
