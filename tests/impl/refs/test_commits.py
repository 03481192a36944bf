"""Commit records: idempotent, never overridden, and the line of first parents."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.impl.graveler import lock_free, merging, writing
from lakeproof.impl.refs import tags
from lakeproof.impl.refs.commits import add_commit, first_parents, get_commit, log, new_commit
from lakeproof.impl.refs.errors import CommitNotFound, RefNotFound
from lakeproof.model.commits import content_address
from lakeproof.model.identifiers import MetaRangeID
from lakeproof.model.records import Commit
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from tests.impl.hand import NOW, Hand

MAIN = REPOSITORY.default_branch_id


def made_of(*parents: Commit, message: str = "m", metadata: tuple[tuple[str, str], ...] = ()) -> Commit:
    return new_commit(parents, MetaRangeID(""), committer="me", message=message, creation_date=NOW, metadata=metadata)


words = st.text(max_size=3)
histories = st.lists(st.lists(st.integers(0, 7), max_size=3, unique=True), min_size=1, max_size=8)
"""Of each commit its parents, by number; those that do not come before it are left out."""


@settings(max_examples=50, deadline=None)
@given(histories, st.data())
def test_commits_may_be_added_in_any_order_and_as_often_as_one_likes(
    parents: list[list[int]], data: st.DataObject
) -> None:
    hand, made = Hand(), list[Commit]()
    for number, wanted in enumerate(parents):
        made.append(made_of(*(made[parent] for parent in wanted if parent < number), message=f"{number}"))
    for each in (*data.draw(st.permutations(made)), *data.draw(st.lists(st.sampled_from(made)))):
        assert hand.run(add_commit, each) == each.commit_id == content_address(each)
    assert len(hand.cells) == len(made)
    for number, each in enumerate(made):
        assert hand.run(get_commit, each.commit_id) == each
        before = [made[parent] for parent in parents[number] if parent < number]
        assert each.parents == tuple(parent.commit_id for parent in before)
        assert each.generation == 1 + max((parent.generation for parent in before), default=0)


@given(st.permutations([("a", "1"), ("b", "2"), ("c", "3")]))
def test_the_order_of_metadata_is_no_part_of_a_commit(metadata: list[tuple[str, str]]) -> None:
    assert made_of(metadata=tuple(metadata)) == made_of(metadata=(("a", "1"), ("b", "2"), ("c", "3")))


def test_the_order_of_parents_is() -> None:
    one, other = made_of(message="one"), made_of(message="other")
    assert made_of(one, other).commit_id != made_of(other, one).commit_id


def test_the_log_is_the_same_from_a_branch_a_tag_and_a_commit_id_and_leaves_out_what_was_merged() -> None:
    hand = Hand.founded()
    root = hand.branch().commit_id
    hand.run(writing.set_entry, MAIN, b"m", b"1")
    hand.run(lock_free.commit, MAIN, "merged")
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    ours = hand.run(lock_free.commit, BRANCH, "ours").commit_id
    both = hand.run(merging.merge, BRANCH, MAIN, "merge").commit_id
    hand.run(tags.create_tag, "v1", BRANCH)
    for ref in (BRANCH, "v1", both):
        assert [commit.commit_id for commit in hand.run(log, ref)] == [both, ours, root]
    assert [commit.commit_id for commit in hand.run(log, BRANCH, amount=9)] == [both, ours, root]
    assert [commit.commit_id for commit in hand.run(log, BRANCH, amount=1)] == [both]


def test_a_log_of_some_commits_reads_no_more_of_them() -> None:
    hand = Hand.founded()
    for number in range(4):
        hand.run(lock_free.commit, BRANCH, f"{number}")
    running, effects = hand.start(log, BRANCH, amount=2), 0
    while running.op is not None:
        running.step()
        effects += 1
    assert effects == 3, "the branch, and two commits"


def test_a_missing_parent_is_named() -> None:
    hand = Hand.founded()
    orphan = made_of(made_of(message="missing"))
    hand.run(add_commit, orphan)
    with pytest.raises(CommitNotFound) as refused:
        hand.run(log, orphan.commit_id)
    assert refused.value == CommitNotFound(orphan.parents[0])
    with pytest.raises(RefNotFound):
        hand.run(log, "nothing")


def test_a_commit_on_a_branch_whose_head_is_missing_is_refused_and_the_branch_keeps_its_changes() -> None:
    hand = Hand.founded()
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    head = hand.branch().commit_id
    hand.cells = {cell: value for cell, value in hand.cells.items() if cell[-1] != b"commits/" + head.encode()}
    with pytest.raises(CommitNotFound):
        hand.run(lock_free.commit, BRANCH, "m")
    assert hand.branch().commit_id == head
    assert any(cell[-1] == b"key/x" for cell in hand.cells)


def test_first_parents_begin_with_the_commit_itself() -> None:
    hand = Hand()
    one = made_of()
    two = made_of(one)
    for each in (one, two):
        hand.run(add_commit, each)

    async def line(env: object, repository: object) -> tuple[Commit, ...]:
        return tuple([commit async for commit in first_parents(env, repository, two.commit_id)])  # type: ignore[arg-type]

    assert hand.run(line) == (two, one)
