"""The catalog's entries: lakeFS' wire format, and what an address is relative to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.model import catalog
from lakeproof.model.catalog import AddressType, ObjectEntry, decode_object_entry, encode_object_entry, physical_address
from lakeproof.model.identifiers import StorageNamespace
from lakeproof.model.messages import Later

NS = StorageNamespace("mem://r")
texts = st.text(st.characters(codec="utf-8"), max_size=5)

entries = st.builds(
    ObjectEntry,
    address=texts,
    address_type=st.sampled_from(AddressType),
    e_tag=texts,
    size_bytes=st.integers(0, 1 << 62),
    last_modified=st.integers(0, 4_000_000_000_000_000),
    metadata=st.dictionaries(texts, texts, max_size=3).map(lambda found: tuple(sorted(found.items()))),
    content_type=texts,
)


def test_a_name_that_a_module_of_messages_lacks_is_an_attribute_that_is_missing() -> None:
    assert not hasattr(Later("lakeproof.model.catalog_pb2"), "NoMessage")


@given(entries)
def test_what_is_written_is_read(entry: ObjectEntry) -> None:
    assert decode_object_entry(encode_object_entry(entry)) == entry


def test_the_bytes_are_those_of_the_field_numbers() -> None:
    entry = ObjectEntry(address="a", address_type=AddressType.FULL, e_tag="e", size_bytes=3, content_type="t")
    assert encode_object_entry(entry) == b"\x0a\x01a\x18\x03\x22\x01e\x30\x02\x3a\x01t"


def test_unknown_fields_are_tolerated() -> None:
    assert decode_object_entry(encode_object_entry(ObjectEntry(address="a")) + b"\xa0\x06\x01").address == "a"


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05a", b"\x0a\x02\xff\xfe"])
def test_what_is_no_entry_is_refused_with_its_bytes(data: bytes) -> None:
    with pytest.raises(catalog.NotAnObjectEntry, match="is no catalog entry"):
        decode_object_entry(data)


@pytest.mark.parametrize(
    ("address", "kind", "where"),
    [
        ("data/a", AddressType.RELATIVE, "mem://r/data/a"),
        ("data/a", AddressType.BY_PREFIX, "mem://r/data/a"),
        ("s3://b/a", AddressType.BY_PREFIX, "s3://b/a"),
        ("s3://b/a", AddressType.FULL, "s3://b/a"),
    ],
)
def test_an_address_is_relative_to_the_namespace_unless_it_says_all(
    address: str, kind: AddressType, where: str
) -> None:
    assert physical_address(NS, ObjectEntry(address=address, address_type=kind)) == where


def test_a_neighbour_whose_name_begins_alike_is_outside() -> None:
    assert catalog.is_inside(NS, "mem://r/data/a")
    assert not catalog.is_inside(NS, "mem://r2/data/a")


@given(entries, entries)
def test_an_identity_stands_for_all_of_the_data(one: ObjectEntry, other: ObjectEntry) -> None:
    same = catalog.identity_of(encode_object_entry(one)) == catalog.identity_of(encode_object_entry(other))
    assert same is (one == other)
