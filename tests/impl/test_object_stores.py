"""Object stores keep the contract, each with what it can: in memory, in a folder, and as a flow sees them."""

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from pathlib import Path

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.impl.stores import Capabilities, MemoryObjectStore, ObjectStore
from lakeproof.impl.stores._object_answers import reply_of
from lakeproof.impl.stores.local_objects import LocalObjectStore
from lakeproof.impl.stores.object_conformance import (
    ADDRESSES,
    CONTENTS,
    METADATA,
    check_object_operations,
    check_object_store,
)
from lakeproof.impl.stores.object_store import ALL, AZURE_LIKE, GCS_LIKE, S3_LIKE
from lakeproof.model import objects
from lakeproof.model.objects import Copy, DeleteObject, GetObject, HeadObject, ListObjects, Put, SetMetadata

OLDEN = Capabilities(conditional_put=False, conditional_metadata="none")
"""S3 when the design was written."""

KINDS = [ALL, S3_LIKE, GCS_LIKE, AZURE_LIKE, OLDEN]
EACH = pytest.mark.parametrize("capabilities", KINDS, ids=["all", "s3", "gcs", "azure", "olden"])

addresses, contents, metadata = st.sampled_from(ADDRESSES), st.sampled_from(CONTENTS), st.sampled_from(METADATA)
etags = st.one_of(st.none(), contents.map(objects.etag))
counts = st.one_of(st.none(), st.integers(1, 3))
limits = st.one_of(st.none(), st.integers(0, 40))
versions = st.one_of(st.none(), st.builds("{}.{}".format, contents.map(objects.etag), st.integers(1, 3)))
starts = st.one_of(st.just(""), addresses)
operations = st.lists(
    st.one_of(
        st.builds(Put, addresses, contents, metadata, st.booleans(), etags, limits),
        st.builds(GetObject, addresses),
        st.builds(HeadObject, addresses),
        st.builds(Copy, addresses, addresses, st.one_of(st.none(), metadata), etags, limits),
        st.builds(SetMetadata, addresses, metadata, counts, versions),
        st.builds(DeleteObject, addresses),
        st.builds(ListObjects, st.sampled_from(["", "a", "a/", "c"]), starts, st.integers(0, 3)),
    ),
    max_size=40,
)


def opens(make: Callable[[], ObjectStore]) -> Callable[[], AbstractAsyncContextManager[ObjectStore]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[ObjectStore]:
        yield make()

    return opened


@EACH
def test_the_store_in_memory_conforms_whatever_it_can(capabilities: Capabilities) -> None:
    trio.run(check_object_store, opens(lambda: MemoryObjectStore(capabilities=capabilities)))


@EACH
def test_the_store_in_a_folder_conforms_whatever_it_can(capabilities: Capabilities, tmp_path: Path) -> None:
    numbers = count()

    def new() -> ObjectStore:
        return LocalObjectStore(tmp_path / str(next(numbers)), capabilities, durable=False)

    trio.run(check_object_store, opens(new))


class Ticking:
    """A clock that is read as often as it is told to tick."""

    now = 0

    def __call__(self) -> int:
        return self.now


async def answers(make: Callable[[Ticking], ObjectStore], ops: list[objects.Op]) -> list[objects.Reply]:
    """What a new store answers to operations, one tick of its clock each."""
    clock = Ticking()
    store = make(clock)
    found = []
    for op in ops:
        clock.now += 1
        found.append(await reply_of(store, op))
    return found


def specified(ops: list[objects.Op]) -> tuple[objects.Objects, list[objects.Reply]]:
    state: objects.Objects = {}
    replies = []
    for now, op in enumerate(ops, start=1):
        state, reply = objects.step(state, op, now)
        replies.append(reply)
    return state, replies


@given(operations)
def test_the_store_in_memory_answers_any_operations_as_the_specification_does(ops: list[objects.Op]) -> None:
    made: list[MemoryObjectStore] = []

    def make(clock: Ticking) -> ObjectStore:
        made.append(MemoryObjectStore(clock=clock))
        return made[0]

    state, expected = specified(ops)
    assert trio.run(answers, make, ops) == expected
    assert made[0].contents() == state
    assert list(made[0].contents()) == sorted(state)
    assert MemoryObjectStore(state).contents() == state


@settings(max_examples=40)
@given(operations)
def test_the_store_in_a_folder_answers_any_operations_as_the_specification_does(ops: list[objects.Op]) -> None:
    with tempfile.TemporaryDirectory() as folder:

        def make(clock: Ticking) -> ObjectStore:
            return LocalObjectStore(folder, ALL, clock=clock, durable=False)

        state, expected = specified(ops)
        assert trio.run(answers, make, ops) == expected
        held = LocalObjectStore(folder).contents()
        assert held == state
        assert list(held) == sorted(state)


@given(st.sampled_from(KINDS), operations)
def test_what_is_unsupported_changes_nothing_and_the_rest_is_as_specified(
    capabilities: Capabilities, ops: list[objects.Op]
) -> None:
    store = MemoryObjectStore(capabilities=capabilities)
    state = trio.run(check_object_operations, store, ops)
    assert store.contents() == state


@pytest.mark.parametrize(
    ("capabilities", "op", "repair"),
    [
        (OLDEN, Put("a", b"", if_absent=True), "put without if_absent and if_match"),
        (OLDEN, Put("a", b"", if_match="e"), "put without if_absent and if_match"),
        (S3_LIKE, SetMetadata("a", ()), "copy the object onto itself with the new metadata"),
        (GCS_LIKE, SetMetadata("a", (), if_version="e.1"), "use if_metageneration"),
        (AZURE_LIKE, SetMetadata("a", (), if_metageneration=1), "use if_version"),
    ],
)
def test_what_a_store_lacks_is_named_with_the_store_the_operation_and_the_repair(
    capabilities: Capabilities, op: objects.Op, repair: str
) -> None:
    store = MemoryObjectStore({"a": b""}, capabilities=capabilities)
    with pytest.raises(objects.Unsupported, match=rf"^{type(op).__name__} in MemoryObjectStore: no .*; {repair}$"):
        trio.run(store.perform, op)
    assert store.contents() == {"a": objects.StoredObject(b"")}
