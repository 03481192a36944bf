"""Writing metaranges: changes over a base whose untouched ranges are taken over unread."""

from collections.abc import AsyncIterable, Iterable, Sequence

from lakeproof.impl.committed.lookahead import Peekable, ascending
from lakeproof.impl.committed.reader import Reader
from lakeproof.impl.effects import Env
from lakeproof.model.committed import (
    DEFAULT_SPLITTING,
    RANGE_FORMAT,
    Entry,
    RangeInfo,
    Splitting,
    content_id,
    describe,
    encode_meta_range,
    encode_range,
    entry_after,
    entry_size,
    object_address,
)
from lakeproof.model.identifiers import MetaRangeID, StorageNamespace
from lakeproof.model.records import StagedEntry


class Writer:
    """Cuts ascending entries into ranges and puts them. Memory: one range, and a line for each range before it.

    ``known``: ids of objects that are there already and need not be put.
    """

    def __init__(
        self, env: Env, storage_namespace: StorageNamespace, splitting: Splitting, known: frozenset[str] = frozenset()
    ) -> None:
        self._env = env
        self._storage_namespace = storage_namespace
        self.splitting = splitting
        self._known = known
        self._infos: list[RangeInfo] = []
        self._open: list[Entry] = []
        self._size = len(RANGE_FORMAT)  # of an encoded range without entries

    @property
    def between(self) -> bool:
        """Whether the next entry begins a range."""
        return not self._open

    async def add(self, entry: Entry) -> None:
        """1 effect if this ends a range."""
        self._open.append(entry)
        self._size += entry_size(entry)
        if self.splitting.ends(self._size, entry.path):
            await self._end_range()

    def take_over(self, info: RangeInfo) -> None:
        """Add a range as it is. Only `between` ranges."""
        assert self.between, f"{info!r} would tear a range apart"
        self._infos.append(info)

    async def finish(self) -> MetaRangeID:
        """The metarange of all that was added. 2 effects at most."""
        if self._open:
            await self._end_range()
        # The id of the empty metarange, which has no object.
        return MetaRangeID(await self._put(encode_meta_range(self._infos)) if self._infos else "")

    async def _end_range(self) -> None:
        range_id = await self._put(encode_range(self._open))
        self._infos.append(describe(range_id, self._open))
        self._open = []
        self._size = len(RANGE_FORMAT)

    async def _put(self, content: bytes) -> str:
        object_id = content_id(content)
        if object_id not in self._known:  # putting it again would be harmless; this saves an effect
            await self._env.objects.put(object_address(self._storage_namespace, object_id), content)
        return object_id


async def apply_changes(
    env: Env,
    storage_namespace: StorageNamespace,
    base: MetaRangeID,
    changes: Iterable[StagedEntry] | AsyncIterable[StagedEntry],
    *,
    splitting: Splitting = DEFAULT_SPLITTING,
) -> MetaRangeID:
    """Write a base's entries after changes, which must ascend by path: the metarange that
    `lakeproof.model.committed.write` gives.

    Reads the base's metarange and those of its ranges that may end elsewhere now: those that hold a changed path, and
    those after one until a range ends where one of the base did. Puts only what the base does not have: over the
    empty base and for few changes 2 effects; if nothing changes, nothing. No changes at all: no effects. (If the base
    was written with another splitting, the entries are right all the same, but the id may be another.)

    Raises:
        Unsorted, MissingObject, DamagedObject.
    """
    todo = Peekable(ascending(changes, lambda change: change.key))
    if await todo.peek() is None:
        return base
    reader = Reader(env, storage_namespace)
    infos = await reader.meta_range(base)
    # Also the base itself: where the changes change nothing, the new metarange is the base.
    known = frozenset({base, *(info.range_id for info in infos)})
    return await apply_over(reader, infos, todo, Writer(env, storage_namespace, splitting, known))


async def apply_over(
    reader: Reader, infos: Sequence[RangeInfo], todo: Peekable[StagedEntry], writer: Writer
) -> MetaRangeID:
    """`apply_changes` over the ranges of a metarange."""
    for at, info in enumerate(infos):
        await _add_new(writer, todo, info.min_path)  # paths before this range that no range of the base covers
        change = await todo.peek()
        # What is taken over must begin where a range begins, and end where one ends: by itself, or as the last one.
        if (change is None or change.key > info.max_path) and writer.between:
            # The last range of the base ends where its entries ended, not where its content says so. With an entry
            # behind it, none would be cut there.
            last = at == len(infos) - 1
            if writer.splitting.ends(info.size, info.max_path) or (last and not await _adds(todo)):
                writer.take_over(info)
                continue
        for entry in await reader.range(info):
            await _add_new(writer, todo, entry.path)
            change = await todo.peek()
            # Changes of paths between two entries were added above, so this change is of this path or of a later one.
            after: Entry | None = entry
            if change is not None and change.key == entry.path:
                after = entry_after(entry, change)
                todo.skip()
            if after is not None:
                await writer.add(after)
    await _add_new(writer, todo, None)
    return await writer.finish()


async def _add_new(writer: Writer, todo: Peekable[StagedEntry], before: bytes | None) -> None:
    """Add what the changes of paths before this one (None: of all) bring, where the base has none of them."""
    while (change := await todo.peek()) is not None and (before is None or change.key < before):
        after = entry_after(None, change)
        if after is not None:
            await writer.add(after)
        todo.skip()


async def _adds(todo: Peekable[StagedEntry]) -> bool:
    """Whether the changes after the last range bring any entry. Drops the tombstones before it: they remove nothing."""
    while (change := await todo.peek()) is not None and change.data is None:
        todo.skip()
    return change is not None
