"""The key-value store's sequential meaning, by hand-made examples and laws."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.model import kv
from lakeproof.model.kv import (
    EXISTS,
    Batch,
    Delete,
    DeleteIf,
    Entry,
    Get,
    Op,
    ScanBatch,
    Set,
    SetIf,
    ValueWithPredicate,
    step,
)

P, Q, K = b"p", b"q", b"k"
AT = (P, K)

partitions = st.sampled_from([P, Q])
keys = st.sampled_from([b"\0", b"a", b"a\0", b"b", b"\xff"])
values = st.sampled_from([b"", b"1", b"2"])
stores = st.dictionaries(st.tuples(partitions, keys), values)
predicates = st.one_of(values, st.sampled_from([None, EXISTS]))
reads = st.one_of(
    st.builds(Get, partitions, keys), st.builds(ScanBatch, partitions, st.one_of(st.just(b""), keys), st.integers(0, 3))
)
operations = st.one_of(
    reads,
    st.builds(Set, partitions, keys, values),
    st.builds(SetIf, partitions, keys, values, predicates),
    st.builds(Delete, partitions, keys),
    st.builds(DeleteIf, partitions, keys, values),
)


class TestGet:
    def test_returns_the_value_and_the_predicate_that_replaces_it(self) -> None:
        assert step({AT: b"1"}, Get(P, K)) == ({AT: b"1"}, ValueWithPredicate(b"1", b"1"))

    def test_of_an_absent_key_is_not_found(self) -> None:
        assert step({(Q, K): b"1"}, Get(P, K))[1] == kv.NotFound()

    def test_of_an_empty_value_finds_it(self) -> None:
        assert step({AT: b""}, Get(P, K))[1] == ValueWithPredicate(b"", b"")


class TestSetIf:
    @pytest.mark.parametrize(
        ("found", "predicate", "holds"),
        [
            (None, None, True),
            (b"1", None, False),
            (b"", None, False),  # an empty value is a value
            (b"1", EXISTS, True),
            (b"", EXISTS, True),
            (None, EXISTS, False),
            (b"1", b"1", True),
            (b"1", b"2", False),
            (None, b"1", False),
            (None, b"", False),
            (b"", b"", True),
        ],
    )
    def test_writes_just_where_the_predicate_holds(
        self, found: bytes | None, predicate: kv.Predicate, holds: bool
    ) -> None:
        before = {} if found is None else {AT: found}
        after, reply = step(before, SetIf(P, K, b"new", predicate))
        assert kv.predicate_holds(found, predicate) is holds
        assert (after, reply) == (({AT: b"new"}, None) if holds else (before, kv.PredicateFailed()))

    def test_cannot_tell_a_value_that_went_away_and_came_back(self) -> None:
        _, read = step({AT: b"1"}, Get(P, K))
        assert isinstance(read, ValueWithPredicate)
        store, _ = step(step(step({AT: b"1"}, Delete(P, K))[0], Set(P, K, b"1"))[0], SetIf(P, K, b"2", read.predicate))
        assert store == {AT: b"2"}


class TestDelete:
    def test_removes_one_key(self) -> None:
        assert step({AT: b"1", (Q, K): b"2"}, Delete(P, K)) == ({(Q, K): b"2"}, None)

    def test_of_an_absent_key_is_no_error(self) -> None:
        assert step({}, Delete(P, K)) == ({}, None)


class TestDeleteIf:
    def test_removes_just_the_value_that_was_read(self) -> None:
        assert step({AT: b"1"}, DeleteIf(P, K, b"1")) == ({}, None)
        assert step({AT: b"2"}, DeleteIf(P, K, b"1")) == ({AT: b"2"}, kv.PredicateFailed())
        assert step({}, DeleteIf(P, K, b"1")) == ({}, kv.PredicateFailed())


class TestScan:
    STORE = {(P, b"b"): b"2", (P, b"a"): b"1", (P, b"\xff"): b"4", (P, b"a\0"): b"3", (Q, b"a"): b"other"}

    def test_is_in_byte_order_within_its_partition(self) -> None:
        entries = (Entry(b"a", b"1"), Entry(b"a\0", b"3"), Entry(b"b", b"2"), Entry(b"\xff", b"4"))
        assert step(self.STORE, ScanBatch(P))[1] == Batch(entries, more=False)

    def test_begins_with_its_start(self) -> None:
        assert self.keys(ScanBatch(P, b"a\0")) == ([b"a\0", b"b", b"\xff"], False)
        assert self.keys(ScanBatch(P, b"a\0\0")) == ([b"b", b"\xff"], False)
        assert self.keys(ScanBatch(P, b"\xff\0")) == ([], False)

    @pytest.mark.parametrize(("size", "more"), [(1, True), (3, True), (4, False), (5, False)])
    def test_says_whether_its_size_has_cut_it(self, size: int, more: bool) -> None:
        assert self.keys(ScanBatch(P, b"", size)) == ([b"a", b"a\0", b"b", b"\xff"][:size], more)

    def keys(self, op: ScanBatch) -> tuple[list[bytes], bool]:
        _, batch = step(self.STORE, op)
        assert isinstance(batch, Batch)
        return [entry.key for entry in batch.entries], batch.more


NONE = cast("bytes", None)  # what a caller without a type checker may pass


@pytest.mark.parametrize(
    ("op", "error"),
    [
        (Get(b"", K), kv.MissingPartition),
        (Set(b"", K, b""), kv.MissingPartition),
        (SetIf(b"", K, b"", None), kv.MissingPartition),
        (Delete(b"", K), kv.MissingPartition),
        (DeleteIf(b"", K, b""), kv.MissingPartition),
        (ScanBatch(b""), kv.MissingPartition),
        (Get(P, b""), kv.MissingKey),
        (Set(P, b"", b""), kv.MissingKey),
        (SetIf(P, b"", b"", None), kv.MissingKey),
        (Delete(P, b""), kv.MissingKey),
        (DeleteIf(P, b"", b""), kv.MissingKey),
        (Set(P, K, NONE), kv.MissingValue),
        (SetIf(P, K, NONE, None), kv.MissingValue),
        (Get(b"", b""), kv.MissingPartition),  # the first mistake is named
    ],
)
def test_a_mistake_of_the_caller_is_its_own_error_and_changes_nothing(op: Op, error: type[kv.KVError]) -> None:
    store = {AT: b"1"}
    after, reply = step(store, op)
    assert type(reply) is error
    assert repr(op) in str(reply)
    assert after == store


@given(stores, operations)
def test_no_operation_changes_the_store_that_it_was_given(store: dict[kv.Address, bytes], op: Op) -> None:
    before = dict(store)
    step(store, op)
    assert store == before


@given(stores, reads)
def test_reading_leaves_the_store_as_it_is(store: kv.Store, op: Op) -> None:
    assert step(store, op)[0] == store


@given(stores, operations)
def test_what_fails_has_changed_nothing(store: kv.Store, op: Op) -> None:
    after, reply = step(store, op)
    if isinstance(reply, kv.KVError):
        assert reply.definite
        assert after == store


@given(stores, operations)
def test_an_operation_on_a_key_leaves_all_others_alone(store: kv.Store, op: Op) -> None:
    after, _ = step(store, op)
    if not isinstance(op, ScanBatch):
        here = (op.partition, op.key)
        assert {at: v for at, v in after.items() if at != here} == {at: v for at, v in store.items() if at != here}


@given(stores, st.builds(Set, partitions, keys, values))
def test_what_was_set_is_read_and_can_be_replaced(store: kv.Store, op: Set) -> None:
    after, _ = step(store, op)
    _, read = step(after, Get(op.partition, op.key))
    assert isinstance(read, ValueWithPredicate)
    assert read.value == op.value
    assert step(after, SetIf(op.partition, op.key, b"new", read.predicate))[1] is None


@given(stores, partitions, st.integers(1, 3))
def test_batches_put_end_to_end_are_the_whole_scan(store: kv.Store, partition: bytes, size: int) -> None:
    found: list[Entry] = []
    start, more = b"", True
    while more:
        _, batch = step(store, ScanBatch(partition, start, size))
        assert isinstance(batch, Batch)
        assert len(batch.entries) <= size
        found += batch.entries
        start, more = (found[-1].key + b"\0" if found else b""), batch.more
    assert step(store, ScanBatch(partition))[1] == Batch(tuple(found), more=False)


def test_errors_are_equal_by_class_and_words() -> None:
    assert kv.NotFound() == kv.NotFound()
    assert kv.Refused("a") != kv.Refused("b")
    assert kv.NotFound() != kv.PredicateFailed()
    assert kv.NotFound() != KeyError()
    assert len({kv.NotFound(), kv.NotFound(), kv.Refused("a")}) == 2


def test_only_an_answer_that_never_came_leaves_open_what_happened() -> None:
    def below(kind: type[kv.KVError]) -> set[type[kv.KVError]]:
        return set(kind.__subclasses__()).union(*map(below, kind.__subclasses__()))

    ours = {kind for kind in below(kv.KVError) if kind.__module__ == "lakeproof.model.kv"}
    assert {kind for kind in ours if not kind.definite} == {kv.OutcomeUnknown}
    assert len(ours) == 8
