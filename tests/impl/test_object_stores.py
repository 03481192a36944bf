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
from lakeproof.impl.stores import Capabilities, MemoryObjectStore, MemoryStore, ObjectStore
from lakeproof.impl.stores.object_store import ALL, AZURE_LIKE, GCS_LIKE, S3_LIKE
from lakeproof.model import objects
from lakeproof.model.objects import Copy, DeleteObject, GetObject, HeadObject, ListObjects, Put, SetMetadata

OLDEN = Capabilities(conditional_put=False, conditional_metadata="none", conditional_delete=False)
"""S3 when the design was written."""

KINDS = [ALL, S3_LIKE, GCS_LIKE, AZURE_LIKE, OLDEN]
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
        st.builds(Copy, addresses, addresses, st.one_of(st.none(), metadata), etags, limits),
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


@given(st.sampled_from(KINDS), operations)
def test_what_is_unsupported_changes_nothing_and_the_rest_is_as_specified(
    capabilities: Capabilities, ops: list[objects.Op]
) -> None:
    async def main() -> None:
        store = MemoryObjectStore(capabilities=capabilities)
        state: objects.Objects = {}
        for op in ops:
            expected: objects.Reply = objects.Unsupported()
            if capabilities.lacking(op) is None:
                state, expected = objects.step(state, op)
            found = await reply_of(store, op)
            assert type(found) is type(expected) if isinstance(expected, objects.ObjectError) else found == expected
        assert store.contents() == state

    trio.run(main)


@pytest.mark.parametrize(
    ("capabilities", "op", "repair"),
    [
        (OLDEN, Put("a", b"", if_absent=True), "put without if_absent and if_match"),
        (OLDEN, Put("a", b"", if_match="e"), "put without if_absent and if_match"),
        (OLDEN, DeleteObject("a", if_match="e"), "delete without if_match"),
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
    await env.objects.copy("b", "c")
    await env.objects.delete("b")
    told += [await env.objects.get("c"), attrs.evolve(await env.objects.head("c"), last_modified=0)]
    told.append([head.address async for head in env.objects.list("", page_size=1)])
    return told


def test_a_flow_reaches_all_that_an_object_store_can() -> None:
    expected = [objects.Expired(), objects.Expired(), objects.PreconditionFailed(), b"2"]
    expected += [objects.Head("c", 1, objects.etag(b"2"), 0, (("n", "3"),), 1), ["a", "c"]]
    store = MemoryObjectStore(clock=lambda: 5)
    assert trio.run(partial(run, a_flow_with_every_effect(live_env()), MemoryStore(), store)) == expected
