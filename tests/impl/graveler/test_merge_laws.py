"""Merges held against the pure definitions: three sets of entries, and the history as sets of ancestors."""

from collections.abc import Mapping, Sequence

import attrs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lakeproof.designs.branch_designs import BRANCH, REPOSITORY
from lakeproof.impl.committed import Conflicts
from lakeproof.impl.graveler import lock_free, merges, writes
from lakeproof.impl.graveler.merges import merge_base
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.commits import add_commit, new_commit
from lakeproof.impl.refs.errors import NoCommonAncestor
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import MetaRangeID
from lakeproof.model.records import Commit
from tests.impl.hand import NOW, Hand
from tests.model.three_way import three_way_merge

MAIN = REPOSITORY.default_branch_id
Contents = Mapping[bytes, bytes]

contents = st.dictionaries(st.sampled_from([b"a", b"b", b"c", b"d"]), st.sampled_from([b"1", b"2"]), max_size=4)
strategies = st.sampled_from([None, "source-wins", "destination-wins"])
QUICK = settings(max_examples=60)


def entries(found: Contents) -> tuple[Entry, ...]:
    return tuple(Entry(path=path, identity=found[path], data=b"") for path in sorted(found))


def commit(hand: Hand, branch_id: str, wanted: Contents) -> Commit:
    """A commit that makes the branch contain just this."""
    for path in hand.content(branch_id).keys() - wanted.keys():
        hand.run(writes.delete_entry, branch_id, path)
    for path, identity in wanted.items():
        hand.run(writes.set_entry, branch_id, path, identity)
    made: Commit = hand.run(lock_free.commit, branch_id, f"{branch_id} {len(hand.ops)}")
    return made


def forked(base: Contents, source: Contents, destination: Contents) -> tuple[Hand, Commit, Commit]:
    """Main goes on to the source, a branch to the destination, both from the base."""
    hand = Hand.founded()
    commit(hand, MAIN, base)
    hand.run(branches.update_branch, BRANCH, MAIN)
    return hand, commit(hand, MAIN, source), commit(hand, BRANCH, destination)


@QUICK
@given(contents, contents, contents, strategies)
def test_a_merge_is_the_merge_of_three_sets(
    base: Contents, source: Contents, destination: Contents, strategy: str | None
) -> None:
    hand, theirs, ours = forked(base, source, destination)
    merged, conflicts = three_way_merge(entries(base), entries(source), entries(destination), strategy)
    if conflicts:
        with pytest.raises(Conflicts) as refused:
            hand.run(merges.merge, BRANCH, MAIN, "merge", strategy=strategy)
        assert refused.value.paths == conflicts
        assert hand.branch().commit_id == ours.commit_id
        return
    made = hand.run(merges.merge, BRANCH, MAIN, "merge", strategy=strategy)
    assert made.parents == (ours.commit_id, theirs.commit_id)
    assert hand.content() == {entry.path: entry.identity for entry in merged}
    again = hand.run(merges.merge, BRANCH, MAIN, "again", strategy=strategy)
    assert again.meta_range_id == made.meta_range_id, "what is merged already changes nothing"


histories = st.lists(st.lists(st.integers(0, 9), max_size=3, unique=True), min_size=2, max_size=10)
"""Of each commit its parents, by number; those that do not come before it are left out."""


def history(hand: Hand, parents: Sequence[Sequence[int]], older: int) -> list[Commit]:
    """older: so many commits were made by a lakeFS that knew no generations."""
    made: list[Commit] = []
    for number, wanted in enumerate(parents):
        commits = [made[parent] for parent in wanted if parent < number]
        commit = new_commit(commits, MetaRangeID(""), committer="me", message=f"{number}", creation_date=NOW)
        made.append(attrs.evolve(commit, generation=0) if number < older else commit)
        hand.run(add_commit, made[-1])
    return made


def ancestors(made: Sequence[Commit]) -> dict[str, set[str]]:
    """Of each commit itself and all that come before it."""
    found: dict[str, set[str]] = {}
    for each in made:
        found[each.commit_id] = {each.commit_id}.union(*(found[parent] for parent in each.parents))
    return found


@settings(max_examples=150)
@given(histories, st.sampled_from([0, 4, 10]), st.integers(0, 9), st.integers(0, 9))
@example([[], [0], [0, 1], [0, 1]], 4, 2, 3)
@example([[], [0], [1], [0, 1, 2], [0, 1, 2]], 3, 3, 4)
def test_a_merge_base_is_a_common_ancestor_of_which_no_other_one_descends(
    parents: list[list[int]], older: int, first: int, second: int
) -> None:
    hand = Hand.founded()
    made = history(hand, parents, older)
    one, other = made[first % len(made)], made[second % len(made)]
    known = ancestors(made)
    common = known[one.commit_id] & known[other.commit_id]
    if not common:
        with pytest.raises(NoCommonAncestor):
            hand.run(merge_base, one, other)
        return
    base = hand.run(merge_base, one, other)
    assert base == hand.run(merge_base, other, one)
    assert base.commit_id in common
    assert not any(base.commit_id in known[each] - {each} for each in common)
    if base.generation == 0:
        return
    highest = max(each.generation for each in made if each.commit_id in common)
    nearest = min(each.commit_id for each in made if each.commit_id in common and each.generation == highest)
    assert base.commit_id == nearest
