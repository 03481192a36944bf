"""Online hard delete, by hand: what is refused of issued addresses, and what the journal writes down.

What becomes of an address is a matter of races: `lakeproof verify 'hard-delete/online*'`.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.designs._hard_delete import OUTSIDE
from lakeproof.designs.branch_designs import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.impl.catalog import objects as today
from lakeproof.impl.catalog.errors import AddressDeleted, AddressNotAllowed, GrantInvalid
from lakeproof.impl.hard_delete import journal, online
from lakeproof.impl.hard_delete.journal import Issued
from lakeproof.impl.refs import branches
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID, StagingToken
from tests.impl.hand import Hand

ONLINE = online.FLOWS


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


def read(hand: Hand, path: bytes = X, branch: BranchID = BRANCH) -> bytes:
    found: bytes = hand.run(ONLINE.read_object, branch, path)
    return found


async def put(env: Any, repository: object, address: str, content: bytes) -> None:  # type: ignore[explicit-any]
    await env.objects.put(address, content)


class TestIssuedAddresses:
    def linked(self, hand: Hand) -> today.Grant:
        grant: today.Grant = hand.run(ONLINE.get_physical_address, BRANCH, X)
        hand.run(put, grant.address, b"1")
        return grant

    def test_an_address_is_linked_once(self, hand: Hand) -> None:
        grant = self.linked(hand)
        hand.run(ONLINE.link_physical_address, BRANCH, X, grant, b"1")
        with pytest.raises(GrantInvalid):
            hand.run(ONLINE.link_physical_address, BRANCH, X, grant, b"1")

    @pytest.mark.parametrize(
        ("branch", "path", "error"), [(BRANCH, Y, GrantInvalid), (MAIN, X, AddressNotAllowed)], ids=["path", "branch"]
    )
    def test_not_elsewhere(self, hand: Hand, branch: BranchID, path: bytes, error: type[Exception]) -> None:
        with pytest.raises(error):
            hand.run(ONLINE.link_physical_address, branch, path, self.linked(hand), b"1")

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
