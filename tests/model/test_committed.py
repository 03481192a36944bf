"""Entries and what changes them; ranges and metaranges as bytes."""

import hashlib
from itertools import product

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.model.committed import (
    META_RANGE_FORMAT,
    Entry,
    MalformedObject,
    RangeInfo,
    Splitting,
    Unsorted,
    change_to,
    content_id,
    decode_meta_range,
    decode_range,
    describe,
    encode_meta_range,
    encode_range,
    merged_entry,
    object_address,
    split,
    write,
)
from lakeproof.model.contents import merge_paths
from lakeproof.model.records import StagedEntry
from tests.model.three_way import apply_changes, differences, three_way_merge

Contents = tuple[Entry, ...]

SPLITTING = Splitting(min_bytes=80, max_bytes=250, one_in=3)

paths = st.binary(max_size=3)


def entry(path: bytes, identity: bytes = b"1") -> Entry:
    """An entry whose data its identity stands for."""
    return Entry(path=path, identity=identity, data=b"data " + identity)


def some(**found: int) -> Contents:
    """Entries by path, given as identities."""
    return tuple(entry(path.encode(), str(found[path]).encode()) for path in sorted(found))


contents = st.dictionaries(paths, st.sampled_from([b"1", b"2"]), max_size=8).map(
    lambda found: tuple(entry(path, found[path]) for path in sorted(found))
)
loose_entries = st.builds(Entry, path=paths, identity=st.binary(max_size=2), data=st.binary(max_size=2))
loose_contents = st.lists(loose_entries, unique_by=lambda found: found.path, max_size=8).map(
    lambda found: tuple(sorted(found, key=lambda each: each.path))
)
changes = st.lists(
    st.builds(StagedEntry, key=paths, identity=st.binary(max_size=2), data=st.none() | st.binary(max_size=2)),
    unique_by=lambda change: change.key,
    max_size=6,
)


class TestChanges:
    def test_a_change_to_the_same_identity_is_none(self) -> None:
        change = StagedEntry(key=b"a", identity=b"1", data=b"other data")
        assert apply_changes(some(a=1), [change]) == some(a=1)

    @given(loose_contents, changes)
    def test_each_path_has_what_its_change_says_or_what_it_had(self, before: Contents, made: list[StagedEntry]) -> None:
        after = {found.path: found.identity for found in apply_changes(before, made)}
        for found in before:
            if all(change.key != found.path for change in made):
                assert after[found.path] == found.identity
        for change in made:
            assert after.get(change.key) == (None if change.data is None else change.identity)
        assert after.keys() <= {found.path for found in before} | {change.key for change in made}

    @given(contents, contents)
    def test_the_differences_turn_one_side_into_the_other(self, left: Contents, right: Contents) -> None:
        assert apply_changes(left, [change_to(found.path, found.after) for found in differences(left, right)]) == right


class TestMerge:
    @pytest.mark.parametrize("sides", list(product((None, b"1", b"2", b"3"), repeat=3)))
    def test_one_path_has_what_the_invariants_of_merges_expect(self, sides: tuple[bytes | None, ...]) -> None:
        before, ours, theirs = (None if side is None else entry(b"p", side) for side in sides)
        expected = merge_paths(*({} if side is None else {b"p": side} for side in sides))
        left, conflict = merged_entry(before, ours, theirs)
        assert conflict is (b"p" not in expected and sides != (None, None, None))
        assert left == theirs if conflict else (left and left.identity) == expected.get(b"p")
        for strategy, winner in (("source-wins", ours), ("destination-wins", theirs)):
            assert merged_entry(before, ours, theirs, strategy) == (winner if conflict else left, False)

    def test_another_strategy_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"merge strategy 'ours': expected one of .*'source-wins'"):
            three_way_merge((), (), (), "ours")


def cut(found: Contents, splitting: Splitting = SPLITTING) -> list[Contents]:
    return list(split(found, splitting))


many = st.dictionaries(paths, st.sampled_from([b"1", b"a longer identity"]), max_size=40).map(
    lambda found: tuple(entry(path, found[path]) for path in sorted(found))
)


class TestSplitting:
    @given(many)
    def test_every_range_but_the_last_one_ends_where_one_ends_and_nowhere_before(self, found: Contents) -> None:
        pieces = cut(found)
        for piece in pieces:
            ends = [SPLITTING.ends(describe("", piece[: at + 1]).size, each.path) for at, each in enumerate(piece)]
            assert not any(ends[:-1])
            assert ends[-1] or piece is pieces[-1]

    @given(many, many)
    def test_what_begins_where_a_range_begins_is_cut_alike(self, found: Contents, before: Contents) -> None:
        pieces = cut(found)
        earlier = [attrs.evolve(each, path=b"\0" + each.path) for each in before]
        later = [attrs.evolve(each, path=b"\1" + each.path) for each in found]
        if earlier and not SPLITTING.ends(describe("", cut(tuple(earlier))[-1]).size, earlier[-1].path):
            return
        assert cut((*earlier, *later))[len(cut(tuple(earlier))) :] == cut(tuple(later))
        assert cut(tuple(each for piece in pieces[1:] for each in piece)) == pieces[1:]

    def test_a_range_may_end_from_its_least_size_on_and_must_from_its_greatest_on(self) -> None:
        always, never = (Splitting(min_bytes=100, max_bytes=200, one_in=one_in) for one_in in (1, 1 << 64))
        assert [always.ends(size, b"a") for size in (99, 100, 101)] == [False, True, True]
        assert [never.ends(size, b"a") for size in (100, 199, 200, 201)] == [False, False, True, True]

    def test_the_hash_of_the_path_decides(self) -> None:
        # printf a | sha256sum: ca978112ca1bbdca...; printf b: 3e23e8160039594a...
        even = Splitting(min_bytes=0, max_bytes=200, one_in=2)
        third = Splitting(min_bytes=0, max_bytes=200, one_in=3)
        assert (even.ends(1, b"a"), even.ends(1, b"b")) == (0xCA978112CA1BBDCA % 2 == 0, 0x3E23E8160039594A % 2 == 0)
        assert (third.ends(1, b"a"), third.ends(1, b"b")) == (0xCA978112CA1BBDCA % 3 == 0, 0x3E23E8160039594A % 3 == 0)

    @pytest.mark.parametrize("numbers", [(-1, 1, 1), (2, 1, 1), (1, 1, 0)])
    def test_a_splitting_that_cannot_be_is_refused(self, numbers: tuple[int, int, int]) -> None:
        low, high, one_in = numbers
        with pytest.raises(ValueError, match="expected 0 <= min_bytes <= max_bytes, 1 <= one_in"):
            Splitting(min_bytes=low, max_bytes=high, one_in=one_in)


def field(content: bytes) -> bytes:
    return len(content).to_bytes(8) + content


def damaged(content: bytes, at: int, change: str, value: int) -> bytes:
    """An object with one byte replaced, left out or put in, or cut off."""
    at %= len(content) + 1
    rest = {"replace": content[at + 1 :], "insert": content[at:], "cut": b""}.get(change, content[at + 1 :])
    return content[:at] + (bytes([value]) if change in ("replace", "insert") else b"") + rest


damages = st.tuples(
    st.integers(0, 10_000), st.sampled_from(["replace", "insert", "leave out", "cut"]), st.integers(0, 255)
)
infos_of_contents = many.filter(bool).map(
    lambda found: [describe(content_id(encode_range(piece)), piece) for piece in cut(found)]
)

ID = b"0" * 64
ONE = (1).to_bytes(8)
TWO = (2).to_bytes(8)


def info_fields(
    range_id: bytes = ID, low: bytes = b"a", high: bytes = b"b", count: bytes = TWO, size: bytes = TWO
) -> bytes:
    return b"".join(map(field, (range_id, low, high, count, size)))


class TestFormat:
    def test_a_range_is_what_the_reference_says(self) -> None:
        found = [Entry(path=b"a/b", identity=b"i", data=b""), Entry(path=b"a/c", identity=b"", data=b"xy")]
        assert encode_range(found) == (
            b"lakeproof range 1\n"
            b"\0\0\0\0\0\0\0\3a/b\0\0\0\0\0\0\0\1i\0\0\0\0\0\0\0\0"
            b"\0\0\0\0\0\0\0\3a/c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2xy"
        )

    def test_a_metarange_is_what_the_reference_says(self) -> None:
        info = RangeInfo(range_id="0" * 64, min_path=b"a", max_path=b"b", count=2, size=300)
        assert encode_meta_range([info]) == (
            b"lakeproof metarange 1\n"
            b"\0\0\0\0\0\0\0\x40" + b"0" * 64 + b"\0\0\0\0\0\0\0\1a\0\0\0\0\0\0\0\1b"
            b"\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\1\x2c"
        )

    def test_ids_and_addresses_come_from_the_content(self) -> None:
        assert content_id(b"content") == hashlib.sha256(b"content").hexdigest()
        assert object_address("mem://r", "ab") == "mem://r/_lakefs/ab"

    @given(loose_contents.filter(bool), damages)
    def test_bytes_that_pass_for_a_range_are_those_of_its_entries(
        self, found: Contents, damage: tuple[int, str, int]
    ) -> None:
        content = damaged(encode_range(found), *damage)
        try:
            read = decode_range(content)
        except MalformedObject:
            return
        assert encode_range(read) == content

    @given(infos_of_contents, damages)
    def test_bytes_that_pass_for_a_metarange_are_those_of_its_ranges(
        self, infos: list[RangeInfo], damage: tuple[int, str, int]
    ) -> None:
        content = damaged(encode_meta_range(infos), *damage)
        try:
            read = decode_meta_range(content)
        except MalformedObject:
            return
        assert encode_meta_range(read) == content

    def test_a_range_too_long_to_be_remembered_is_read_just_so(self) -> None:
        found = tuple(entry(b"%04d" % at) for at in range(1000))
        assert decode_range(encode_range(found)) == found
        with pytest.raises(MalformedObject, match="goes on behind the last"):
            decode_range(encode_range(found)[:-1])

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (encode_range([entry(b"a")]), "no metarange: begins with"),
            (META_RANGE_FORMAT, "no metarange: 0 fields"),
            (META_RANGE_FORMAT + field(ID) * 4, "no metarange: 4 fields, expected a multiple of 5"),
            (META_RANGE_FORMAT + info_fields(range_id=b"0" * 63), "expected 64 hexadecimal digits"),
            (META_RANGE_FORMAT + info_fields(range_id=b"0" * 63 + b"G"), "expected 64 hexadecimal digits"),
            (META_RANGE_FORMAT + info_fields(range_id=b"A" + b"0" * 63), "expected 64 hexadecimal digits"),
            (META_RANGE_FORMAT + info_fields(range_id=b"0x" + b"0" * 62), "expected 64 hexadecimal digits"),
            (META_RANGE_FORMAT + info_fields(count=b"\2"), "expected 8 bytes each"),
            (META_RANGE_FORMAT + info_fields(count=bytes(8)), "0 entries from b'a' to b'b'"),
            (META_RANGE_FORMAT + info_fields(count=ONE), "1 entries from b'a' to b'b'"),
            (META_RANGE_FORMAT + info_fields(high=b"a"), "2 entries from b'a' to b'a'"),
            (META_RANGE_FORMAT + info_fields(low=b"c"), "2 entries from b'c' to b'b'"),
            (META_RANGE_FORMAT + info_fields() * 2, "a range from b'a' on follows one up to b'b'"),
            (META_RANGE_FORMAT + info_fields() + info_fields(low=b"b", high=b"c"), "a range from b'b' on follows one"),
        ],
    )
    def test_what_is_no_metarange_is_refused(self, content: bytes, message: str) -> None:
        with pytest.raises(MalformedObject) as raised:
            decode_meta_range(content)
        assert message in str(raised.value)

    @pytest.mark.parametrize("found", [[b"b", b"a"], [b"a", b"a"]])
    def test_entries_out_of_order_are_not_written(self, found: list[bytes]) -> None:
        with pytest.raises(Unsorted, match="expected ascending paths, each one once; sort them"):
            encode_range([entry(path) for path in found])


class TestWrite:
    def test_no_entries_have_no_object(self) -> None:
        assert write(()) == write([])
        assert write(()).meta_range_id == ""
        assert write(()).objects == {}

    @given(many.filter(bool))
    def test_the_objects_lead_to_the_entries(self, found: Contents) -> None:
        made = write(found, SPLITTING)
        assert all(content_id(content) == object_id for object_id, content in made.objects.items())
        infos = decode_meta_range(made.objects[made.meta_range_id])
        read = [each for info in infos for each in decode_range(made.objects[info.range_id])]
        assert tuple(read) == found
        assert [info.size for info in infos] == [len(made.objects[info.range_id]) for info in infos]

    @given(many, many)
    def test_ids_are_equal_just_where_the_entries_are(self, one: Contents, other: Contents) -> None:
        same_id = write(one, SPLITTING).meta_range_id == write(other, SPLITTING).meta_range_id
        assert same_id == (one == other)

    def test_an_edit_changes_few_ranges(self) -> None:
        splitting = Splitting(min_bytes=500, max_bytes=5000, one_in=20)
        found = [entry(b"%05d" % at) for at in range(10_000)]
        before = write(found, splitting).objects
        del found[5000]
        found.insert(2500, entry(b"02499x"))
        after = write(found, splitting).objects
        assert len(before) > 200
        # Two ranges or so around each edit, and the metarange.
        assert len(after.keys() - before.keys()) <= 8
