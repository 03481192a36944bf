"""Names of the files in which the store in a folder keeps its objects."""

import tempfile
from pathlib import Path

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.impl.stores._object_files import (
    ADDRESS_BYTES,
    LONG,
    header_line,
    parse,
    parse_header,
    path_of,
    piece_of,
)
from lakeproof.impl.stores.local_objects import LocalObjectStore
from lakeproof.model import objects
from lakeproof.model.objects import Copy, DeleteObject, ListObjects, Put, StoredObject

letters = st.one_of(st.sampled_from("a/.%A\0é\ud800"), st.characters())
words = st.text(letters, max_size=5) | st.just("\ud800\udc00")
addresses = st.one_of(
    st.text(letters, max_size=12),
    st.lists(st.sampled_from(["a", "/", "a" * (LONG - 1), "é" * 99, ".."]), max_size=4).map("".join),
).filter(lambda address: len(address.encode("utf-8", "surrogatepass")) <= ADDRESS_BYTES)


class TestNames:
    @given(addresses)
    def test_an_address_can_be_told_from_its_path(self, address: str) -> None:
        pieces = [piece_of(name) for name in path_of(address).parts]
        assert None not in pieces
        assert "".join(piece[0] for piece in pieces if piece) == address
        assert [piece[1] for piece in pieces if piece] == [True] * (len(pieces) - 1) + [False]

    @given(addresses)
    def test_a_path_stays_below_its_folder_and_suits_any_file_system(self, address: str) -> None:
        path = path_of(address)
        assert not path.is_absolute()
        for name in path.parts:
            assert name not in {".", ".."}
            assert 2 <= len(name) <= 255
            assert name.isascii()
            assert name == name.lower()

    @given(st.lists(addresses, min_size=2, max_size=2, unique=True))
    def test_two_addresses_have_two_files_neither_in_the_other(self, two: list[str]) -> None:
        one, other = map(path_of, two)
        assert one != other
        assert one not in other.parents

    @given(st.sets(addresses, max_size=6), addresses, addresses, st.integers(0, 3))
    @settings(max_examples=30)
    def test_any_addresses_are_listed_in_order(self, found: set[str], prefix: str, after: str, size: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = LocalObjectStore(folder, durable=False)
            for address in found:
                trio.run(store.put, address, b"")
            expected = {address: StoredObject(b"") for address in found}
            for op in (ListObjects("", after, size), ListObjects(prefix[:2], "", size), ListObjects(prefix[:1], after)):
                page = trio.run(store.perform, op)
                model = objects.step(expected, op)[1]
                assert isinstance(page, objects.Page)
                assert isinstance(model, objects.Page)
                assert [head.address for head in page.heads] == [head.address for head in model.heads]
                assert page.more == model.more

    @pytest.mark.parametrize(
        "name", ["", ".o", "a", "a.x", "A.o", "%4A.o", "%2e.o", "%2.o", "%61.o", "%2f.d", "%ff.o", "a.c", "é.o"]
    )
    def test_a_name_that_no_address_has_is_none(self, name: str) -> None:
        expected = ("", False) if name == ".o" else None
        assert piece_of(name) == expected

    def test_the_longest_path_is_one_that_linux_takes(self) -> None:
        for char in ("/", "\0", "x", "é", "\U0001f600"):
            longest = char * (ADDRESS_BYTES // len(char.encode()))
            assert len(str(path_of(longest))) < 3200

    def test_an_address_that_is_too_long_is_refused_with_its_length(self, tmp_path: Path) -> None:
        store = LocalObjectStore(tmp_path)
        for op in (Put("é" * 600, b""), objects.GetObject("x" * 1200), Copy("a", "x" * 1200), DeleteObject("x" * 1200)):
            with pytest.raises(objects.Refused, match="an address of 1200 bytes in UTF-8, expected at most 1024"):
                trio.run(store.perform, op)
        assert store.contents() == {}

    @given(st.binary(), st.lists(st.tuples(words, words)).map(tuple), st.integers(1), st.integers())
    def test_a_file_tells_what_was_written(
        self, content: bytes, metadata: objects.Metadata, metageneration: int, now: int
    ) -> None:
        written = StoredObject(content, metadata, metageneration, now)
        line = header_line(written)
        assert line.index(b"\n") == len(line) - 1
        assert parse(line, content) == written
        assert parse_header(line).head("a") == objects.head_of("a", written)
