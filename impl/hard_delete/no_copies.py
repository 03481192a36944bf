"""Proposal 5: no two staged entries refer to the same object, so a client that removes an entry may delete its object.

Copies copy the object; an address is signed for one path; and an entry is locked while it is overwritten, moved or
deleted. `Reading` has what the text leaves open.

Example: x is staged on b, as the object s. An upload to x, and another one in the middle of it::

    1st upload    read b; read x: s; lock x: s, locked; put the object a1
    2nd upload    read b; read x: s, locked              raises EntryLocked
    1st upload    stage x: a1, which is not locked; read b: the token is the same; delete s

If a commit takes the token before the last read of b, the 1st upload stages x: a1 under the new token, and s stays.
Source: hard-delete-uncommitted-data.md, "5. No Copies".
"""

from collections.abc import Awaitable, Callable
from typing import Final, Literal

import attrs

from lakeproof.impl.catalog.errors import AddressNotAllowed, DataGone, EntryLocked
from lakeproof.impl.catalog.objects import Grant, at, change, entry_at, entry_of, find_object, is_owned, object_entry
from lakeproof.impl.catalog.objects import commit as commit
from lakeproof.impl.catalog.objects import read_object as read_object
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.graveler import resets, writes
from lakeproof.impl.graveler.layers import changes
from lakeproof.impl.graveler.tokens import Missed, Tokens, settle
from lakeproof.impl.hard_delete._one_entry import (
    StagedValue,
    check_address,
    copy_entry,
    free_entry,
    hold,
    signed_address,
    stage_locked,
)
from lakeproof.impl.hard_delete._tokens import stage_referred
from lakeproof.impl.refs.branches import create_branch as create_branch
from lakeproof.impl.refs.branches import get_branch, remove_branch
from lakeproof.impl.refs.errors import PathNotFound, WriteNotSettled
from lakeproof.impl.staging import changes_under, stage, stage_if, tombstone, unstage
from lakeproof.model.catalog import ObjectEntry, is_inside
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Repository, StagedEntry

Put = Callable[[bool], Awaitable[ObjectEntry]]
"""Puts the object of an entry in its place, or another one under another address if the first is staged already."""


@attrs.frozen(kw_only=True)
class Reading:
    """What the text leaves open, and how it is read."""

    upload_locks: bool = True
    """Uploads, links and copies: "'Lock' entry if exists". Without it they only look that it is not locked."""
    upload_checks_token: bool = True
    """The same: "delete previous physical address unless staging token was updated". Without it, all the same."""
    upload_of: Literal["open", "tokens"] = "open"
    """Which entry "get previous entry" means: one staged under the branch's ``"open"`` token; or the newest under its
    ``"tokens"``, sealed ones too."""
    restores: Literal["entry", "copy"] = "entry"
    """How a reset of a path that is sealed brings back what is committed: as the ``"entry"`` itself, staged anew; or as
    a ``"copy"`` of its object, so that no object has two entries. "Revert - branch / prefix / object": silent."""
    exchanges: bool = False
    """"Add staged entry (or update)": by `SetIf` over the locked entry, or where there was none; else by `Set`."""
    fresh: bool = False
    """The object is put once more, under another address, each time that the branch's token has changed. Silent."""
    move_locks: bool = True
    """"Concurrent move should be blocked". Without it a move only looks that the entry is not locked."""
    move_same_token: bool = False
    """A move writes under the token of the locked entry only, and looks in the end that it is still the open one; else
    "copy entry to new path on current staging token": the one that is current then."""
    delete_locks: bool = True
    """"'Lock' entry (SetIf)", of the flow. Without it "check if not 'locked'", of the race that is "resolved" so."""
    delete_of: Literal["open", "tokens", "any"] = "open"
    """Which entry "Get entry" means: one staged under the branch's ``"open"`` token; under one of its ``"tokens"``; or
    ``"any"``, a committed one, too. Of others the object stays."""
    delete_checks_token: bool = False
    """Deletes, and resets of paths: hard-delete only if the token of the entry is still the branch's after the entry is
    gone, as an upload does. Silent."""
    claims: bool = False
    """Resets and deleted branches: "only in case the entry is not locked". Lock each entry first, as a delete does;
    without it, go by what the scan or one read has shown."""
    by_tombstone: bool = False
    """The record of a deleted branch is replaced, if it is still the one that was read, by one that says that it is
    gone. Silent."""
    lease: int = 0
    """Microseconds for which a lock holds: "a time based lock". 0: for ever."""


LEASE: Final = 60_000_000
"""Of the readings with a time based lock."""

AS_WRITTEN: Final = Reading()
"""The literal sentences."""
UPLOAD_CHECKS: Final = Reading(upload_locks=False)
"""A lock is looked for, as in "check if not 'locked'"."""
UPLOAD_ANY_TOKEN: Final = Reading(upload_checks_token=False)
"""Without "unless staging token was updated"."""
UPLOAD_TOKENS: Final = Reading(upload_of="tokens")
"""A sealed entry is a previous one, too: "get previous entry and delete previous physical address"."""
RESET_COPIES: Final = Reading(restores="copy")
"""Ours: what a reset brings back is copied: "use the underlying adapter to copy the data"."""
DELETE_CHECKS: Final = Reading(delete_locks=False)
"""The race of the text: "check if not 'locked'"."""
DELETE_TOKENS: Final = Reading(delete_of="tokens")
"""Sealed entries are on staging, too: "marking the entry on staging as 'locked'"."""
DELETE_ANY: Final = Reading(delete_of="any")
"""A committed entry is one, too: "Get entry"."""
MOVE_UNLOCKED: Final = Reading(move_locks=False)
"""The race of the text, before "concurrent move should be blocked"."""
MOVE_SAME_TOKEN: Final = Reading(move_same_token=True)
"""The "current staging token" is that of the lock."""
LEASED: Final = Reading(lease=LEASE)
"""Stale locks: "we can overcome it with a time based lock"."""
CAREFUL: Final = Reading(
    exchanges=True, fresh=True, move_same_token=True, delete_checks_token=True, claims=True, by_tombstone=True,
    restores="copy",
)
"""Ours, where the text is silent: writes are taken back by the token. A writer that finds another one deletes nothing,
and puts a new object."""
CAREFUL_LEASED: Final = attrs.evolve(CAREFUL, lease=LEASE)
"""The same, with a time based lock."""


async def upload_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, content: bytes, *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Lock the entry that is staged at the path, if there is one; put an object; stage its entry; delete the object of
    the entry that was there. Raises BranchNotFound: the object is left behind; EntryLocked; WriteNotSettled
    (indefinite)."""

    async def put(again: bool) -> ObjectEntry:
        address = signed_address(env, repository, branch_id, path)
        await env.objects.put(f"{repository.storage_namespace}/{address}", content)
        return await object_entry(env, address, content)

    return await _override(env, repository, branch_id, path, put, reading)


async def stage_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, address: str, content: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Stage an entry for an object that is there already; in the namespace, only at the path that its address is signed
    for. As `upload_object` but for the object; a fresh one is a copy. Raises AddressNotAllowed, DataGone."""
    check_address(repository, branch_id, path, address)
    entry = entry_at(repository, address, content)

    async def keep(again: bool) -> ObjectEntry:
        return (
            await copy_entry(env, repository, branch_id, path, entry)
            if again and is_owned(repository, entry)
            else entry
        )

    return await _override(env, repository, branch_id, path, keep, reading)


async def get_physical_address(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> Grant:
    """Issue an address for a path: it is signed for it."""
    return Grant(f"{repository.storage_namespace}/{signed_address(env, repository, branch_id, path)}")


async def link_physical_address(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, grant: Grant, content: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """`stage_object` at an issued address. Raises AddressNotAllowed: it was not issued for this path."""
    if not is_inside(repository.storage_namespace, grant.address):
        raise AddressNotAllowed(grant.address)
    return await stage_object(env, repository, branch_id, path, grant.address, content, reading=reading)


async def copy_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, source_branch_id: BranchID, source_path: bytes,
    *, reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Copy an object to a path: "use the underlying adapter to copy the data"; then as `upload_object`. Raises
    PathNotFound, BranchBusy, DataGone; and as `upload_object`."""
    found = await find_object(env, repository, source_branch_id, source_path)

    async def copy(again: bool) -> ObjectEntry:
        return await copy_entry(env, repository, branch_id, path, found)

    return await _override(env, repository, branch_id, path, copy, reading)


async def _override(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, put: Put, reading: Reading
) -> ObjectEntry:
    """Put an object in its place, stage its entry over what is staged at a path, and delete the object of that. Raises
    EntryLocked, DataGone; BranchNotFound; WriteNotSettled (indefinite)."""
    entry: ObjectEntry | None = None
    replaced: ObjectEntry | None = None
    staged = False

    async def write(branch: Branch) -> ObjectEntry | Missed:
        nonlocal entry, replaced, staged
        try:
            held = await hold(env, branch.staging_token, path, locks=reading.upload_locks, lease=reading.lease)
            # A tombstone under the open token counts as a value: it hides what is below.
            below = await _below(env, branch, path, reading) if held.value is None else None
            replaced = held.entry if below is None else below.entry
            # Once per call, unless each token gets an object of its own: what is staged under an earlier token may be
            # committed.
            if entry is None or (reading.fresh and staged):
                entry = await put(staged)
        except (EntryLocked, DataGone):
            if staged:  # under an earlier token: a commit may have taken it
                raise WriteNotSettled(branch_id, path) from None
            raise
        if not reading.exchanges:
            await stage(env, held.token, change(path, entry))
        elif not await stage_if(env, held.token, change(path, entry), held.predicate):
            return Missed(branch)  # the object was put, and is staged at the next try
        staged = True
        return entry

    async def settled(before: Branch, now: Branch) -> bool:
        same = before.staging_token == now.staging_token
        assert entry is not None
        # The replaced entry may be this call's own, found again at a later try. And if the token has changed, a commit
        # may have taken the entry that was replaced.
        if replaced is not None and replaced.address != entry.address and (same or not reading.upload_checks_token):
            await hard_delete(env, repository, replaced)
        return same

    branch = await get_branch(env, repository, branch_id)
    try:
        return (await settle(env, repository, branch, write, path, settled=settled))[0]
    except WriteNotSettled:
        # Nothing was staged, so the failure is definite; only the object is left behind.
        if staged:
            raise
        raise EntryLocked(path) from None


async def _below(env: Env, branch: Branch, path: bytes, reading: Reading) -> StagedValue | None:
    """What is staged at a path under the sealed tokens, locked, see `Reading.upload_of`. Raises EntryLocked."""
    for token in branch.sealed_tokens if reading.upload_of == "tokens" else ():
        held = await hold(env, token, path, locks=reading.upload_locks, lease=reading.lease)
        if held.value is not None:
            return held
    return None


async def hard_delete(env: Env, repository: Repository, entry: ObjectEntry | None) -> None:
    """Delete the object of an entry, if there is one and it is lakeFS' own. 1 effect."""
    if entry is not None and is_owned(repository, entry):
        await env.objects.delete(at(repository, entry))


async def move_object(
    env: Env, repository: Repository, branch_id: BranchID, source_path: bytes, path: bytes, *,
    reading: Reading = AS_WRITTEN
) -> ObjectEntry:
    """Lock the entry, copy it to the new path, delete the old one, unlock the new one. What stands at the new path is
    overwritten. An entry that is not staged under the branch's open token is copied in full, as `copy_object` does, and
    then deleted. Raises PathNotFound, BranchNotFound, BranchBusy, DataGone; EntryLocked; WriteNotSettled
    (indefinite)."""
    await find_object(env, repository, branch_id, source_path)
    token = (await get_branch(env, repository, branch_id)).staging_token
    held = await hold(env, token, source_path, locks=reading.move_locks, lease=reading.lease)
    # Not staged under the open token: a commit may have the entry, so its object is copied, and stays.
    if held.entry is None or held.value is None:
        entry = await copy_object(env, repository, branch_id, path, branch_id, source_path, reading=reading)
        await writes.delete_entry(env, repository, branch_id, source_path)
        return entry
    # The value with its lock, at the new path; and the same without it.
    moved, free = attrs.evolve(held.value, key=path), change(path, held.entry)
    if reading.move_same_token:
        await stage(env, token, moved)
        await stage(env, token, tombstone(source_path))
        if (await get_branch(env, repository, branch_id)).staging_token != token:
            # A commit may have taken one of the two writes and not the other.
            raise WriteNotSettled(branch_id, source_path, path)
    else:
        token = (await stage_referred(env, repository, branch_id, moved)).token
        await writes.delete_entry(env, repository, branch_id, source_path)
    # The copy of a locked entry is locked.
    if moved != free:
        await stage_if(env, token, free, encode(moved))  # unless it has changed since
    return held.entry


async def delete_object(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> None:
    """Lock the entry, stage a tombstone, hard-delete the object. Raises PathNotFound, BranchNotFound, BranchBusy,
    EntryLocked; WriteNotSettled (indefinite)."""
    await find_object(env, repository, branch_id, path)
    held = await _lock_entry_to_delete(env, repository, await get_branch(env, repository, branch_id), path, reading)
    if held.value is not None and held.entry is None:  # deleted since the first read
        raise PathNotFound(path)
    settled = await stage_referred(env, repository, branch_id, tombstone(path))
    # If the token has changed, a commit may have taken the entry that was locked, and its object with it.
    if settled.token == held.token or not reading.delete_checks_token:
        await hard_delete(env, repository, held.entry)


async def _lock_entry_to_delete(
    env: Env, repository: Repository, branch: Branch, path: bytes, reading: Reading
) -> StagedValue:
    """Lock the entry that is meant, see `Reading.delete_of`; one that is not staged yet by staging it."""
    tokens = branch.tokens[:1] if reading.delete_of == "open" else branch.tokens
    nothing = StagedValue(branch.staging_token)
    for token in tokens:
        held = await hold(env, token, path, locks=reading.delete_locks, lease=reading.lease)
        if held.value is not None:
            return held
    if reading.delete_of != "any":
        return nothing
    found = await find_object(env, repository, branch.branch_id, path)
    if not reading.delete_locks:
        return attrs.evolve(nothing, entry=found)
    staged = await stage_locked(env, path, found, over=nothing, lease=reading.lease)
    if staged is None:
        raise EntryLocked(path)
    return staged


async def reset_branch(
    env: Env, repository: Repository, branch_id: BranchID, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> None:
    """Swap the token; then delete the entries that were staged, and the objects of those that are not locked. Raises
    BranchNotFound, BranchBusy: nothing was reset."""
    await drop_tokens(env, repository, await resets.forget_tokens(env, repository, branch_id), reading, batch_size)


async def reset_entry(
    env: Env, repository: Repository, branch_id: BranchID, path: bytes, *, reading: Reading = AS_WRITTEN
) -> None:
    """Forget the uncommitted change of one path, as `resets.reset_entry` does in place; then delete the object of
    the entry that was staged under the open token, unless it was locked. Raises BranchNotFound; WriteNotSettled
    (indefinite). DataGone: the committed object, that was to be copied, is gone."""

    async def brought(change_back: StagedEntry) -> StagedEntry:
        committed = entry_of(change_back)
        if reading.restores == "entry" or committed is None or not is_owned(repository, committed):
            return change_back
        return change(path, await copy_entry(env, repository, branch_id, path, committed))

    token = (await get_branch(env, repository, branch_id)).staging_token
    # Before the reset removes it: nothing names its address afterwards.
    entry = await _free(env, token, path, reading)
    # A restoration would leave the entry staged, beneath it, when its object is gone.
    await resets.reset_entry(env, repository, branch_id, path, forgets=resets.IN_PLACE, brought=brought)
    if entry is not None and reading.delete_checks_token:
        # The token was sealed meanwhile, so a commit may hold the entry.
        entry = entry if (await get_branch(env, repository, branch_id)).staging_token == token else None
    await hard_delete(env, repository, entry)


async def reset_prefix(
    env: Env, repository: Repository, branch_id: BranchID, prefix: bytes, *, reading: Reading = AS_WRITTEN,
    batch_size: int = 0
) -> None:
    """`reset_entry` of each path with a prefix that was changed."""
    branch = await get_branch(env, repository, branch_id)
    for path in [each.key async for each in changes(env, branch.tokens, prefix, batch_size)]:
        await reset_entry(env, repository, branch_id, path, reading=reading)


async def delete_branch(
    env: Env, repository: Repository, branch_id: BranchID, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> None:
    """Delete the record, then as `reset_branch`. Raises BranchNotFound, DefaultBranch; RefChanged, by a tombstone."""
    dropped = await remove_branch(env, repository, branch_id, tombstone=reading.by_tombstone)
    await drop_tokens(env, repository, dropped, reading, batch_size)


async def drop_tokens(env: Env, repository: Repository, dropped: Tokens, reading: Reading, batch_size: int) -> None:
    """Delete the entries under these tokens, and the objects of those that are not locked. A scan for each token, and 2
    effects for each entry, and those of a lock where the reading claims."""
    for token in dropped:
        for scanned in await changes_under(env, token, batch_size):
            entry = await _free(env, token, scanned.key, reading, scanned)
            # The entry first: a crash in between leaves an object without an entry, and not an entry without its
            # object.
            await unstage(env, token, scanned.key)
            await hard_delete(env, repository, entry)


async def _free(
    env: Env, token: StagingToken, path: bytes, reading: Reading, scanned: StagedEntry | None = None
) -> ObjectEntry | None:
    """The entry whose object may be deleted: None of a tombstone, or where it is locked. scanned: what a scan shows."""
    if scanned is not None and not reading.claims:
        return await free_entry(env, scanned, reading.lease)
    try:
        return (await hold(env, token, path, locks=reading.claims, lease=reading.lease)).entry
    except EntryLocked:
        return None


# fmt: off
FLOWS = ObjectFlows(
    upload_object=upload_object, stage_object=stage_object, get_physical_address=get_physical_address,
    link_physical_address=link_physical_address, copy_object=copy_object, move_object=move_object,
    delete_object=delete_object, read_object=read_object, commit=commit, reset_branch=reset_branch,
    delete_branch=delete_branch, create_branch=create_branch, reset_entry=reset_entry, reset_prefix=reset_prefix)
