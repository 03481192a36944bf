"""Proposal 5: no two staged entries refer to the same object, so whoever removes an entry may delete its object.

Copies copy the object; an address is signed for one path; and an entry is locked while it is overwritten, moved or
deleted. As the text says it; where it is silent, a parameter. Source: hard-delete-uncommitted-data.md, "5. No Copies".
"""

from typing import Literal

import attrs

from lakeproof.impl.catalog.errors import AddressNotAllowed, EntryLocked
from lakeproof.impl.catalog.objects import (
    Grant,
    change,
    copy_data,
    entry_at,
    entry_of,
    find_object,
    object_entry,
    owned,
)
from lakeproof.impl.catalog.objects import commit as commit
from lakeproof.impl.catalog.objects import read_object as read_object
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler import resetting, writing
from lakeproof.impl.graveler.reading import changes_of
from lakeproof.impl.graveler.resetting import forget_tokens
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.hard_delete._locks import Held, is_locked, lock, locked, look, mark_of, new_mark, unlocked
from lakeproof.impl.hard_delete._overriding import Overriding, hard_delete, override, stage_over
from lakeproof.impl.hard_delete._signing import check_address, signed_address
from lakeproof.impl.hard_delete._tokens import stage_referred
from lakeproof.impl.refs.branches import create_branch as create_branch
from lakeproof.impl.refs.branches import get_branch, remove_branch
from lakeproof.impl.refs.errors import PathNotFound, WriteNotSettled
from lakeproof.impl.staging import changes_under, stage, stage_if, tombstone, unstage
from lakeproof.model.catalog import ObjectEntry, is_inside
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Repository, StagedEntry

Of = Literal["open", "tokens", "any"]


async def upload_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    content: bytes,
    *,
    locks: bool = True,
    exchanges: bool = False,
    fresh: bool = False,
    checks_token: bool = True,
    lease: int = 0,
) -> ObjectEntry:
    """Lock the entry that is staged at the path, if there is one; put an object; stage its entry; delete the object of
    the entry that was there.

    locks: without it, only look that the entry is not locked.
    exchanges: stage by `SetIf`: over the locked entry, or where there was none.
    fresh: put the object once more, under another address, each time that the branch's token has changed.
    checks_token: "unless staging token was updated"; without it delete the old object all the same.
    lease: microseconds for which a lock holds; 0: for ever.

    Raises:
        BranchNotFound: the object is left behind; EntryLocked; WriteNotSettled (indefinite).
    """
    how = Overriding(locks=locks, exchanges=exchanges, fresh=fresh, checks_token=checks_token, lease=lease)

    async def put(times: int) -> ObjectEntry:
        address = signed_address(env, repository, branch_id, path)
        await env.objects.put(f"{repository.storage_namespace}/{address}", content)
        return await object_entry(env, address, content)

    return await override(env, repository, branch_id, path, put, how)


async def stage_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    address: str,
    content: bytes,
    *,
    locks: bool = True,
    exchanges: bool = False,
    fresh: bool = False,
    checks_token: bool = True,
    lease: int = 0,
) -> ObjectEntry:
    """Stage an entry for an object that is there already; in the namespace, only at the path that its address is signed
    for. As `upload_object` but for the object; with ``fresh`` it is copied. Raises AddressNotAllowed, DataGone."""
    how = Overriding(locks=locks, exchanges=exchanges, fresh=fresh, checks_token=checks_token, lease=lease)
    return await _stage_at(env, repository, branch_id, path, address, content, how)


async def _stage_at(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, address: str, content: bytes, how: Overriding
) -> ObjectEntry:
    check_address(repository, branch_id, path, address)
    entry = entry_at(repository, address, content)

    async def keep(times: int) -> ObjectEntry:
        if times and owned(repository, entry):
            return await _copied(env, repository, branch_id, path, entry)
        return entry

    return await override(env, repository, branch_id, path, keep, how)


async def get_physical_address(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> Grant:
    """Issue an address for a path: it is signed for it."""
    return Grant(f"{repository.storage_namespace}/{signed_address(env, repository, branch_id, path)}")


async def link_physical_address(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    grant: Grant,
    content: bytes,
    *,
    locks: bool = True,
    exchanges: bool = False,
    fresh: bool = False,
    checks_token: bool = True,
    lease: int = 0,
) -> ObjectEntry:
    """`stage_object` at an issued address. Raises AddressNotAllowed: it was not issued for this path."""
    if not is_inside(repository.storage_namespace, grant.address):
        raise AddressNotAllowed(grant.address)
    how = Overriding(locks=locks, exchanges=exchanges, fresh=fresh, checks_token=checks_token, lease=lease)
    return await _stage_at(env, repository, branch_id, path, grant.address, content, how)


async def copy_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    source_branch_id: BranchID,
    source_path: bytes,
    *,
    locks: bool = True,
    exchanges: bool = False,
    fresh: bool = False,
    checks_token: bool = True,
    lease: int = 0,
) -> ObjectEntry:
    """Copy an object to a path: "use the underlying adapter to copy the data"; then as `upload_object`.

    Raises PathNotFound, BranchBusy, DataGone; and as `upload_object`.
    """
    how = Overriding(locks=locks, exchanges=exchanges, fresh=fresh, checks_token=checks_token, lease=lease)
    found = await find_object(env, repository, source_branch_id, source_path)

    async def copy(times: int) -> ObjectEntry:
        return await _copied(env, repository, branch_id, path, found)

    return await override(env, repository, branch_id, path, copy, how)


async def move_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    source_path: bytes,
    path: bytes,
    *,
    locks: bool = True,
    same_token: bool = False,
    exchanges: bool = False,
    fresh: bool = False,
    lease: int = 0,
) -> ObjectEntry:
    """Lock the entry, copy it to the new path, delete the old one, unlock the new one. What stands at the new path is
    overwritten. An entry that is not staged under the branch's open token is copied in full, as `copy_object` does, and
    then deleted.

    locks: without it the entry is copied as it is, locked or not.
    same_token: write under the token of the locked entry only, and look in the end that it is still the open one.

    Raises:
        PathNotFound, BranchNotFound, BranchBusy, DataGone; EntryLocked; WriteNotSettled (indefinite).
    """
    await find_object(env, repository, branch_id, source_path)
    branch = await get_branch(env, repository, branch_id)
    held = await (lock if locks else look)(env, branch.staging_token, source_path, lease=lease)
    if held.entry is None or held.value is None:
        copied = await copy_object(
            env, repository, branch_id, path, branch_id, source_path, exchanges=exchanges, fresh=fresh, lease=lease
        )
        await writing.delete_entry(env, repository, branch_id, source_path)
        return copied
    mark = mark_of(held.value)
    moved = change(path, held.entry) if mark is None else locked(path, held.entry, mark)
    if same_token:
        token = held.token
        await stage(env, token, moved)
        await stage(env, token, tombstone(source_path))
        if (await get_branch(env, repository, branch_id)).staging_token != token:
            raise WriteNotSettled(branch_id, source_path, path)
    else:
        token = (await stage_referred(env, repository, branch_id, moved)).token
        await writing.delete_entry(env, repository, branch_id, source_path)
    if mark is not None:
        await stage_if(env, token, change(path, held.entry), encode(moved))  # unless it has changed since
    return held.entry


async def delete_object(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    *,
    locks: bool = True,
    of: Of = "open",
    checks_token: bool = False,
    lease: int = 0,
) -> None:
    """Lock the entry, stage a tombstone, hard-delete the object.

    locks: without it, only look that the entry is not locked: the text before it was "resolved".
    of: which entry is meant: one staged under the branch's ``"open"`` token; under one of its ``"tokens"``; or
        ``"any"``, a committed one, too. Of others the object stays.
    checks_token: hard-delete only if the token of the entry is still the branch's after the tombstone was staged, as an
        upload does.

    Raises PathNotFound, BranchNotFound, BranchBusy, EntryLocked; WriteNotSettled (indefinite).
    """
    await find_object(env, repository, branch_id, path)
    branch = await get_branch(env, repository, branch_id)
    held = await _hold(env, repository, branch, path, locks=locks, of=of, lease=lease)
    if held.value is not None and held.entry is None:
        raise PathNotFound(path)
    settled = await stage_referred(env, repository, branch_id, tombstone(path))
    if held.entry is not None and (settled.token == held.token or not checks_token):
        await hard_delete(env, repository, held.entry)


async def reset_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    *,
    claims: bool = False,
    lease: int = 0,
    batch_size: int = 0,
) -> None:
    """Swap the token; then delete the entries that were staged, and the objects of those that are not locked.

    claims: lock each entry first, as a delete does; without it, go by what the scan has shown.

    Raises BranchNotFound, BranchBusy: nothing was reset.
    """
    dropped = await forget_tokens(env, repository, branch_id)
    await _drop(env, repository, dropped, claims=claims, lease=lease, batch_size=batch_size)


async def reset_entry(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    *,
    claims: bool = False,
    checks_token: bool = False,
    lease: int = 0,
) -> None:
    """Forget the uncommitted change of one path, as `resetting.reset_entry` does in place; then delete the object of
    the entry that was staged under the open token, unless it was locked.

    claims, checks_token: as in `reset_branch` and `delete_object`.

    Raises BranchNotFound; WriteNotSettled (indefinite).
    """
    branch = await get_branch(env, repository, branch_id)
    try:
        entry = (await (lock if claims else look)(env, branch.staging_token, path, lease=lease)).entry
    except EntryLocked:
        entry = None
    # A restoration would leave the entry staged, beneath it, when its object is gone.
    await resetting.reset_entry(env, repository, branch_id, path, forgets=resetting.IN_PLACE)
    if entry is None:
        return
    if checks_token and (await get_branch(env, repository, branch_id)).staging_token != branch.staging_token:
        return
    await hard_delete(env, repository, entry)


async def reset_prefix(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    prefix: bytes,
    *,
    claims: bool = False,
    checks_token: bool = False,
    lease: int = 0,
    batch_size: int = 0,
) -> None:
    """`reset_entry` of each path with a prefix that was changed."""
    branch = await get_branch(env, repository, branch_id)
    for path in await changes_of(env, branch.tokens, prefix, batch_size):
        await reset_entry(env, repository, branch_id, path, claims=claims, checks_token=checks_token, lease=lease)


async def delete_branch(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    *,
    claims: bool = False,
    by_tombstone: bool = False,
    lease: int = 0,
    batch_size: int = 0,
) -> None:
    """Delete the record, then as `reset_branch`.

    by_tombstone: replace the record, if it is still the one that was read, by one that says that the branch is gone.

    Raises BranchNotFound, DefaultBranch; RefChanged, with ``by_tombstone``.
    """
    dropped = await remove_branch(env, repository, branch_id, tombstone=by_tombstone)
    await _drop(env, repository, dropped, claims=claims, lease=lease, batch_size=batch_size)


async def _copied(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, entry: ObjectEntry
) -> ObjectEntry:
    """Copy the object of an entry to a fresh address for a path. 1 effect. Raises DataGone."""
    address = signed_address(env, repository, branch_id, path)
    return unlocked(await copy_data(env, repository, entry, address=address))


async def _hold(
    env: Env, repository: Repository, branch: Branch, path: bytes, *, locks: bool, of: Of, lease: int
) -> Held:
    """Lock the entry that is meant, see `delete_object`; one that is not staged yet by staging it."""
    hold = lock if locks else look
    held = await hold(env, branch.staging_token, path, lease=lease)
    if held.value is not None or of == "open":
        return held
    for token in branch.sealed_tokens:
        sealed = await hold(env, token, path, lease=lease)
        if sealed.value is not None:
            return sealed
    if of == "any":
        found = await find_object(env, repository, branch.branch_id, path)
        if locks:
            value = locked(path, found, await new_mark(env, lease))
            if not await stage_over(env, value, held):
                raise EntryLocked(path)
        return attrs.evolve(held, entry=unlocked(found))
    return held


async def _drop(
    env: Env, repository: Repository, dropped: Tokens, *, claims: bool, lease: int, batch_size: int
) -> None:
    for token in dropped:
        for scanned in await changes_under(env, token, batch_size):
            entry = await _free(env, token, scanned, claims=claims, lease=lease)
            await unstage(env, token, scanned.key)
            if entry is not None:
                await hard_delete(env, repository, entry)


async def _free(env: Env, token: StagingToken, scanned: StagedEntry, *, claims: bool, lease: int) -> ObjectEntry | None:
    """The entry whose object may be deleted: None of a tombstone, or where it is locked."""
    if not claims:
        entry = entry_of(scanned)
        return None if entry is None or await is_locked(env, entry, lease) else entry
    try:
        return (await lock(env, token, scanned.key, lease=lease)).entry
    except EntryLocked:
        return None

# fmt: off
FLOWS = ObjectFlows(
    upload_object=upload_object, stage_object=stage_object, get_physical_address=get_physical_address,
    link_physical_address=link_physical_address, copy_object=copy_object, move_object=move_object,
    delete_object=delete_object, read_object=read_object, commit=commit, reset_branch=reset_branch,
    delete_branch=delete_branch, create_branch=create_branch, reset_entry=reset_entry, reset_prefix=reset_prefix)
