"""A reset of a path that a committer has sealed, and an upload over one, in the proposals that delete by entries."""

from collections.abc import Callable
from typing import Any

import pytest

from lakeproof.impl.catalog.errors import EntryLocked
from lakeproof.impl.flows import ObjectFlows, bound
from lakeproof.impl.graveler.committing import seal
from lakeproof.impl.hard_delete import no_copies, object_path, reference_counter
from lakeproof.model import objects
from lakeproof.model.invariants import data, violations
from lakeproof.scenarios._branch_data import BRANCH, X
from tests.impl.graveler.hand import Hand


def sealed(flows: ObjectFlows) -> Hand:
    """A path is committed as 0, staged as 1, and sealed."""
    hand = Hand.founded()
    hand.run(flows.upload_object, BRANCH, X, b"0")
    hand.run(flows.commit, BRANCH, "m")
    hand.run(flows.upload_object, BRANCH, X, b"1")
    hand.run(seal, BRANCH)
    return hand


def lost(hand: Hand) -> bool:
    return bool(list(violations(data.committed_data_is_kept.check(hand.snapshot()))))


AS_WRITTEN = no_copies.FLOWS
COPYING = bound(no_copies.FLOWS, reading=no_copies.RESET_COPIES)
COUNTING = bound(reference_counter.FLOWS, reading=reference_counter.CAREFUL)

Then = Callable[[ObjectFlows], tuple[Any, ...]]  # type: ignore[explicit-any]
THEN: dict[str, Then] = {
    "delete": lambda flows: (flows.delete_object, BRANCH, X),
    "upload": lambda flows: (flows.upload_object, BRANCH, X, b"2"),
    "reset": lambda flows: (flows.reset_branch, BRANCH),
}


@pytest.mark.parametrize("then", THEN)
@pytest.mark.parametrize("flows", [AS_WRITTEN, COPYING, COUNTING, object_path.FLOWS], ids=["5", "copies", "2", "1"])
def test_who_removes_what_a_reset_has_staged_deletes_committed_data_only_as_proposal_5_is_written(
    flows: ObjectFlows, then: str
) -> None:
    hand = sealed(flows)
    hand.run(flows.reset_entry, BRANCH, X)
    assert hand.run(flows.read_object, BRANCH, X) == b"0"
    hand.run(*THEN[then](flows))
    assert lost(hand) == (flows is AS_WRITTEN)


def test_a_counted_reset_is_counted_off_again() -> None:
    hand = sealed(reference_counter.FLOWS)
    hand.run(reference_counter.reset_entry, BRANCH, X)
    hand.run(reference_counter.delete_object, BRANCH, X)
    assert lost(hand), "as the text is written, it is not counted"


def test_a_reset_of_a_path_that_is_only_open_brings_nothing_back() -> None:
    for flows in (AS_WRITTEN, COPYING, COUNTING, object_path.FLOWS):
        hand = Hand.founded()
        hand.run(flows.upload_object, BRANCH, X, b"0")
        hand.run(flows.commit, BRANCH, "m")
        hand.run(flows.upload_object, BRANCH, X, b"1")
        assert flows.reset_entry is not None
        hand.run(flows.reset_entry, BRANCH, X)
        assert hand.run(flows.read_object, BRANCH, X) == b"0"
        hand.run(flows.reset_branch, BRANCH)
        assert not lost(hand)


def test_a_lock_that_was_committed_comes_back_by_a_reset_and_not_by_a_copy() -> None:
    for flows, usable in ((AS_WRITTEN, False), (COPYING, True)):
        hand = Hand.founded()
        hand.run(flows.upload_object, BRANCH, X, b"0")
        slow = hand.start(flows.upload_object, BRANCH, X, b"1").until(objects.Put)
        hand.run(flows.commit, BRANCH, "m")
        slow.finish()
        hand.run(seal, BRANCH)
        hand.run(flows.reset_entry, BRANCH, X)
        if usable:
            hand.run(flows.upload_object, BRANCH, X, b"2")
        else:
            with pytest.raises(EntryLocked):
                hand.run(flows.upload_object, BRANCH, X, b"2")


@pytest.mark.parametrize(("reading", "kept"), [(no_copies.AS_WRITTEN, True), (no_copies.UPLOAD_TOKENS, False)])
def test_an_upload_that_looks_under_sealed_tokens_deletes_what_a_commit_is_about_to_hold(
    reading: no_copies.Reading, kept: bool
) -> None:
    hand = Hand.founded()
    hand.run(no_copies.upload_object, BRANCH, X, b"0")
    slow = hand.start(no_copies.commit, BRANCH, "m").step(6)  # sealed, scanned, written; not yet named by the branch
    hand.run(no_copies.upload_object, BRANCH, X, b"1", reading=reading)
    slow.finish()
    assert lost(hand) != kept
