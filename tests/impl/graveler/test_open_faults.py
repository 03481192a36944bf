"""What the flows of a branch do wrong: each a shortest story, expected to fail until the flow is repaired.

The searches hold the flows against the sequential specification of a branch; the stories are the same, by hand.
"""

from collections.abc import Mapping, Sequence

import pytest

from lakeproof import Call, Scenario
from lakeproof.explore.search import search
from lakeproof.impl.graveler import founding, lock_free, locked, resetting, writing
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.errors import BranchLocked, EntryChanged, PathExists, WriteNotSettled
from lakeproof.impl.refs.resolving import resolve
from lakeproof.model import kv
from lakeproof.model.branch import BranchState, branch
from lakeproof.model.linearizable import linearizable
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X
from tests.impl.hand import Hand

CREATE_1 = Call(writing.create_entry, REPOSITORY, BRANCH, X, b"1")
CREATE_2 = Call(writing.create_entry, REPOSITORY, BRANCH, X, b"2")
SWAP_0 = Call(writing.replace_entry, REPOSITORY, BRANCH, X, b"1", b"0")
SET_0 = Call(writing.set_entry, REPOSITORY, BRANCH, X, b"0")
DELETE = Call(writing.delete_entry, REPOSITORY, BRANCH, X)
COMMIT = Call(lock_free.commit, REPOSITORY, BRANCH, "m")
STAGED_0 = BranchState().with_changes((X, b"0"))

DROPPED = (
    "a conditional write looks through the sealed tokens without reading the branch again: a commit that finishes "
    "meanwhile drops them, and what it has committed is not found"
)


def verdict(clients: Sequence[Call], *, staged: bool) -> str:
    """Whether some order explains the results of these clients, under every schedule."""
    scenario = Scenario(
        name="open",
        setup=[
            Call(founding.found, REPOSITORY),
            Call(branches.create_branch, REPOSITORY, BRANCH, REPOSITORY.default_branch_id),
            *([SET_0] if staged else []),
        ],
        clients=[[call] for call in clients],
        invariants=[linearizable(branch(STAGED_0 if staged else BranchState()))],
    )
    return search(scenario).findings[0].verdict


@pytest.mark.parametrize(
    ("clients", "staged"),
    [
        pytest.param([CREATE_1, COMMIT], True),  # 16 steps
        pytest.param([SWAP_0, COMMIT], True),  # 13 steps
        pytest.param([CREATE_1, CREATE_2, COMMIT], False),  # 21 steps
        pytest.param(
            [CREATE_1, DELETE],
            False,
        ),  # 7 steps
        ([CREATE_1, CREATE_2], False),
        ([CREATE_1, COMMIT], False),
        ([SWAP_0, DELETE], True),
    ],
    ids=[
        "create-commit",
        "replace-commit",
        "create-create-commit",
        "create-delete",
        "creates",
        "absent",
        "replace-delete",
    ],
)
def test_conditional_writes_are_those_of_a_sequential_branch(clients: Sequence[Call], staged: bool) -> None:
    assert verdict(clients, staged=staged) == "holds"


def test_nothing_is_created_over_what_a_commit_has_just_taken() -> None:
    hand = Hand.founded()
    hand.run(writing.create_entry, BRANCH, X, b"1")
    committer = hand.start(lock_free.commit, BRANCH, "m").step(2)
    second = hand.start(writing.create_entry, BRANCH, X, b"2").step(2)
    committer.finish()
    with pytest.raises((PathExists, WriteNotSettled)):
        second.finish()


def test_nothing_is_created_over_it_where_staged_entries_are_kept() -> None:
    hand = Hand.founded()
    hand.run(writing.create_entry, BRANCH, X, b"1")
    committer = hand.start(lock_free.commit, BRANCH, "m", reading=lock_free.KEEPS_STAGED).step(2)
    second = hand.start(writing.create_entry, BRANCH, X, b"2").step(2)
    committer.finish()
    with pytest.raises(PathExists):
        second.finish()


def test_an_update_is_not_lost_to_a_replace_of_the_value_before_it() -> None:
    hand = Hand.founded()
    hand.run(writing.set_entry, BRANCH, X, b"0")
    hand.run(lock_free.commit, BRANCH, "m")
    hand.run(writing.replace_entry, BRANCH, X, b"1", b"0")
    committer = hand.start(lock_free.commit, BRANCH, "m").step(2)
    second = hand.start(writing.replace_entry, BRANCH, X, b"2", b"0").step(2)
    committer.finish()
    with pytest.raises((EntryChanged, WriteNotSettled)):
        second.finish()


def test_a_reset_of_a_path_does_not_undo_a_commit_that_finishes_meanwhile() -> None:
    hand = Hand.founded()
    hand.run(writing.set_entry, BRANCH, X, b"0")
    hand.run(lock_free.commit, BRANCH, "m")
    hand.run(writing.set_entry, BRANCH, X, b"1")
    committer = hand.start(lock_free.commit, BRANCH, "m").step(2)
    reset = hand.start(resetting.reset_entry, BRANCH, X).until(kv.Set)
    committer.finish()
    hand.run(writing.set_entry, BRANCH, X, b"2")
    reset.finish()
    allowed: Mapping[str, dict[bytes, bytes]] = {"reset last": {X: b"1"}, "write last": {X: b"2"}}
    assert hand.content() in allowed.values()


def test_a_tag_with_a_slash_in_its_name_is_a_ref() -> None:
    hand = Hand.founded()
    hand.run(tags.create_tag, "release/1", BRANCH)
    assert hand.run(resolve, "release/1") == hand.branch().commit_id


def test_who_has_a_lease_waits_for_who_has_none() -> None:
    hand = Hand.founded()
    hand.start(locked.commit, BRANCH, "m").step(1)
    with pytest.raises(BranchLocked):
        hand.run(locked.set_entry, BRANCH, X, b"1", reading=locked.Reading(lease=5))
