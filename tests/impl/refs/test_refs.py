"""Branches, tags and commits alone: names, what a ref leads to, and histories that are added in any order.

Their races are scenarios: `branches/*`, `tags/*`, `refs/*`.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.designs.branch_designs import BRANCH, REPOSITORY
from lakeproof.impl.graveler import lock_free, merges, writes
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.commits import add_commit, get_commit, log, new_commit
from lakeproof.impl.refs.errors import CommitNotFound, TagExists, TagNotFound
from lakeproof.model.commits import content_address
from lakeproof.model.identifiers import MetaRangeID
from lakeproof.model.records import Commit
from lakeproof.model.snapshot import CallView, Status
from lakeproof.model.tag import TAG
from tests.impl.hand import NOW, Hand

MAIN = REPOSITORY.default_branch_id
TAGS = ["create_tag", "update_tag", "delete_tag", "get_tag"]


@pytest.fixture
def hand() -> Hand:
    """Main, and a branch that is one commit ahead."""
    made = Hand.founded()
    made.run(writes.set_entry, BRANCH, b"x", b"1")
    made.run(lock_free.commit, BRANCH, "ahead")
    return made


class TestNames:
    @pytest.mark.parametrize(
        ("flow", "kind", "name"),
        [
            *((branches.create_branch, "branch", name) for name in ("", "a/b", "a\0b")),
            *((tags.create_tag, "tag", name) for name in ("", "a\0b")),
        ],
    )
    def test_what_can_be_no_name_is_refused_and_nothing_written(
        self, hand: Hand, flow: object, kind: str, name: str
    ) -> None:
        before = dict(hand.cells)
        with pytest.raises(Exception, match=rf"{kind} id .*: expected"):
            hand.run(flow, name, MAIN)
        assert hand.cells == before


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from([MAIN, BRANCH])), max_size=12))
def test_alone_every_operation_on_a_tag_is_that_of_the_specification(todo: list[tuple[str, str]]) -> None:
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


def made_of(*parents: Commit, message: str = "m", metadata: tuple[tuple[str, str], ...] = ()) -> Commit:
    return new_commit(parents, MetaRangeID(""), committer="me", message=message, creation_date=NOW, metadata=metadata)


histories = st.lists(st.lists(st.integers(0, 7), max_size=3, unique=True), min_size=1, max_size=8)
"""Of each commit its parents, by number; those that do not come before it are left out."""


class TestCommits:
    @settings(max_examples=50)
    @given(histories, st.data())
    def test_they_may_be_added_in_any_order_and_as_often_as_one_likes(
        self, parents: list[list[int]], data: st.DataObject
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
    def test_the_order_of_metadata_is_no_part_of_them(self, metadata: list[tuple[str, str]]) -> None:
        assert made_of(metadata=tuple(metadata)) == made_of(metadata=(("a", "1"), ("b", "2"), ("c", "3")))

    def test_the_order_of_parents_is(self) -> None:
        one, other = made_of(message="one"), made_of(message="other")
        assert made_of(one, other).commit_id != made_of(other, one).commit_id

    def test_the_log_follows_first_parents_from_a_branch_a_tag_or_an_id(self, hand: Hand) -> None:
        root, first = hand.branch(MAIN).commit_id, hand.branch().commit_id
        hand.run(writes.set_entry, MAIN, b"m", b"1")
        hand.run(lock_free.commit, MAIN, "merged")
        both = hand.run(merges.merge, BRANCH, MAIN, "merge").commit_id
        hand.run(tags.create_tag, "v1", BRANCH)
        for ref in (BRANCH, "v1", both):
            assert [commit.commit_id for commit in hand.run(log, ref)] == [both, first, root]
        assert [commit.commit_id for commit in hand.run(log, BRANCH, amount=1)] == [both]

    def test_a_missing_parent_is_named(self) -> None:
        hand, orphan = Hand.founded(), made_of(made_of(message="missing"))
        hand.run(add_commit, orphan)
        with pytest.raises(CommitNotFound) as refused:
            hand.run(log, orphan.commit_id)
        assert refused.value == CommitNotFound(orphan.parents[0])
