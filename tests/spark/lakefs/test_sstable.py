"""The reader of SSTables: it reads what lakeFS writes, and no byte of it can change unnoticed."""

import hashlib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.model.catalog import AddressType, ObjectEntry
from lakeproof.spark_checks.data.stored import sstable, tables, trees
from lakeproof.spark_checks.data.stored.sstable import NotATable, Unsupported
from lakeproof.words import Unusable
from tests.spark.lakefs.tables import INDEX, Part, checksum, metarange_of, named, pair, range_of, table

SORTED = st.dictionaries(st.binary(min_size=1, max_size=12), st.binary(max_size=20), max_size=60).map(
    lambda found: sorted(found.items())
)
ENTRIES = [(f"part={n % 3}/f{n:03}", ObjectEntry(address=f"data/x/{n}", size_bytes=n)) for n in range(40)]
ENTRIES.sort()
TO_B = b"\x0a\x01b\x12\x01b"
"""What is said of a range from b to b."""


@given(records=SORTED, block=st.integers(1, 9), packing=st.sampled_from([None, "snappy", "zstd"]), deep=st.booleans())
@settings(max_examples=60)
def test_what_is_written_is_read_back(
    records: list[tuple[bytes, bytes]], block: int, packing: str | None, deep: bool
) -> None:
    file = table(records, {b"type": b"t"}, block_records=block, compression=packing, two_levels=deep)
    found = sstable.read(file)
    assert found.records == tuple(records)
    assert found.properties == {b"type": b"t"}


def small(**how: object) -> tuple[str, bytes]:
    return range_of(ENTRIES[:9], **how)


@pytest.mark.parametrize("deep", [False, True])
def test_no_byte_can_be_another_one(deep: bool) -> None:
    name, file = small(two_levels=deep, block_records=2)
    assert len(trees.read(file, name).entries) == 9
    for at in range(len(file)):
        damaged = file[:at] + bytes([file[at] ^ (1 << at % 8)]) + file[at + 1 :]
        with pytest.raises((NotATable, Unsupported)):
            trees.read(damaged, name)


def blocks(file: bytes) -> list[sstable._Handle]:
    footer = sstable._Footer.of(file)
    [said] = [sstable._handle(value, "") for _, value in sstable._entries(file, footer.metaindex, "")]
    kind = dict(sstable._entries(file, said, ""))[INDEX][0]
    index, _, parts = sstable._index(file, footer.index, kind)
    return [footer.metaindex, footer.index, said, *parts, *(sstable._handle(value, "") for _, value in index)]


@pytest.mark.parametrize("deep", [False, True])
def test_a_byte_that_is_another_one_under_a_checksum_that_is_right_is_found_or_means_nothing(deep: bool) -> None:
    name, file = small(two_levels=deep, block_records=2, compression=None)
    whole = trees.read(file, name)
    for each in blocks(file):
        for at in range(each.offset, each.offset + each.length):
            damaged = bytearray(file)
            damaged[at] ^= 1 << at % 8
            said = checksum(bytes(damaged[each.offset : each.offset + each.length]), 0)
            damaged[each.end - len(said) : each.end] = said
            with suppress(NotATable, Unsupported):
                assert trees.read(bytes(damaged), name) == whole


@given(st.data())
@settings(max_examples=60)
def test_a_table_that_is_cut_or_spliced_is_none(data: st.DataObject) -> None:
    name, file = small()
    start = data.draw(st.integers(0, len(file) - 1))
    end = data.draw(st.integers(start, len(file)))
    damaged = file[:start] + data.draw(st.binary(max_size=9)) + file[end:]
    if damaged != file:
        with pytest.raises((NotATable, Unsupported)):
            trees.read(damaged, name)


def test_a_block_that_is_lost_and_one_that_lakefs_does_not_write_are_found() -> None:
    whole, lost, more = (table([(b"a", b"")], {}, stray=stray) for stray in (None, "", "rocksdb.range_del"))
    assert sstable.read(whole).records == ((b"a", b""),)
    behind = whole[: -sstable.FOOTER_BYTES] + b"x" + whole[-sstable.FOOTER_BYTES :]
    for damaged, words in ((lost, "a block ends at byte"), (behind, "the last block ends at byte")):
        with pytest.raises(NotATable, match=words):
            sstable.read(damaged)
    with pytest.raises(Unsupported, match=r"it has a block b'rocksdb\.range_del', which lakeFS does not write"):
        sstable.read(more)


@pytest.mark.parametrize("keys", [(b"b", b"a"), (b"a", b"a")])
def test_keys_must_be_in_order(keys: tuple[bytes, ...]) -> None:
    with pytest.raises(NotATable, match="keys are not in order"):
        sstable.read(table([(key, b"") for key in keys], {}))


@pytest.mark.parametrize(
    ("deep", "between", "beyond", "below"),
    [(False, b"011", b"02", b"00"), (True, b"031", b"04", b"02")],
    ids=["one level", "two levels"],
)
def test_an_index_that_sends_a_search_to_another_block_is_refused(
    deep: bool, between: bytes, beyond: bytes, below: bytes
) -> None:
    records = [(f"{n:02}".encode(), b"v") for n in range(9)]
    sound = table(records, {}, block_records=2, two_levels=deep, first_says=between)
    assert len(sstable.read(sound).records) == 9
    for says, words in ((beyond, "keys are not in order"), (below, "the index says")):
        with pytest.raises(NotATable, match=words):
            sstable.read(table(records, {}, block_records=2, two_levels=deep, first_says=says))


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({b"rocksdb.num.entries": b"\x03"}, "rocksdb.num.entries 3, and it has 2"),
        ({b"rocksdb.num.data.blocks": b"\x02"}, "rocksdb.num.data.blocks 2, and it has 1"),
        ({b"rocksdb.raw.value.size": b"\x07"}, "rocksdb.raw.value.size 7, and it has 0"),
        ({b"rocksdb.block.based.table.index.type": b"\x01\0\0\0"}, "index is of type 1"),
    ],
)
def test_properties_must_agree_with_what_is_there(properties: dict[bytes, bytes], words: str) -> None:
    with pytest.raises((NotATable, Unsupported), match=words):
        sstable.read(table([(b"a", b""), (b"b", b"")], properties))


def test_entries_and_ranges_are_read_as_the_catalog_has_them() -> None:
    entry = ObjectEntry(address="s3://b/k", address_type=AddressType.FULL, e_tag="e", size_bytes=7)
    name, file = range_of([("ä b//c%", entry)])
    (found,) = trees.read(file, name).entries
    assert found == trees.Entry("ä b//c%".encode(), "s3://b/k", 2, "e", 7)
    top, meta = metarange_of([Part(name, "ä b//c%", "ä b//c%", 1), Part("f" * 64, "ö", "ü", 3)])
    said = trees.read(meta, top)
    assert [each.range_id for each in said.ranges] == [name, "f" * 64]
    assert (said.ranges[1].first, said.ranges[1].last, said.ranges[1].count) == ("ö".encode(), "ü".encode(), 3)
    empty, none = metarange_of([])
    assert trees.read(none, empty) == trees.Stored("metaranges")


@pytest.mark.parametrize(
    ("kind", "address", "words"),
    [
        (AddressType.RELATIVE, "data/x://y", "the relative address 'data/x://y', with a scheme"),
        (AddressType.FULL, "data/y", "the full address 'data/y', without a scheme"),
    ],
)
def test_an_address_that_would_be_read_as_of_the_other_kind_is_refused(
    kind: AddressType, address: str, words: str
) -> None:
    """With the namespace of one repository put in, another one that shares the range would refer to its object."""
    name, file = range_of([("path", ObjectEntry(address=address, address_type=kind))])
    with pytest.raises(Unusable, match=words):
        list(tables._rows_of("local://first", name, file, set()))


@pytest.mark.parametrize(
    ("records", "kind", "words"),
    [
        ([(b"a", b"\x04x")], "ranges", "has 1 bytes where 2 were expected"),
        ([(b"a", pair(b"", b"\xff"))], "ranges", "no message of the catalog"),
        ([(b"a", pair(b"r", b"\x12\x01b"))], "metaranges", "says that it ends with b'b'"),
        ([(b"a", pair(b"r", b"\x12\x09b"))], "metaranges", "is no message of a range"),
        ([(b"b", pair(b"r", b"\x0a\x01c\x12\x01b"))], "metaranges", "begins with b'c'"),
        ([(b"b", pair(b"r", TO_B)), (b"d", pair(b"s", TO_B[:-1] + b"d"))], "metaranges", "begins with b'b'"),
        ([(b"a", b"")], "others", "expected ranges or metaranges"),
    ],
)
def test_values_that_lakefs_does_not_write_are_told(records: list[tuple[bytes, bytes]], kind: str, words: str) -> None:
    name, file = named(records, kind)
    with pytest.raises(NotATable, match=words):
        trees.read(file, name)


@pytest.mark.parametrize("file", [b"", b"x" * 52, b"x" * 53, b"x" * 500, bytes(45) + bytes.fromhex("f7cff485b741e288")])
def test_what_is_no_table_is_refused(file: bytes) -> None:
    with pytest.raises((NotATable, Unsupported)):
        trees.read(file, hashlib.sha256(file).hexdigest())


def test_pebbles_own_format_is_not_said_to_be_damaged() -> None:
    with pytest.raises(Unsupported, match="Pebble"):
        sstable.read(bytes(45) + bytes.fromhex("f09faab3f09faab3"))
