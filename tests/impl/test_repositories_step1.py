"""Variant step1 alone: what no race refutes, as its invariants do not ask for garbage."""

import pytest

from lakeproof.impl.repositories import step1
from lakeproof.impl.repositories.errors import NotUnique, RepositoryDeleting
from lakeproof.model.identifiers import RepositoryID
from tests.impl.hand import Hand

R = RepositoryID("r")


@pytest.mark.parametrize("effects", [2, 3, 4, 5])
def test_any_failure_of_a_delete_leaves_the_id_in_use_until_a_retry_has_succeeded(effects: int) -> None:
    hand = Hand()
    hand.do(step1.create_repository(hand.env, R))
    hand.begin(step1.delete_repository(hand.env, R)).step(effects)
    with pytest.raises(RepositoryDeleting):
        hand.do(step1.get_repository(hand.env, R))
    with pytest.raises(NotUnique):
        hand.do(step1.create_repository(hand.env, R))
    hand.do(step1.delete_repository(hand.env, R))
    assert not hand.cells
