"""The object store in memory keeps the contract, with whatever it can; and as a flow sees it."""

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
    Put,
    SetMetadata,
)
from tests.model.test_objects import operations

OLDEN = frozenset({"copy.if_match"})
"""S3 when the design was written."""

KINDS = [S3, GCS, AZURE, MINIO, OLDEN, frozenset()]


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


@given(st.just(ALL) | st.sampled_from(KINDS), st.lists(operations, max_size=40))
def test_the_store_in_memory_answers_any_operations_as_the_specification_does_and_changes_nothing_where_it_lacks_one(
    capabilities: frozenset[str], ops: list[objects.Op]
) -> None:
    async def main() -> None:
        clock = Ticking()
        store = MemoryObjectStore(capabilities=capabilities, clock=clock)
        state: objects.Objects = {}
        for op in ops:
            clock.now += 1
            found = await reply_of(store, op)
            if needed(op) <= capabilities:
                state, expected = objects.step(state, op, clock.now)
                assert found == expected
            else:
                assert isinstance(found, objects.Unsupported)
        assert store.contents() == state
        assert list(store.contents()) == sorted(state)
        assert MemoryObjectStore(state).contents() == state

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


M: objects.Metadata = (("n", "1"),)


def test_a_flow_asks_for_just_what_its_call_says() -> None:
    store = live_env().objects
    for call, op in (
        (store.put("a", b"1", M, if_absent=True, not_after=5), Put("a", b"1", M, if_absent=True, not_after=5)),
        (store.put("a", b"1", if_match="e"), Put("a", b"1", if_match="e")),
        (store.get("a"), GetObject("a")),
        (store.head("a"), HeadObject("a")),
        (store.copy("a", "b", M, if_match="e", not_after=5), Copy("a", "b", M, if_match="e", not_after=5)),
        (store.copy("a", "b", if_absent=True), Copy("a", "b", if_absent=True)),
        (store.copy("a", "b", if_destination_match="e"), Copy("a", "b", if_destination_match="e")),
        (store.set_metadata("a", M, if_metageneration=2), SetMetadata("a", M, if_metageneration=2)),
        (store.set_metadata("a", M, if_version="v"), SetMetadata("a", M, if_version="v")),
        (store.delete("a", if_match="e"), DeleteObject("a", if_match="e")),
    ):
        assert call.send(None) == op
        call.close()


async def listed(env: Env) -> list[str]:
    return [head.address async for head in env.objects.list("p/", page_size=1)]


def test_a_listing_in_pages_has_all_of_its_prefix() -> None:
    held = MemoryObjectStore(dict.fromkeys(("p/a", "p/b", "q"), b""))
    assert trio.run(run, listed(live_env()), MemoryStore(), held) == ["p/a", "p/b"]
