"""Merge and revert: commits that come from commits."""

import pytest

from lakeproof.impl.committed import Conflicts
from lakeproof.impl.graveler import lock_free, merging, writing
from lakeproof.impl.graveler.merging import merge_base
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.commits import add_commit, get_commit, new_commit
from lakeproof.impl.refs.errors import DirtyBranch, NoCommonAncestor, NoParent, RefChanged, RefNotFound
from lakeproof.model import kv
from lakeproof.model.identifiers import MetaRangeID
from lakeproof.model.records import Commit
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from tests.impl.hand import NOW, Hand

MAIN = REPOSITORY.default_branch_id


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


def committed(hand: Hand, branch_id: str, path: bytes, identity: bytes) -> Commit:
    hand.run(writing.set_entry, branch_id, path, identity)
    made: Commit = hand.run(lock_free.commit, branch_id, f"{path!r} {identity!r}")
    return made


def test_a_merge_has_two_parents_the_destination_first(hand: Hand) -> None:
    theirs = committed(hand, MAIN, b"m", b"1")
    ours = committed(hand, BRANCH, b"b", b"2")
    made = hand.run(merging.merge, BRANCH, MAIN, "merge")
    assert made.parents == (ours.commit_id, theirs.commit_id)
    assert made.generation == 1 + max(ours.generation, theirs.generation)
    assert hand.content() == {b"m": b"1", b"b": b"2"}


def test_a_conflict_names_the_paths_and_nothing_is_merged(hand: Hand) -> None:
    committed(hand, MAIN, b"x", b"1")
    committed(hand, BRANCH, b"x", b"2")
    with pytest.raises(Conflicts) as refused:
        hand.run(merging.merge, BRANCH, MAIN, "merge")
    assert b"x" in str(refused.value.args).encode()
    assert hand.content() == {b"x": b"2"}


@pytest.mark.parametrize(("strategy", "left"), [("source-wins", b"1"), ("destination-wins", b"2")])
def test_a_strategy_settles_conflicts(hand: Hand, strategy: str, left: bytes) -> None:
    committed(hand, MAIN, b"x", b"1")
    committed(hand, BRANCH, b"x", b"2")
    hand.run(merging.merge, BRANCH, MAIN, "merge", strategy=strategy)
    assert hand.content() == {b"x": left}


def test_a_second_merge_starts_from_the_first(hand: Hand) -> None:
    committed(hand, MAIN, b"x", b"1")
    hand.run(merging.merge, BRANCH, MAIN, "merge")
    committed(hand, BRANCH, b"x", b"2")
    committed(hand, MAIN, b"y", b"3")
    hand.run(merging.merge, BRANCH, MAIN, "again")
    assert hand.content() == {b"x": b"2", b"y": b"3"}


def test_a_branch_with_uncommitted_changes_is_refused(hand: Hand) -> None:
    hand.run(writing.set_entry, BRANCH, b"x", b"1")
    for flow, args in ((merging.merge, (MAIN, "m")), (merging.revert, (BRANCH, "r"))):
        with pytest.raises(DirtyBranch):
            hand.run(flow, BRANCH, *args)


def test_a_merge_that_is_overtaken_by_a_commit_is_refused(hand: Hand) -> None:
    committed(hand, MAIN, b"m", b"1")
    merger = hand.start(merging.merge, BRANCH, MAIN, "merge").until(kv.SetIf)
    committed(hand, BRANCH, b"b", b"2")
    with pytest.raises(RefChanged):
        merger.finish()
    assert hand.content() == {b"b": b"2"}


def test_what_is_staged_while_it_merges_stays_staged(hand: Hand) -> None:
    committed(hand, MAIN, b"m", b"1")
    merger = hand.start(merging.merge, BRANCH, MAIN, "merge").until(kv.SetIf)
    hand.run(writing.set_entry, BRANCH, b"b", b"2")
    merger.finish()
    assert hand.content() == {b"m": b"1", b"b": b"2"}


def test_a_revert_undoes_one_commit_and_keeps_later_ones(hand: Hand) -> None:
    undone = committed(hand, BRANCH, b"x", b"1")
    committed(hand, BRANCH, b"y", b"2")
    hand.run(merging.revert, BRANCH, undone.commit_id, "revert")
    assert hand.content() == {b"y": b"2"}


def test_the_first_commit_cannot_be_reverted_and_a_missing_one_not_found(hand: Hand) -> None:
    with pytest.raises(NoParent):
        hand.run(merging.revert, MAIN, MAIN, "revert")
    with pytest.raises(RefNotFound):
        hand.run(merging.revert, MAIN, "nothing", "revert")
    with pytest.raises(RefNotFound):
        hand.run(merging.merge, BRANCH, "nothing", "merge")


def chain(hand: Hand, *parents: Commit, message: str) -> Commit:
    made = new_commit(parents, MetaRangeID(""), committer="me", message=message, creation_date=NOW)
    hand.run(add_commit, made)
    return made


def test_the_merge_base_is_the_nearest_common_ancestor(hand: Hand) -> None:
    root = hand.run(get_commit, hand.branch().commit_id)
    left = chain(hand, root, message="left")
    right = chain(hand, root, message="right")
    both = chain(hand, left, right, message="both")
    after = chain(hand, right, message="after")
    assert hand.run(merge_base, both, after) == right
    assert hand.run(merge_base, left, right) == root
    assert hand.run(merge_base, both, both) == both
    assert hand.run(merge_base, root, both) == root


def test_strangers_have_no_merge_base(hand: Hand) -> None:
    with pytest.raises(NoCommonAncestor):
        hand.run(merge_base, chain(hand, message="one"), chain(hand, message="other"))


def test_a_merge_from_a_tag_or_commit_id_is_the_same(hand: Hand) -> None:
    theirs = committed(hand, MAIN, b"m", b"1")
    hand.run(branches.create_branch, "c", BRANCH)
    one = hand.run(merging.merge, BRANCH, theirs.commit_id, "merge")
    assert hand.run(merging.merge, "c", MAIN, "merge").commit_id == one.commit_id
