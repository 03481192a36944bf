"""Online hard delete, by hand: what is refused of issued addresses, and what the journal writes down.

What becomes of an address is a matter of races: `lakeproof verify 'hard-delete/online*'`.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.designs.branch_designs import BRANCH, MAIN, X
from lakeproof.impl.catalog.errors import AddressNotAllowed
from lakeproof.impl.hard_delete import journal
from lakeproof.impl.hard_delete.journal import Issued
from lakeproof.impl.hard_delete.online import FLOWS
from lakeproof.model.identifiers import StagingToken
from tests.impl.hand import Hand


def test_an_issued_address_is_not_linked_on_another_branch() -> None:
    hand = Hand.founded()
    grant = hand.run(FLOWS.get_physical_address, BRANCH, X)
    with pytest.raises(AddressNotAllowed):
        hand.run(FLOWS.link_physical_address, MAIN, X, grant, b"1")


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
