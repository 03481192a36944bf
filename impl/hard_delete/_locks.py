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


async def is_locked(env: Env, entry: ObjectEntry, lease: int) -> bool:
    """Whether an entry, as it was staged, is locked now."""
    mark = dict(entry.metadata).get(LOCKED)
    if mark is None or not lease or mark == FOREVER:
        return mark is not None
    return await env.clock.now() <= int(mark)


def mark_of(value: StagedEntry) -> str | None:
    """What the lock of a staged entry says; None where there is none."""
    entry = entry_of(value)
    return None if entry is None else dict(entry.metadata).get(LOCKED)


async def look(env: Env, token: StagingToken, path: bytes, *, lease: int = 0) -> Held:
    """What is staged at a path under a token, if it is free. 1 effect. Raises EntryLocked."""
    found = await get_staged(env, token, path)
    if found is None:
        return Held(token)
    entry = entry_of(found[0])
    if entry is None:
        return Held(token, None, found[0])
    if await is_locked(env, entry, lease):
        raise EntryLocked(path)
    return Held(token, unlocked(entry), found[0])


async def lock(env: Env, token: StagingToken, path: bytes, *, lease: int = 0, tries: int = TRIES) -> Held:
    """Lock the entry that is staged under a token, if there is one. 2 effects, and 2 for each change that it meets.

    Raises EntryLocked: another holds the lock, or the entry changed ``tries`` times.
    """
    for _ in range(tries):
        free = await look(env, token, path, lease=lease)
        if free.entry is None:
            return free
        value = locked(path, free.entry, await new_mark(env, lease))
        if await stage_if(env, token, value, free.predicate):
            return attrs.evolve(free, value=value)
    raise EntryLocked(path)
