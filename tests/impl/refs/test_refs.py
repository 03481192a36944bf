"""Branches, tags and commits as records: nobody is overridden, and ids are content addresses."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.graveler import lock_free, writing
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.commits import add_commit, get_commit, log, new_commit
from lakeproof.impl.refs.errors import (
    BranchExists,
    BranchNotFound,
    CommitNotFound,
    DefaultBranch,
    RefChanged,
    RefNotFound,
    TagExists,
    TagNotFound,
)
from lakeproof.impl.refs.resolving import resolve
from lakeproof.model import kv
from lakeproof.model.commits import canonical, content_address
from lakeproof.model.identifiers import CommitID, MetaRangeID
from lakeproof.model.records import Commit
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from tests.impl.hand import NOW, Hand

MAIN = REPOSITORY.default_branch_id


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


def test_a_branch_is_created_from_a_branch_a_tag_or_a_commit_id(hand: Hand) -> None:
    head = hand.branch().commit_id
    hand.run(tags.create_tag, "v1", BRANCH)
    for name, source in (("c", BRANCH), ("d", "v1"), ("e", head)):
        assert hand.run(branches.create_branch, name, source).commit_id == head
    listed = hand.run(branches.list_branches, batch_size=2)
    assert [branch.branch_id for branch in listed] == ["b", "c", "d", "e", "main"]
    with pytest.raises(RefNotFound):
        hand.run(branches.create_branch, "f", "nothing")


def test_a_name_that_is_taken_is_refused_and_its_owner_left_alone(hand: Hand) -> None:
    before = hand.branch()
    with pytest.raises(BranchExists):
        hand.run(branches.create_branch, BRANCH, MAIN)
    assert hand.branch() == before
    tag = hand.run(tags.create_tag, "v1", MAIN)
    with pytest.raises(TagExists):
        hand.run(tags.create_tag, "v1", BRANCH)
    assert hand.run(tags.get_tag, "v1") == tag


def test_each_branch_of_a_name_has_a_token_of_its_own(hand: Hand) -> None:
    first = hand.branch().staging_token
    hand.run(branches.delete_branch, BRANCH)
    hand.run(branches.create_branch, BRANCH, MAIN)
    assert hand.branch().staging_token != first
    assert hand.branch().staging_token.startswith("r-b:u.")


def test_an_update_moves_the_branch_and_keeps_what_is_staged(hand: Hand) -> None:
    hand.run(writing.set_entry, MAIN, b"m", b"1")
    made = hand.run(lock_free.commit, MAIN, "ahead")
    hand.run(writing.set_entry, BRANCH, b"x", b"2")
    hand.run(branches.update_branch, BRANCH, MAIN)
    assert hand.branch().commit_id == made.commit_id
    assert hand.content() == {b"m": b"1", b"x": b"2"}


@pytest.mark.parametrize("flow", [branches.update_branch, branches.delete_branch_by_tombstone])
def test_what_has_changed_since_it_was_read_is_not_replaced(hand: Hand, flow: object) -> None:
    args = (BRANCH, MAIN) if flow is branches.update_branch else (BRANCH,)
    slow = hand.start(flow, *args).until(kv.SetIf)
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    made = hand.run(lock_free.commit, BRANCH, "m")
    with pytest.raises(RefChanged):
        slow.finish()
    assert hand.branch().commit_id == made.commit_id


@pytest.mark.parametrize("delete", [branches.delete_branch, branches.delete_branch_by_tombstone])
def test_a_deleted_branch_is_not_found_listed_or_resolved_and_can_be_created_anew(hand: Hand, delete: object) -> None:
    hand.run(delete, BRANCH)
    with pytest.raises(BranchNotFound):
        hand.run(branches.get_branch, BRANCH)
    with pytest.raises(BranchNotFound):
        hand.run(delete, BRANCH)
    with pytest.raises(RefNotFound):
        hand.run(resolve, BRANCH)
    assert [branch.branch_id for branch in hand.run(branches.list_branches)] == [MAIN]
    hand.run(branches.create_branch, BRANCH, MAIN, tombstones=True)
    assert hand.run(branches.get_branch, BRANCH).commit_id == hand.branch(MAIN).commit_id
    with pytest.raises(BranchExists):
        hand.run(branches.create_branch, BRANCH, MAIN, tombstones=True)


def test_the_default_branch_is_not_deleted(hand: Hand) -> None:
    for delete in (branches.delete_branch, branches.delete_branch_by_tombstone):
        with pytest.raises(DefaultBranch):
            hand.run(delete, MAIN)


def test_tags_are_moved_deleted_and_listed(hand: Hand) -> None:
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    made = hand.run(lock_free.commit, BRANCH, "m")
    for name in ("v2", "v1"):
        hand.run(tags.create_tag, name, MAIN)
    assert hand.run(tags.update_tag, "v2", BRANCH).commit_id == made.commit_id
    assert [tag.tag_id for tag in hand.run(tags.list_tags, batch_size=1)] == ["v1", "v2"]
    hand.run(tags.delete_tag, "v1")
    for flow, args in ((tags.get_tag, ()), (tags.delete_tag, ()), (tags.update_tag, (MAIN,))):
        with pytest.raises(TagNotFound):
            hand.run(flow, "v1", *args)


def test_a_tag_that_has_changed_since_it_was_read_is_not_replaced(hand: Hand) -> None:
    hand.run(tags.create_tag, "v1", MAIN)
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    hand.run(lock_free.commit, BRANCH, "m")
    slow = hand.start(tags.update_tag, "v1", MAIN).until(kv.SetIf)
    hand.run(tags.update_tag, "v1", BRANCH)
    with pytest.raises(RefChanged):
        slow.finish()


def test_the_log_follows_first_parents(hand: Hand) -> None:
    made = []
    for number in range(3):
        hand.run(writing.set_entry, BRANCH, b"x", b"%d" % number)
        made.append(hand.run(lock_free.commit, BRANCH, str(number)).commit_id)
    found = [commit.commit_id for commit in hand.run(log, BRANCH)]
    assert found[:3] == made[::-1]
    assert len(found) == 4
    assert [commit.commit_id for commit in hand.run(log, BRANCH, amount=2)] == made[:0:-1]


def test_a_missing_commit_is_not_found(hand: Hand) -> None:
    with pytest.raises(CommitNotFound):
        hand.run(get_commit, CommitID("nothing"))


def test_adding_a_commit_twice_is_adding_it_once(hand: Hand) -> None:
    made = new_commit([], MetaRangeID("m"), committer="me", message="x", creation_date=NOW)
    hand.run(add_commit, made)
    before = dict(hand.cells)
    hand.run(add_commit, made)
    assert hand.cells == before
    assert hand.run(get_commit, made.commit_id) == made


def test_a_generation_is_one_above_the_highest_parents() -> None:
    first = new_commit([], MetaRangeID(""), committer="", message="", creation_date=0)
    second = new_commit([first], MetaRangeID(""), committer="", message="", creation_date=0)
    assert (first.generation, second.generation) == (1, 2)
    assert new_commit([first, second], MetaRangeID(""), committer="", message="", creation_date=0).generation == 3


words = st.text(max_size=3)
commits = st.builds(
    Commit,
    commit_id=st.just(CommitID("")),
    committer=words,
    message=words,
    creation_date=st.integers(0, 20),
    meta_range_id=words.map(MetaRangeID),
    metadata=st.dictionaries(words, words, max_size=2).map(lambda found: tuple(sorted(found.items()))),
    parents=st.lists(words.map(CommitID), max_size=2).map(tuple),
    version=st.integers(1, 2),
    generation=st.integers(1, 12),
)


@given(commits, commits)
def test_different_commits_have_different_canonical_forms(one: Commit, other: Commit) -> None:
    assert (canonical(one) == canonical(other)) is (one == other)


@given(commits, words)
def test_the_id_is_no_part_of_the_address(commit: Commit, name: str) -> None:
    assert content_address(attrs.evolve(commit, commit_id=CommitID(name))) == content_address(commit)
