"""The key-value store's sequential meaning: that of a second implementation, and laws."""

from typing import cast

import pytest
from hypothesis import example, given
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
from tests.differential.stores import Contents, perform

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


@given(stores, operations)
@example({AT: b""}, SetIf(P, K, b"1", b""))
@example({AT: b""}, SetIf(P, K, b"1", None))
@example({}, SetIf(P, K, b"1", b""))
def test_every_operation_does_what_the_contract_says_and_leaves_the_store_that_it_was_given(
    store: kv.Store, op: Op
) -> None:
    """Against the stores of the enumerator, which were written from the contract and share no code with these."""
    before = dict(store)
    after, reply = perform(Contents(keys=dict(store)), op, clock=0)
    assert step(store, op) == (after.keys, reply)
    assert store == before


def test_a_predicate_cannot_tell_a_value_that_went_away_and_came_back() -> None:
    _, read = step({AT: b"1"}, Get(P, K))
    assert isinstance(read, ValueWithPredicate)
    store, _ = step(step(step({AT: b"1"}, Delete(P, K))[0], Set(P, K, b"1"))[0], SetIf(P, K, b"2", read.predicate))
    assert store == {AT: b"2"}


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
        (DeleteIf(P, b"absent", NONE), kv.MissingValue),
        (Get(b"", b""), kv.MissingPartition),  # the first mistake is named
    ],
)
def test_a_mistake_of_the_caller_is_its_own_error_and_changes_nothing(op: Op, error: type[kv.KVError]) -> None:
    store = {AT: b"1"}
    after, reply = step(store, op)
    assert type(reply) is error
    assert repr(op) in str(reply)
    assert after == store


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


def test_only_an_answer_that_never_came_leaves_open_what_happened() -> None:
    def below(kind: type[kv.KVError]) -> set[type[kv.KVError]]:
        return set(kind.__subclasses__()).union(*map(below, kind.__subclasses__()))

    ours = {kind for kind in below(kv.KVError) if kind.__module__ == "lakeproof.model.kv"}
    assert {kind for kind in ours if not kind.definite} == {kv.OutcomeUnknown}
    assert ours > {kv.OutcomeUnknown, kv.PredicateFailed, kv.CheckFailed}
