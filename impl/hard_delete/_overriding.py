"""How an entry is put over another one where each object has one entry: the other one's object goes.

Source: hard-delete-uncommitted-data.md, "5. No Copies", "Upload Object".
"""

from collections.abc import Awaitable, Callable

import attrs

from lakeproof.impl.catalog.errors import DataGone, EntryLocked
from lakeproof.impl.catalog.objects import at, change, owned
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.tokens import Missed, same_token, settle
from lakeproof.impl.hard_delete._locks import Held, lock, look
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.errors import WriteNotSettled
from lakeproof.impl.staging import stage, stage_if
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Repository, StagedEntry

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
    held = Held(StagingToken(""))
    times = 0
    staged = False

    async def write(branch: Branch) -> ObjectEntry | Missed:
        nonlocal entry, held, times, staged
        token = branch.staging_token
        try:
            held = await (lock if how.locks else look)(env, token, path, lease=how.lease)
            if entry is None or (how.fresh and staged):
                entry = await put(times)
                times += 1
        except (EntryLocked, DataGone):
            if staged:
                raise WriteNotSettled(branch_id, path) from None
            raise
        value = change(path, entry)
        if how.exchanges and not await stage_over(env, value, held):
            return Missed(branch)
        if not how.exchanges:
            await stage(env, token, value)
        staged = True
        return entry

    async def settled(before: Branch, now: Branch) -> bool:
        same, replaced = await same_token(before, now), held.entry
        assert entry is not None
        if replaced is not None and replaced.address != entry.address and (same or not how.checks_token):
            await hard_delete(env, repository, replaced)
        return same

    branch = await get_branch(env, repository, branch_id)
    try:
        return (await settle(env, repository, branch, write, path, settled=settled))[0]
    except WriteNotSettled:
        if staged:
            raise
        raise EntryLocked(path) from None


async def stage_over(env: Env, value: StagedEntry, held: Held) -> bool:
    """Stage a value over just what was seen. 1 effect. Whether it was done."""
    return await stage_if(env, held.token, value, held.predicate)
