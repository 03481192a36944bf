"""The lock of a staged entry: a mark in its value, set by `SetIf`, that keeps uploads, moves and deletes apart.

The text gives the staged ``Value`` a field ``Locked bool``. Here the mark is a pair of the object entry's metadata; the
entry's identity is that of the entry without it. Whatever is committed with the mark is not locked by it. Source:
hard-delete-uncommitted-data.md, "5. No Copies", "Object Locking".
"""

from typing import Final

import attrs

from lakeproof.impl.catalog.errors import EntryLocked
from lakeproof.impl.catalog.objects import change, entry_of
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.staging import get_staged, stage_if
from lakeproof.model import kv
from lakeproof.model.catalog import ObjectEntry, encode_object_entry
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import StagedEntry

LOCKED: Final = "locked"
FOREVER: Final = "true"
TRIES: Final = 3


@attrs.frozen(cache_hash=True)
class Held:
    """What is staged at a path under a token: an entry that this call has locked, or has found free; or none."""

    token: StagingToken
    entry: ObjectEntry | None = None
    """Without the mark. None: nothing is staged, or a tombstone."""
    value: StagedEntry | None = None
    """As it is staged; None: nothing is."""

    @property
    def predicate(self) -> kv.Predicate:
        """That replaces just this value."""
        return None if self.value is None else encode(self.value)


def unlocked(entry: ObjectEntry) -> ObjectEntry:
    """The entry without the mark."""
    return attrs.evolve(entry, metadata=tuple(pair for pair in entry.metadata if pair[0] != LOCKED))


def locked(path: bytes, entry: ObjectEntry, mark: str) -> StagedEntry:
    """The staged change that puts an entry at a path, locked."""
    marked = attrs.evolve(entry, metadata=tuple(sorted((*unlocked(entry).metadata, (LOCKED, mark)))))
    return attrs.evolve(change(path, unlocked(entry)), data=encode_object_entry(marked))


async def new_mark(env: Env, lease: int) -> str:
    """What a lock says: ``"true"``; or until when it holds, now + ``lease`` microseconds, where that is not 0."""
    return str(await env.clock.now() + lease) if lease else FOREVER


async def unless_locked(env: Env, value: StagedEntry, lease: int) -> ObjectEntry | None:
    """The entry of a staged change, without a mark; None of a tombstone, or where it is locked now."""
    entry = entry_of(value)
    mark = None if entry is None else dict(entry.metadata).get(LOCKED)
    if entry is None or mark is None:
        return entry
    over = lease and mark != FOREVER and await env.clock.now() > int(mark)
    return unlocked(entry) if over else None


async def hold(env: Env, token: StagingToken, path: bytes, *, locks: bool = True, lease: int = 0) -> Held:
    """What is staged at a path under a token, if it is free; an entry is locked. 2 effects, and 2 for each change that
    it meets. locks: without it only look, 1 effect.

    Raises EntryLocked: another holds the lock, or the entry changed `TRIES` times.
    """
    for _ in range(TRIES):
        found = await get_staged(env, token, path)
        if found is None or found[0].data is None:
            return Held(token, None, None if found is None else found[0])
        entry = await unless_locked(env, found[0], lease)
        if entry is None:
            raise EntryLocked(path)
        free = Held(token, entry, found[0])
        if not locks:
            return free
        marked = locked(path, entry, await new_mark(env, lease))
        if await stage_if(env, token, marked, free.predicate):
            return attrs.evolve(free, value=marked)
    raise EntryLocked(path)
