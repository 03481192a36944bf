"""How an entry is put over another one where each object has one entry: the other one's object goes.

Source: hard-delete-uncommitted-data.md, "5. No Copies", "Upload Object".
"""

from collections.abc import Awaitable, Callable
from typing import Final

import attrs

from lakeproof.impl.catalog.errors import DataGone, EntryLocked
from lakeproof.impl.catalog.objects import at, change, owned
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete._locks import Held, lock, look
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.errors import WriteNotSettled
from lakeproof.impl.staging import stage, stage_if
from lakeproof.model import kv
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Repository, StagedEntry

TRIES: Final = 3

MakeObject = Callable[[int], Awaitable[ObjectEntry]]
"""Puts the object of an entry in its place; given how often that was done before."""


@attrs.frozen
class Overriding:
    """How an entry is put over another one; see `no_copies.upload_object`."""

    locks: bool
    exchanges: bool
    fresh: bool
    checks_token: bool
    lease: int


async def hard_delete(env: Env, repository: Repository, entry: ObjectEntry) -> None:
    """Delete the object of an entry, if it is lakeFS' own. 1 effect."""
    if owned(repository, entry):
        await env.objects.delete(at(repository, entry))


async def override(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, put: MakeObject, how: Overriding
) -> ObjectEntry:
    """Put an object in its place, stage its entry over what is staged at a path, and delete the object of that.

    Raises EntryLocked, DataGone; BranchNotFound; WriteNotSettled (indefinite).
    """
    entry: ObjectEntry | None = None
    times = 0
    staged = False
    branch = await get_branch(env, repository, branch_id)
    for _ in range(TRIES):
        token = branch.staging_token
        try:
            held = await (lock if how.locks else look)(env, token, path, lease=how.lease)
            if entry is None or (how.fresh and staged):
                entry = await put(times)
                times += 1
        except (EntryLocked, DataGone):
            if staged:
                break
            raise
        if not await _add(env, token, path, entry, held, exchanges=how.exchanges):
            continue
        staged = True
        branch = await get_branch(env, repository, branch_id)
        settled = branch.staging_token == token
        replaced = held.entry
        if replaced is not None and replaced.address != entry.address and (settled or not how.checks_token):
            await hard_delete(env, repository, replaced)
        if settled:
            return entry
    raise WriteNotSettled(branch_id, path) if staged else EntryLocked(path)


async def _add(env: Env, token: StagingToken, path: bytes, entry: ObjectEntry, held: Held, *, exchanges: bool) -> bool:
    if exchanges:
        return await stage_over(env, change(path, entry), held)
    await stage(env, token, change(path, entry))
    return True


async def stage_over(env: Env, value: StagedEntry, held: Held) -> bool:
    """Stage a value over just what was seen. 1 effect. Whether it was done."""
    try:
        await stage_if(env, held.token, value, held.predicate)
    except kv.PredicateFailed:
        return False
    return True
