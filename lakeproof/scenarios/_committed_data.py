"""Calls on committed data: each operation with plain arguments, and the objects that it has read and put."""

from collections.abc import Callable, Collection, Coroutine, Hashable
from typing import Final

import attrs

from lakeproof.impl import committed
from lakeproof.impl.committed.peeking import each
from lakeproof.impl.committed.writing import Writer
from lakeproof.impl.effects import Env, ObjectEffects
from lakeproof.model import objects
from lakeproof.model.committed import Difference, Entry, RangeInfo, Splitting, Unsorted, object_address
from lakeproof.model.identifiers import MetaRangeID, StorageNamespace
from lakeproof.model.records import StagedEntry

SPACE: Final = StorageNamespace("mem://r")


class _Noting(ObjectEffects):
    """The object store, and the ids of what is read and put."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.put_: list[str] = []

    async def perform(self, op: objects.Op) -> object:
        if isinstance(op, objects.GetObject):
            self.read.append(op.address.rpartition("/")[2])
        elif isinstance(op, objects.Put):
            self.put_.append(op.address.rpartition("/")[2])
        return await super().perform(op)


@attrs.frozen
class Did:
    """An answer, and the ids of the objects that were read and put for it, by id."""

    answer: Hashable
    read: tuple[str, ...]
    put: tuple[str, ...]


def did(answer: Hashable, read: Collection[str] = (), put: Collection[str] = ()) -> Did:
    """The same, each object once."""
    return Did(answer, tuple(sorted(read)), tuple(sorted(put)))


async def noted(env: Env, work: Callable[[Env], Coroutine[object, object, Hashable]]) -> Did:
    """What a piece of work answers and does."""
    noting = _Noting()
    answer = await work(attrs.evolve(env, objects=noting))
    return did(answer, noting.read, noting.put_)


async def write_entries(env: Env, entries: tuple[Entry, ...], splitting: Splitting) -> Did:
    """`committed.write_metarange`; "unsorted" where it refuses to."""

    async def work(env: Env) -> str:
        try:
            return await committed.write_metarange(env, SPACE, entries, splitting=splitting)
        except Unsorted:
            return "unsorted"

    return await noted(env, work)


async def edit_entries(env: Env, base: MetaRangeID, changes: tuple[StagedEntry, ...], splitting: Splitting) -> Did:
    """`committed.apply_changes` of a stream; "unsorted" where it refuses to."""

    async def work(env: Env) -> str:
        try:
            return await committed.apply_changes(env, SPACE, base, each(changes), splitting=splitting)
        except Unsorted:
            return "unsorted"

    return await noted(env, work)


async def paths_after(
    env: Env, base: MetaRangeID, changes: tuple[StagedEntry, ...], splitting: Splitting
) -> tuple[bytes, ...]:
    """The paths of a metarange after changes."""
    made = await committed.apply_changes(env, SPACE, base, each(changes), splitting=splitting)
    return tuple([entry.path async for entry in committed.MetaRangeIterator(env, SPACE, made)])


async def compare(env: Env, left: MetaRangeID, right: MetaRangeID) -> Did:
    """`committed.diff`; not more than a hundred differences, so that a stream without end has an answer."""

    async def work(env: Env) -> tuple[Difference, ...]:
        found: list[Difference] = []
        async for difference in committed.diff(env, SPACE, left, right):
            found.append(difference)
            if len(found) > 100:
                break
        return tuple(found)

    return await noted(env, work)


async def merge_three(
    env: Env, sides: tuple[MetaRangeID, MetaRangeID, MetaRangeID], strategy: str | None, splitting: Splitting
) -> str:
    """`committed.merge` of base, source and destination; "no strategy" where it refuses one."""
    base, source, destination = sides
    try:
        return await committed.merge(
            env, SPACE, base=base, source=source, destination=destination, strategy=strategy, splitting=splitting
        )
    except ValueError:
        return "no strategy"


async def merge_three_noted(env: Env, sides: tuple[MetaRangeID, MetaRangeID, MetaRangeID], splitting: Splitting) -> Did:
    """The same, with what it reads and puts."""
    return await noted(env, lambda env: merge_three(env, sides, None, splitting))


async def get_entry(env: Env, meta_range_id: MetaRangeID, path: bytes) -> Did:
    """`committed.get_entry`."""
    return await noted(env, lambda env: committed.get_entry(env, SPACE, meta_range_id, path))


async def walk(env: Env, meta_range_id: MetaRangeID, steps: tuple[bytes | None, ...], *, closed: bool = False) -> Did:
    """An iterator that is moved: None: to the next entry; a path: a seek. Then all that is left; or nothing, if closed.

    Answers the path at each step, None at the end.
    """

    async def work(env: Env) -> tuple[bytes | None, ...]:
        found = committed.MetaRangeIterator(env, SPACE, meta_range_id)
        seen: list[bytes | None] = []
        for step in steps:
            if step is None:
                seen.append(found.value.path if await found.next() else None)
            else:
                await found.seek(step)
        if closed:
            found.close()
        seen += [entry.path async for entry in found]
        return tuple(seen)

    return await noted(env, work)


async def value_of(env: Env, meta_range_id: MetaRangeID, step: str) -> bool:
    """Whether an iterator has a value: before its first step, after a "seek", after "close", or at the "end"."""
    found = committed.MetaRangeIterator(env, SPACE, meta_range_id)
    if step != "first":
        await found.next()
    if step == "seek":
        await found.seek(b"")
    elif step == "close":
        found.close()
    while step == "end" and await found.next():
        pass
    try:
        return bool(found.value)
    except AssertionError:
        return False


async def take_over_inside(env: Env, info: RangeInfo) -> bool:
    """Whether a range can be taken over into the middle of another."""
    writer = Writer(env, SPACE, Splitting())
    await writer.add(Entry(path=b"a", identity=b"", data=b""))
    try:
        writer.take_over(info)
    except AssertionError:
        return False
    return True


async def damage(env: Env, object_id: str, content: bytes | None) -> None:
    """Put another content at the address of an object; None: delete it."""
    address = object_address(SPACE, object_id)
    if content is None:
        await env.objects.delete(address)
    else:
        await env.objects.put(address, content)
