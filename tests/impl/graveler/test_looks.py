"""A look through a branch in several steps, while another client commits: it shows one moment."""

from collections.abc import Callable
from functools import partial

import pytest

from lakeproof.designs.branch_designs import BRANCH, X, Y
from lakeproof.impl.graveler import commits, lock_free, reads, writes
from lakeproof.impl.graveler.listing import Query, diff_uncommitted, list_entries, list_page
from tests.impl.hand import Hand


@pytest.mark.parametrize(
    "look", [reads.list_entries, list_entries, partial(list_page, query=Query()), diff_uncommitted]
)
def test_a_look_shows_what_was_there_before_a_commit_or_after_it(look: Callable[..., object]) -> None:  # type: ignore[explicit-any]
    for effects in range(1, 99):
        hand = Hand.founded()
        hand.run(writes.set_entry, BRANCH, X, b"1")
        hand.run(commits.seal, BRANCH)
        hand.run(writes.set_entry, BRANCH, Y, b"1")
        before, began = hand.run(look, BRANCH), len(hand.ops)
        running = hand.start(look, BRANCH)
        while running.op is not None and len(hand.ops) < began + effects:
            running.step()
        if running.op is None:
            return
        hand.run(lock_free.commit, BRANCH, "m")
        assert running.finish() in (before, hand.run(look, BRANCH))
    raise AssertionError("it does not end")
