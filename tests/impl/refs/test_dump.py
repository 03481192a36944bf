"""Dump and restore: what was dumped comes back whole. Crashes and other clients are races: `dumps/*`, `restores/*`."""

from typing import Final, get_args

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.designs import dumps, scenarios_of
from lakeproof.impl.codec import decode_branch, decode_commit, encode
from lakeproof.impl.refs.dump import Order, restore_refs
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import CommitID, StagingToken
from tests.impl.records import REPOSITORY, P, branch, commit, tag
from tests.impl.refs.benches import TARGET, Bench, bench

SCENARIOS: Final = [each for each in scenarios_of(dumps) if each.name.split("/", 2)[2] in ("commit", "commit/paged")]
"""The plugin makes each a test: a dump that reads commits last can be restored, whatever is committed meanwhile."""

A_REPOSITORY: Final = (
    commit("c1"),
    commit("c2", "c1"),
    commit("c3", "c1"),
    commit("c4", "c2", "c3"),
    branch("main", "c4"),
    branch("dev", "c2"),
    tag("v1"),
    attrs.evolve(tag("v2"), commit_id=CommitID("c3")),
    commit("c"),
)


@st.composite
def repositories(draw: st.DrawFn) -> Bench:
    """Any history with merges, a default branch, more branches and tags, and commits that no ref leads to."""
    names = [f"{number:x}" for number in draw(st.permutations(range(draw(st.integers(1, 9)))))]
    commits = [
        commit(name, *draw(st.lists(st.sampled_from(names[:n]), unique=True, max_size=3)) if n else ())
        for n, name in enumerate(names)
    ]
    heads = st.sampled_from(names)
    branches = draw(st.dictionaries(st.text("ab", min_size=1, max_size=3), heads, max_size=4))
    tags = draw(st.dictionaries(st.text("ab/", min_size=1, max_size=3), heads, max_size=4))
    return bench(
        *commits,
        branch("main", draw(heads)),
        *(branch(name, head) for name, head in branches.items()),
        *(attrs.evolve(tag(name), commit_id=CommitID(head)) for name, head in tags.items()),
    )


class TestRoundTrip:
    @given(repositories(), st.integers(0, 4), st.sampled_from(get_args(Order)))
    def test_a_restored_dump_is_what_was_dumped_and_dumps_to_the_same_bytes(
        self, made: Bench, batch_size: int, order: Order
    ) -> None:
        before = dict(made.store)
        dump = made.dump(batch_size=batch_size, order=order)
        starts = [op.start for op in made.ops if isinstance(op, kv.ScanBatch)]
        assert len(starts) == len(set(starts)), "nothing is read twice"
        assert made.store == before
        dumped = dict(made.lake)
        assert len(dumped) == 4
        made.restore(dump, batch_size=batch_size)
        assert made.refs(TARGET) == made.refs(REPOSITORY)
        assert {at: value for at, value in made.store.items() if at in before} == before
        assert made.dump(TARGET) == dump
        assert made.lake == dumped

    def test_the_dump_of_a_bare_repository_is_empty_and_comes_back(self) -> None:
        made = bench()
        made.restore(made.dump(TARGET))
        assert made.store == {}

    def test_branches_get_fresh_staging_tokens_and_uncommitted_changes_and_deleted_branches_stay_behind(self) -> None:
        main = attrs.evolve(branch("main", "c1"), sealed_tokens=(StagingToken("r-main:s"),), hidden=True)
        made = bench(commit("c1"), main, branch("deleted", ""))
        made.restore(made.dump())
        assert set(made.refs(TARGET)) == {b"branches/main", b"commits/c1"}
        restored = decode_branch(made.store[uid_partition(TARGET), b"branches/main"])
        assert restored == attrs.evolve(main, staging_token=restored.staging_token, sealed_tokens=())
        assert restored.staging_token.startswith("copy-main:v.")

    def test_what_this_codec_does_not_know_of_a_commit_comes_back(self) -> None:
        made = bench(branch("main", "c1"))
        # Field 4 is the creation date: 1 s and 7 ns; field 99 belongs to some newer lakeFS.
        foreign = encode(commit("c1")) + b"\x22\x04\x08\x01\x10\x07" + b"\x9a\x06\x01x"
        made.store = {**made.store, (P, b"commits/c1"): foreign}
        made.restore(made.dump())
        assert made.store[uid_partition(TARGET), b"commits/c1"] == foreign

    def test_commits_without_a_generation_get_theirs_and_others_keep_what_they_have(self) -> None:
        history = [commit("a"), commit("b", "a"), commit("c", "b"), commit("d", "c"), commit("e", "b", "d")]
        lacking = [attrs.evolve(each, generation=7 if each.commit_id == "c" else 0) for each in history]
        made = bench(*lacking, branch("main", "e"))
        made.restore(made.dump())
        restored = {
            name: decode_commit(made.refs(TARGET)[keys.commit_key(CommitID(name))]).generation for name in "abcde"
        }
        assert restored == {"a": 1, "b": 2, "c": 7, "d": 8, "e": 9}


class TestLostAnswers:
    @pytest.mark.parametrize("at", range(7, 16))
    def test_a_write_whose_answer_was_lost_is_no_obstacle(self, at: int) -> None:
        made = bench(*A_REPOSITORY)
        dump = made.dump()
        # A client library that tried again is told that the predicate failed, and passes this on.
        made.do(restore_refs(made.env, TARGET, dump), told={at: kv.PredicateFailed()})
        assert made.refs(TARGET) == made.refs(REPOSITORY)
