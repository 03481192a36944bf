"""The object store's sequential meaning, by hand-made examples and laws."""

import hashlib

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.model import kv, objects
from lakeproof.model.objects import (
    Copy,
    DeleteObject,
    GetObject,
    Head,
    HeadObject,
    ListObjects,
    Page,
    Put,
    SetMetadata,
    StoredObject,
    step,
)

OLD, NEW = (("k", "old"),), (("k", "new"),)
ONE = StoredObject(b"1", OLD, metageneration=3, last_modified=5)
NOT_MET = objects.PreconditionFailed()

addresses = st.sampled_from(["a", "a/", "a/1", "a/2", "ab", "b"])
contents = st.sampled_from([b"", b"1", b"22"])
metadata = st.sampled_from([(), OLD, NEW])
etags = st.one_of(st.none(), contents.map(objects.etag))
times = st.integers(0, 9)
limits = st.one_of(st.none(), times)
counts = st.integers(1, 3)
stores = st.dictionaries(addresses, st.builds(StoredObject, contents, metadata, counts, times))
reads = st.one_of(
    st.builds(GetObject, addresses),
    st.builds(HeadObject, addresses),
    st.builds(ListObjects, st.sampled_from(["", "a/", "z"]), st.one_of(st.just(""), addresses), st.integers(0, 3)),
)
puts = st.builds(Put, addresses, contents, metadata, st.booleans(), etags, limits)
copies = st.builds(Copy, addresses, addresses, st.one_of(st.none(), metadata), etags, limits)
versions = st.builds("{}.{}".format, contents.map(objects.etag), counts)
sets = st.builds(SetMetadata, addresses, metadata, st.one_of(st.none(), counts), st.one_of(st.none(), versions))
operations = st.one_of(reads, puts, copies, sets, st.builds(DeleteObject, addresses))


def free(op: objects.Op) -> objects.Op:
    """An operation without its conditions."""
    match op:
        case Put():
            return attrs.evolve(op, if_absent=False, if_match=None)
        case Copy():
            return attrs.evolve(op, if_match=None)
        case SetMetadata():
            return attrs.evolve(op, if_metageneration=None, if_version=None)
        case _:
            return op


class TestPut:
    def test_writes_and_overwrites_whatever_was_there(self) -> None:
        made = StoredObject(b"new", NEW, metageneration=1, last_modified=7)
        assert step({"a": ONE}, Put("a", b"new", NEW), now=7) == ({"a": made}, None)
        assert step({}, Put("a", b"new", NEW), now=7) == ({"a": made}, None)

    def test_if_absent_writes_only_where_nothing_is(self) -> None:
        op = Put("a", b"", if_absent=True)
        assert step({"b": ONE}, op) == ({"b": ONE, "a": StoredObject(b"")}, None)
        assert step({"a": StoredObject(b"")}, op) == ({"a": StoredObject(b"")}, NOT_MET)

    def test_if_match_writes_only_over_that_content(self) -> None:
        op = Put("a", b"2", if_match=objects.etag(b"1"))
        assert step({"a": ONE}, op) == ({"a": StoredObject(b"2")}, None)
        assert step({"a": StoredObject(b"2")}, op) == ({"a": StoredObject(b"2")}, NOT_MET)
        assert step({}, op) == ({}, NOT_MET)

    def test_both_conditions_are_never_met(self) -> None:
        op = Put("a", b"2", if_absent=True, if_match=ONE.etag)
        assert [step(store, op)[1] for store in ({}, {"a": ONE})] == [NOT_MET, NOT_MET]


class TestExpiry:
    @pytest.mark.parametrize("op", [Put("a", b"2", not_after=5), Copy("b", "a", not_after=5)])
    def test_a_request_may_come_at_its_last_moment_and_not_after(self, op: objects.Op) -> None:
        store = {"b": ONE}
        assert step(store, op, now=5)[1] is None
        assert step(store, op, now=6) == (store, objects.Expired())

    def test_what_came_too_late_is_not_judged_by_its_condition(self) -> None:
        assert step({}, Copy("a", "b", not_after=5), now=6)[1] == objects.Expired()


def test_get_returns_the_content() -> None:
    assert step({"a": StoredObject(b"")}, GetObject("a"))[1] == b""


def test_head_returns_all_but_the_content() -> None:
    assert step({"a": ONE}, HeadObject("a"))[1] == Head("a", 1, hashlib.md5(b"1").hexdigest(), 5, OLD, 3)  # noqa: S324


@pytest.mark.parametrize("op", [GetObject("a"), HeadObject("a"), Copy("a", "b"), SetMetadata("a", (), 1)])
def test_an_absent_object_is_not_found_and_nothing_changes(op: objects.Op) -> None:
    assert step({"b": ONE}, op) == ({"b": ONE}, objects.ObjectNotFound())


class TestCopy:
    def test_leaves_its_source_and_replaces_its_destination(self) -> None:
        copied = StoredObject(b"1", OLD, metageneration=1, last_modified=7)
        two = StoredObject(b"2", NEW, 4, 4)
        assert step({"a": ONE, "b": two}, Copy("a", "b"), now=7) == ({"a": ONE, "b": copied}, None)

    def test_onto_itself_changes_metadata_and_no_content(self) -> None:
        assert step({"a": ONE}, Copy("a", "a", NEW), now=7) == ({"a": StoredObject(b"1", NEW, 1, 7)}, None)
        assert step({"a": ONE}, Copy("a", "a", ()), now=7) == ({"a": StoredObject(b"1", (), 1, 7)}, None)

    def test_if_match_asks_for_the_content_of_the_source(self) -> None:
        store = {"a": ONE, "b": StoredObject(b"2")}
        assert step(store, Copy("a", "b", if_match=objects.etag(b"2"))) == (store, NOT_MET)
        assert step(store, Copy("a", "b", if_match=objects.etag(b"1")))[1] is None

    def test_if_match_cannot_tell_that_metadata_have_changed(self) -> None:
        """Source: hard-delete-uncommitted-data.md, "AWS": what makes the reference counter impossible there."""
        counted = step({"a": ONE}, Copy("a", "a", NEW, if_match=ONE.etag))[0]
        assert step(counted, Copy("a", "a", OLD, if_match=ONE.etag))[1] is None


class TestSetMetadata:
    def test_replaces_metadata_alone_and_counts(self) -> None:
        changed = attrs.evolve(ONE, metadata=NEW, metageneration=4)
        assert step({"a": ONE}, SetMetadata("a", NEW), now=7) == ({"a": changed}, None)

    def test_if_metageneration_asks_how_often_metadata_were_written(self) -> None:
        assert step({"a": ONE}, SetMetadata("a", NEW, if_metageneration=2)) == ({"a": ONE}, NOT_MET)
        assert step({"a": ONE}, SetMetadata("a", NEW, if_metageneration=3))[1] is None

    def test_if_version_asks_for_content_and_metadata(self) -> None:
        assert step({"a": ONE}, SetMetadata("a", NEW, if_version=ONE.etag)) == ({"a": ONE}, NOT_MET)
        assert step({"a": ONE}, SetMetadata("a", NEW, if_version=ONE.version))[1] is None

    def test_a_metageneration_does_not_tell_of_another_content_and_a_version_does(self) -> None:
        put_again = step({"a": StoredObject(b"1")}, Put("a", b"2"))[0]
        assert step(put_again, SetMetadata("a", NEW, if_metageneration=1))[1] is None
        assert step(put_again, SetMetadata("a", NEW, if_version=StoredObject(b"1").version))[1] == NOT_MET


def test_delete_removes_and_an_absent_object_is_no_error() -> None:
    assert step({"a": ONE, "b": ONE}, DeleteObject("a")) == ({"b": ONE}, None)
    assert step({"b": ONE}, DeleteObject("a")) == ({"b": ONE}, None)


class TestListObjects:
    STORE = {at: attrs.evolve(ONE, content=at.encode()) for at in ("b", "a/2", "a/1", "ab", "a")}

    def listed(self, op: ListObjects) -> tuple[list[str], bool]:
        _, page = step(self.STORE, op)
        assert isinstance(page, Page)
        return [head.address for head in page.heads], page.more

    def test_is_in_order_and_tells_sizes_etags_and_times(self) -> None:
        assert self.listed(ListObjects()) == (["a", "a/1", "a/2", "ab", "b"], False)
        heads = tuple(Head(at, 3, objects.etag(at.encode()), last_modified=5) for at in ("a/1", "a/2"))
        assert step(self.STORE, ListObjects("a/"))[1] == Page(heads, more=False)

    def test_a_prefix_is_not_a_folder(self) -> None:
        assert self.listed(ListObjects("a")) == (["a", "a/1", "a/2", "ab"], False)

    def test_goes_on_after_an_address_and_not_with_it(self) -> None:
        assert self.listed(ListObjects("a", after="a/1")) == (["a/2", "ab"], False)
        assert self.listed(ListObjects("a/", after="a/2")) == ([], False)
        assert self.listed(ListObjects("b", after="a")) == (["b"], False)

    @pytest.mark.parametrize(("size", "more"), [(1, True), (4, True), (5, False), (6, False)])
    def test_says_whether_its_size_has_cut_it(self, size: int, more: bool) -> None:
        assert self.listed(ListObjects(page_size=size)) == (["a", "a/1", "a/2", "ab", "b"][:size], more)


@given(stores, operations, times)
def test_no_operation_changes_the_objects_that_it_was_given(
    store: dict[str, StoredObject], op: objects.Op, now: int
) -> None:
    before = dict(store)
    step(store, op, now)
    assert store == before


@given(stores, reads, times)
def test_reading_leaves_the_objects_as_they_are(store: objects.Objects, op: objects.Op, now: int) -> None:
    assert step(store, op, now)[0] == store


@given(stores, operations, times)
def test_what_fails_has_changed_nothing(store: objects.Objects, op: objects.Op, now: int) -> None:
    after, reply = step(store, op, now)
    if isinstance(reply, objects.ObjectError):
        assert reply.definite
        assert after == store


@given(stores, operations, times)
def test_a_condition_only_decides_whether_an_operation_happens(
    store: objects.Objects, op: objects.Op, now: int
) -> None:
    after, reply = step(store, op, now)
    if objects.conditional(op) and reply is None:
        assert not objects.conditional(free(op))
        assert step(store, free(op), now) == (after, None)


@given(stores, operations)
def test_only_what_is_timed_looks_at_the_clock(store: objects.Objects, op: objects.Op) -> None:
    if not isinstance(op, objects.TIMED):
        assert step(store, op, 0) == step(store, op, 9)


@given(stores, st.one_of(puts, copies), times)
def test_what_is_put_or_copied_begins_to_count_anew_and_is_modified_now(
    store: objects.Objects, op: Put | Copy, now: int
) -> None:
    after, reply = step(store, op, now)
    written = op.destination if isinstance(op, Copy) else op.address
    if reply is None:
        assert (after[written].metageneration, after[written].last_modified) == (1, now)


@given(stores, st.lists(sets, max_size=6))
def test_the_metageneration_counts_writes_of_metadata_and_the_etag_ignores_them(
    store: objects.Objects, ops: list[SetMetadata]
) -> None:
    state, done = store, dict.fromkeys(store, 0)
    for op in ops:
        before = state.get(op.address)
        state, reply = step(state, op)
        if reply is None:
            assert before is not None
            assert state[op.address].version != before.version
            done[op.address] += 1
    assert {at: found.metageneration - store[at].metageneration for at, found in state.items()} == done
    assert {at: found.etag for at, found in state.items()} == {at: found.etag for at, found in store.items()}


@given(stores, st.lists(sets, max_size=6), st.sampled_from(["metageneration", "version"]))
def test_between_writes_of_metadata_a_condition_holds_if_and_only_if_nobody_has_written(
    store: objects.Objects, others: list[SetMetadata], kind: str
) -> None:
    state: objects.Objects = {**store, "a": ONE}
    meddled = False
    for op in others:
        state, reply = step(state, op)
        meddled = meddled or (op.address == "a" and reply is None)
    if kind == "version":
        mine = SetMetadata("a", (), if_version=ONE.version)
    else:
        mine = SetMetadata("a", (), if_metageneration=ONE.metageneration)
    assert step(state, mine)[1] == (NOT_MET if meddled else None)


@given(st.builds(StoredObject, contents, metadata, counts, times), st.builds(StoredObject, contents, metadata, counts))
def test_a_version_stands_for_content_and_metageneration(one: StoredObject, other: StoredObject) -> None:
    same = (one.content, one.metageneration) == (other.content, other.metageneration)
    assert (one.version == other.version) == same
    assert (one.etag == other.etag) == (one.content == other.content)
    assert objects.head_of("a", one).version == one.version


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


def test_a_failure_of_the_store_is_known_by_the_names_that_the_search_gives_it() -> None:
    """The search refuses and loses operations on objects with the errors of the key-value store."""
    for error, kin in ((objects.Refused("full"), kv.Refused), (objects.OutcomeUnknown(), kv.OutcomeUnknown)):
        assert isinstance(error, kin)
        assert isinstance(error, objects.ObjectError)
        assert error != kin(*error.args)
    assert objects.Refused.definite
    assert not objects.OutcomeUnknown.definite
