"""The object store's sequential meaning, by hand-made examples and laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import objects
from model.objects import Copy, DeleteObject, GetObject, Head, HeadObject, ListObjects, Page, Put, step

addresses = st.sampled_from(["a", "a/", "a/1", "a/2", "ab", "b"])
stores = st.dictionaries(addresses, st.binary(max_size=2))
reads = st.one_of(
    st.builds(GetObject, addresses),
    st.builds(HeadObject, addresses),
    st.builds(ListObjects, st.sampled_from(["", "a/", "z"]), st.one_of(st.just(""), addresses), st.integers(0, 3)),
)
operations = st.one_of(
    reads,
    st.builds(Put, addresses, st.binary(max_size=2)),
    st.builds(Copy, addresses, addresses),
    st.builds(DeleteObject, addresses),
)


def test_put_writes_and_overwrites() -> None:
    assert step({"a": b"old"}, Put("a", b"new")) == ({"a": b"new"}, None)
    assert step({}, Put("a", b"")) == ({"a": b""}, None)


def test_get_returns_the_content() -> None:
    assert step({"a": b""}, GetObject("a"))[1] == b""


def test_head_returns_the_size() -> None:
    assert step({"a": b"xyz"}, HeadObject("a"))[1] == Head("a", 3)


@pytest.mark.parametrize("op", [GetObject("a"), HeadObject("a"), Copy("a", "b")])
def test_an_absent_object_is_not_found_and_nothing_changes(op: objects.Op) -> None:
    assert step({"b": b"1"}, op) == ({"b": b"1"}, objects.ObjectNotFound())


def test_copy_leaves_its_source_and_replaces_its_destination() -> None:
    assert step({"a": b"1", "b": b"2"}, Copy("a", "b")) == ({"a": b"1", "b": b"1"}, None)
    assert step({"a": b"1"}, Copy("a", "a")) == ({"a": b"1"}, None)


def test_delete_removes_and_an_absent_object_is_no_error() -> None:
    assert step({"a": b"1", "b": b"2"}, DeleteObject("a")) == ({"b": b"2"}, None)
    assert step({"b": b"2"}, DeleteObject("a")) == ({"b": b"2"}, None)


class TestListObjects:
    STORE = {"b": b"", "a/2": b"22", "a/1": b"1", "ab": b"", "a": b""}

    def listed(self, op: ListObjects) -> tuple[list[str], bool]:
        _, page = step(self.STORE, op)
        assert isinstance(page, Page)
        return [head.address for head in page.heads], page.more

    def test_is_in_order_and_tells_sizes(self) -> None:
        assert self.listed(ListObjects()) == (["a", "a/1", "a/2", "ab", "b"], False)
        assert step(self.STORE, ListObjects("a/"))[1] == Page((Head("a/1", 1), Head("a/2", 2)), more=False)

    def test_a_prefix_is_not_a_folder(self) -> None:
        assert self.listed(ListObjects("a")) == (["a", "a/1", "a/2", "ab"], False)

    def test_goes_on_after_an_address_and_not_with_it(self) -> None:
        assert self.listed(ListObjects("a", after="a/1")) == (["a/2", "ab"], False)
        assert self.listed(ListObjects("a/", after="a/2")) == ([], False)
        assert self.listed(ListObjects("b", after="a")) == (["b"], False)

    @pytest.mark.parametrize(("size", "more"), [(1, True), (4, True), (5, False), (6, False)])
    def test_says_whether_its_size_has_cut_it(self, size: int, more: bool) -> None:
        assert self.listed(ListObjects(page_size=size)) == (["a", "a/1", "a/2", "ab", "b"][:size], more)


@given(stores, operations)
def test_no_operation_changes_the_objects_that_it_was_given(store: dict[str, bytes], op: objects.Op) -> None:
    before = dict(store)
    step(store, op)
    assert store == before


@given(stores, reads)
def test_reading_leaves_the_objects_as_they_are(store: objects.Objects, op: objects.Op) -> None:
    assert step(store, op)[0] == store


@given(stores, operations)
def test_what_fails_has_changed_nothing(store: objects.Objects, op: objects.Op) -> None:
    after, reply = step(store, op)
    if isinstance(reply, objects.ObjectError):
        assert reply.definite
        assert after == store


@given(stores, st.sampled_from(["", "a", "a/", "z"]), st.integers(1, 3))
def test_pages_put_end_to_end_are_the_whole_listing(store: objects.Objects, prefix: str, size: int) -> None:
    found: list[Head] = []
    after, more = "", True
    while more:
        _, page = step(store, ListObjects(prefix, after, size))
        assert isinstance(page, Page)
        assert len(page.heads) <= size
        found += page.heads
        after, more = (found[-1].address if found else ""), page.more
    assert step(store, ListObjects(prefix))[1] == Page(tuple(found), more=False)


def test_errors_are_equal_by_class_and_words() -> None:
    assert objects.ObjectNotFound() == objects.ObjectNotFound()
    assert objects.ObjectNotFound("a") != objects.ObjectNotFound()
    assert objects.ObjectNotFound() != KeyError()
    assert len({objects.ObjectNotFound(), objects.ObjectNotFound()}) == 1
