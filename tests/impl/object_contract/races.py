"""What `tests.impl.object_contract.suite` claims of an object store that several tasks use at once: one
function each, on an empty store."""

from collections.abc import Awaitable, Callable
from typing import Final

import trio

from lakeproof.impl.stores.conformance import NotConforming
from lakeproof.impl.stores.object_store import ObjectStore
from lakeproof.model import objects
from tests.impl.object_contract.answers import equal, expect, reply_of, short

TASKS: Final = 5
ROUNDS: Final = 8


async def an_object_is_seen_whole_or_not_at_all(store: ObjectStore) -> None:
    """Readers beside writers: content, size, ETag and metadata are of one write."""

    def content(number: int) -> bytes:
        return str(number).encode() * 3000

    async def write(me: int) -> None:
        for number in range(me * ROUNDS, (me + 1) * ROUNDS):
            await store.put("a", content(number), (("etag", objects.etag(content(number))),))

    async def read() -> None:
        while len(done) < 2:
            try:
                head, found = await store.head("a"), await store.get("a")
            except objects.ObjectNotFound:
                continue
            equal("the ETag in the metadata", head.metadata, (("etag", head.etag),))
            if found not in written:
                raise NotConforming(f"get: expected what a client has put, found {short(found)}")

    async def writer(me: int) -> None:
        await write(me)
        done.append(me)

    done: list[int] = []
    written = {content(number) for number in range(2 * ROUNDS)}
    async with trio.open_nursery() as nursery:
        for me in range(2):
            nursery.start_soon(writer, me)
            nursery.start_soon(read)


async def a_copy_is_one_step(store: ObjectStore) -> None:
    """A copy that took the old content has happened before the source was overwritten: whoever did that sees it."""
    for number in range(ROUNDS):
        source, destination = f"source{number}", f"destination{number}"

        async def copy(source: str = source, destination: str = destination) -> None:
            await store.copy(source, destination)

        await store.put(source, b"old")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(copy)
            for _ in range(number % 3):
                await trio.lowlevel.checkpoint()
            await store.put(source, b"new")
            seen = await reply_of(store, objects.GetObject(destination))
        if isinstance(seen, objects.ObjectNotFound):
            equal("a copy that had not happened when its source was overwritten", await store.get(destination), b"new")


async def an_object_that_is_deleted_beside_other_writes_of_it_stays_deleted(store: ObjectStore) -> None:
    """Only a put may make it again; a write of metadata, or a copy onto itself, needs it to be there."""
    plain = store.capabilities.conditional_metadata == "none"

    async def change(address: str) -> None:
        for number in range(3):
            metadata = (("n", str(number)),)
            op = objects.Copy(address, address, metadata) if plain else objects.SetMetadata(address, metadata)
            found = await reply_of(store, op)
            if not (found is None or isinstance(found, objects.ObjectNotFound)):
                raise NotConforming(f"{op!r}: expected None or ObjectNotFound, found {found!r}")

    for number in range(ROUNDS):
        address = f"a{number}"
        await store.put(address, b"1")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(change, address)
            for _ in range(number % 3):
                await trio.lowlevel.checkpoint()
            await store.delete(address)
        await expect(store, objects.HeadObject(address), objects.ObjectNotFound())


async def concurrent_puts_on_a_condition_are_all_kept(store: ObjectStore) -> None:
    if not store.capabilities.conditional_put:
        return
    await store.put("n", b"0")

    async def increment() -> None:
        for _ in range(TASKS * ROUNDS):
            found = await store.get("n")
            try:
                await store.put("n", str(int(found) + 1).encode(), if_match=objects.etag(found))
            except objects.PreconditionFailed:
                continue
            return
        raise NotConforming(f"put failed {TASKS * ROUNDS} times, more often than others can have written")

    await _by_all(increment)
    equal("the counter", int(await store.get("n")), TASKS * ROUNDS)


async def concurrent_writes_of_metadata_on_a_condition_are_all_kept(store: ObjectStore) -> None:
    """The reference counter of the design."""
    if store.capabilities.conditional_metadata == "none":
        return
    by_version = store.capabilities.conditional_metadata == "version"
    await store.put("n", b"", (("n", "0"),))

    async def increment() -> None:
        for _ in range(TASKS * ROUNDS):
            head = await store.head("n")
            metadata = (("n", str(int(dict(head.metadata)["n"]) + 1)),)
            try:
                if by_version:
                    await store.set_metadata("n", metadata, if_version=head.version)
                else:
                    await store.set_metadata("n", metadata, if_metageneration=head.metageneration)
            except objects.PreconditionFailed:
                continue
            return
        raise NotConforming(f"set_metadata failed {TASKS * ROUNDS} times, more often than others can have written")

    await _by_all(increment)
    head = await store.head("n")
    equal("the counter", head.metadata, (("n", str(TASKS * ROUNDS)),))
    equal("its metageneration", head.metageneration, TASKS * ROUNDS + 1)


async def one_of_many_concurrent_creators_wins(store: ObjectStore) -> None:
    if not store.capabilities.conditional_put:
        return
    for number in range(ROUNDS):
        winners: list[bytes] = []

        async def create(me: bytes, address: str = f"a{number}", winners: list[bytes] = winners) -> None:
            try:
                await store.put(address, me, if_absent=True)
            except objects.PreconditionFailed:
                return
            winners.append(me)

        async with trio.open_nursery() as nursery:
            for me in range(TASKS):
                nursery.start_soon(create, str(me).encode())
        equal("creators that won", winners, [await store.get(f"a{number}")])


async def _by_all(increment: Callable[[], Awaitable[None]]) -> None:
    async def task() -> None:
        for _ in range(ROUNDS):
            await increment()

    async with trio.open_nursery() as nursery:
        for _ in range(TASKS):
            nursery.start_soon(task)


RACES: Final = (
    an_object_is_seen_whole_or_not_at_all,
    a_copy_is_one_step,
    an_object_that_is_deleted_beside_other_writes_of_it_stays_deleted,
    concurrent_puts_on_a_condition_are_all_kept,
    concurrent_writes_of_metadata_on_a_condition_are_all_kept,
    one_of_many_concurrent_creators_wins,
)
