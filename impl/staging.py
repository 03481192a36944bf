"""Staged entries: the uncommitted changes of a branch, each in the partition of its staging token.

Source: graveler-on-kv.md, "Staged Object" and "Suggested Key Schema".
"""

from collections.abc import AsyncIterator

from lakeproof.impl.codec import decode_staged_entry, encode
from lakeproof.impl.effects import Env
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import StagedEntry


def tombstone(path: bytes) -> StagedEntry:
    """The change that removes a path."""
    return StagedEntry(key=path, identity=b"", data=None)  # lakeFS writes a tombstone with neither identity nor data


async def stage(env: Env, token: StagingToken, entry: StagedEntry) -> None:
    """Write an entry, whatever was there. 1 effect."""
    await env.store.set(keys.staging_partition(token), keys.staged_key(entry.key), encode(entry))


async def stage_if(env: Env, token: StagingToken, entry: StagedEntry, predicate: kv.Predicate) -> bool:
    """Write an entry if the predicate holds. 1 effect. Whether it did."""
    partition, key = keys.staging_partition(token), keys.staged_key(entry.key)
    return await env.store.try_set_if(partition, key, encode(entry), predicate)


async def get_staged(env: Env, token: StagingToken, path: bytes) -> tuple[StagedEntry, bytes] | None:
    """The entry and the predicate that replaces just this value; None if the token has no change of the path. 1
    effect."""
    found = await env.store.find(keys.staging_partition(token), keys.staged_key(path))
    return None if found is None else (decode_staged_entry(found.value), found.predicate)


async def unstage(env: Env, token: StagingToken, path: bytes) -> None:
    """Forget a change; none is no error. 1 effect."""
    await env.store.delete(keys.staging_partition(token), keys.staged_key(path))


async def scan_staged(env: Env, token: StagingToken, batch_size: int = 0) -> AsyncIterator[StagedEntry]:
    """The changes under a token by path. One effect per batch."""
    # The order of the keys is that of the paths, since all have the prefix.
    found = env.store.scan(keys.staging_partition(token), batch_size=batch_size, prefix=keys.STAGED_PREFIX)
    async for entry in found:
        yield decode_staged_entry(entry.value)


async def changes_under(env: Env, token: StagingToken, batch_size: int = 0) -> tuple[StagedEntry, ...]:
    """All changes under a token, by path. One effect per batch."""
    return tuple([change async for change in scan_staged(env, token, batch_size)])


async def drop(env: Env, token: StagingToken, batch_size: int = 0) -> None:
    """Delete all changes under a token: a scan, and one effect per change."""
    partition = keys.staging_partition(token)
    async for entry in env.store.scan(partition, keys.STAGED_PREFIX, batch_size):
        await env.store.delete(partition, entry.key)
