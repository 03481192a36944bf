"""Dumps and restores that are refused: before anything is written, with the reason and the repair."""

import json
import re
from collections.abc import Callable, Mapping

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.codec import Undecodable, encode
from lakeproof.impl.refs.dump import NotBare, NotDumpable, RefsDump, dump_refs, restore_refs
from lakeproof.impl.refs.dump_format import MalformedDump, dump_address, object_id
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import kv
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Branch, Commit, Record, Tag
from tests.impl.records import REPOSITORY, P, branch, commit, tag
from tests.impl.refs.benches import TARGET, Bench, bench

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
