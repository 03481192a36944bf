"""Tag records: nobody is overridden, step by step; and where a record of nothing but a commit cannot tell."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.impl.graveler import lock_free, writing
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.errors import RefChanged, RefNotFound, TagExists, TagNotFound
from lakeproof.model import kv
from lakeproof.model.snapshot import CallView, Status
from lakeproof.model.tag import TAG
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from tests.impl.hand import Hand

MAIN = REPOSITORY.default_branch_id
TAGS = ["create_tag", "update_tag", "delete_tag", "get_tag"]


@pytest.fixture
def hand() -> Hand:
    """Main, and a branch that is one commit ahead."""
    made = Hand.founded()
    made.run(writing.set_entry, BRANCH, b"x", b"1")
    made.run(lock_free.commit, BRANCH, "ahead")
    return made


def test_a_tag_stays_where_it_is_when_its_branch_goes_on_or_goes_away(hand: Hand) -> None:
    tag = hand.run(tags.create_tag, "v1", BRANCH)
    hand.run(lock_free.commit, BRANCH, "further")
    assert hand.branch().commit_id != tag.commit_id
    hand.run(branches.delete_branch, BRANCH)
    assert hand.run(tags.get_tag, "v1") == tag


def test_of_two_that_create_a_tag_at_once_one_is_refused(hand: Hand) -> None:
    slow = hand.start(tags.create_tag, "v1", MAIN).until(kv.SetIf)
    fast = hand.run(tags.create_tag, "v1", BRANCH)
    with pytest.raises(TagExists):
        slow.finish()
    assert hand.run(tags.get_tag, "v1") == fast


def test_a_tag_of_nothing_is_not_created(hand: Hand) -> None:
    before = dict(hand.cells)
    with pytest.raises(RefNotFound):
        hand.run(tags.create_tag, "v1", "nothing")
    assert hand.cells == before


def test_an_update_does_not_bring_a_deleted_tag_back(hand: Hand) -> None:
    hand.run(tags.create_tag, "v1", MAIN)
    slow = hand.start(tags.update_tag, "v1", BRANCH).until(kv.SetIf)
    hand.run(tags.delete_tag, "v1")
    with pytest.raises(RefChanged):
        slow.finish()
    with pytest.raises(TagNotFound):
        hand.run(tags.get_tag, "v1")


def test_a_tag_that_moved_away_and_came_back_passes_for_unchanged(hand: Hand) -> None:
    hand.run(tags.create_tag, "v1", MAIN)
    slow = hand.start(tags.update_tag, "v1", BRANCH).until(kv.SetIf)
    hand.run(tags.update_tag, "v1", BRANCH)
    hand.run(tags.update_tag, "v1", MAIN)
    slow.finish()
    assert hand.run(tags.get_tag, "v1").commit_id == hand.branch().commit_id


def test_a_slow_delete_removes_the_successor_of_the_tag_that_it_found(hand: Hand) -> None:
    # There is no conditional delete.
    hand.run(tags.create_tag, "v1", MAIN)
    slow = hand.start(tags.delete_tag, "v1").step(1)
    hand.run(tags.delete_tag, "v1")
    hand.run(tags.create_tag, "v1", BRANCH)
    slow.finish()
    with pytest.raises(TagNotFound):
        hand.run(tags.get_tag, "v1")


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_what_can_be_no_name_is_refused_and_nothing_written(hand: Hand, name: str) -> None:
    before = dict(hand.cells)
    with pytest.raises(Exception, match=r"tag id .*: expected"):
        hand.run(tags.create_tag, name, MAIN)
    assert hand.cells == before


@settings(max_examples=30, deadline=None)
@given(st.sets(st.text("ab/.9é", min_size=1, max_size=4), max_size=6), st.integers(0, 3))
def test_tags_are_listed_by_id_and_nothing_else_is(names: set[str], batch_size: int) -> None:
    hand = Hand.founded()
    for name in names:
        hand.run(tags.create_tag, name, MAIN)
    found = [tag.tag_id for tag in hand.run(tags.list_tags, batch_size=batch_size)]
    assert found == sorted(names, key=str.encode)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from([MAIN, BRANCH])), max_size=12))
def test_alone_every_operation_is_that_of_the_specification(todo: list[tuple[str, str]]) -> None:
    hand, state = Hand.founded(), TAG.initial
    hand.run(lock_free.commit, BRANCH, "ahead")
    for name, target in todo:
        args = ("v1", target) if name in ("create_tag", "update_tag") else ("v1",)
        state, expected = TAG.apply(state, name, (REPOSITORY, *args))
        try:
            view = CallView(name, args, Status.OK, hand.run(getattr(tags, name), *args))
        except (TagExists, TagNotFound) as error:
            view = CallView(name, args, Status.FAIL, error=error)
        assert view.error is None or TAG.is_answer(view.error)
        assert TAG.result(view) == expected
        heads = [tag.commit_id for tag in hand.run(tags.list_tags)]
        assert heads == ([] if state is None else [hand.branch(str(state)).commit_id])
