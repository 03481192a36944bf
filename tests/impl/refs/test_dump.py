"""Dump and restore: what was dumped comes back whole, or is refused before anything is written, with the reason and the
repair. Crashes and other clients are races: `dumps/*`, `restores/*`."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final, get_args

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.designs import dumps, scenarios_of
from lakeproof.impl.codec import Undecodable, decode_branch, decode_commit, encode
from lakeproof.impl.refs.dump import NotBare, NotDumpable, Order, RefsDump, dump_refs, restore_refs
from lakeproof.impl.refs.dump_format import MalformedDump, dump_address, object_id, without_tokens
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import CommitID, InstanceUID, RepositoryID, StagingToken
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Branch, Commit, Record, Repository, Tag
from lakeproof.search.semantics import Cells
from tests.impl.hand import Hand
from tests.impl.records import REPOSITORY, P, branch, commit, tag

TARGET: Final = attrs.evolve(
    REPOSITORY, repository_id=RepositoryID("copy"), instance_uid=InstanceUID("v"), bare=True
)  # fmt: skip


@attrs.define
class Bench(Hand):
    """A hand that dumps and restores refs."""

    @property
    def store(self) -> dict[kv.Address, bytes]:
        """By address; what is stored in it afterwards is not in the bench."""
        return {(cell[1], cell[2]): value for cell, value in self.cells.items() if cell[0] == "kv"}  # type: ignore[misc]

    @store.setter
    def store(self, contents: Mapping[kv.Address, bytes]) -> None:
        self.cells = {**self._part("object"), **{("kv", *at): value for at, value in contents.items()}}

    @property
    def lake(self) -> dict[str, StoredObject]:
        return {str(cell[1]): value for cell, value in self.cells.items() if isinstance(value, StoredObject)}

    @lake.setter
    def lake(self, contents: Mapping[str, StoredObject]) -> None:
        self.cells = {**self._part("kv"), **{("object", at): value for at, value in contents.items()}}

    def _part(self, kind: str) -> Cells:
        return {cell: value for cell, value in self.cells.items() if cell[0] == kind}

    def dump(self, repository: Repository = REPOSITORY, **options: object) -> RefsDump:
        return self.do(dump_refs(self.env, repository, **options))  # type: ignore[arg-type]

    def restore(self, dump: RefsDump, **options: object) -> None:
        self.do(restore_refs(self.env, TARGET, dump, **options))  # type: ignore[arg-type]

    def refs(self, repository: Repository) -> dict[bytes, bytes]:
        """All values of a repository's partition by key, branches without tokens."""
        found = {key: value for (partition, key), value in self.store.items() if partition == uid_partition(repository)}
        return {
            key: encode(without_tokens(decode_branch(value))) if key.startswith(b"branches/") else value
            for key, value in found.items()
        }


bench = Bench.holding


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


SMALL = (commit("c"), commit("d", "c"), branch("main", "d"), tag("v"))


def part(name: str, *values: bytes) -> bytes:
    """An object of a dump, from the format's description."""
    return f"lakeproof refs: {name} 1\n".encode() + b"".join(len(value).to_bytes(8) + value for value in values)


def put(made: Bench, content: bytes) -> str:
    made.lake = {**made.lake, dump_address(REPOSITORY.storage_namespace, object_id(content)): StoredObject(content)}
    return object_id(content)


def assembled(made: Bench, fields: Mapping[str, object] | None = None, **parts: bytes) -> RefsDump:
    """A dump of these objects; of none where none is given."""
    ids = {name: put(made, parts.get(name, part(name))) for name in ("branches", "commits", "tags")}
    manifest = {"format": "lakeproof refs", "version": 1, **ids, **(fields or {})}
    return RefsDump(put(made, json.dumps(manifest, sort_keys=True, indent=1).encode() + b"\n"))


def of_records(made: Bench, *records: Record) -> RefsDump:
    def values(kind: type[Record]) -> list[bytes]:
        return [encode(record) for record in records if isinstance(record, kind)]

    return assembled(
        made,
        branches=part("branches", *values(Branch)),
        commits=part("commits", *values(Commit)),
        tags=part("tags", *values(Tag)),
    )


def refused(made: Bench, dump: RefsDump) -> str:
    before = dict(made.store)
    with pytest.raises(MalformedDump) as caught:
        made.restore(dump)
    assert not any(isinstance(op, kv.SetIf | kv.Set) for op in made.ops)
    assert made.store == before
    address, _, told = str(caught.value).partition(": ")
    assert address.startswith("mem://r/_lakefs/refs/")
    return told


NO_TOKEN = StagingToken("")


def dumped(name: str, commit_id: str) -> Branch:
    return attrs.evolve(branch(name, commit_id), staging_token=NO_TOKEN)


class TestMalformedDumps:
    def test_the_format_is_as_described(self) -> None:
        made, by_hand = bench(*SMALL), bench()
        dump = made.dump()
        assert of_records(by_hand, commit("c"), commit("d", "c"), dumped("main", "d"), tag("v")) == dump
        assert by_hand.lake == made.lake

    @pytest.mark.parametrize(
        ("fields", "told"),
        [
            ({"format": "tar"}, "no field format='lakeproof refs'; name the manifest of a dump"),
            ({"version": 2}, "version 2: expected 1; restore with the program that dumped"),
            ({"version": None}, "version None: expected 1; restore with the program that dumped"),
            ({"commits": 7}, ": expected three ids; dump again"),
            ({"tags": "0" * 64}, "is not there; restore to the storage namespace of the repository that was dumped"),
        ],
    )
    def test_a_manifest_that_is_none(self, fields: Mapping[str, object], told: str) -> None:
        made = bench()
        assert refused(made, assembled(made, fields)).endswith(told)

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b"\xff", b'{"a": "\xff"}', b"[" * 100_000])
    def test_a_manifest_that_is_no_json_object(self, content: bytes) -> None:
        made = bench()
        assert refused(made, RefsDump(put(made, content))).endswith("name the manifest of a dump")

    @pytest.mark.parametrize(
        ("tags", "told"),
        [
            (b"", "begins with b'', expected b'lakeproof refs: tags 1\\n'; dump again"),
            (part("branches"), "begins with b'lakeproof refs: branche', expected b'lakeproof refs: tags 1\\n'"),
            (part("tags") + b"\0", "cut off in record 0; dump again"),
            (part("tags", encode(tag("v")))[:-1], "cut off in record 0; dump again"),
            (part("tags", encode(tag("v")), b"x") + bytes(7), "cut off in record 2; dump again"),
            (part("tags", encode(tag("v")), b"\xff"), "tags: record 1: b'\\xff' is no TagData; dump again"),
        ],
    )
    def test_an_object_that_is_none_of_a_dump(self, tags: bytes, told: str) -> None:
        made = bench()
        assert refused(made, assembled(made, tags=tags)).startswith(told)

    @pytest.mark.parametrize(
        ("records", "told"),
        [
            ([dumped("main", "c")], "branch 'main' names commit 'c', which is not there; dump again"),
            ([tag("v")], "tag 'v' names commit 'c', which is not there; dump again"),
            ([commit("d", "c")], "commit 'd' names commit 'c', which is not there; dump again"),
            ([commit("c", "c")], "commits are their own ancestors: 'c' < 'c'; dump again"),
            ([commit("a", "b"), commit("b", "a")], "commits are their own ancestors: '"),
            ([commit("c/d")], "commit id 'c/d': expected no '/', which would break out of its key"),
            ([commit("")], "commit id '': expected a name"),
            ([commit("c"), dumped("a/b", "c")], "branch id 'a/b': expected no '/'"),
            ([commit("c"), tag("v\0")], "tag id 'v\\x00': expected a name without NUL"),
            ([commit("c"), commit("c")], "commit 'c' stands behind b'c'; expected each once, in order; dump again"),
            ([commit("c"), tag("b"), tag("a")], "tag 'a' stands behind b'b'; expected each once, in order"),
            ([commit("c"), branch("main")], "branch 'main' has staging tokens; expected none in a dump; dump again"),
        ],
    )
    def test_refs_that_are_those_of_no_repository(self, records: list[Record], told: str) -> None:
        made = bench()
        assert refused(made, of_records(made, *records)).startswith(told)

    @given(st.integers(0, 3), st.data())
    def test_whatever_is_changed_in_an_object_is_noticed(self, number: int, data: st.DataObject) -> None:
        made = bench(*SMALL)
        dump = made.dump()
        at = sorted(made.lake)[number]
        content = bytearray(made.lake[at].content)
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= data.draw(st.integers(1, 255))
        made.lake = {**made.lake, at: StoredObject(bytes(content))}
        with pytest.raises(MalformedDump, match=re.escape(at)):
            made.restore(dump)


class TestTargets:
    def test_a_repository_that_is_not_bare(self) -> None:
        made = bench(*SMALL)
        flow = restore_refs(made.env, REPOSITORY, made.dump())
        with pytest.raises(NotBare, match="r: the repository is not bare; restore to one created as bare"):
            made.do(flow)
        assert made.ops == []

    @pytest.mark.parametrize(
        ("record", "value"),
        [
            *((each, None) for each in (branch("dev", "c"), branch("gone", ""), branch("main", "c"))),
            *((each, None) for each in (tag("w"), commit("x"), commit("d"))),
            (branch("main"), b"\xff"),
        ],
        ids=["branch", "deleted branch", "other head", "tag", "commit", "other content", "undecodable"],
    )
    def test_a_bare_repository_with_a_ref_that_is_not_the_dumps(self, record: Record, value: bytes | None) -> None:
        made = bench(*SMALL)
        dump = made.dump()
        [((_, key), written)] = bench(record).store.items()
        made.store = {**made.store, (uid_partition(TARGET), key): value or written}
        with pytest.raises(NotBare, match=re.escape(f"copy: {key!r} is there and not the dump's; restore to a")):
            made.restore(dump)
        assert [at for at in made.store if at[0] == uid_partition(TARGET)] == [(uid_partition(TARGET), key)]


class TestSources:
    @pytest.mark.parametrize(
        ("records", "told"),
        [
            ([branch("main", "c")], "branch 'main' names commit 'c', which is not there"),
            ([commit("c"), branch("main"), tag("v"), tag("w")], None),
            ([commit("d", "c"), branch("main", "d")], "commit 'd' names commit 'c', which is not there"),
            ([commit("e", "d"), commit("d", "c"), branch("main", "e")], "commit 'd' names commit 'c', which is not"),
            ([commit("c")], "default branch 'main' is not there"),
            ([], "default branch 'main' is not there"),
        ],
    )
    def test_a_repository_that_is_torn_is_not_dumped(self, records: list[Record], told: str | None) -> None:
        made = bench(*records)
        if told is None:
            made.dump()
            return
        with pytest.raises(NotDumpable, match=f"r: {told}.*; mend the repository, and dump again"):
            made.dump()
        assert made.lake == {}

    def test_a_commit_that_no_ref_leads_to_is_left_out_where_its_ancestors_are_not_all_there(self) -> None:
        made = bench(*SMALL, commit("lost", "nowhere"), commit("loster", "lost"), commit("unreachable", "c"))
        made.restore(made.dump())
        names = [key for key in made.refs(TARGET) if key.startswith(b"commits/")]
        assert names == [b"commits/c", b"commits/d", b"commits/unreachable"]

    @pytest.mark.parametrize(
        ("key", "value", "told"),
        [
            (b"tags/v", b"\xff", "b'r-u' b'tags/v': not a tag record"),
            (b"tags/\xff", encode(tag("v")), "b'r-u' b'tags/.xff': the key schema knows no such key"),
            (b"tags/w", encode(tag("v")), "b'r-u' b'tags/w': holds the record of 'v'; delete or move it"),
            (b"commits/x", encode(commit("c")), "b'r-u' b'commits/x': holds the record of 'c'"),
        ],
    )
    def test_what_is_no_record_is_named_with_its_address(self, key: bytes, value: bytes, told: str) -> None:
        made = bench(*SMALL)
        made.store = {**made.store, (P, key): value}
        with pytest.raises(Undecodable, match=told):
            made.dump()
        assert made.lake == {}

    @pytest.mark.parametrize("flow", [dump_refs, restore_refs])
    def test_a_page_size_that_is_none_is_refused(self, flow: Callable[..., object]) -> None:  # type: ignore[explicit-any]
        made = bench(*SMALL)
        arguments = [REPOSITORY] if flow is dump_refs else [TARGET, made.dump()]
        with pytest.raises(ValueError, match="batch_size=-1: expected 1 or more, or 0 for everything at once"):
            made.do(flow(made.env, *arguments, batch_size=-1))  # type: ignore[arg-type]

    def test_a_repository_that_is_deleted_meanwhile_gives_no_dump_that_lacks_anything(self) -> None:
        """Keys go in ascending order, one between any two effects, from any effect on."""
        kept = bench(*SMALL).dump()
        for begin in range(12):
            made = bench(*SMALL)
            running, effects = made.begin(dump_refs(made.env, REPOSITORY, batch_size=1)), 0
            while running.op is not None:
                if effects >= begin:
                    made.store = dict(sorted(made.store.items())[1:])
                running.step()
                effects += 1
            try:
                assert running.finish() == kept, begin
            except NotDumpable:
                assert made.lake == {}
