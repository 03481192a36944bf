"""The object store in memory keeps the contract, with whatever it can; and as a flow sees it."""

from collections.abc import Callable
from functools import partial

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.effects import Env
from lakeproof.impl.live import live_env, run
from lakeproof.impl.stores import MemoryObjectStore, MemoryStore, ObjectStore
from lakeproof.model import objects
from lakeproof.model.objects import (
    ALL,
    AZURE,
    GCS,
    MINIO,
    S3,
    Copy,
    DeleteObject,
    GetObject,
    HeadObject,
    ListObjects,
    Put,
    SetMetadata,
)

OLDEN = frozenset({"copy.if_match"})
"""S3 when the design was written."""

KINDS = [ALL, S3, GCS, AZURE, MINIO, OLDEN, frozenset()]
ADDRESSES = ("a", "a/", "a/b", "a/b/c", "a//", "ab", "b", "B")
CONTENTS = (b"", b"x", b"y")
METADATA: tuple[objects.Metadata, ...] = ((), (("n", "1"),), (("n", "2"), ("o", "")))

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
        st.builds(Copy, addresses, addresses, st.one_of(st.none(), metadata), etags, limits, st.booleans(), etags),
        st.builds(SetMetadata, addresses, metadata, counts, versions),
        st.builds(DeleteObject, addresses, etags),
        st.builds(ListObjects, st.sampled_from(["", "a", "a/", "c"]), starts, st.integers(0, 3)),
    ),
    max_size=40,
)


async def reply_of(store: ObjectStore, op: objects.Op) -> objects.Reply:
    """The answer of a store, or its error as a value."""
    try:
        return await store.perform(op)
    except objects.ObjectError as error:
        return error


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


def needed(op: objects.Op) -> set[str]:
    """What a store must have for an operation, by hand."""
    match op:
        case Put():
            found = {"put.if_absent": op.if_absent, "put.if_match": op.if_match is not None}
        case Copy():
            found = {"copy.if_match": op.if_match is not None, "copy.if_absent": op.if_absent}
            found["copy.if_destination_match"] = op.if_destination_match is not None
        case SetMetadata(_, _, generation, version):
            found = {"set_metadata.if_metageneration": generation is not None}
            found |= {"set_metadata.if_version": version is not None, "set_metadata": True}
        case DeleteObject():
            found = {"delete.if_match": op.if_match is not None}
        case _:
            found = {}
    return {each for each, needs in found.items() if needs}


@given(st.sampled_from(KINDS), operations)
def test_what_is_unsupported_changes_nothing_and_the_rest_is_as_specified(
    capabilities: frozenset[str], ops: list[objects.Op]
) -> None:
    async def main() -> None:
        store = MemoryObjectStore(capabilities=capabilities)
        state: objects.Objects = {}
        for op in ops:
            expected: objects.Reply = objects.Unsupported()
            if needed(op) <= capabilities:
                state, expected = objects.step(state, op)
            found = await reply_of(store, op)
            assert type(found) is type(expected) if isinstance(expected, objects.ObjectError) else found == expected
        assert store.contents() == state

    trio.run(main)


@pytest.mark.parametrize(
    ("capabilities", "op", "repair"),
    [
        (OLDEN, Put("a", b"", if_absent=True), "put.if_absent; use copy.if_match"),
        (OLDEN, DeleteObject("a", if_match="e"), "delete.if_match; use copy.if_match"),
        (frozenset(), Put("a", b"", if_match="e"), "put.if_match; leave it out"),
        (MINIO, Copy("a", "b", if_absent=True), "copy.if_absent; use copy.if_match, put.if_absent, put.if_match"),
        (S3, SetMetadata("a", ()), "set_metadata; copy the object onto itself with the new metadata"),
        (GCS, SetMetadata("a", (), if_version="e.1"), "set_metadata.if_version; use .*set_metadata.if_metageneration"),
        (AZURE, SetMetadata("a", (), if_metageneration=0), "set_metadata.if_metageneration; use .*if_version"),
    ],
)
def test_what_a_store_lacks_is_named_with_the_store_the_operation_and_the_repair(
    capabilities: frozenset[str], op: objects.Op, repair: str
) -> None:
    store = MemoryObjectStore({"a": b""}, capabilities=capabilities)
    with pytest.raises(objects.Unsupported, match=rf"^{type(op).__name__}: the store has no {repair}$"):
        trio.run(store.perform, op)
    assert store.contents() == {"a": objects.StoredObject(b"")}


async def a_flow_with_every_effect(env: Env) -> list[object]:
    told: list[object] = []
    await env.objects.put("a", b"1", (("n", "1"),), if_absent=True, not_after=10**18)
    await env.objects.put("a", b"2", (("n", "1"),), if_match=objects.etag(b"1"))
    for late in (env.objects.put("a", b"3", not_after=0), env.objects.copy("a", "b", not_after=0)):
        try:
            await late
        except objects.Expired as error:
            told.append(error)
    head = await env.objects.head("a")
    await env.objects.set_metadata("a", (("n", "2"),), if_metageneration=head.metageneration)
    try:
        await env.objects.set_metadata("a", (), if_version=head.version)
    except objects.PreconditionFailed as error:
        told.append(error)
    await env.objects.copy("a", "b", (("n", "3"),), if_match=head.etag)
    await env.objects.copy("b", "c", if_absent=True)
    await env.objects.copy("b", "c", if_destination_match=objects.etag(b"2"))
    for wrong in ({"if_absent": True}, {"if_destination_match": objects.etag(b"3")}):
        try:
            await env.objects.copy("a", "c", **wrong)
        except objects.PreconditionFailed as error:
            told.append(error)
    await env.objects.delete("b")
    told += [await env.objects.get("c"), attrs.evolve(await env.objects.head("c"), last_modified=0)]
    told.append([head.address async for head in env.objects.list("", page_size=1)])
    return told


def test_a_flow_reaches_all_that_an_object_store_can() -> None:
    expected = [objects.Expired(), objects.Expired(), *[objects.PreconditionFailed()] * 3, b"2"]
    expected += [objects.Head("c", 1, objects.etag(b"2"), 0, (("n", "3"),), 1), ["a", "c"]]
    store = MemoryObjectStore(clock=lambda: 5)
    assert trio.run(partial(run, a_flow_with_every_effect(live_env()), MemoryStore(), store)) == expected
