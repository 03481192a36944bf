"""Differences and merges of metaranges: ranges that both sides have are passed over unread."""

from collections.abc import AsyncIterator, Sequence

from lakeproof.impl.committed.errors import Conflicts
from lakeproof.impl.committed.lookahead import Peekable, each
from lakeproof.impl.committed.reader import Reader
from lakeproof.impl.committed.writer import Writer, apply_over
from lakeproof.impl.effects import Env
from lakeproof.model.committed import (
    DEFAULT_SPLITTING,
    Difference,
    Entry,
    RangeInfo,
    Splitting,
    change_to,
    check_strategy,
    merged_entry,
    same,
)
from lakeproof.model.identifiers import MetaRangeID, StorageNamespace
from lakeproof.model.records import StagedEntry


async def merge(
    env: Env,
    storage_namespace: StorageNamespace,
    *,
    base: MetaRangeID,
    source: MetaRangeID,
    destination: MetaRangeID,
    strategy: str | None = None,
    splitting: Splitting = DEFAULT_SPLITTING,
) -> MetaRangeID:
    """Bring what the source changed since the base into the destination; see `lakeproof.model.committed.merged_entry`.

    strategy: None, ``"source-wins"`` or ``"destination-wins"``: what becomes of conflicts.

    No effects if only one side, or neither, changed anything, or both are equal. Otherwise reads the three metaranges,
    the ranges that differ between base and source, and of the destination the ranges that hold a path changed by the
    source; then as `apply_changes` over the destination. Memory: the source's changes.

    Raises:
        Conflicts: nothing was written; MissingObject, DamagedObject; ValueError for another strategy.
    """
    check_strategy(strategy)
    if source in (base, destination):  # the source has changed nothing, or both sides have changed alike
        return destination
    if destination == base:  # the destination has changed nothing: a fast-forward
        return source
    reader = Reader(env, storage_namespace)
    of_base, of_source, of_destination = [await reader.meta_range(side) for side in (base, source, destination)]
    changes: list[StagedEntry] = []
    conflicts: list[bytes] = []
    async for found in differences(reader, of_base, of_source):
        theirs = await reader.entry_in(of_destination, found.path)
        after, conflict = merged_entry(found.before, found.after, theirs, strategy)
        if conflict:  # goes on: the error names all conflicts
            conflicts.append(found.path)
        elif not same(after, theirs):  # the destination may have the same change already
            changes.append(change_to(found.path, after))
    if conflicts:
        raise Conflicts(tuple(conflicts))
    # Equal content has an equal address, so an object of any side need not be put again.
    known = _ids(of_base) | _ids(of_source) | _ids(of_destination) | {base, source, destination}
    writer = Writer(env, storage_namespace, splitting, known)
    return await apply_over(reader, of_destination, Peekable(each(changes)), writer)


async def differences(
    reader: Reader, left: Sequence[RangeInfo], right: Sequence[RangeInfo]
) -> AsyncIterator[Difference]:
    """What turns the ranges of one metarange into those of another, by path. As they are consumed, reads the ranges
    that only one side has, each once."""
    # Ranges of one metarange do not overlap: where both sides have the same range, neither has anything else.
    shared = _ids(left) & _ids(right)
    befores = Peekable(reader.entries([info for info in left if info.range_id not in shared]))
    afters = Peekable(reader.entries([info for info in right if info.range_id not in shared]))
    while True:
        before, after = await befores.peek(), await afters.peek()
        paths = [entry.path for entry in (before, after) if entry is not None]
        if not paths:
            return
        path = min(paths)
        found = Difference(path=path, before=_at(path, before), after=_at(path, after))
        # A path that both sides have is taken from both, so it is compared once.
        if found.before is not None:
            befores.skip()
        if found.after is not None:
            afters.skip()
        if not same(found.before, found.after):
            yield found


def _at(path: bytes, entry: Entry | None) -> Entry | None:
    return entry if entry is not None and entry.path == path else None


def _ids(infos: Sequence[RangeInfo]) -> frozenset[str]:
    return frozenset(info.range_id for info in infos)
